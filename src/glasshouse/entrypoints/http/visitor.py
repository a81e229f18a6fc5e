"""Who asks: the address, scheme and host of a request, as the peer says them or, for it, a trusted proxy."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Visitor:
    address: str
    scheme: str
    host: str


class Reception:
    """Knows which proxies to believe and by which names the server may be called."""

    def __init__(self, *, bound_host: str, allowed_hosts: tuple[str, ...], trusted_proxies: tuple[str, ...]) -> None:
        self._allowed = frozenset(allowed_hosts)
        self._names = _LOOPBACK_NAMES | {bound_host.lower()} - {"0.0.0.0", "::"}
        self._bound_to_all = bound_host in ("0.0.0.0", "::")
        self._proxies: list[Network] = [ipaddress.ip_network(proxy) for proxy in trusted_proxies]

    def visitor(self, scope: Scope, headers: Headers) -> Visitor:
        peer = _as_itself(scope["client"][0]) if scope.get("client") else ""
        scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
        address = peer
        if self._is_proxy(peer):
            address = self._forwarded_for(peer, headers.getlist("x-forwarded-for"))
            claimed = headers.get("x-forwarded-proto", "").strip().lower()
            scheme = claimed if claimed in ("http", "https") else scheme
        hosts = headers.getlist("host")
        return Visitor(address, scheme, hosts[0] if len(hosts) == 1 else "")

    def _forwarded_for(self, peer: str, chain: list[str]) -> str:
        """The last address that no proxy of ours has: what stands before it, the visitor may have made up."""
        address = peer
        for hop in reversed(",".join(chain).split(",")):
            try:
                address = str(ipaddress.ip_address(hop.strip()))
            except ValueError:
                break
            if not self._is_proxy(address):
                break
        return address

    def _is_proxy(self, address: str) -> bool:
        if not self._proxies:
            return False
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._proxies)

    def welcomes(self, visitor: Visitor, scope: Scope) -> bool:
        """Whether the Host is a name of ours: a page that rebinds its own name to our address has another."""
        host = visitor.host.lower()
        name = _name_of(host)
        if name is None:
            return False
        if name in self._names or host in self._allowed or name in self._allowed or f"[{name}]" in self._allowed:
            return True
        # Bound to all addresses: the very address that the connection came in on is no name that can be rebound.
        server = scope.get("server")
        return self._bound_to_all and server is not None and name == _as_itself(server[0])


def _as_itself(address: str) -> str:
    """An IPv4 address is shown otherwise by a socket that takes both kinds."""
    return address.removeprefix("::ffff:") if "." in address else address


def _name_of(host: str) -> str | None:
    """The host without its port; None if it is not of that form."""
    try:
        parts = urlsplit(f"//{host}")
        port = parts.port
    except ValueError:
        return None
    name = parts.hostname
    if not name or parts.netloc != host or parts.path or parts.username is not None:
        return None
    bare = f"[{name}]" if ":" in name else name
    return name if host == (bare if port is None else f"{bare}:{port}") else None


def is_same_origin(origin: str, visitor: Visitor) -> bool:
    """Whether the page that asks came from where it asks: the same scheme, host and port."""
    return origin.lower() == f"{visitor.scheme}://{visitor.host.lower()}"

"""Which of the operator's environment variables reach the agents' processes."""

import re
from collections.abc import Mapping

_PASSED_ON = (
    *("ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_*"),
    *("GIT_*", "SSH_AUTH_SOCK", "SSL_CERT_*", "NODE_EXTRA_CA_CERTS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("LANG", "LANGUAGE", "LC_*", "TZ"),
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "XDG_*"),
    # What marks the processes of a run, an outer server's too: without it, that one's sweep would miss them.
    "GLASSHOUSE_RUN_*",
)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def passed_on(environment: Mapping[str, str], more: tuple[str, ...]) -> dict[str, str]:
    """The reduced environment; loopback is always reached without a proxy."""
    names = re.compile("|".join(_pattern(name) for name in (*_PASSED_ON, *more)))
    reduced = {name: value for name, value in environment.items() if names.fullmatch(name)}
    for name in ("NO_PROXY", "no_proxy"):
        direct = [part.strip() for part in reduced.get(name, "").split(",") if part.strip()]
        reduced[name] = ",".join(dict.fromkeys((*direct, *_LOOPBACK)))
    return reduced


def _pattern(name: str) -> str:
    return re.escape(name.removesuffix("*")) + (".*" if name.endswith("*") else "")

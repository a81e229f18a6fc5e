"""Settings: flags win, then the environment, then the TOML file, then defaults; what nobody knows is refused.

Pure: it is given the three sources as values. `bootstrap` reads them.
"""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from glasshouse.contract.phrase import Language

Offline = Literal["auto", "always", "never"]
Trust = Literal["ask", "always", "never"]
Defer = Literal["auto", "never"]
SelfChecking = Literal["auto", "never"]

PREFIX = "GLASSHOUSE_"
# The one name without our prefix; the seeds' own.
WORKING_DIR = "WORKING_DIR"
# Not settings: where the settings are, and what marks the processes of a run (also of an outer server's).
_NOT_SETTINGS = re.compile(r"GLASSHOUSE_(CONFIG|RUN_\w+|TEST_\w+)")
_HOST_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST_NAME = re.compile(rf"(?!.{{254}}){_HOST_LABEL}(\.{_HOST_LABEL})*")


class BadSettings(Exception):
    """A setting is unknown or wrong; the sentence says which and what is taken."""


@dataclass(frozen=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8000
    api_key: str | None = field(default=None, repr=False)
    data_dir: str | None = None
    allowed_dirs: tuple[str, ...] | None = None
    working_dir: str | None = None
    offline: Offline = "auto"
    rate_limit: int = 10
    task_timeout_s: float = 0
    question_timeout_s: float = 0
    question_limit: int = 10
    defer: Defer = "auto"
    self_check: SelfChecking = "auto"
    trust: Trust = "ask"
    warm_processes: int | None = None
    retention_days: int = 30
    pass_env: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    allow_bypass: bool = False
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    language: Language = "zh"


def load(*, flags: Mapping[str, Any], environment: Mapping[str, str], toml: Mapping[str, Any]) -> Settings:
    """One value a setting, from the strongest source that names it."""
    known = {f.name for f in fields(Settings)}
    found: dict[str, Any] = {}
    for name, value in toml.items():
        if name not in known:
            raise BadSettings(f"unknown key in the settings file: {name}")
        found[name] = _read(name, value, f"{name} in the settings file")
    for variable, text in environment.items():
        setting = _setting_of(variable)
        if setting is None:
            continue
        if setting not in known:
            raise BadSettings(f"unknown setting in the environment: {variable}")
        found[setting] = _read(setting, text, variable)
    for name, value in flags.items():
        if value is not None:
            found[name] = _read(name, value, f"--{name.replace('_', '-')}")
    return Settings(**found)


def _setting_of(variable: str) -> str | None:
    if variable == WORKING_DIR:
        return "working_dir"
    if not variable.startswith(PREFIX) or _NOT_SETTINGS.fullmatch(variable):
        return None
    name = variable.removeprefix(PREFIX).lower()
    # WORKING_DIR has one name only.
    return name if name != "working_dir" else "glasshouse_working_dir"


def _read(name: str, value: Any, where: str) -> Any:
    try:
        return _READERS[name](value)
    except (ValueError, TypeError) as wrong:
        raise BadSettings(f"{where}: {wrong}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    if "\0" in value or "\n" in value:
        raise ValueError("must be one line of text")
    return value


def _nonempty(value: Any) -> str:
    text = _text(value).strip()
    if not text:
        raise ValueError("must not be empty")
    return text


def _number(low: int, high: int) -> Any:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError(f"must be a whole number from {low} to {high}")
        text = str(value).strip()
        if not re.fullmatch(r"\d{1,9}", text) or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return read


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("must be a number of seconds, 0 or more")
    try:
        seconds = float(value)
    except ValueError:
        raise ValueError("must be a number of seconds, 0 or more") from None
    if not 0 <= seconds <= 10_000_000:
        raise ValueError("must be a number of seconds, from 0 to 10000000")
    return seconds


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off", ""):
        return False
    raise ValueError("must be 1 or 0")


def _one_of(kind: Any) -> Any:
    choices = get_args(kind)

    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return str(value)

    return read


def _offline(value: Any) -> str:
    if value is True:  # `--offline`
        return "always"
    return str(_one_of(Offline)(value))


def _list(separator: str, what: str, check: Any) -> Any:
    def read(value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            parts = [part.strip() for part in value.split(separator)]
        elif isinstance(value, list | tuple):
            parts = [_text(part).strip() for part in value]
        else:
            raise ValueError(f"must be a list of {what}")
        if not parts or any(not part for part in parts):
            # An empty list never means "all"; who wants the default leaves the setting away.
            raise ValueError(f"must be a list of {what} with no empty entry; leave it away for the default")
        return tuple(dict.fromkeys(check(part) for part in parts))

    return read


def _absolute(value: str) -> str:
    try:
        path = Path(_nonempty(value)).expanduser()
    except RuntimeError:
        raise ValueError(f"names a user without a home: {value}") from None
    if not path.is_absolute():
        raise ValueError(f"must be absolute: {value}")
    return str(path)


def _bind_address(value: Any) -> str:
    host = _nonempty(value)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if not _HOST_NAME.fullmatch(host):
            raise ValueError(f"must be an IP address or a host name, without a port: {host!r}") from None
    return host


def _host(value: str) -> str:
    # A name, or an IP address; with or without a port. No scheme, no path, no blank.
    if not re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?", value):
        raise ValueError(f"not a host name: {value!r}")
    return value.lower()


def _address(value: str) -> str:
    return str(ipaddress.ip_network(value, strict=False))


def _name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*\*?", value):
        raise ValueError(f"not a variable's name: {value!r}")
    return value


def _api_key(value: Any) -> str:
    key = _text(value)
    if len(key) < 16 or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("must be at least 16 printable ASCII characters without a blank")
    return key


_READERS: dict[str, Any] = {
    "host": _bind_address,
    "port": _number(0, 65535),
    "api_key": _api_key,
    "data_dir": _absolute,
    "allowed_dirs": _list(os.pathsep, "directories", _absolute),
    "working_dir": _absolute,
    "offline": _offline,
    "rate_limit": _number(0, 1_000_000),
    "task_timeout_s": _seconds,
    "question_timeout_s": _seconds,
    "question_limit": _number(1, 1000),
    "defer": _one_of(Defer),
    "self_check": _one_of(SelfChecking),
    "trust": _one_of(Trust),
    "warm_processes": _number(0, 100),
    "retention_days": _number(0, 36_500),
    "pass_env": _list(",", "variable names", _name),
    "allowed_tools": _list(",", "tool names", _nonempty),
    "allow_bypass": _yes_or_no,
    "allowed_hosts": _list(",", "host names", _host),
    "trusted_proxies": _list(",", "addresses", _address),
    "language": _one_of(Language),
}

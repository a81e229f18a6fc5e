"""Where settings come from on this machine: the environment and the TOML file. Reads them, decides nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glasshouse.core.settings import BadSettings, Settings, load


def read_settings(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """Raises BadSettings."""
    return load(flags=flags, environment=environment, toml=_settings_file(environment))


def data_directory_of(settings: Settings, environment: Mapping[str, str]) -> Path:
    if settings.data_dir is not None:
        return Path(settings.data_dir)
    return _base(environment, "XDG_DATA_HOME", ".local/share") / "glasshouse"


def _settings_file(environment: Mapping[str, str]) -> dict[str, Any]:
    named = environment.get("GLASSHOUSE_CONFIG")
    path = Path(named) if named else _base(environment, "XDG_CONFIG_HOME", ".config") / "glasshouse" / "config.toml"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if named:
            raise BadSettings(f"GLASSHOUSE_CONFIG: no such file: {path}") from None
        return {}
    except OSError as problem:
        raise BadSettings(f"the settings file {path} cannot be read: {problem.strerror}") from None
    import tomllib  # noqa: PLC0415 - most starts have no file to parse

    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise BadSettings(f"the settings file {path} is not TOML: {wrong}") from None


def _base(environment: Mapping[str, str], variable: str, below_home: str) -> Path:
    """By the XDG rules: a relative path there counts as none."""
    given = Path(environment.get(variable, ""))
    return given if given.is_absolute() else Path.home() / below_home

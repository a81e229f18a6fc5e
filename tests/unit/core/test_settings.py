"""Which source wins, what each setting takes, and that what is wrong or unknown is refused by name."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest

from glasshouse.core.settings import _READERS, BadSettings, Settings, load


def settings(
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    toml: Mapping[str, Any] | None = None,
) -> Settings:
    return load(flags=flags or {}, environment=environment or {}, toml=toml or {})


class TestPrecedence:
    def test_a_flag_wins_over_all(self) -> None:
        found = settings(flags={"port": "1"}, environment={"GLASSHOUSE_PORT": "2"}, toml={"port": 3})
        assert found.port == 1

    def test_the_environment_wins_over_the_file(self) -> None:
        assert settings(environment={"GLASSHOUSE_PORT": "2"}, toml={"port": 3}).port == 2

    def test_the_file_wins_over_the_default(self) -> None:
        assert settings(toml={"port": 3}).port == 3

    def test_what_nobody_names_has_its_default(self) -> None:
        assert settings(flags={"port": None}) == Settings()

    def test_a_wrong_value_is_refused_even_where_a_stronger_source_would_win(self) -> None:
        with pytest.raises(BadSettings, match="port in the settings file"):
            settings(flags={"port": "1"}, toml={"port": "x"})

    def test_every_setting_can_be_read(self) -> None:
        assert set(_READERS) == {field.name for field in fields(Settings)}


# faults: K3
class TestUnknown:
    def test_a_key_of_the_file_is_named(self) -> None:
        with pytest.raises(BadSettings, match="unknown key in the settings file: prot"):
            settings(toml={"prot": 8000})

    @pytest.mark.parametrize(
        "variable",
        [
            "GLASSHOUSE_PROT",
            # Read by nothing yet: refused, not ignored.
            "GLASSHOUSE_DATABASE",
            "GLASSHOUSE_SANDBOX",
            # Its one name is WORKING_DIR.
            "GLASSHOUSE_WORKING_DIR",
        ],
    )
    def test_a_variable_of_ours_is_named(self, variable: str) -> None:
        with pytest.raises(BadSettings, match=f"unknown setting in the environment: {variable}"):
            settings(environment={variable: "1"})

    @pytest.mark.parametrize("variable", ["GLASSHOUSE_CONFIG", "GLASSHOUSE_RUN_0f3a", "PORT", "OTHER_PORT", "HOME"])
    def test_what_is_no_setting_of_ours_is_left_alone(self, variable: str) -> None:
        assert settings(environment={variable: "1"}) == Settings()


GOOD: list[tuple[str, Any, Any]] = [
    ("host", "0.0.0.0", "0.0.0.0"),
    ("host", " ::1 ", "::1"),
    ("host", "localhost", "localhost"),
    ("host", "box-1.example.org", "box-1.example.org"),
    ("port", "0", 0),
    ("port", 65535, 65535),
    ("api_key", "k" * 16, "k" * 16),
    ("data_dir", "/d/../e", "/d/../e"),
    ("allowed_dirs", "/a:/b:/a", ("/a", "/b")),
    ("allowed_dirs", ["/a", "/b"], ("/a", "/b")),
    ("working_dir", "/w", "/w"),
    ("offline", "never", "never"),
    ("offline", True, "always"),
    ("rate_limit", "0", 0),
    ("task_timeout_s", "1.5", 1.5),
    ("task_timeout_s", 0, 0.0),
    ("trust", "always", "always"),
    ("warm_processes", "0", 0),
    ("pass_env", "FOO, BAR_*", ("FOO", "BAR_*")),
    ("allowed_tools", "Read,mcp__a__b", ("Read", "mcp__a__b")),
    ("allow_bypass", "1", True),
    ("allow_bypass", "", False),
    ("allow_bypass", False, False),
    ("allowed_hosts", "Example.org, box:8443,[::1]:80", ("example.org", "box:8443", "[::1]:80")),
    ("trusted_proxies", "10.0.0.1,192.168.0.0/16,::1", ("10.0.0.1/32", "192.168.0.0/16", "::1/128")),
    ("language", "en", "en"),
]

BAD: list[tuple[str, Any]] = [
    ("host", ""),
    ("host", "http://127.0.0.1"),
    ("host", "a b"),
    ("host", "a,b"),
    ("host", "127.0.0.1:8000"),
    ("host", "a" * 64),
    ("host", ".localhost"),
    ("host", "-x"),
    ("host", 1),
    ("port", "-1"),
    ("port", "65536"),
    ("port", "8000.0"),
    ("port", 8000.0),
    ("port", True),
    ("port", ""),
    ("port", "1" * 5000),
    ("api_key", "short"),
    ("api_key", "k" * 15),
    ("api_key", "with a blank in it"),
    ("api_key", "schlüssel-schlüssel"),
    ("api_key", "k" * 16 + "\n"),
    ("data_dir", "relative"),
    ("data_dir", ""),
    ("data_dir", "/a\0b"),
    ("data_dir", "~nobody-of-this-name/x"),
    # An empty list is never "all".
    ("allowed_dirs", ""),
    ("allowed_dirs", []),
    ("allowed_dirs", "/a::/b"),
    ("allowed_dirs", "/a:relative"),
    ("allowed_dirs", ["/a", 1]),
    ("allowed_dirs", {"/a": 1}),
    ("allowed_dirs", "/a\0b"),
    ("working_dir", "here"),
    ("offline", "yes"),
    ("offline", ""),
    ("rate_limit", "-1"),
    ("rate_limit", "many"),
    ("task_timeout_s", "-1"),
    ("task_timeout_s", "nan"),
    ("task_timeout_s", "inf"),
    ("task_timeout_s", "1h"),
    ("task_timeout_s", True),
    ("trust", "sometimes"),
    ("warm_processes", "-1"),
    ("warm_processes", "all"),
    ("trust", ["always"]),
    ("pass_env", "A B"),
    ("pass_env", "*"),
    ("pass_env", "A=1"),
    ("pass_env", "A**"),
    ("allowed_tools", ""),
    ("allowed_tools", "Read,,Write"),
    ("allow_bypass", "perhaps"),
    ("allow_bypass", 2),
    ("allowed_hosts", ""),
    ("allowed_hosts", "https://example.org"),
    ("allowed_hosts", "a b"),
    ("allowed_hosts", "*"),
    ("allowed_hosts", "a/b"),
    ("trusted_proxies", "proxy.local"),
    ("trusted_proxies", "10.0.0.0/33"),
    ("language", "fr"),
]


@pytest.mark.parametrize(("name", "value", "expected"), GOOD)
def test_a_good_value_is_read(name: str, value: Any, expected: Any) -> None:
    assert getattr(settings(toml={name: value}), name) == expected


# faults: K3
@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_is_refused_and_says_where_it_stands(name: str, value: Any) -> None:
    with pytest.raises(BadSettings, match=f"^{name} in the settings file: ."):
        settings(toml={name: value})


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, value in BAD if isinstance(value, str)])
def test_in_the_environment_too(name: str, value: str) -> None:
    variable = "WORKING_DIR" if name == "working_dir" else f"GLASSHOUSE_{name.upper()}"
    with pytest.raises(BadSettings, match=f"^{variable}: ."):
        settings(environment={variable: value})


def test_a_bad_flag_is_named_as_it_was_typed() -> None:
    with pytest.raises(BadSettings, match=r"^--data-dir: must be absolute: here"):
        settings(flags={"data_dir": "here"})


def test_a_key_is_never_shown() -> None:
    assert "0123456789abcdef" not in repr(settings(toml={"api_key": "0123456789abcdef"}))


def test_a_refused_key_is_not_shown_either() -> None:
    with pytest.raises(BadSettings) as refusal:
        settings(toml={"api_key": "my secret key!"})
    assert "secret" not in str(refusal.value)


def test_a_home_is_understood() -> None:
    assert not str(settings(toml={"data_dir": "~/d"}).data_dir).startswith("~")

"""Which variables reach the agents' processes."""

import pytest

from glasshouse.core.environment import passed_on


@pytest.mark.parametrize(
    "name",
    [
        *("ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "AWS_REGION", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUD_ML_REGION"),
        *("GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
        *("HTTP_PROXY", "https_proxy", "ALL_PROXY", "LANG", "LC_ALL", "TZ"),
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "XDG_CONFIG_HOME", "GLASSHOUSE_RUN_ab12"),
    ],
)
def test_what_claude_code_needs_is_passed_on(name: str) -> None:
    assert passed_on({name: "value"}, ())[name] == "value"


# faults: K4
@pytest.mark.parametrize(
    "name",
    [
        *("GLASSHOUSE_API_KEY", "GLASSHOUSE_DATA_DIR", "GLASSHOUSE_PASS_ENV", "WORKING_DIR"),
        *("LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONPATH", "DATABASE_URL", "SECRET"),
        *("MY_ANTHROPIC_API_KEY", "PATHS", "anthropic_api_key", "PATH\n"),
    ],
)
def test_nothing_else_is(name: str) -> None:
    assert name not in passed_on({name: "value"}, ())


def test_the_operator_may_name_more() -> None:
    environment = {"FOO": "1", "FOO_BAR": "2", "BAZ_A": "3", "BAZ": "4"}

    assert passed_on(environment, ("FOO", "BAZ_*")).items() >= {"FOO": "1", "BAZ_A": "3"}.items()
    assert not passed_on(environment, ("FOO", "BAZ_*")).keys() & {"FOO_BAR", "BAZ"}


def test_loopback_is_always_reached_without_a_proxy() -> None:
    reduced = passed_on({"NO_PROXY": "intern.example, 127.0.0.1", "HTTP_PROXY": "http://proxy:3128"}, ())

    assert reduced["NO_PROXY"] == "intern.example,127.0.0.1,localhost,::1"
    assert reduced["no_proxy"] == "127.0.0.1,localhost,::1"

"""What a process said last."""

from glasshouse.engines.claude.failures import LastWords


def test_only_the_last_lines_are_kept_and_none_is_endless() -> None:
    words = LastWords({})
    for number in range(100):
        words.hear(f"line {number} " + "x" * 10_000)

    lines = str(words).splitlines()
    assert len(lines) == 20 and lines[-1].startswith("line 99") and max(map(len, lines)) <= 500


def test_secrets_of_the_environment_are_hidden() -> None:
    words = LastWords(
        {"ANTHROPIC_API_KEY": "sk-12345678", "GITHUB_TOKEN": "ghp-12345678", "PATH": "/usr/bin", "A_KEY": ""}
    )
    words.hear("with sk-12345678 and ghp-12345678 in /usr/bin")

    assert str(words) == "with •••• and •••• in /usr/bin"

"""The command `glasshouse`. What a subcommand needs is imported when it is asked for: `--help` must be quick."""

import argparse
import os
import sys
from typing import Any

import glasshouse

_EPILOG = """\
settings: flags win, then the environment (GLASSHOUSE_PORT, …), then the TOML file (GLASSHOUSE_CONFIG, else
$XDG_CONFIG_HOME/glasshouse/config.toml), then defaults. docs/settings.md lists them all.
exit codes: 0 clean, 2 bad settings, 3 port or data directory in use.
"""


def main() -> int:
    arguments = sys.argv[1:]
    # The script in a clone says how it was called; an installed command has its own name.
    called_by = os.environ.pop("GLASSHOUSE_RUN_COMMAND", "glasshouse")
    if arguments[:1] == ["claude"]:
        from glasshouse.entrypoints.cli.claude import run_claude  # noqa: PLC0415

        return run_claude(arguments[1:])
    options = vars(_parser().parse_args(arguments))
    command = options.pop("command") or "serve"
    # The one flag that is not a setting: where the settings are.
    if (config := options.pop("config", None)) is not None:
        os.environ["GLASSHOUSE_CONFIG"] = config
    if command == "link":
        from glasshouse.entrypoints.cli.link import print_link  # noqa: PLC0415

        return print_link(options, called_by)
    if command == "doctor":
        from glasshouse.entrypoints.cli.doctor import doctor  # noqa: PLC0415

        return doctor(options)
    if command == "answer":
        from glasshouse.entrypoints.cli.answer import answer  # noqa: PLC0415

        return answer(options, called_by)
    from glasshouse.entrypoints.cli.serve import serve  # noqa: PLC0415

    return serve(options, called_by)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="glasshouse",
        description="Runs AI agents that people can see through. Without a command it starts the server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"glasshouse {glasshouse.__version__}")
    _add_serve_options(parser, default=None)
    commands = parser.add_subparsers(dest="command", metavar="command")
    _add_serve_options(commands.add_parser("serve", help="start the server", allow_abbrev=False))
    link = commands.add_parser("link", help="print a new sign-in link (valid once, for 10 minutes)", allow_abbrev=False)
    _add_data_dir(link)
    check = commands.add_parser(
        "doctor", help="see whether the Claude Code in use does what Glasshouse relies on", allow_abbrev=False
    )
    _add_data_dir(check)
    asks = commands.add_parser("answer", help="answer in this terminal what waits for you", allow_abbrev=False)
    asks.add_argument("--session", default=None, metavar="ID", help="only what this session asks")
    asks.add_argument("--once", action="store_true", help="end once nothing waits any more")
    _add_data_dir(asks)
    commands.add_parser("claude", help="run the bundled Claude Code, to log in for example: glasshouse claude")
    return parser


# A subcommand's options have no default: they must not undo what stands before the subcommand.
def _add_serve_options(parser: argparse.ArgumentParser, default: Any = argparse.SUPPRESS) -> None:
    add = parser.add_argument
    add("--host", default=default, help="address to listen on (127.0.0.1); beyond loopback it wants GLASSHOUSE_API_KEY")
    add("--port", default=default, help="port to listen on (8000); 0 takes a free one")
    add("--offline", action="store_const", const=True, default=default, help="run on the offline demo model")
    add("--working-dir", default=default, metavar="DIR", help="where tasks work when they name no directory")
    add("--config", default=default, metavar="FILE", help="the TOML file with settings")
    _add_data_dir(parser, default)


def _add_data_dir(parser: argparse.ArgumentParser, default: Any = argparse.SUPPRESS) -> None:
    parser.add_argument("--data-dir", default=default, metavar="DIR", help="where Glasshouse keeps what is its own")

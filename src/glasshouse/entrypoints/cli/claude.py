"""`glasshouse claude …`: the bundled Claude Code itself, in this terminal."""

import os
import sys

from glasshouse.engines.claude import bundled_cli


def run_claude(arguments: list[str]) -> int:
    path = bundled_cli()
    if path is not None:
        os.execv(path, [str(path), *arguments])
    print("glasshouse: the bundled Claude Code is missing; install Glasshouse again", file=sys.stderr)
    return 1

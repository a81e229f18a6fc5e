"""What is in the working directory, as `ls` tells it, or Glob where there is no Bash."""

from collections.abc import Sequence
from dataclasses import dataclass

from glasshouse.testing.offline_model.conversation import Conversation, ToolResult
from glasshouse.testing.offline_model.demo.attempt import Obstacle, attempt
from glasshouse.testing.offline_model.reply import Call

# A read-only command: Claude Code runs it without asking, in plan mode too.
_LS = Call("Bash", {"command": "ls -1Ap", "description": "List the working directory"})
_GLOB = Call("Glob", {"pattern": "*"})

# What the tools put where names would be.
_NOTHING = ("", "(Bash completed with no output)", "No files found")
_LONG_OUTPUT = "<persisted-output>"
_LONG_OUTPUT_BEGINS = "Preview (first "
_GLOB_IS_CUT = ("(Results are truncated", "(Showing ")


@dataclass(frozen=True, slots=True)
class Listing:
    """Folders end in a slash; `cut` says that there is more than this."""

    names: tuple[str, ...]
    cut: bool

    @property
    def files(self) -> list[str]:
        return [name for name in self.names if not name.endswith("/")]

    @property
    def folders(self) -> list[str]:
        return [name for name in self.names if name.endswith("/")]


def look(conversation: Conversation) -> Listing | Call | Obstacle:
    """A step of a demo, as `attempt`."""
    seen = attempt(conversation, _LS, _GLOB)
    return read_listing(seen) if isinstance(seen, ToolResult) else seen


def read_listing(result: ToolResult) -> Listing:
    if result.text in _NOTHING:
        return Listing((), cut=False)
    lines = result.text.splitlines()
    return _from_glob(lines) if result.tool == _GLOB.tool else _from_ls(lines)


def _from_ls(lines: Sequence[str]) -> Listing:
    if lines[0] != _LONG_OUTPUT:
        return Listing(tuple(lines), cut=False)
    begin = next(number for number, line in enumerate(lines) if line.startswith(_LONG_OUTPUT_BEGINS)) + 1
    # The preview ends with half a name, dots, and the closing tag.
    return Listing(tuple(lines[begin:-3]), cut=True)


def _from_glob(lines: Sequence[str]) -> Listing:
    """Glob gives files at any depth, and no folders but through them."""
    cut = lines[-1].startswith(_GLOB_IS_CUT)
    tops = (line.partition("/") for line in (lines[:-1] if cut else lines))
    return Listing(tuple(sorted({top + slash for top, slash, _ in tops})), cut)

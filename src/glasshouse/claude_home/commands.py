"""Slash commands that are files: commands and skills of the user, of a project, and of the plugins in use.

They are named as Claude Code names them: a command by its path (`team:greet`), a skill by what it calls itself, one of
a plugin with the plugin's name before it. Of two of one name the user's is the one that runs.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from glasshouse.claude_home.files import read_json_object, read_regular, repository_root, resolved_inside
from glasshouse.claude_home.frontmatter import Document, read_document
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.settings import settings_of, settings_of_project
from glasshouse.contract.command import Command, CommandSource

_FILES = 500
_ENTRIES = 5000
_DEPTH = 5
_READ = 32 * 1024
_DESCRIPTION = 500

# Whether a file may be looked into.
_Check = Callable[[Path], bool]


def commands_of(home: ClaudeHome, working_dir: Path) -> list[Command]:
    """In the order of their names. Blocking."""
    found: dict[str, Command] = {}
    for command in (*_users(home), *_projects(working_dir), *_plugins(home, working_dir)):
        found.setdefault(command.name, command)
    return sorted(found.values(), key=lambda command: command.name)


def _users(home: ClaudeHome) -> Iterator[Command]:
    return _below(home.config_dir, CommandSource.USER)


def _projects(working_dir: Path) -> Iterator[Command]:
    """From the working directory upwards to the repository's root; a link may not lead out of that."""
    directory = working_dir.resolve()
    root = repository_root(directory) or directory
    for place in (directory, *directory.parents):
        if place.is_relative_to(root):
            yield from _below(
                place / ".claude", CommandSource.PROJECT, lambda path: resolved_inside(path, root) is not None
            )


def _plugins(home: ClaudeHome, working_dir: Path) -> Iterator[Command]:
    installed = read_json_object(home.config_dir / "plugins" / "installed_plugins.json").get("plugins")
    if not isinstance(installed, dict):
        return
    switches: dict[str, object] = {}
    for settings in (*settings_of(home), *settings_of_project(working_dir)):
        enabled = settings.get("enabledPlugins")
        switches |= enabled if isinstance(enabled, dict) else {}
    for key, places in installed.items():
        for place in places if isinstance(places, list) else ():
            if switches.get(key) and isinstance(place, dict) and _is_for(place, working_dir):
                folder = Path(str(place.get("installPath")))
                name = read_json_object(folder / ".claude-plugin" / "plugin.json").get("name")
                yield from _below(folder, CommandSource.PLUGIN, prefix=f"{name or key.partition('@')[0]}:")


def _is_for(place: dict[str, object], working_dir: Path) -> bool:
    project = place.get("projectPath")
    return project is None or working_dir.is_relative_to(str(project))


def _below(
    folder: Path, source: CommandSource, may_read: _Check = lambda _: True, prefix: str = ""
) -> Iterator[Command]:
    commands = folder / "commands"
    for path in islice(_markdown(commands), _FILES):
        if (document := _document(path, may_read)) is not None:
            name = ":".join(path.relative_to(commands).with_suffix("").parts)
            yield from _command(prefix + name, document, source)
    for path in islice(_entries(folder / "skills"), _FILES):
        if (document := _document(path / "SKILL.md", may_read)) is not None:
            name = document.fields.get("name") or path.name
            yield from _command(prefix + name, document, source, is_skill=True)


def _markdown(folder: Path, depth: int = _DEPTH) -> Iterator[Path]:
    for path in _entries(folder):
        if path.suffix == ".md":
            yield path
        elif depth and path.is_dir() and not path.is_symlink():
            yield from _markdown(path, depth - 1)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in islice(folder.iterdir(), _ENTRIES) if path.name.isprintable())
    except OSError:
        return []


def _document(path: Path, may_read: _Check) -> Document | None:
    content = read_regular(path, _READ) if may_read(path) else None
    return None if content is None else read_document(content.decode(errors="replace"))


def _command(name: str, document: Document, source: CommandSource, *, is_skill: bool = False) -> Iterator[Command]:
    fields = document.fields
    # One that only the model may use.
    if fields.get("user-invocable") == "false":
        return
    yield Command(
        name=name,
        description=(fields.get("description") or document.first_line)[:_DESCRIPTION],
        argument_hint=fields.get("argument-hint", "")[:_DESCRIPTION],
        source=source,
        kind="skill" if is_skill else "command",
    )

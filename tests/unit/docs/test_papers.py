"""The papers say what is: settings, errors, routes, events, modules and commands."""

import json
import re
import shlex
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute

from glasshouse.contract import errors
from glasshouse.contract.events import DurableEvent, LiveEvent
from glasshouse.contract.task import Failure, TaskRequest, TaskStatus
from glasshouse.core.settings import Settings, load
from glasshouse.entrypoints.http.app import ROUTERS
from glasshouse.entrypoints.http.errors import status_of

ROOT = Path(__file__).parents[3]
READMES = ("README.md", "README.zh-CN.md")
PAPERS = sorted(
    path.relative_to(ROOT).as_posix() for pattern in ("*.md", "docs/**/*.md") for path in ROOT.glob(pattern)
)


def paper(name: str) -> str:
    return (ROOT / name).read_text()


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", paper(name), re.DOTALL | re.MULTILINE)


def table_rows(name: str) -> list[str]:
    return [line for line in paper(name).splitlines() if line.startswith("|")]


def first_cells(name: str) -> str:
    return "\n".join(row.split("|")[1] for row in table_rows(name))


def variable_of(setting: str) -> str:
    return "WORKING_DIR" if setting == "working_dir" else f"GLASSHOUSE_{setting.upper()}"


def all_errors(parent: type[errors.GlasshouseError] = errors.GlasshouseError) -> list[type[errors.GlasshouseError]]:
    children = [found for child in parent.__subclasses__() for found in all_errors(child)]
    return [parent, *children] if hasattr(parent, "code") else children


def requests(name: str) -> list[str]:
    """The bodies that the paper's curl commands send to the task endpoints."""
    bodies = []
    for block in blocks(name, "sh"):
        for command in block.replace("\\\n", " ").splitlines():
            words = shlex.split(command, comments=True)
            if words[:1] == ["curl"] and any(re.search(r"/api/task(/stream)?$", word) for word in words):
                bodies += [words[words.index("-d") + 1]]
    return bodies


def test_the_settings_paper_has_exactly_the_settings_that_are() -> None:
    named = set(re.findall(r"`(WORKING_DIR|GLASSHOUSE_\w+)`", first_cells("docs/settings.md")))
    assert named == {variable_of(setting.name) for setting in fields(Settings)}


def test_plain_defaults_stand_in_the_settings_paper() -> None:
    rows = {row.split("|")[1]: row.split("|")[2].strip() for row in table_rows("docs/settings.md")}
    for setting in fields(Settings):
        if isinstance(setting.default, str | int):
            (default,) = (rows[names] for names in rows if f"`{variable_of(setting.name)}`" in names)
            shown = setting.default if isinstance(setting.default, str) else int(setting.default)
            assert default == f"`{shown}`", setting.name


def test_the_settings_file_that_is_shown_is_taken() -> None:
    (example,) = blocks("docs/settings.md", "toml")
    load(flags={}, environment={}, toml=tomllib.loads(example))


def test_every_error_is_documented_with_its_status() -> None:
    rows = {tuple(row) for row in re.findall(r"^\| (\d{3}) \| `(\w+)` \|", paper("docs/api.md"), re.MULTILINE)}
    assert rows == {(str(status_of(kind())), kind.code) for kind in all_errors()}


def test_every_route_is_documented() -> None:
    documented = first_cells("docs/api.md")
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute | APIWebSocketRoute)
            methods = (route.methods or set()) if isinstance(route, APIRoute) else {"WS"}
            for method in methods:
                assert f"`{method} {route.path}`" in documented


def test_every_event_failure_and_state_is_documented() -> None:
    text = paper("docs/api.md")
    names = [kind.model_fields["type"].default for kind in get_args(DurableEvent) + get_args(LiveEvent)]
    for name in [*names, *Failure, *TaskStatus]:
        assert f"`{name}`" in text


@pytest.mark.parametrize("name", [*READMES, "docs/api.md"])
def test_every_request_that_is_shown_is_valid(name: str) -> None:
    bodies = requests(name)
    assert bodies
    for body in bodies:
        TaskRequest.model_validate_json(body)


def test_every_event_that_is_shown_is_json() -> None:
    lines = [line for block in blocks("docs/api.md", "text") for line in block.splitlines()]
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert {"info", "tool_use", "tool_result", "complete"} <= {event["type"] for event in events}


def test_both_readmes_show_the_same_commands() -> None:
    def commands(name: str) -> list[list[str]]:
        return [shlex.split(block, comments=True) for block in blocks(name, "sh")]

    english, chinese = map(commands, READMES)
    assert [len(block) for block in english] == [len(block) for block in chinese]


def test_every_module_is_on_the_map_or_on_that_of_its_package() -> None:
    for module in (ROOT / "src" / "glasshouse").glob("*/**/*.py"):
        is_package = module.stem == "__init__"
        named = f"{module.parent.name}/" if is_package else rf"\b{module.stem}\b"
        own_map = "" if is_package else (module.parent / "__init__.py").read_text()
        assert re.search(named, paper("ARCHITECTURE.md") + own_map), module.relative_to(ROOT)


@pytest.mark.parametrize("name", PAPERS)
def test_links_between_the_papers_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", paper(name)):
        assert "://" in target or (ROOT / name).parent.joinpath(target).exists(), target


def test_a_decision_is_short_and_says_its_consequence() -> None:
    for record in (ROOT / "docs" / "decisions").glob("*.md"):
        text = record.read_text()
        assert len(text.splitlines()) <= 25, record.name
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Consequence"], (
            record.name
        )

"""Which tools a request may name."""

import re

import pytest

from glasshouse.contract.phrase import Language
from glasshouse.engines.claude import catalogue


@pytest.mark.parametrize(
    "name", ["Bash", "Read", "Glob", "Agent", "Task", "AskUserQuestion", "mcp__github__list_issues", "mcp__a-b__c_d"]
)
def test_tools_of_today_are_known(name: str) -> None:
    assert catalogue.knows(name)


@pytest.mark.parametrize("name", ["MultiEdit", "TodoWrite", "LS", "KillShell"])
def test_tools_of_the_past_are_taken(name: str) -> None:
    assert catalogue.knows(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bash",
        "Bash(ls:*)",
        "Bash,Read",
        "--version",
        "mcp__x",
        "mcp____y",
        "mcp__a__b,Bash",
        "mcp__a__ b",
        "mcp__a__" + "b" * 300,
    ],
)
def test_what_is_no_tools_name_is_not(name: str) -> None:
    assert not catalogue.knows(name)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_list_describes_each_tool_once_and_says_whether_it_is_offered(language: Language) -> None:
    tools = {tool.name: tool for tool in catalogue.listed(language)}

    assert len(tools) == len(catalogue.listed(language))
    assert all(tool.description for tool in tools.values())
    assert tools["Bash"].offered and not tools["LS"].offered
    assert tools["AskUserQuestion"].offered


def test_a_servers_name_is_written_as_its_tools_have_it() -> None:
    assert catalogue.mcp_prefix("my server.1") == "mcp__my_server_1"
    assert catalogue.names_tool_of("my server", ["mcp__my_server__x"])
    assert not catalogue.names_tool_of("my", ["mcp__my_server__x"])


def test_a_tool_under_its_other_name_is_offered() -> None:
    assert catalogue.not_offered(["Agent", "Read", "LS", "LS"], ["Task", "Read"]) == ["LS"]


@pytest.mark.parametrize("tool", [tool.name for tool in catalogue.CATALOGUE] + ["mcp__server__does"])
def test_whatever_acts_comes_before_us_and_what_only_looks_does_not(tool: str) -> None:
    # Claude Code takes what is no plain list of names as a pattern, found anywhere in the name.
    names, pattern = catalogue.ACTING
    comes = tool in names.split("|") or re.search(pattern, tool) is not None
    assert comes == (catalogue.acts(tool) or tool == catalogue.OUR_QUESTION)

"""The model is offered what was named and nothing else, whatever the user has configured."""

import sys
from pathlib import Path
from typing import Any

from tests.integration.engines.stage import Stage, write_json

from glasshouse.testing.offline_model import Call, Say


def mcp_server(canary: Path) -> dict[str, Any]:
    return {
        "type": "stdio",
        "command": sys.executable,
        "args": [str(Path(__file__).with_name("mcp_server.py")), str(canary)],
    }


async def test_only_what_was_named_is_offered_with_an_mcp_server_in_the_users_settings(stage: Stage) -> None:
    stage.user_has_mcp_server(mcp_server(stage.root / "ran"))
    await stage.do(stage.run(Say("Yes."), tools=("Read", "Grep")))

    assert stage.tools_offered == {"Read", "Grep"}
    assert not (stage.root / "ran").exists()


async def test_an_empty_list_offers_questions_alone(stage: Stage) -> None:
    stage.user_has_mcp_server(mcp_server(stage.root / "ran"))
    await stage.do(stage.run(Say("Yes."), tools=()))

    assert stage.tools_offered == set()


async def test_of_a_server_only_the_tool_that_was_named_is_offered_and_runs(stage: Stage) -> None:
    stage.user_has_mcp_server(mcp_server(stage.root / "ran"))
    run = await stage.do(stage.run((Call("mcp__mine__echo", {}),), Say("Yes."), tools=("Read", "mcp__mine__echo")))

    assert stage.tools_offered == {"Read", "mcp__mine__echo"}
    assert (run.result.content, run.result.is_error) == ("called echo", False)


async def test_in_a_trusted_project_too_only_the_named_tool_of_a_server_is_offered(stage: Stage) -> None:
    stage.user_has_mcp_server(mcp_server(stage.root / "ran"))
    write_json(stage.project / ".mcp.json", {"mcpServers": {"theirs": mcp_server(stage.root / "theirs-ran")}})
    run = stage.run((Call("mcp__theirs__echo", {}),), Say("Yes."), tools=("mcp__theirs__echo",))
    await stage.do(run, stage.engine(trust="always"))

    assert stage.tools_offered == {"mcp__theirs__echo"}
    assert run.result.content == "called echo"


async def test_without_a_list_claude_codes_own_set_is_offered_and_the_users_servers(stage: Stage) -> None:
    stage.user_has_mcp_server(mcp_server(stage.root / "ran"))
    run = await stage.do(stage.run(Say("Yes.")))

    assert {"Bash", "Read", "Write", "Edit"} <= stage.tools_offered
    assert {"name": "mine", "status": "connected"} in run.reported["mcp_servers"]
    assert "mcp__mine__echo" in run.reported["tools"]


async def test_a_named_tool_that_claude_code_does_not_have_is_told(stage: Stage) -> None:
    run = await stage.do(stage.run(Say("Yes."), tools=("Read", "Agent", "LS", "AskUserQuestion", "mcp__gone__tool")))

    assert run.noticed("tools_not_offered").metadata["tools"] == ["LS", "mcp__gone__tool"]
    assert stage.tools_offered == {"Read", "Agent"}

"""What a project carries runs only where it is trusted, whoever wrote it, and when."""

import json

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.model import ModelInThread

HOOKS = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch canary"}]}]}}
# Claude Code sees through a redirection into .claude, not through a program.
PLANT = f"""\
from pathlib import Path
Path(".claude").mkdir()
Path(".claude/settings.json").write_text({json.dumps(HOOKS)!r})
Path("CLAUDE.md").write_text("the word is zinnia")
"""


@pytest.mark.parametrize(("trust", "runs"), [("always", True), ("ask", False), ("never", False)])
async def test_hooks_that_the_task_before_wrote_run_only_where_it_is_trusted(
    trust: str, runs: bool, start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    api = api_of(start_server(GLASSHOUSE_TRUST=trust))
    (api.directory / "plant.py").write_text(PLANT)
    first = await api.run("$ python3 plant.py")
    assert (api.directory / ".claude" / "settings.json").exists()
    again = await api.run("hello again", resume=first["session_id"])
    fresh = await api.run(f"hello with {trust}")
    assert (again["status"], fresh["status"]) == ("completed", "completed")
    assert (api.directory / "canary").exists() is runs
    # Its instructions are text, and reach the model in any case.
    assert "zinnia" in str(model.heard(f"hello with {trust}")[-1])

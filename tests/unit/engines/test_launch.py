"""What a Claude Code is started with."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow, ToolPermissionContext
from claude_agent_sdk.types import PermissionResult

from glasshouse.claude_home import ClaudeHome
from glasshouse.core.ports import EngineTask, ForkPoint, ModelEndpoint, SessionRecord
from glasshouse.core.rewindings import RewoundTo, rewound
from glasshouse.engines.claude.launch import Launch, launch_for
from glasshouse.engines.claude.options import Talk, options_for
from glasshouse.engines.claude.question_tool import question_server
from glasshouse.engines.claude.run_files import remove_left_behind, run_files
from glasshouse.engines.claude.trust import Standing

DEMO = ModelEndpoint("http://127.0.0.1:1234", "demo-key")
_SURROUNDINGS = {"NO_PROXY": "a.example"}


@pytest.fixture
def home(tmp_path: Path) -> ClaudeHome:
    (tmp_path / "project").mkdir()
    (tmp_path / "claude").mkdir()
    return ClaudeHome.at(tmp_path / "claude")


def a_task(home: ClaudeHome) -> EngineTask:
    directory = str(home.config_dir.with_name("project"))
    return EngineTask("t", str(uuid4()), "x", directory, None, None, "default", None, None, False, False, {})


def launched(home: ClaudeHome, task: EngineTask, *, trusted: bool = False, demo: ModelEndpoint | None = None) -> Launch:
    return launch_for(
        task, home=home, project=Standing(trusted), demo=demo, server_environment={"NO_PROXY": "a.example"}
    )


def options(home: ClaudeHome, launch: Launch) -> ClaudeAgentOptions:
    with run_files(home.config_dir.with_name("runs"), launch) as files:
        return options_for(
            launch,
            files,
            launcher="/launcher",
            marker={"MARKER": "1"},
            talk=Talk(_allow, {}, question_server(_nothing), rules=("Bash(ls:*)",)),
            hear=print,
            hidden=["mcp__x"],
        )


async def _allow(tool: str, tool_input: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
    return PermissionResultAllow()


async def _nothing(call_id: str) -> str:
    return ""


def transcript_of(home: ClaudeHome, task: EngineTask, *lines: dict[str, str]) -> int:
    """Returns its size."""
    folder = home.transcripts_dir / "-any"
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return (folder / f"{task.session_id}.jsonl").write_text(text)


def test_what_is_always_set(home: ClaudeHome) -> None:
    task = replace(a_task(home), model="some-model", max_turns=7)
    given = options(home, launched(home, task))

    assert given.system_prompt == {"type": "preset", "preset": "claude_code"}
    assert given.setting_sources == ["user"] and given.strict_mcp_config
    assert given.can_use_tool is not None and given.stderr is not None
    assert given.max_buffer_size == 64 * 1024 * 1024
    assert given.enable_file_checkpointing and not given.include_partial_messages
    assert (given.session_id, given.resume, given.cwd) == (task.session_id, None, task.working_dir)
    assert (given.cli_path, given.model, given.max_turns) == ("/launcher", "some-model", 7)
    assert given.disallowed_tools == ["mcp__x"]
    assert isinstance(given.mcp_servers, dict) and set(given.mcp_servers) == {"glasshouse"}
    assert given.env["MARKER"] == "1" and given.env["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] == "1"
    assert given.env["NO_PROXY"] == given.env["no_proxy"] == "a.example,localhost,127.0.0.1,::1"
    assert given.env["CLAUDE_CONFIG_DIR"] == str(home.config_dir)


def test_a_session_with_a_transcript_is_resumed(home: ClaudeHome) -> None:
    task = a_task(home)
    transcript_of(home, task, {"type": "user", "cwd": task.working_dir})
    given = options(home, launched(home, task))

    assert (given.session_id, given.resume) == (None, task.session_id)


def test_a_fork_begins_with_the_others_conversation(home: ClaudeHome) -> None:
    task = a_task(home)
    forked = replace(task, forked_from=ForkPoint("the-other", "entry"))
    given = options(home, launched(home, forked))
    assert (given.resume, given.fork_session, given.session_id) == ("the-other", True, task.session_id)
    assert given.resume_session_at == "entry"

    transcript_of(home, task, {"type": "user", "cwd": task.working_dir})
    given = options(home, launched(home, forked))
    assert (given.resume, given.fork_session, given.resume_session_at) == (task.session_id, False, None)


def test_a_rewinding_in_place_holds_until_something_was_said_after_it(home: ClaudeHome) -> None:
    task = a_task(home)
    said = {"type": "user", "uuid": "u", "cwd": task.working_dir}
    size = transcript_of(home, task, said, {"type": "user", "uuid": "dropped", "cwd": "/"})
    session = SessionRecord(task.session_id, "claude", task.working_dir, "", False)
    state = rewound(session, RewoundTo("u", (size // 2, size))).engine_state
    launch = launched(home, replace(task, engine_state=state))
    given = options(home, launch)
    assert (given.resume, given.fork_session, given.resume_session_at) == (task.session_id, False, "u")
    assert "dropped" not in launch.unfinished.messages

    transcript_of(home, task, said, {"type": "user", "uuid": "dropped", "cwd": "/"}, {"type": "user", "uuid": "new"})
    launch = launched(home, replace(task, engine_state=state))
    assert options(home, launch).resume_session_at is None
    assert {"dropped", "new"} & launch.unfinished.messages == {"new"}


def test_a_trusted_directory_brings_all_that_a_terminal_would(home: ClaudeHome) -> None:
    (home.config_dir.with_name("project") / "CLAUDE.md").write_text("words")
    launch = launched(home, a_task(home), trusted=True)
    given = options(home, launch)

    assert given.setting_sources == ["user", "project", "local"]
    assert not given.strict_mcp_config and launch.memory == ""


def test_the_words_of_an_untrusted_directory_are_given_in_a_file(home: ClaudeHome) -> None:
    (home.config_dir.with_name("project") / "CLAUDE.md").write_text("words")
    launch = launched(home, a_task(home))

    with run_files(home.config_dir.with_name("runs"), launch) as files:
        assert files.memory is not None and "words" in files.memory.read_text()
    assert options(home, launch).extra_args["append-system-prompt-file"]


def test_named_tools_are_allowed_but_not_in_plan_mode_nor_those_that_are_questions(home: ClaudeHome) -> None:
    task = replace(a_task(home), tools=("Bash", "ExitPlanMode", "AskUserQuestion"))

    assert launched(home, task).allowed == ("Bash",)
    assert launched(home, replace(task, permission_mode="plan")).allowed == ()


def test_a_bound_offers_and_allows_nothing(home: ClaudeHome) -> None:
    launch = launched(home, replace(a_task(home), tools_bound=("Bash", "Read")))

    assert (launch.offered, launch.allowed) == (("Bash", "Read"), ())


def test_of_the_users_servers_only_those_with_a_named_tool_are_started(home: ClaudeHome) -> None:
    home.state_file.write_text(json.dumps({"mcpServers": {"one": {"command": "a"}, "two": {"command": "b"}}}))

    assert set(launched(home, a_task(home)).mcp.configured or {}) == {"one", "two"}
    assert launched(home, replace(a_task(home), tools=("Read",))).mcp.configured == {}
    named = launched(home, replace(a_task(home), tools=("mcp__two__x",))).mcp
    assert (named.configured, named.weeded) == ({"two": {"command": "b"}}, True)


def test_a_demo_run_empties_what_could_lead_elsewhere_and_what_settings_would_set(home: ClaudeHome) -> None:
    task = a_task(home)
    folder = Path(task.working_dir, ".claude")
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"env": {"ANTHROPIC_FUTURE_URL": "http://evil", "NO_PROXY": ""}}))
    launch = launched(home, replace(task, offline=True), demo=DEMO)

    for variables in (launch.environment, launch.settings["env"]):
        assert variables["ANTHROPIC_BASE_URL"] == DEMO.url and variables["ANTHROPIC_API_KEY"] == DEMO.key
        assert (
            variables["ANTHROPIC_FUTURE_URL"] == variables["CLAUDE_CODE_USE_BEDROCK"] == variables["HTTP_PROXY"] == ""
        )
        assert variables["NO_PROXY"].endswith("127.0.0.1,::1")
        assert variables["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"


def test_the_files_of_a_run_are_its_users_alone_and_gone_after_it(home: ClaudeHome) -> None:
    home.state_file.write_text(json.dumps({"mcpServers": {"one": {"command": "a"}}}))
    directory = home.config_dir.with_name("runs")
    umask = os.umask(0)
    try:
        with run_files(directory, launched(home, a_task(home))) as files:
            assert files.mcp_servers is not None
            assert files.settings.parent.stat().st_mode & 0o077 == 0
    finally:
        os.umask(umask)
    assert list(directory.iterdir()) == []


def test_files_of_a_killed_servers_runs_are_removed_and_newer_ones_kept(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    os.utime(tmp_path / "old", (100, 100))

    remove_left_behind(tmp_path, before=200)

    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_questions_stay_on_offer_where_tools_are_limited(home: ClaudeHome) -> None:
    for tools in ((), ("Read",), ("AskUserQuestion",)):
        given = options(home, launched(home, replace(a_task(home), tools=tools)))
        assert given.tools == list(dict.fromkeys((*tools, "AskUserQuestion")))


def test_what_was_allowed_for_the_session_holds_but_in_plan_mode(home: ClaudeHome) -> None:
    task = replace(a_task(home), tools=("Read",))

    assert options(home, launched(home, task)).allowed_tools == ["Read", "Bash(ls:*)"]
    assert options(home, launched(home, replace(task, permission_mode="plan"))).allowed_tools == []

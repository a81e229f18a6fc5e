"""Every demo script on the real Claude Code: the work is done, and nothing is claimed that was not."""

import warnings
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    CanUseToolShadowedWarning,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultDeny,
    ResultMessage,
    TextBlock,
    ThinkingBlock,
    ToolPermissionContext,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from glasshouse.contract.example import Example
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import PermissionMode
from glasshouse.core.ports import ModelEndpoint
from glasshouse.testing.offline_model import OfflineModel, examples

DENIAL = "Nobody is here to approve this."


@dataclass
class Seen:
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    result: ResultMessage | None = None

    @property
    def last(self) -> str:
        return self.texts[-1]

    def note(self, message: object) -> None:
        match message:
            case AssistantMessage():
                self.texts += [block.text for block in message.content if isinstance(block, TextBlock)]
                self.thoughts += [block.thinking for block in message.content if isinstance(block, ThinkingBlock)]
                self.called += [block.name for block in message.content if isinstance(block, ToolUseBlock)]
            case UserMessage(content=list() as blocks):
                results = (block for block in blocks if isinstance(block, ToolResultBlock))
                self.errors += [str(result.content) for result in results if result.is_error]
            case ResultMessage():
                self.result = message


@dataclass
class Stage:
    """A project to work in, and a Claude Code that knows only the offline model."""

    endpoint: ModelEndpoint
    config: Path
    project: Path
    environment: dict[str, str] = field(default_factory=dict)

    async def play(self, prompt: str, tools: tuple[str, ...] | None, mode: PermissionMode) -> Seen:
        options = ClaudeAgentOptions(
            env={
                "ANTHROPIC_BASE_URL": self.endpoint.url,
                "ANTHROPIC_API_KEY": self.endpoint.key,
                "CLAUDE_CONFIG_DIR": str(self.config),
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "NO_PROXY": "127.0.0.1",
                **self.environment,
            },
            system_prompt={"type": "preset", "preset": "claude_code"},
            setting_sources=[],
            strict_mcp_config=True,
            cwd=self.project,
            tools=None if tools is None else list(tools),
            allowed_tools=list(tools or ()),
            permission_mode=mode,
            can_use_tool=_deny,
        )
        seen = Seen()
        with warnings.catch_warnings():
            # That a named tool is not asked about is what is wanted here.
            warnings.simplefilter("ignore", CanUseToolShadowedWarning)
            async with ClaudeSDKClient(options) as client:
                await client.query(prompt)
                async for message in client.receive_response():
                    seen.note(message)
        assert seen.result is not None
        assert not seen.result.is_error
        return seen

    async def play_example(self, example: Example) -> Seen:
        return await self.play(example.prompt, example.tools, example.permission_mode)


async def _deny(_tool: str, _input: dict[str, object], _context: ToolPermissionContext) -> PermissionResultDeny:
    return PermissionResultDeny(message=f"{DENIAL} It is not allowed.")


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "README.md").write_text("# Glass\n\nA house.\n\n## Doors\n", encoding="utf-8")
    (project / "src" / "door.py").write_text("def knock() -> None: ...\n\n\nclass Door: ...\n", encoding="utf-8")
    model = OfflineModel()
    yield Stage(await model.start(), tmp_path / "claude", project)
    await model.stop()


def an_example(name: str, language: Language) -> Example:
    return next(example for example in examples(language) if example.id == name)


async def test_list_files_says_what_is_there(stage: Stage) -> None:
    seen = await stage.play_example(an_example("list_files", "zh"))
    assert seen.called == ["Bash"]
    assert "文件夹 1 个、文件 1 个" in seen.last
    assert "`src/`" in seen.last
    assert "`README.md`" in seen.last


async def test_list_files_takes_another_tool_where_only_that_is_offered(stage: Stage) -> None:
    seen = await stage.play("List the files in this directory", ("Glob",), "default")
    assert seen.called == ["Glob"]
    assert "`README.md`" in seen.last


async def test_list_files_names_both_ways_out_where_no_tool_is_offered(stage: Stage) -> None:
    seen = await stage.play("List the files in this directory", (), "default")
    assert seen.called == []
    assert "not offered" in seen.last
    assert "`tools`" in seen.last
    assert "`permission_mode`" in seen.last
    assert "README" not in seen.last


async def test_fan_out_has_three_sub_agents_do_the_other_demos(stage: Stage) -> None:
    seen = await stage.play_example(an_example("fan_out", "zh"))
    assert seen.called.count("Agent") == 3
    assert {"Bash", "Read", "Write"} <= set(seen.called)
    assert seen.last.count("：完成") == 3
    assert (stage.project / "glasshouse_demo.py").is_file()


async def test_fan_out_claims_nothing_where_no_agent_may_be_started(stage: Stage) -> None:
    seen = await stage.play("Send out three sub-agents at once", ("Bash",), "default")
    assert seen.called == []
    assert "nothing was done" in seen.last


async def test_write_program_shows_what_the_program_printed(stage: Stage) -> None:
    seen = await stage.play_example(an_example("write_program", "en"))
    assert seen.called == ["Write", "Bash"]
    assert (stage.project / "glasshouse_demo.py").is_file()
    assert "The primes below 50: 2 3 5 7 11 13 17 19 23 29 31 37 41 43 47" in seen.last
    assert seen.thoughts


async def test_write_program_can_be_played_again_in_the_same_directory(stage: Stage) -> None:
    (stage.project / "glasshouse_demo.py").write_text("print('the earlier run')\n")
    seen = await stage.play_example(an_example("write_program", "en"))
    assert seen.called == ["Write", "Bash"]
    assert "primes" in (stage.project / "glasshouse_demo.py").read_text()


async def test_write_program_speaks_chinese_to_who_asks_in_chinese(stage: Stage) -> None:
    seen = await stage.play_example(an_example("write_program", "zh"))
    assert "50 以内的质数： 2 3 5 7" in seen.last


async def test_write_program_that_was_denied_claims_nothing(stage: Stage) -> None:
    seen = await stage.play("写一个小程序并运行它", None, "default")
    assert seen.called == ["Write"]
    assert not (stage.project / "glasshouse_demo.py").exists()
    assert "没有写成" in seen.last
    assert DENIAL in seen.last
    assert '`tools` 里写上 "Write"' in seen.last
    assert "`permission_mode`" in seen.last


async def test_write_program_that_could_not_be_run_says_that_it_is_only_written(stage: Stage) -> None:
    seen = await stage.play("Write a small program and run it", None, "acceptEdits")
    assert seen.called == ["Write", "Bash"]
    assert (stage.project / "glasshouse_demo.py").is_file()
    assert "there is no result" in seen.last
    assert 'name "Bash" in the request\'s `tools`' in seen.last


async def test_write_program_whose_program_fails_shows_the_error(stage: Stage) -> None:
    stage.environment["PYTHONHOME"] = "/nowhere"
    seen = await stage.play_example(an_example("write_program", "en"))
    assert seen.called == ["Write", "Bash"]
    assert seen.errors
    assert "there is no result" in seen.last
    assert "The tool `Bash` did not succeed" in seen.last
    assert "Exit code 1" in seen.last
    assert "`permission_mode`" not in seen.last


async def test_explain_file_tells_facts_of_the_readme(stage: Stage) -> None:
    seen = await stage.play_example(an_example("explain_file", "en"))
    assert seen.called == ["Bash", "Read"]
    assert "Lines: 5, of which blank: 2" in seen.last
    assert "“Glass”" in seen.last
    assert "Headings (2): Glass, Doors" in seen.last


async def test_explain_file_takes_the_file_that_is_named(stage: Stage) -> None:
    seen = await stage.play("讲解 src/door.py", ("Read",), "default")
    assert seen.called == ["Read"]
    assert "定义的名字（2）：knock、Door" in seen.last


async def test_explain_file_claims_nothing_of_a_file_that_is_not_there(stage: Stage) -> None:
    seen = await stage.play("Explain missing.py", ("Read",), "default")
    assert "I could not read `missing.py`" in seen.last
    assert "`permission_mode`" not in seen.last


async def test_make_plan_gives_the_plan_as_text_where_its_approval_is_denied(stage: Stage) -> None:
    seen = await stage.play_example(an_example("make_plan", "zh"))
    assert seen.called == ["Bash", "ToolSearch", "ExitPlanMode"]
    assert "# 计划" in seen.last
    assert "读 `README.md`" in seen.last
    assert DENIAL in seen.last
    assert "一件也没有做" in seen.last
    assert [path.name for path in sorted(stage.project.iterdir())] == ["README.md", "src"]


async def test_make_plan_without_the_tool_for_it_says_so(stage: Stage) -> None:
    seen = await stage.play("Make a plan for an overview of this directory", ("Glob", "Read"), "default")
    assert seen.called == ["Glob"]
    assert "# Plan" in seen.last
    assert "The tool `ExitPlanMode` is not offered" in seen.last


async def test_a_prompt_without_a_script_is_told_what_this_model_is(stage: Stage) -> None:
    seen = await stage.play("今天天气怎么样？", None, "default")
    assert "离线演示模型" in seen.last
    for example in examples("zh"):
        assert example.prompt in seen.last

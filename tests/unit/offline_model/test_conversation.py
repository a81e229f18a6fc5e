"""What a script sees of the requests that Claude Code sends."""

from typing import Any

import pytest

from glasshouse.testing.offline_model import Call, Say, ToolResult, played
from glasshouse.testing.offline_model.conversation import Conversation, Turn, read_conversation
from glasshouse.testing.offline_model.script import next_reply

REMINDER = {"type": "text", "text": "<system-reminder>\nDo not forget.\n</system-reminder>\n"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def read(*turns: Turn) -> Conversation:
    return read_conversation(turns, ["Bash"], "zh")


def test_the_prompt_is_what_the_person_wrote_and_nothing_that_was_put_there() -> None:
    seen = read(("user", [REMINDER, text("list the files")]), ("system", "# Environment\nlinux"))
    assert seen.prompt == "list the files"
    assert seen.replies == 0


@pytest.mark.parametrize(
    "injected",
    [
        "<command-name>/model</command-name>",
        "<local-command-stdout>ok</local-command-stdout>",
        "<task-notification>done</task-notification>",
        "[Request interrupted by user for tool use]",
        "Continue from where you left off.",
        "Tool loaded.",
    ],
)
def test_words_of_claude_code_are_no_prompt(injected: str) -> None:
    assert read(("user", "first"), ("assistant", "yes"), ("user", [text(injected)])).prompt == "first"


def test_results_and_replies_count_from_the_last_prompt() -> None:
    seen = read(
        ("user", "first"),
        ("assistant", [call("Read", "t1")]),
        ("user", [result("t1", "old")]),
        ("assistant", "done"),
        ("user", [text("second")]),
        ("assistant", [text("now"), call("Bash", "t2")]),
        ("user", [result("t2", [text("a\nb")], is_error=False), REMINDER]),
    )
    assert seen.prompt == "second"
    assert seen.replies == 1
    assert seen.results == (ToolResult("Bash", "a\nb", False),)
    assert seen.result_of("Read") is None


@pytest.mark.parametrize("after", ["", "\n\nMore."])
def test_the_names_of_deferred_tools_are_known(after: str) -> None:
    told = "Hello.\nThese deferred tools are now available via ToolSearch. Load them:\nCronList\nExitPlanMode"
    seen = read(("user", "go"), ("system", [text(told + after)]))
    assert seen.deferred == {"CronList", "ExitPlanMode"}
    assert seen.tools == {"Bash"}


@pytest.mark.parametrize(("prompt", "language"), [("列出 files", "zh"), ("list files", "en"), ("1 + 1 = ?", "zh")])
def test_the_language_is_the_prompts(prompt: str, language: str) -> None:
    assert read(("user", prompt)).language == language


@pytest.mark.parametrize(
    "said",
    [
        "Claude requested permissions to write to a.txt, but you haven't granted it yet.",
        "没有人批准这个工具",
        "<tool_use_error>Error: No such tool available: Glob.</tool_use_error>",
    ],
)
def test_a_refusal_reads_as_denied(said: str) -> None:
    (seen,) = read(
        ("user", "go"), ("assistant", [call("Bash", "t")]), ("user", [result("t", said, is_error=True)])
    ).results
    assert seen.denied
    assert "tool_use_error" not in seen.text


@pytest.mark.parametrize(
    "said",
    ["Exit code 1\ncat: x: Permission denied", "File does not exist.", "EACCES: permission denied, open 'x'", "Boom."],
)
def test_what_ran_and_failed_was_not_denied(said: str) -> None:
    assert not ToolResult("Bash", said, is_error=True).denied


def test_the_reply_follows_from_the_conversation_alone() -> None:
    scripts = [played("other", Say("no")), played("go", Call("Bash", {"command": "ls"}, id="t1"), (Say("a"), Say("b")))]
    asked: list[Turn] = [("user", "go")]
    later: list[Turn] = [*asked, ("assistant", [call("Bash", "t1")]), ("user", [result("t1", "x")])]
    for _ in range(2):  # in any order, as often as one likes: nothing is kept
        assert next_reply(scripts, read(*later)) == (Say("a"), Say("b"))
        assert next_reply(scripts, read(*asked)) == (Call("Bash", {"command": "ls"}, id="t1"),)


def test_a_script_at_its_end_and_a_prompt_without_one_say_so() -> None:
    over = next_reply([played("go", Say("done"))], read(("user", "go"), ("assistant", "done")))
    assert over == (Say("(Offline demo model) This script ends here."),)
    assert next_reply([], read(("user", "你好"))) == (Say("（离线演示模型）没有为这个任务准备脚本。"),)

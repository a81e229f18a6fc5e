"""From a new Claude Code on a session that waits with a deferred question, to the model's words after its answer.

`python -m benchmarks.bare_resume DIRECTORY PROMPT ANSWER` prints a line of milliseconds for every line that it reads.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import uvloop
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    TextBlock,
    ToolPermissionContext,
    query,
)
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput

from benchmarks.bare_options import options


async def milliseconds_to_the_words_after(working_dir: Path, prompt: str, answer: str) -> float:
    with options(working_dir) as chosen:
        deferring = replace(chosen, hooks={"PreToolUse": [HookMatcher("AskUserQuestion", [_defer])]})
        async for _ in query(prompt=_message(prompt), options=deferring):
            pass
        begun = perf_counter()
        async with ClaudeSDKClient(_answering(chosen, answer)) as client:
            async for message in client.receive_messages():
                if isinstance(message, AssistantMessage) and any(
                    isinstance(each, TextBlock) for each in message.content
                ):
                    return (perf_counter() - begun) * 1000
    raise RuntimeError("the model said nothing after the answer")


def _answering(chosen: ClaudeAgentOptions, answer: str) -> ClaudeAgentOptions:
    def answered(given: dict[str, Any]) -> dict[str, Any]:
        return {**given, "answers": {each["question"]: answer for each in given["questions"]}}

    async def before(given: HookInput, call_id: str | None, context: HookContext) -> HookJSONOutput:
        updated = answered(cast("dict[str, Any]", given)["tool_input"])
        return _decision("allow", updatedInput=updated)

    async def may_use(tool: str, given: dict[str, Any], context: ToolPermissionContext) -> PermissionResultAllow:
        return PermissionResultAllow(updated_input=answered(given))

    return replace(
        chosen,
        resume=chosen.session_id,
        session_id=None,
        hooks={"PreToolUse": [HookMatcher("AskUserQuestion", [before])]},
        can_use_tool=may_use,
    )


async def _defer(given: HookInput, call_id: str | None, context: HookContext) -> HookJSONOutput:
    return _decision("defer")


def _decision(decision: str, **fields: Any) -> HookJSONOutput:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, **fields}
    return cast("HookJSONOutput", {"hookSpecificOutput": output})


async def _message(prompt: str) -> AsyncIterator[dict[str, Any]]:
    yield {"type": "user", "message": {"role": "user", "content": prompt}, "parent_tool_use_id": None}


def main() -> None:
    working_dir, prompt, answer = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for _ in sys.stdin:
            print(runner.run(milliseconds_to_the_words_after(working_dir, prompt, answer)), flush=True)


if __name__ == "__main__":
    main()

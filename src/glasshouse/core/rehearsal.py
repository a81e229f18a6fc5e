"""What Glasshouse relies on, rehearsed: real tasks for a real engine, played by a model that knows its part."""

import asyncio
import json
import shlex
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from glasshouse.contract.errors import GlasshouseError
from glasshouse.contract.instruction import MessageMode, MessageRequest, ReceiptState
from glasshouse.contract.phrase import Phrase
from glasshouse.contract.question import Door, QuestionKind
from glasshouse.contract.self_check import Behaviour, Finding
from glasshouse.contract.task import PermissionMode, TaskRequest, TaskStatus
from glasshouse.core.admission import Admission
from glasshouse.core.execution import Execution
from glasshouse.core.instructions import Instructions
from glasshouse.core.ports import Engine, InstructionRecord, QuestionRecord, Sessions, Store, TaskRecord
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.settling import Given
from glasshouse.core.waiting import until_ended

# What the model is told to play, and what it then does.
GREET = "Rehearsal: say hello."
ASK = "Rehearsal: ask the person."
ASK_BY_OUR_TOOL = "Rehearsal: ask the person with our own tool."
WRITE = "Rehearsal: run a command."
PLAN = "Rehearsal: present a plan."
LINGER = "Rehearsal: run a command that takes long."
WORK_ON = "Rehearsal: work while the settings change."
LISTEN = "Rehearsal: run a command until you are told something."
HESITATE = "Rehearsal: ask the person, a while after you have been told something."
TELL = "Rehearsal: this."
SHOWN_FILE, RUN_FILE, HOOK_FILE, TOLD_FILE = "shown", "run", "hook", "told"

SAYS: Mapping[Behaviour, Phrase] = {
    Behaviour.WORKS: Phrase("能启动并完成任务", "starts, and does a task to its end"),
    Behaviour.TOOLS_ARE_KNOWN: Phrase("它的工具都在目录里", "has no tool that the catalogue does not know"),
    Behaviour.KEEPS_THE_SESSION: Phrase("使用我们给的会话 ID", "keeps the conversation under the id that we chose"),
    Behaviour.ASKS: Phrase("提问会到达人，不会自己回答", "brings its questions to a person, and answers none itself"),
    Behaviour.KEEPS_A_QUESTION: Phrase(
        "进程结束后问题仍在，恢复时原样继续", "keeps a question without a process, and takes its answer when resumed"
    ),
    Behaviour.ASKS_BY_OUR_TOOL: Phrase("提供我们的提问工具", "offers our own tool for questions"),
    Behaviour.ASKS_FOR_PERMISSION: Phrase("没有许可不执行", "asks before it runs what is not allowed"),
    Behaviour.RUNS_WHAT_WAS_APPROVED: Phrase("执行的正是批准的内容", "runs exactly what was approved"),
    Behaviour.PRESENTS_ITS_PLAN: Phrase("计划模式先提交计划", "presents its plan before it leaves plan mode"),
    Behaviour.TAKES_A_MESSAGE: Phrase(
        "运行中能收到消息", "takes a message into the running turn, and tells when it has"
    ),
    Behaviour.GIVES_A_MESSAGE_BACK: Phrase(
        "提问时退回未处理的消息", "gives a message back that a question would otherwise be lost to"
    ),
    Behaviour.STOPS: Phrase("能立即停止", "stops when it is told to"),
    Behaviour.RUNS_NOTHING_UNTRUSTED: Phrase(
        "不运行不受信任的项目自带的内容", "runs nothing that a project carries and nobody trusts"
    ),
    Behaviour.TAKES_UP_NO_CHANGE: Phrase(
        "任务进行中改变的项目设置，不经信任不生效",
        "takes up no changed settings while it runs, unless they are trusted",
    ),
}

_ENOUGH_S = 60.0
_STOP_S = 10.0
_SEEN_S = 15.0


class Amiss(Exception):
    """A behaviour does not hold; the sentence says what was seen instead."""


@dataclass(frozen=True)
class Stage:
    """A Glasshouse of its own, for nothing else."""

    admission: Admission
    execution: Execution
    desk: Desk
    instructions: Instructions
    store: Store
    sessions: Sessions
    engine: Engine
    working_dir: Path


@dataclass(frozen=True, slots=True)
class Played:
    """What the rehearsals have told so far beside their findings."""

    version: str | None
    findings: tuple[Finding, ...]


async def rehearse(stage: Stage) -> Played:
    """Every behaviour once. Where nothing works at all, the others are not tried."""
    said: list[str] = []
    first = await _finding(Behaviour.WORKS, lambda: _greets(stage, said))
    findings = [first]
    if first.holds:
        for behaviour, play in _PLAYS.items():
            findings.append(await _finding(behaviour, lambda play=play: play(stage)))  # type: ignore[misc]
    else:
        findings += [Finding(behaviour=each, holds=False) for each in _PLAYS]
    return Played(said[0] if said else None, tuple(findings))


async def _finding(behaviour: Behaviour, play: Callable[[], Awaitable[str]]) -> Finding:
    try:
        async with asyncio.timeout(_ENOUGH_S):
            return Finding(behaviour=behaviour, holds=True, detail=await play())
    except Amiss as amiss:
        return Finding(behaviour=behaviour, holds=False, detail=str(amiss))
    except GlasshouseError as refusal:
        return Finding(behaviour=behaviour, holds=False, detail=f"asked something else: {refusal.message('en')}")
    except TimeoutError:
        return Finding(behaviour=behaviour, holds=False, detail=f"nothing came of it in {_ENOUGH_S:.0f} s")


# --- the plays


async def _greets(stage: Stage, said: list[str]) -> str:
    async with _task(stage, GREET) as task:
        await _completed(stage, task)
        report = await _report(stage, task)
    version = report.get("claude_code_version")
    if version is not None:
        said.append(str(version))
    return str(version or "")


async def _knows_all_tools(stage: Stage) -> str:
    async with _task(stage, GREET) as task:
        await _completed(stage, task)
        tools = cast("Sequence[str]", (await _report(stage, task)).get("tools") or ())
    if unknown := [tool for tool in tools if not stage.engine.knows_tool(tool)]:
        raise Amiss(f"not in the catalogue: {', '.join(unknown)}")
    return ""


async def _keeps_the_session(stage: Stage) -> str:
    async with _task(stage, GREET) as task:
        await _completed(stage, task)
        if await stage.sessions.find(task.session_id) is None:
            raise Amiss("there is no transcript of the session's id")
    return ""


async def _asks(stage: Stage) -> str:
    async with _task(stage, ASK) as task:
        question = await _question(stage, task)
        if question.kind is not QuestionKind.QUESTION:
            raise Amiss(f"asked for {question.kind}")
    return ""


async def _keeps_a_question(stage: Stage) -> str:
    async with _task(stage, ASK) as task:
        question = await _question(stage, task)
        await _answer(stage, question, question.question.options[0].id)
        await _completed(stage, task)
        settled = await stage.store.question(task.session_id, question.question_id)
        if settled is None or settled.way != "resumed":
            raise Amiss(f"the answer went another way: {None if settled is None else settled.way}")
    return ""


async def _asks_by_our_tool(stage: Stage) -> str:
    async with _task(stage, ASK_BY_OUR_TOOL) as task:
        question = await _question(stage, task)
        await _answer(stage, question, "rehearsed")
        await _completed(stage, task)
    return ""


async def _asks_for_permission(stage: Stage) -> str:
    async with _task(stage, WRITE) as task:
        question = await _question(stage, task)
        if question.kind is not QuestionKind.PERMISSION:
            raise Amiss(f"asked for {question.kind}")
        await _answer(stage, question, "deny")
        await _completed(stage, task)
        if (stage.working_dir / SHOWN_FILE).exists():
            raise Amiss("ran what was denied")
    return ""


async def _runs_what_was_approved(stage: Stage) -> str:
    async with _task(stage, WRITE) as task:
        question = await _question(stage, task)
        await _answer(stage, question, "allow", updated_input={"command": f"touch {RUN_FILE}"})
        await _completed(stage, task)
        if (stage.working_dir / SHOWN_FILE).exists() or not (stage.working_dir / RUN_FILE).exists():
            raise Amiss("ran something else than what was approved")
    return ""


async def _presents_its_plan(stage: Stage) -> str:
    async with _task(stage, PLAN, permission_mode="plan") as task:
        question = await _question(stage, task)
        if question.kind is not QuestionKind.PLAN_APPROVAL:
            raise Amiss(f"asked for {question.kind}")
        await _answer(stage, question, "approve")
        await _completed(stage, task)
    return ""


async def _takes_a_message(stage: Stage) -> str:
    async with _task(stage, LISTEN, tools=("Bash",)) as task:
        await _event(stage, task, "tool_use")
        message = await _tell(stage, task)
        await asyncio.to_thread((stage.working_dir / TOLD_FILE).touch)
        await _completed(stage, task)
        await _consumed(stage, message)
    return ""


async def _gives_a_message_back(stage: Stage) -> str:
    async with _task(stage, HESITATE) as task:
        message = await _tell(stage, task)
        question = await _question(stage, task)
        await _answer(stage, question, question.question.options[0].id)
        await _completed(stage, task)
        settled = await stage.store.question(task.session_id, question.question_id)
        if settled is None or settled.way != "resumed":
            raise Amiss(f"the answer went another way: {None if settled is None else settled.way}")
        await _consumed(stage, message)
    return ""


async def _stops(stage: Stage) -> str:
    async with _task(stage, LINGER, tools=("Bash",)) as task:
        await _event(stage, task, "tool_use")
        try:
            async with asyncio.timeout(_STOP_S):
                await stage.execution.stop(task.task_id)
        except TimeoutError:
            raise Amiss(f"still runs after {_STOP_S:.0f} s") from None
    return ""


async def _runs_nothing_untrusted(stage: Stage) -> str:
    with _hooks_in(stage.working_dir) as canary:
        async with _task(stage, GREET) as task:
            question = await _question(stage, task)
            if question.kind is not QuestionKind.TRUST:
                raise Amiss(f"asked for {question.kind}")
            await _answer(stage, question, "without")
            await _completed(stage, task)
        if canary.exists():
            raise Amiss("ran a hook that is not trusted")
    return ""


async def _takes_up_no_change(stage: Stage) -> str:
    async with _task(stage, WORK_ON, tools=("Bash",)) as task:
        await _event(stage, task, "tool_use")
        with _hooks_in(stage.working_dir) as canary:
            try:
                async with asyncio.timeout(_SEEN_S):
                    await _event(stage, task, "info", notice="settings_not_trusted")
            except TimeoutError:
                raise Amiss(f"did not say in {_SEEN_S:.0f} s that the settings changed") from None
            await stage.execution.stop(task.task_id)
            if canary.exists():
                raise Amiss("ran a hook that was written while it ran")
    return ""


@contextmanager
def _hooks_in(directory: Path) -> Iterator[Path]:
    """A project's settings with a hook for much that happens; each would leave a file."""
    folder, canary = directory / ".claude", directory / HOOK_FILE
    command = {"type": "command", "command": f"touch {shlex.quote(str(canary))}"}
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
    settings = {"hooks": {event: [{"hooks": [command]}] for event in events}}
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(settings))
    try:
        yield canary
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        canary.unlink(missing_ok=True)


_PLAYS: Mapping[Behaviour, Callable[[Stage], Awaitable[str]]] = {
    Behaviour.TOOLS_ARE_KNOWN: _knows_all_tools,
    Behaviour.KEEPS_THE_SESSION: _keeps_the_session,
    Behaviour.ASKS: _asks,
    Behaviour.KEEPS_A_QUESTION: _keeps_a_question,
    Behaviour.ASKS_BY_OUR_TOOL: _asks_by_our_tool,
    Behaviour.ASKS_FOR_PERMISSION: _asks_for_permission,
    Behaviour.RUNS_WHAT_WAS_APPROVED: _runs_what_was_approved,
    Behaviour.PRESENTS_ITS_PLAN: _presents_its_plan,
    Behaviour.TAKES_A_MESSAGE: _takes_a_message,
    Behaviour.GIVES_A_MESSAGE_BACK: _gives_a_message_back,
    Behaviour.STOPS: _stops,
    Behaviour.RUNS_NOTHING_UNTRUSTED: _runs_nothing_untrusted,
    Behaviour.TAKES_UP_NO_CHANGE: _takes_up_no_change,
}


# --- the stage's machinery


@asynccontextmanager
async def _task(
    stage: Stage, prompt: str, *, tools: tuple[str, ...] | None = None, permission_mode: PermissionMode = "default"
) -> AsyncIterator[TaskRecord]:
    request = TaskRequest(
        prompt=prompt, working_dir=str(stage.working_dir), tools=tools, permission_mode=permission_mode
    )
    task = (await stage.admission.admit(request, deltas=False)).record
    try:
        yield task
    finally:
        await stage.execution.stop(task.task_id)


async def _completed(stage: Stage, task: TaskRecord) -> None:
    ended = await until_ended(stage.store, task)
    if ended.status is not TaskStatus.COMPLETED:
        raise Amiss(ended.result.message if ended.result is not None else str(ended.status))


async def _question(stage: Stage, task: TaskRecord) -> QuestionRecord:
    """The first that waits; Amiss if the task ends without one."""
    changes = stage.store.subscribe_questions()
    ended = asyncio.create_task(until_ended(stage.store, task))
    try:
        while not (pending := await stage.desk.pending(task)):
            change = asyncio.ensure_future(changes.next())
            await asyncio.wait({change, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not change.done():
                change.cancel()
                raise Amiss("went on without asking anybody")
        return pending[0]
    finally:
        ended.cancel()
        changes.close()


async def _answer(stage: Stage, question: QuestionRecord, answer: Any, **beside: Any) -> None:
    given = Given(answer=answer, door=Door.CLI, **beside)
    await stage.desk.answer(question.session_id, question.question_id, given)


async def _tell(stage: Stage, task: TaskRecord) -> InstructionRecord:
    """While it works; the message is on its way when this returns."""
    heard = stage.store.subscribe(task.session_id)
    try:
        request = MessageRequest(content=TELL, mode=MessageMode.STEER)
        told = await stage.instructions.message(task.task_id, request)
        while (message := await _now(stage, told)).receipt is ReceiptState.ACCEPTED:
            await heard.next()
        return message
    finally:
        heard.close()


async def _now(stage: Stage, message: InstructionRecord) -> InstructionRecord:
    return await stage.store.instruction(message.task_id, message.instruction_id) or message


async def _consumed(stage: Stage, message: InstructionRecord) -> None:
    if (found := (await _now(stage, message)).receipt) is not ReceiptState.CONSUMED:
        raise Amiss(f"it was not heard to take the message in: {found}")


async def _report(stage: Stage, task: TaskRecord) -> Mapping[str, Any]:
    """What the engine's agent said of itself: the second `info`."""
    for event in await _events(stage, task):
        if event["type"] == "info" and "claude_code_version" in (event.get("metadata") or {}):
            return cast("Mapping[str, Any]", event["metadata"])
    return {}


async def _event(stage: Stage, task: TaskRecord, kind: str, *, notice: str | None = None) -> None:
    heard = stage.store.subscribe(task.session_id)
    try:
        while True:
            events = await _events(stage, task)
            wanted = [event for event in events if event["type"] == kind]
            if any(notice in (None, (event.get("metadata") or {}).get("notice")) for event in wanted):
                return
            if any(event["type"] == "complete" for event in events):
                raise Amiss(f"ended without a {kind}")
            await heard.next()
    finally:
        heard.close()


async def _events(stage: Stage, task: TaskRecord) -> list[dict[str, Any]]:
    frames = await stage.store.read(task.session_id, after=0, limit=1000, task_id=task.task_id)
    return [json.loads(frame.body) for frame in frames]

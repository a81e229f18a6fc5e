"""Every error of the contract, brought about for real: its status, its code, and what it says in both languages."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from tests.support.one_change import OneChange
from tests.support.questions import asking, choice
from tests.support.served import Served

from glasshouse.contract import errors
from glasshouse.contract.ids import new_id
from glasshouse.contract.instruction import ReceiptState
from glasshouse.core.ports import Append, Bounds, ConversationPoint, Run, StoreUnavailable
from glasshouse.entrypoints.http.errors import status_of
from glasshouse.testing.scripted_engine import Gate, asks, asks_and_leaves, waits_at

TASK = "/api/task"
ANSWER = "/api/task/answer"
Cause = Callable[[Served, httpx.AsyncClient], Awaitable[httpx.Response]]


class Row(NamedTuple):
    status: int
    code: str
    zh: str
    en: str
    cause: Cause


def post(**body: Any) -> Cause:
    async def cause(served: Served, client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(TASK, json={"prompt": "x", **body})

    return cause


def get(path: str, **headers: str) -> Cause:
    async def cause(served: Served, client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(path, headers=headers)

    return cause


async def resumed_elsewhere(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    session_id = served.bench.knows_session(served.bench.directory("a"))
    other = str(served.bench.directory("b"))
    return await client.post(TASK, json={"prompt": "x", "resume": session_id, "working_dir": other})


async def resumed_where_nothing_is(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    session_id = served.bench.knows_session(served.bench.work / "gone")
    return await client.post(TASK, json={"prompt": "x", "resume": session_id})


async def resumed_outside(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    session_id = served.bench.knows_session(served.bench.root)
    return await client.post(TASK, json={"prompt": "x", "resume": session_id})


async def stop_nobody(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    session_id = served.bench.knows_session(served.bench.work)
    return await client.post(f"/api/sessions/{session_id}/agents/nobody/stop")


async def busy(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    gate = Gate()
    served.bench.engine.script = (waits_at(gate),)
    task = await served.bench.admit()
    await gate.reached.wait()
    return await client.post(TASK, json={"prompt": "x", "resume": task.session_id})


async def used_id(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    task_id = new_id()
    await client.post(TASK, json={"prompt": "x", "task_id": task_id})
    return await client.post(TASK, json={"prompt": "y", "task_id": task_id})


async def said_too_late(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    task = await served.bench.do()
    return await client.post(f"{TASK}/{task.task_id}/messages", json={"content": "x", "mode": "steer"})


async def used_message_id(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    gate = Gate()
    served.bench.engine.script = (waits_at(gate),)
    task, message_id = await served.bench.admit(), new_id()
    path = f"{TASK}/{task.task_id}/messages"
    await client.post(path, json={"content": "x", "mode": "steer", "message_id": message_id})
    return await client.post(path, json={"content": "y", "mode": "steer", "message_id": message_id})


async def refused_change(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    begun = asyncio.Event()

    async def refuses(run: Run) -> None:
        begun.set()
        while not (found := await run.instructions()):
            await run.instructed()
        await run.note(found, ReceiptState.REFUSED, "not so")

    served.bench.engine.script = (refuses,)
    task = await served.bench.admit()
    await begun.wait()
    return await client.patch(f"{TASK}/{task.task_id}", json={"model": "m"})


async def position_beyond(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    task = await served.bench.do()
    return await client.get(f"{TASK}/{task.task_id}/stream?after=9")


async def position_gone(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    task = await served.bench.do()

    async def cleared(session_id: str) -> Bounds:
        return Bounds(first=10, last=20)

    served.bench.store.bounds = cleared  # type: ignore[method-assign]
    return await client.get(f"{TASK}/{task.task_id}/stream?after=1")


async def reverted(served: Served, client: httpx.AsyncClient, **body: str) -> httpx.Response:
    task = await served.bench.do()
    return await client.post(f"/api/sessions/{task.session_id}/revert", json=body)


def of_one_change(**body: str) -> Cause:
    async def cause(served: Served, client: httpx.AsyncClient) -> httpx.Response:
        served.services.changes._trees = OneChange()
        return await reverted(served, client, **body)

    return cause


async def no_repository(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await reverted(served, client, path="a")


async def rewound(served: Served, client: httpx.AsyncClient, **fields: object) -> httpx.Response:
    task = await served.bench.do()
    url = f"/api/sessions/{task.session_id}/rewind"
    message_id = new_id()
    if fields:
        point = ConversationPoint("a", "x", kept=1, dropped=(0, 1))
        served.bench.ways_back.points[task.session_id, message_id] = point
    return await client.post(url, json={"message_id": message_id, **fields})


async def rewound_with_files(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await rewound(served, client, restore="files")


async def no_json(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(TASK, content=b"{", headers={"content-type": "application/json"})


async def too_large(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(TASK, content=b" " * (16 * 1024 * 1024 + 1), headers={"content-type": "application/json"})


async def no_content_type(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(TASK, content=b'{"prompt": "x"}', headers={"content-type": "text/plain"})


async def wrong_method(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await client.put(TASK, json={"prompt": "x"})


async def too_often(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    for _ in range(20):
        await client.post(TASK, json={"prompt": ""})
    return await client.post(TASK, json={"prompt": "x"})


async def draining(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    await served.services.drain()
    return await client.post(TASK, json={"prompt": "x"})


async def full(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    async def append(step: Append) -> int:
        raise StoreUnavailable("disk full")

    served.bench.store.append = append  # type: ignore[method-assign]
    return await client.post(TASK, json={"prompt": "x"})


async def fault(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    def offline() -> bool:
        raise RuntimeError("inside")

    served.bench.engine.offline = offline  # type: ignore[method-assign]
    return await client.post(TASK, json={"prompt": "x"})


def answer_to(question_id: str, answer: Any, *first: Any) -> Cause:
    """An answer to a question of a session that waits for `q`, after those that come first."""

    async def cause(served: Served, client: httpx.AsyncClient) -> httpx.Response:
        bench = served.bench
        bench.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        task = await bench.admit()
        await bench.waits(task)
        body = {"session_id": task.session_id, "question_id": question_id}
        for each in first:
            await client.post(ANSWER, json={**body, "answer": each})
        return await client.post(ANSWER, json={**body, "answer": answer})

    return cause


async def answered_after_the_end(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    bench = served.bench
    bench.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
    task = await bench.admit()
    await bench.waits(task)
    await bench.execution.stop(task.task_id)
    return await client.post(ANSWER, json={"session_id": task.session_id, "question_id": "q", "answer": "a"})


async def asked_once_too_often(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    bench = served.bench
    bench.engine.script = tuple(asks(asking(f"call-{n}", choice(f"q-{n}"))) for n in range(11))
    task = await bench.admit()
    for number in range(10):
        await bench.answer(await bench.waits(task, f"q-{number}"), "a")
    await bench.ended(task)
    return await client.post(ANSWER, json={"session_id": task.session_id, "question_id": "q-10", "answer": "a"})


async def answered_nowhere(served: Served, client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(ANSWER, json={"session_id": new_id(), "question_id": "q", "answer": "a"})


BOTH_WAYS = ("不能同时指定两种续接方式", "Two ways of continuing a session exclude each other")
NO_DIRECTORY = ("工作目录不存在或无权限访问", "The working directory does not exist or may not be used")
NO_SESSION = ("指定的会话不存在", "No such session")
NO_ADDRESS = ("没有这个地址或内容", "Not found")

TABLE = {
    "empty prompt": Row(
        422, "prompt_empty", "任务描述不能为空", "The task description must not be empty", post(prompt=" ")
    ),
    "long prompt": Row(
        422,
        "prompt_too_long",
        "任务描述超过最大长度限制",
        "The task description is too long",
        post(prompt="x" * 10_001),
    ),
    "no directory": Row(400, "working_dir_invalid", *NO_DIRECTORY, post(working_dir="/nowhere")),
    "shut directory": Row(400, "working_dir_invalid", *NO_DIRECTORY, post(working_dir="/etc")),
    "session's directory is gone": Row(400, "working_dir_invalid", *NO_DIRECTORY, resumed_where_nothing_is),
    "unknown tool": Row(
        422, "tools_invalid", "工具名称无效：Nope", "Unknown or forbidden tools: Nope", post(tools=["Nope"])
    ),
    "nothing to continue": Row(404, "session_not_found", *NO_SESSION, post(continue_conversation=True)),
    "unknown session": Row(404, "session_not_found", *NO_SESSION, post(resume=new_id())),
    "hidden session": Row(404, "session_not_found", *NO_SESSION, resumed_outside),
    "two ways": Row(422, "resume_conflict", *BOTH_WAYS, post(resume=new_id(), continue_conversation=True)),
    "two directories": Row(422, "resume_conflict", *BOTH_WAYS, resumed_elsewhere),
    "unknown field": Row(422, "invalid_request", "请求参数无效：more", "Invalid request: more", post(more=1)),
    "no bypass": Row(
        422,
        "invalid_request",
        "请求参数无效：permission_mode",
        "Invalid request: permission_mode",
        post(permission_mode="bypassPermissions"),
    ),
    "no json": Row(422, "invalid_request", "请求参数无效：body", "Invalid request: body", no_json),
    "used id": Row(409, "task_conflict", "任务 ID 已被使用", "This task id belongs to another request", used_id),
    "not changed": Row(
        404,
        "change_not_found",
        "该会话没有改动过这个文件",
        "The session has not changed this file",
        of_one_change(path="b"),
    ),
    "changed since": Row(
        409,
        "file_changed",
        "文件此后又有改动，没有还原：a",
        "The file has changed since, and was left as it is: a",
        of_one_change(path="a", expected="100644:2"),
    ),
    "not to be put back": Row(
        409,
        "revert_refused",
        "无法还原这个文件：不行",
        "This file cannot be put back: no",
        of_one_change(path="a", expected="100644:1"),
    ),
    "no difference": Row(
        409,
        "diff_unavailable",
        "无法得知该会话改动了什么：工作目录不在 git 仓库中",
        "What the session has changed cannot be told: The working directory is not in a git repository",
        no_repository,
    ),
    "no such message": Row(
        404,
        "message_not_found",
        "该会话中没有这条用户消息",
        "Nobody said this message in the session",
        rewound,
    ),
    "no way back": Row(
        409,
        "rewind_refused",
        "无法回到那里：没有文件检查点",
        "There is no way back there: no files are kept",
        rewound_with_files,
    ),
    "message to an ended task": Row(
        409,
        "task_ended",
        "任务已结束，不能再向它发送消息或更改设置",
        "The task has ended: it takes no more messages and no changes",
        said_too_late,
    ),
    "used message id": Row(
        409, "message_conflict", "消息 ID 已被使用", "This message id belongs to another message", used_message_id
    ),
    "change that is refused": Row(
        409,
        "change_refused",
        "正在运行的任务没有接受这个更改：not so",
        "The running task did not take this change: not so",
        refused_change,
    ),
    "busy session": Row(409, "session_busy", "该会话正在执行任务", "This session is running a task", busy),
    "unknown task": Row(404, "task_not_found", "任务不存在", "No such task", get(f"{TASK}/{new_id()}")),
    "position beyond": Row(
        400, "position_invalid", "事件位置无效：9", "Not a position in this stream: 9", position_beyond
    ),
    "position gone": Row(
        410, "position_gone", "该位置之前的事件已清理", "The events at this position are no longer kept", position_gone
    ),
    "unknown agent": Row(
        404,
        "agent_not_found",
        "该会话没有这个子代理或后台任务",
        "This session has no such agent or background task",
        stop_nobody,
    ),
    "malformed question": Row(
        400,
        "question_invalid",
        "问题格式无效：q: a choice needs options",
        "Malformed question: q: a choice needs options",
        post(questions=[{"question_id": "q", "question_text": "?", "type": "multiple_choice"}]),
    ),
    "answer to no session": Row(404, "session_not_found", "会话不存在", "No such session", answered_nowhere),
    "answer to no question": Row(
        404,
        "question_not_found",
        "问题不存在或已超时",
        "No such question, or its time is over",
        answer_to("other", "a"),
    ),
    "no answer": Row(
        400,
        "invalid_answer",
        "答案格式无效：q: a / b",
        "Not an answer to this question; expected: q: a / b",
        answer_to("q", "c"),
    ),
    "second answer": Row(
        400,
        "already_answered",
        "该问题已回答或已取消",
        "This question was answered or cancelled already",
        answer_to("q", "b", "a"),
    ),
    "answer after the end": Row(400, "task_interrupted", "任务已被中断", "The task has ended", answered_after_the_end),
    "asked too often": Row(
        429,
        "recursive_limit_exceeded",
        "已达到多轮问答上限，请完成当前对话",
        "The limit of question rounds is reached; finish the current conversation",
        asked_once_too_often,
    ),
    "no address": Row(404, "not_found", *NO_ADDRESS, get("/nowhere")),
    "wrong method": Row(405, "method_not_allowed", "不支持的请求方法", "Method not allowed", wrong_method),
    "too large": Row(413, "too_large", "请求内容过大", "The request is too large", too_large),
    "no content type": Row(
        415,
        "unsupported_media_type",
        "请求内容类型须为 application/json",
        "The content type must be application/json",
        no_content_type,
    ),
    "wrong key": Row(401, "unauthorized", "API 密钥无效", "Invalid API key", get("/api/status", **{"x-api-key": "x"})),
    "foreign host": Row(
        403,
        "forbidden",
        "不允许的来源或主机：host",
        "Host or origin not allowed: host",
        get("/api/status", host="evil.com"),
    ),
    "too often": Row(429, "rate_limited", "请求过于频繁，请稍后再试", "Too many requests, try again later", too_often),
    "draining": Row(
        503,
        "unavailable",
        "服务正在启动或停止，请稍后再试",
        "The server is starting or stopping, try again soon",
        draining,
    ),
    "full disk": Row(
        507,
        "storage_full",
        "存储空间不足或无法写入，请求未被接受",
        "The storage is full or cannot be written; the request was not accepted",
        full,
    ),
    "fault": Row(500, "internal", "服务内部错误，请稍后重试", "Internal error, try again later", fault),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
async def test_an_error_has_its_status_its_code_and_its_sentence(served: Served, row: Row, language: str) -> None:
    async with served.client() as client:
        client.headers["accept-language"] = language
        answer = await row.cause(served, client)

    body = answer.json()
    assert (answer.status_code, body["error"]) == (row.status, row.code)
    assert body["message"] == (row.zh if language == "zh" else row.en)
    assert body["success"] is False
    assert set(body) == {"success", "error", "message"} | MORE.get(row.code, set())
    assert answer.headers["content-type"] == "application/json"
    assert ("retry-after" in answer.headers) is (row.code in ("rate_limited", "unavailable"))


# What some say beside their sentence.
MORE = {"internal": {"request_id"}, "already_answered": {"answered_by", "answered_at", "door"}}


def kinds(of: type[errors.GlasshouseError] = errors.GlasshouseError) -> Iterator[type[errors.GlasshouseError]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_error_there_is_has_a_row() -> None:
    with_a_code = {kind.code for kind in kinds() if "code" in vars(kind)}

    assert with_a_code == {row.code for row in TABLE.values()}


@pytest.mark.parametrize("kind", [kind for kind in kinds() if "code" in vars(kind)], ids=lambda kind: kind.code)
def test_every_error_is_drawn_in_the_tree(kind: type[errors.GlasshouseError]) -> None:
    assert kind.__name__ in (errors.__doc__ or "")
    assert 400 <= status_of(kind("x")) < 600

"""What is wrong is refused by name, starts nothing, and leaves the server as it was."""

import json
from typing import Any

import httpx
import pytest
from tests.acceptance.support.api import Api

_MANY = 100_000


def _with(**fields: Any) -> bytes:
    return json.dumps({"prompt": "$ touch canary", "tools": ["Bash"], **fields}).encode()


BAD: dict[str, tuple[bytes, int, str]] = {
    "not JSON": (b"{", 422, "invalid_request"),
    "nothing": (b"", 422, "invalid_request"),
    "a list": (b"[]", 422, "invalid_request"),
    "null": (b"null", 422, "invalid_request"),
    "not UTF-8": (b'{"prompt": "\xff\xfe"}', 422, "invalid_request"),
    "overlong UTF-8": (b'{"prompt": "\xc0\xae\xc0\xae"}', 422, "invalid_request"),
    "nested deeply": (b'{"prompt": ' + b"[" * _MANY + b"]" * _MANY + b"}", 422, "invalid_request"),
    "a huge number": (b'{"prompt": "x", "max_turns": ' + b"9" * 5000 + b"}", 422, "invalid_request"),
    "infinite seconds": (b'{"prompt": "x", "timeout_s": 1e999}', 422, "invalid_request"),
    "no prompt": (b"{}", 422, "invalid_request"),
    "an empty prompt": (_with(prompt=""), 422, "prompt_empty"),
    "a blank prompt": (_with(prompt=" \n\t\u3000"), 422, "prompt_empty"),
    "a prompt too long": (_with(prompt="x" * 10_001), 422, "prompt_too_long"),
    "10 MB of prompt": (_with(prompt="x" * 10_000_000), 422, "prompt_too_long"),
    "17 MB of body": (_with(prompt="x" * 17_000_000), 413, "too_large"),
    "NUL in the prompt": (_with(prompt="a\0b"), 422, "invalid_request"),
    "a lone surrogate": (b'{"prompt": "a \\ud800 b"}', 422, "invalid_request"),
    "a number as prompt": (_with(prompt=5), 422, "invalid_request"),
    "an unknown field": (_with(colour="red"), 422, "invalid_request"),
    "an option as field": (_with(permission_prompt_tool="x"), 422, "invalid_request"),
    "environment": (_with(env={"LD_PRELOAD": "/x"}), 422, "invalid_request"),
    "tools as text": (_with(tools="Bash"), 422, "invalid_request"),
    "tools of numbers": (_with(tools=[1]), 422, "invalid_request"),
    "an unknown tool": (_with(tools=["NoSuchTool"]), 422, "tools_invalid"),
    "an option as tool": (_with(tools=["--help"]), 422, "tools_invalid"),
    "a rule as tool": (_with(tools=["Bash(ls:*)"]), 422, "tools_invalid"),
    "two tools in one": (_with(tools=["Bash,Read"]), 422, "tools_invalid"),
    "a word as truth": (_with(continue_conversation="yes"), 422, "invalid_request"),
    "an unknown mode": (_with(permission_mode="root"), 422, "invalid_request"),
    "bypass without leave": (_with(permission_mode="bypassPermissions"), 422, "invalid_request"),
    "an unknown engine": (_with(engine="steam"), 422, "invalid_request"),
    "the planner, not yet": (_with(engine="planner"), 422, "invalid_request"),
    "a malformed question": (_with(questions=[{"type": "text"}]), 400, "question_invalid"),
    "an attachment without a name": (_with(attachments=[{"data": "eA=="}]), 422, "invalid_request"),
    "an attachment that is no base64": (
        _with(attachments=[{"name": "a", "media_type": "text/plain", "data": "%%%"}]),
        422,
        "invalid_request",
    ),
    "no budget": (_with(max_budget_usd=0), 422, "invalid_request"),
    "a budget as text": (_with(max_budget_usd="1"), 422, "invalid_request"),
    "an unknown way at a limit": (_with(on_limit="hurry"), 422, "invalid_request"),
    "an option as model": (_with(model="--help"), 422, "invalid_request"),
    "a blank in the model": (_with(model="a b"), 422, "invalid_request"),
    "no turns": (_with(max_turns=0), 422, "invalid_request"),
    "no time": (_with(timeout_s=0), 422, "invalid_request"),
    "seconds as text": (_with(wait_s="0"), 422, "invalid_request"),
    "negative waiting": (_with(wait_s=-1), 422, "invalid_request"),
    "a task id of its own kind": (_with(task_id="task-1"), 422, "invalid_request"),
    "an unknown disconnect": (_with(on_disconnect="maybe"), 422, "invalid_request"),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_request_is_refused_by_name(api: Api, name: str) -> None:
    body, status, code = BAD[name]
    for path in ("/api/task", "/api/task/stream"):
        refused = await api.http.post(path, content=body, headers={"Content-Type": "application/json"})
        _is_error(refused, status, code)


async def test_after_all_of_them_the_next_task_works(api: Api) -> None:
    for body, _, _ in BAD.values():
        await api.http.post("/api/task", content=body, headers={"Content-Type": "application/json"})
    assert not (api.directory.parent / "canary").exists()
    assert (await api.run("$ echo well"))["message"] == "well"


# faults: A5
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_only_json_is_read(api: Api, kind: str) -> None:
    refused = await api.http.post("/api/task", content=_with(), headers={"Content-Type": kind})
    _is_error(refused, 415, "unsupported_media_type")


async def test_every_character_of_a_prompt_arrives(api: Api) -> None:
    prompt = "1 < 2 && a > b; <T> &lt; \u2028 \u0085 é 你好 🎉 مرحبا \\n \"quoted\" 'too' \t tab"
    answer = await api.run(prompt)
    assert answer["message"] == f"heard: {prompt}"
    events = await api.events(answer["task_id"])
    assert events[0].metadata["prompt"] == prompt


async def test_ten_thousand_characters_are_not_too_many(api: Api) -> None:
    prompt = "🎉" * 10_000
    assert (await api.run(f" {prompt}\n"))["message"] == f"heard: {prompt}"


async def test_an_error_speaks_the_language_of_who_asks(api: Api) -> None:
    for language, sentence in (
        ("zh-CN", "任务描述不能为空"),
        ("en-GB,en;q=0.9", "The task description must not be empty"),
    ):
        refused = await api.http.post("/api/task", json={"prompt": ""}, headers={"Accept-Language": language})
        assert refused.json()["message"] == sentence


async def test_paths_and_methods_that_are_none_have_the_same_body(api: Api) -> None:
    _is_error(await api.http.get("/api/nothing"), 404, "not_found")
    _is_error(await api.http.put("/api/task", json={}), 405, "method_not_allowed")


def _is_error(response: httpx.Response, status: int, code: str) -> None:
    body = response.json()
    assert (response.status_code, body["success"], body["error"]) == (status, False, code), response.text
    assert body["message"]

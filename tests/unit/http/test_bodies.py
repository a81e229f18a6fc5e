"""What a body may be: every other one ends in a refusal that names the field, never in a fault."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.support.served import Served

from glasshouse.contract.ids import new_id
from glasshouse.entrypoints.http.body import BODY_LIMIT, READ_LIMIT

JSON = {"content-type": "application/json"}


async def sent(client: httpx.AsyncClient, content: bytes | AsyncIterator[bytes]) -> httpx.Response:
    return await client.post("/api/task", content=content, headers=JSON)


# faults: H3
@pytest.mark.parametrize(
    "content",
    [
        *(b"", b" ", b"{", b"null", b"[]", b'"x"', b"1", b"{]", b"{'prompt': 'x'}", b'{"prompt": "x"} trailing'),
        *(
            b"\xff\xfe",
            b'\xef\xbb\xbf{"prompt": "x"}',
            b'{"prompt": "\xff"}',
            b'{"prompt": "a\nb"}',
            b'{"prompt": NaN}',
        ),
        *(b'{"prompt": "\\ud800"}', b'{"prompt": "\\udfff x"}', b'{"prompt": "x", "working_dir": "\\ud800"}'),
        *(b'{"\\ud800": 1, "prompt": "x"}', b'{"prompt": "x", "tools": ["\\udc00"]}'),
        b"[" * 100_000,
        b'{"prompt": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"prompt": "x", "max_turns": ' + b"9" * 5000 + b"}",
        b'{"prompt": "x", "timeout_s": 1e999}',
        b"\0" * 1000,
    ],
)
async def test_what_is_no_request_in_json_is_refused(served: Served, client: httpx.AsyncClient, content: bytes) -> None:
    answer = await sent(client, content)

    assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request")
    assert len(answer.content) < 500
    assert served.bench.engine.told == []


# A body, the code of its refusal, and what its message names.
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "invalid_request", "prompt"),
    ({"prompt": None}, "invalid_request", "prompt"),
    ({"prompt": 1}, "invalid_request", "prompt"),
    ({"prompt": ["x"]}, "invalid_request", "prompt"),
    ({"prompt": ""}, "prompt_empty", ""),
    ({"prompt": " \n\t\u3000 "}, "prompt_empty", ""),
    ({"prompt": "a\0b"}, "invalid_request", "prompt"),
    ({"prompt": "x" * 10_001}, "prompt_too_long", ""),
    ({"prompt": "😀" * 10_001}, "prompt_too_long", ""),
    ({"prompt": "x", "unknown": 1}, "invalid_request", "unknown"),
    ({"prompt": "x", "Prompt": "y"}, "invalid_request", "Prompt"),
    ({"prompt": "x", "working_dir": 1}, "invalid_request", "working_dir"),
    ({"prompt": "x", "working_dir": "/" + "a" * 5000}, "invalid_request", "working_dir"),
    ({"prompt": "x", "tools": "Read"}, "invalid_request", "tools"),
    ({"prompt": "x", "tools": [1]}, "invalid_request", "tools"),
    ({"prompt": "x", "tools": {"Read": True}}, "invalid_request", "tools"),
    ({"prompt": "x", "tools": ["Nope"]}, "tools_invalid", "Nope"),
    ({"prompt": "x", "continue_conversation": "true"}, "invalid_request", "continue_conversation"),
    ({"prompt": "x", "continue_conversation": 1}, "invalid_request", "continue_conversation"),
    ({"prompt": "x", "resume": "x"}, "invalid_request", "resume"),
    ({"prompt": "x", "resume": "{" + "0" * 32 + "}"}, "invalid_request", "resume"),
    ({"prompt": "x", "resume": new_id(), "continue_conversation": True}, "resume_conflict", ""),
    ({"prompt": "x", "permission_mode": "auto"}, "invalid_request", "permission_mode"),
    ({"prompt": "x", "permission_mode": "bypassPermissions"}, "invalid_request", "permission_mode"),
    ({"prompt": "x", "engine": "planner"}, "invalid_request", "engine"),
    ({"prompt": "x", "engine": "Claude"}, "invalid_request", "engine"),
    ({"prompt": "x", "on_disconnect": "park"}, "invalid_request", "on_disconnect"),
    ({"prompt": "x", "task_id": "1"}, "invalid_request", "task_id"),
    ({"prompt": "x", "task_id": 1}, "invalid_request", "task_id"),
    ({"prompt": "x", "model": "--version"}, "invalid_request", "model"),
    ({"prompt": "x", "model": ""}, "invalid_request", "model"),
    ({"prompt": "x", "model": "a b"}, "invalid_request", "model"),
    ({"prompt": "x", "model": "a\n"}, "invalid_request", "model"),
    ({"prompt": "x", "max_turns": 0}, "invalid_request", "max_turns"),
    ({"prompt": "x", "max_turns": 1.5}, "invalid_request", "max_turns"),
    ({"prompt": "x", "max_turns": True}, "invalid_request", "max_turns"),
    *(
        ({"prompt": "x", "max_budget_usd": budget}, "invalid_request", "max_budget_usd")
        for budget in (0, -1, "1", True, 1e9)
    ),
    ({"prompt": "x", "timeout_s": 0}, "invalid_request", "timeout_s"),
    ({"prompt": "x", "timeout_s": -1}, "invalid_request", "timeout_s"),
    ({"prompt": "x", "timeout_s": "5"}, "invalid_request", "timeout_s"),
    ({"prompt": "x", "wait_s": -1}, "invalid_request", "wait_s"),
    ({"prompt": "x", "queue": "yes"}, "invalid_request", "queue"),
    ({"prompt": "x", "on_limit": "wait"}, "invalid_request", "on_limit"),
    ({"prompt": "x", "attachments": {}}, "invalid_request", "attachments"),
    *(
        ({"prompt": "x", "attachments": attachments}, "invalid_request", "attachments")
        for attachments in (
            ["a.txt"],
            [{"name": "a.txt", "media_type": "text/plain"}],
            [{"name": "", "media_type": "text/plain", "data": ""}],
            [{"name": "a" * 256, "media_type": "text/plain", "data": ""}],
            [{"name": "a.txt", "media_type": "text", "data": ""}],
            [{"name": "a.txt", "media_type": "text/plain\r\nx: y", "data": ""}],
            [{"name": "a.txt", "media_type": "text/plain", "data": "a"}],
            [{"name": "a.txt", "media_type": "text/plain", "data": "YQ==\n"}],
            [{"name": "a.txt", "media_type": "text/plain", "data": "é"}],
            [{"name": "a.txt", "media_type": "text/plain", "data": 1}],
            [{"name": "a.txt", "media_type": "text/plain", "data": "", "path": "/etc/passwd"}],
            [{"name": "a.txt", "media_type": "text/plain", "data": ""}] * 21,
        )
    ),
    # Never the caller's.
    ({"prompt": "x", "cli_path": "/bin/sh"}, "invalid_request", "cli_path"),
    ({"prompt": "x", "env": {"LD_PRELOAD": "x"}}, "invalid_request", "env"),
    ({"prompt": "x", "mcp_servers": {}}, "invalid_request", "mcp_servers"),
    ({"prompt": "x", "extra_args": {}}, "invalid_request", "extra_args"),
]


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("path", ["/api/task", "/api/task/stream"])
async def test_a_wrong_field_is_named(
    served: Served, client: httpx.AsyncClient, path: str, refused: tuple[dict[str, Any], str, str]
) -> None:
    body, error, names = refused

    answer = await client.post(path, json=body)

    assert (answer.status_code, answer.json()["error"]) == (422, error)
    assert names in answer.json()["message"]
    assert served.bench.engine.told == []


@pytest.mark.parametrize(
    "prompt", ["x" * 10_000, "😀" * 10_000, "  x" + " " * 20_000, "--version", "/help", "@file", "<b>&amp;\u2028\u202e"]
)
async def test_a_prompt_reaches_the_engine_as_it_was_typed(
    served: Served, client: httpx.AsyncClient, prompt: str
) -> None:
    answer = await client.post("/api/task", json={"prompt": prompt})

    assert answer.status_code == 200
    assert served.bench.engine.told[0].prompt == prompt.strip()


@pytest.mark.parametrize(
    "model", ["opus", "claude-opus-4-5@20251101", "us.anthropic.claude:0", "sonnet[1m]", "a/b_c-d"]
)
async def test_a_models_name_is_taken(served: Served, client: httpx.AsyncClient, model: str) -> None:
    assert (await client.post("/api/task", json={"prompt": "x", "model": model})).status_code == 200
    assert served.bench.engine.told[0].model == model


# faults: C6
async def test_a_fields_name_stays_one_short_line_in_the_answer(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/task", json={"prompt": "x", "a\r\nb" * 1000: 1})

    message = answer.json()["message"]
    assert "\r" not in message
    assert "\n" not in message
    assert len(message) < 200


async def test_ten_megabytes_of_prompt_are_too_long(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/task", json={"prompt": "x" * 10_000_000})

    assert (answer.status_code, answer.json()["error"]) == (422, "prompt_too_long")


# faults: H3
class TestTheLimitOfABody:
    async def test_one_that_says_that_it_is_far_larger_is_not_read(self, served: Served) -> None:
        call = served.call("POST", "/api/task", headers=(("content-length", str(READ_LIMIT + 1)),))
        await call.begun()

        assert call.status == 413

    async def test_one_that_is_larger_is_read_so_that_its_sender_hears_the_answer(
        self, client: httpx.AsyncClient
    ) -> None:
        answer = await sent(client, b" " * (BODY_LIMIT + 1))

        assert (answer.status_code, answer.json()["error"]) == (413, "too_large")

    async def test_one_that_does_not_end_is_read_no_further(self, client: httpx.AsyncClient) -> None:
        taken = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal taken
            while True:
                taken += 1_000_000
                yield b" " * 1_000_000

        answer = await sent(client, endless())

        assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
        assert taken <= READ_LIMIT + 2_000_000

    async def test_one_of_just_that_size_is_read(self, client: httpx.AsyncClient) -> None:
        body = json.dumps({"prompt": "x"}).encode()

        assert (await sent(client, body + b" " * (BODY_LIMIT - len(body)))).status_code == 200

    @pytest.mark.parametrize("length", ["9" * 500, "-1", "x", "1e9", ""])
    async def test_an_odd_length_is_no_fault(self, served: Served, length: str) -> None:
        call = served.call("POST", "/api/task", {"prompt": "x"}, (("content-length", length),))
        await call.begun()

        assert call.status in (200, 413)

    async def test_a_caller_who_goes_in_the_middle_starts_nothing(self, served: Served) -> None:
        call = served.call("POST", "/api/task", unfinished=b'{"prompt": "x"')
        await call.leave()

        assert served.bench.engine.told == []

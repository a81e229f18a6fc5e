"""The endpoint as any client of the Messages API meets it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest

from glasshouse.testing.offline_model import (
    Call,
    Conversation,
    Cut,
    Fail,
    OfflineModel,
    Pause,
    Reply,
    Say,
    Think,
    Whole,
    played,
)

Client = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def client() -> Client:
    @asynccontextmanager
    async def talking_to(model: OfflineModel) -> AsyncIterator[httpx.AsyncClient]:
        endpoint = await model.start()
        headers = {"x-api-key": endpoint.key}
        async with httpx.AsyncClient(base_url=endpoint.url, headers=headers, trust_env=False) as http:
            yield http
        await model.stop()

    return talking_to


def a_model(*reply: Any) -> OfflineModel:
    return OfflineModel([played("go", tuple(reply))])


def a_request(*, stream: bool, prompt: str = "go", **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {"model": "some-model", "max_tokens": 100, "stream": stream, "messages": messages, **more}


def events(text: str) -> list[dict[str, Any]]:
    told = []
    for block in text.strip().split("\n\n"):
        kind, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert kind == f"event: {event['type']}"
        told.append(event)
    return told


async def test_a_streamed_text_comes_in_the_events_of_the_api(client: Client) -> None:
    async with client(a_model(Say("The quick brown fox jumps over the lazy dog."))) as http:
        answer = await http.post("/v1/messages?beta=true", json=a_request(stream=True))
    assert answer.headers["content-type"].startswith("text/event-stream")
    start, ping, opened, *deltas, closed, delta, stop = events(answer.text)
    assert [start["type"], ping["type"], stop["type"]] == ["message_start", "ping", "message_stop"]
    assert start["message"]["model"] == "some-model"
    assert start["message"]["id"].startswith("msg_")
    assert start["message"]["content"] == []
    assert opened == {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    assert len(deltas) > 1
    assert "".join(delta["delta"]["text"] for delta in deltas) == "The quick brown fox jumps over the lazy dog."
    assert closed == {"type": "content_block_stop", "index": 0}
    assert delta["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert delta["usage"]["output_tokens"] == 11


async def test_thinking_is_signed_and_calls_are_whole_json(client: Client) -> None:
    calls = Call("Read", {"file_path": "文件.md"}, id="toolu_1"), Call("Bash", {"command": "ls"})
    async with client(a_model(Think("Hm, let me think."), Say("Two things."), *calls)) as http:
        answer = await http.post("/v1/messages", json=a_request(stream=True))
    told = events(answer.text)
    blocks = [event["content_block"] for event in told if event["type"] == "content_block_start"]
    assert [block["type"] for block in blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert blocks[2]["id"] == "toolu_1"
    assert blocks[3]["id"].startswith("toolu_")
    thinking = [event["delta"]["type"] for event in told if event.get("index") == 0 and "delta" in event]
    assert thinking[-1] == "signature_delta"
    assert set(thinking[:-1]) == {"thinking_delta"}
    read = [event["delta"]["partial_json"] for event in told if event.get("index") == 2 and "delta" in event]
    assert json.loads("".join(read)) == {"file_path": "文件.md"}
    assert told[-2]["delta"]["stop_reason"] == "tool_use"


async def test_the_whole_message_holds_what_the_stream_tells(client: Client) -> None:
    reply = (Think("Hm."), Say("One "), Pause(0), Say("two."), Call("Bash", {"command": "ls"}, id="toolu_1"))
    async with client(a_model(*reply)) as http:
        whole = (await http.post("/v1/messages", json=a_request(stream=False))).json()
        told = events((await http.post("/v1/messages", json=a_request(stream=True))).text)
    assert [block["type"] for block in whole["content"]] == ["thinking", "text", "tool_use"]
    assert whole["content"][1] == {"type": "text", "text": "One two."}
    assert whole["content"][2] == {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    assert whole["stop_reason"] == "tool_use"
    assert whole["usage"]["output_tokens"] == told[-2]["usage"]["output_tokens"]
    assert whole["id"] != told[0]["message"]["id"]


async def test_usage_is_the_same_for_the_same_request(client: Client) -> None:
    async with client(a_model(Say("Yes."))) as http:
        first, second = [(await http.post("/v1/messages", json=a_request(stream=False))).json() for _ in range(2)]
        counted = await http.post("/v1/messages/count_tokens", json=a_request(stream=False))
    assert first["usage"] == second["usage"]
    assert counted.json() == {"input_tokens": first["usage"]["input_tokens"]}


@pytest.mark.parametrize("stream", [True, False])
async def test_a_failure_is_an_api_error(client: Client, stream: bool) -> None:
    async with client(a_model(Fail(529, "overloaded_error", "Overloaded"))) as http:
        answer = await http.post("/v1/messages", json=a_request(stream=stream))
    assert answer.status_code == 529
    assert answer.json() == {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


async def test_a_failure_in_mid_stream_is_an_error_event(client: Client) -> None:
    async with client(a_model(Say("Let me"), Fail(529, "overloaded_error", "Overloaded"))) as http:
        answer = await http.post("/v1/messages", json=a_request(stream=True))
    assert answer.status_code == 200
    last = events(answer.text)[-1]
    assert last == {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


async def test_a_cut_stream_gives_what_was_said_and_no_end(client: Client) -> None:
    seen = b""
    async with client(a_model(Say("Let me"), Cut())) as http:
        with pytest.raises(httpx.RemoteProtocolError):
            async with http.stream("POST", "/v1/messages", json=a_request(stream=True)) as answer:
                async for chunk in answer.aiter_bytes():
                    seen += chunk
    assert b"Let me" in seen
    assert b"message_stop" not in seen


async def test_what_is_told_as_a_whole_only_has_a_stream_without_content(client: Client) -> None:
    async with client(a_model(Whole(), Say("Yes."))) as http:
        told = events((await http.post("/v1/messages", json=a_request(stream=True))).text)
        whole = (await http.post("/v1/messages", json=a_request(stream=False))).json()
    assert [event["type"] for event in told] == ["message_start", "ping"]
    assert whole["content"] == [{"type": "text", "text": "Yes."}]


async def test_a_wrong_key_or_none_is_refused(client: Client) -> None:
    model = a_model(Say("Yes."))
    async with client(model) as http:
        for headers in ({"x-api-key": "wrong"}, {"x-api-key": ""}, {"x-api-key": "", "authorization": "Bearer wrong"}):
            answer = await http.post("/v1/messages", json=a_request(stream=False), headers=headers)
            assert answer.status_code == 401
            assert answer.json()["error"]["type"] == "authentication_error"


async def test_the_key_is_taken_as_a_bearer_too_and_never_kept(client: Client) -> None:
    model = a_model(Say("Yes."))
    async with client(model) as http:
        key = http.headers.pop("x-api-key")
        headers = {"authorization": f"Bearer {key}"}
        answer = await http.post("/v1/messages?beta=true", json=a_request(stream=False), headers=headers)
    assert answer.status_code == 200
    (received,) = model.requests
    assert (received.method, received.path) == ("POST", "/v1/messages")
    assert received.body["messages"] == [{"role": "user", "content": "go"}]
    assert received.headers["content-type"] == "application/json"
    assert key not in repr(received)


async def test_the_other_paths_answer_as_the_api_does(client: Client) -> None:
    async with client(OfflineModel()) as http:
        head = await http.head("/")
        models = (await http.get("/v1/models")).json()
        one = (await http.get("/v1/models/claude-any")).json()
        unknown = await http.get("/v1/files")
    assert (head.status_code, head.content) == (200, b"")
    assert models["data"][0]["id"] == models["first_id"]
    assert one["id"] == "claude-any"
    assert unknown.status_code == 404
    assert unknown.json()["error"]["type"] == "not_found_error"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"model": "m"}', b'{"model": "m", "messages": [1]}'])
async def test_what_is_no_request_is_400(client: Client, body: bytes) -> None:
    async with client(OfflineModel()) as http:
        answer = await http.post("/v1/messages", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_a_script_that_breaks_is_an_api_error_and_the_next_request_works(client: Client) -> None:
    class Broken:
        def reply(self, conversation: Conversation) -> Reply | None:
            if conversation.prompt == "break":
                raise RuntimeError
            return None

    async with client(OfflineModel([Broken(), played("go", Say("Yes."))])) as http:
        broken = await http.post("/v1/messages", json=a_request(stream=True, prompt="break"))
        works = await http.post("/v1/messages", json=a_request(stream=False))
    assert broken.status_code == 500
    assert broken.json()["error"]["type"] == "api_error"
    assert works.json()["content"] == [{"type": "text", "text": "Yes."}]


async def test_one_connection_serves_many_requests(client: Client) -> None:
    async with client(a_model(Say("Yes."))) as http:
        streams = set()
        for stream in (True, False, True):
            answer = await http.post("/v1/messages", json=a_request(stream=stream))
            streams.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
    assert len(streams) == 1

"""Attachments through the door, on real servers with the real Claude Code."""

import asyncio
import os

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.model import ModelInThread
from tests.unit.core.test_attachments import file


async def test_an_attachment_reaches_the_model_and_the_stream_says_what_it_is(api: Api, model: ModelInThread) -> None:
    answer = await api.run("$ true", attachments=[file("../../notes.txt", b"plums")])
    assert answer["success"]

    first, *_ = await api.events(answer["task_id"])
    [told] = first.metadata["attachments"]
    assert (told["name"], told["size"]) == ("../../notes.txt", 5)
    heard = str(model.heard(f"{answer['session_id']}/"))
    assert "notes.txt (text/plain, 5 bytes)" in heard and "../" not in heard


# faults: B7 I1
async def test_a_queued_task_has_its_attachments_after_a_crash(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    server = start_server()
    api = api_of(server)
    async with api.stream("slowly 30") as stream:
        await stream.first("info")
        session_id = stream.seen[0].data["session_id"]
        queued = await api.begin(
            "heard of plums?", resume=session_id, queue=True, attachments=[file("plums.txt", b"plums")]
        )
        server.kill()
    api = api_of(server.start())
    ended = await api.ended(queued["task_id"])
    assert ended["status"] == "completed", ended
    assert "plums.txt (text/plain, 5 bytes)" in str(model.heard("heard of plums?"))


# faults: H3
async def test_attachments_are_bounded_by_the_body(api: Api) -> None:
    answers = await asyncio.gather(
        api.post("too much", attachments=[file("big.bin", os.urandom(12_600_000), "application/octet-stream")]),
        api.post("x", attachments=[file("a.txt")] * 21),
    )
    assert [answer.status_code for answer in answers] == [413, 422]


async def test_the_demo_says_what_it_received(demo: Api) -> None:
    answer = await demo.run("Have you got it?", attachments=[file("notes.txt", b"plums")])
    assert "Received: notes.txt (images to be seen: 0)" in answer["message"]

"""A caller's own task_id makes every request repeatable."""

import asyncio
from uuid import uuid4

from tests.acceptance.support.api import Api, Event
from tests.acceptance.support.obedient import steps

COUNTED = steps("$ echo ran >> ledger; cat ledger")


async def test_twenty_requests_at_once_with_one_id_start_one_process(api: Api) -> None:
    task_id = str(uuid4())

    async def streamed() -> list[Event]:
        async with api.stream(COUNTED, task_id=task_id) as stream:
            return await stream.rest()

    answers, streams = await asyncio.gather(
        asyncio.gather(*(api.run(COUNTED, task_id=task_id) for _ in range(10))),
        asyncio.gather(*(streamed() for _ in range(10))),
    )
    assert (api.directory / "ledger").read_text() == "ran\n"
    assert all(answer == answers[0] for answer in answers)
    assert all(events == streams[0] for events in streams)
    assert streams[0] == await api.events(task_id)


async def test_the_same_id_with_another_request_is_a_conflict(api: Api) -> None:
    task_id = str(uuid4())
    await api.run(COUNTED, task_id=task_id)
    for change in ({"prompt": "another"}, {"tools": ["Bash", "Read"]}, {"max_turns": 3}):
        body = {**api.body(COUNTED, task_id=task_id), **change}
        for path in ("/api/task", "/api/task/stream"):
            refused = await api.http.post(path, json=body)
            assert (refused.status_code, refused.json()["error"]) == (409, "task_conflict")
    assert (api.directory / "ledger").read_text() == "ran\n"


async def test_how_the_caller_listens_does_not_make_it_another_request(api: Api) -> None:
    task_id = str(uuid4())
    first = await api.run(COUNTED, task_id=task_id)
    assert await api.run(COUNTED, task_id=task_id.upper(), wait_s=5, on_disconnect="stop") == first
    assert (api.directory / "ledger").read_text() == "ran\n"

"""Going back through the HTTP door: what is answered, what the log says, and what the next task is told."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from tests.support.bench import Bench
from tests.support.questions import asking, choice
from tests.support.served import Served

from glasshouse.contract.ids import new_id
from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import ConversationPoint, FilesBack, ForkPoint, TaskRecord
from glasshouse.core.rewindings import RewoundTo, rewindings
from glasshouse.testing.scripted_engine import Gate, asks_and_leaves, waits_at

POINT = ConversationPoint("entry", "what was said", kept=4, dropped=(100, 200))
CALL = "toolu_1"


@pytest.fixture
def bench(served: Served) -> Bench:
    return served.bench


async def back(client: httpx.AsyncClient, session_id: str, **asked: Any) -> tuple[int, dict[str, Any]]:
    headers = {"accept-language": "en"}
    response = await client.post(f"/api/sessions/{session_id}/rewind", json=asked, headers=headers)
    return response.status_code, response.json()


def said(bench: Bench, task: TaskRecord, point: ConversationPoint = POINT) -> str:
    """A message that the conversation has."""
    message_id = new_id()
    bench.ways_back.points[task.session_id, message_id] = point
    return message_id


async def events(bench: Bench, session_id: str) -> list[dict[str, Any]]:
    return [json.loads(frame.body) for frame in await bench.store.read(session_id, after=0, limit=1000)]


async def state_of(bench: Bench, session_id: str) -> Any:
    record = await bench.store.session(session_id)
    assert record is not None
    return record.engine_state


async def begun_from(bench: Bench, session_id: str) -> ForkPoint | None:
    record = await bench.store.session(session_id)
    assert record is not None
    return record.forked_from


async def asked_and_answered(bench: Bench, *questions: dict[str, Any]) -> TaskRecord:
    prompt = new_id()
    bench.engine.plays(prompt, asks_and_leaves(asking(CALL, *questions)))
    task = await bench.admit(prompt)
    for question in questions:
        await bench.answer(await bench.waits(task, question["question_id"]), "a")
    task = await bench.ended(task)
    bench.ways_back.points[task.session_id, CALL] = POINT
    return task


class TestToAMessage:
    async def test_a_fork_is_a_session_that_begins_there(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        message_id = said(bench, task)
        status, body = await back(client, task.session_id, message_id=message_id)

        fork = body["session_id"]
        assert status == 200 and body["forked"] and fork != task.session_id
        assert body["conversation"] == {"kept": 4, "prompt": "what was said"} and body["files"] is None
        assert await begun_from(bench, fork) == ForkPoint(task.session_id, "entry")
        for session_id in (fork, task.session_id):
            last = (await events(bench, session_id))[-1]
            assert last["metadata"]["rewind"]["fork"] == fork and "task_id" not in last
        again = await bench.do("again", resume=fork)
        assert again.session_id == fork and again.working_dir == task.working_dir
        assert bench.engine.told[-1].forked_from == ForkPoint(task.session_id, "entry")

    async def test_in_place_the_session_remembers_where(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        for _ in range(2):
            status, body = await back(client, task.session_id, message_id=said(bench, task), fork=False)
            assert (status, body["forked"], body["session_id"]) == (200, False, task.session_id)
        assert rewindings(await state_of(bench, task.session_id)) == 2 * [RewoundTo("entry", (100, 200))]
        fork = (await back(client, task.session_id, message_id=said(bench, task)))[1]["session_id"]
        assert rewindings(await state_of(bench, fork)) == []

    async def test_files_alone_move_no_conversation(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        message_id = said(bench, task)
        files = [str(bench.work / "a"), "/elsewhere/b"]
        bench.ways_back.files[message_id] = FilesBack(files, insertions=1, deletions=2)
        for dry_run in (True, False):
            status, body = await back(client, task.session_id, message_id=message_id, restore="files", dry_run=dry_run)
            assert (status, body["session_id"], body["conversation"]) == (200, task.session_id, None)
            assert body["files"] == {
                "files": ["a", "/elsewhere/b"],
                "insertions": 1,
                "deletions": 2,
                "skipped_links": 0,
            }
            assert bench.ways_back.put_back == ([] if dry_run else [message_id])
        assert await state_of(bench, task.session_id) == {}

    async def test_where_files_cannot_go_back_nothing_does(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        before = await events(bench, task.session_id)
        status, body = await back(client, task.session_id, message_id=said(bench, task), restore="both")
        assert (status, body["error"]) == (409, "rewind_refused")
        assert await events(bench, task.session_id) == before

    async def test_a_dry_run_leaves_no_trace(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        before = await events(bench, task.session_id)
        for fork, going_on in ((True, None), (False, task.session_id)):
            _, body = await back(client, task.session_id, message_id=said(bench, task), fork=fork, dry_run=True)
            assert (body["dry_run"], body["session_id"]) == (True, going_on)
        assert await events(bench, task.session_id) == before
        assert await state_of(bench, task.session_id) == {}

    async def test_before_the_first_only_a_fork_begins(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        first = said(bench, task, ConversationPoint(None, "x", kept=0, dropped=(0, 9)))
        assert (await back(client, task.session_id, message_id=first, fork=False))[1]["error"] == "rewind_refused"
        _, body = await back(client, task.session_id, message_id=first)
        assert await begun_from(bench, body["session_id"]) == ForkPoint(task.session_id, None)

    # faults: E5
    async def test_sessions_elsewhere_are_hidden(self, client: httpx.AsyncClient, bench: Bench) -> None:
        for session_id in (new_id(), bench.knows_session(bench.root), "..%2fx"):
            status, _ = await back(client, session_id, message_id=new_id())
            assert status == 404


class TestWhileSomethingRuns:
    async def test_the_session_is_busy(self, client: httpx.AsyncClient, bench: Bench) -> None:
        gate = Gate()
        bench.engine.script = (waits_at(gate),)
        task = await bench.admit()
        await gate.reached.wait()
        for restore in ("conversation", "files", "both"):
            status, body = await back(client, task.session_id, message_id=said(bench, task), restore=restore)
            assert (status, body["error"]) == (409, "session_busy")

    async def test_in_the_directory_only_its_files_are(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        message_id = said(bench, task)
        bench.ways_back.files[message_id] = FilesBack()
        gate = Gate()
        bench.engine.script = (waits_at(gate),)
        await bench.admit("another session's")
        await gate.reached.wait()
        assert (await back(client, task.session_id, message_id=message_id))[0] == 200
        assert (await back(client, task.session_id, message_id=message_id, restore="files", dry_run=True))[0] == 200
        assert (await back(client, task.session_id, message_id=message_id, restore="files"))[0] == 409


class TestToAQuestion:
    async def test_in_a_fork_it_waits_under_its_own_id(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await asked_and_answered(bench, choice("q"), choice("r"))
        status, body = await back(client, task.session_id, question_id="r")

        assert (status, body["question_ids"], body["forked"]) == (200, ["q", "r"], True)
        again = await bench.store.task(body["task_id"])
        assert again is not None and again.status is TaskStatus.WAITING and again.session_id == body["session_id"]
        told = await events(bench, body["session_id"])
        assert [event["type"] for event in told] == ["info", "ask_user_question", "ask_user_question"]
        assert told[0]["metadata"]["prompt"] == task.request["prompt"] and told[0]["metadata"]["rewind"]
        for question_id in ("q", "r"):
            await bench.answer(await bench.waits(again, question_id), "b")
        assert (await bench.ended(again)).status is TaskStatus.COMPLETED
        last = bench.engine.told[-1]
        assert (last.prompted, last.continued) == (True, True)
        assert last.forked_from == ForkPoint(task.session_id, "entry")
        first = await bench.store.question(task.session_id, "q")
        assert first is not None and first.answer == "a"

    async def test_in_place_it_is_numbered(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await asked_and_answered(bench, choice("q"))
        for number, named in ((2, "q"), (3, "q#2")):
            _, body = await back(client, task.session_id, question_id=named, fork=False)
            assert body["question_ids"] == [f"q#{number}"]
            bench.ways_back.points[task.session_id, f"{CALL}#{number}"] = POINT
            again = await bench.store.task(body["task_id"])
            assert again is not None
            await bench.answer(await bench.waits(again), "b")
            assert (await bench.ended(again)).status is TaskStatus.COMPLETED
        assert len(rewindings(await state_of(bench, task.session_id))) == 2

    async def test_it_waits_over_a_restart_and_can_be_declined(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await asked_and_answered(bench, choice("q"))
        _, body = await back(client, task.session_id, question_id="q")
        assert await bench.recover() == 0
        again = await bench.store.task(body["task_id"])
        assert again is not None and again.status is TaskStatus.WAITING
        await bench.answer(await bench.waits(again), None)
        assert (await bench.ended(again)).status is TaskStatus.COMPLETED

    async def test_it_can_be_stopped(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await asked_and_answered(bench, choice("q"))
        _, body = await back(client, task.session_id, question_id="q")
        assert (await client.delete(f"/api/task/{body['task_id']}")).json()["status"] == "cancelled"
        record = await bench.store.question(body["session_id"], "q")
        assert record is not None and record.state is QuestionState.CANCELLED

    async def test_of_twenty_at_once_one_asks_in_place(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await asked_and_answered(bench, choice("q"))
        done = await asyncio.gather(*(back(client, task.session_id, question_id="q", fork=False) for _ in range(20)))
        assert sorted(status for status, _ in done) == [200, *([409] * 19)]
        pending, _ = await bench.store.questions(
            states=frozenset({QuestionState.PENDING}), session_id=task.session_id, limit=100
        )
        assert len(pending) == 1

    async def test_a_dry_run_asks_nobody(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await asked_and_answered(bench, choice("q"))
        _, body = await back(client, task.session_id, question_id="q", dry_run=True)
        assert (body["task_id"], body["question_ids"], body["conversation"]["kept"]) == (None, [], 4)

    async def test_what_is_no_question_of_a_model(self, client: httpx.AsyncClient, bench: Bench) -> None:
        prompt = new_id()
        bench.engine.plays(prompt, asks_and_leaves(asking("p", choice("p:1"), kind=QuestionKind.PERMISSION)))
        task = await bench.admit(prompt)
        await bench.answer(await bench.waits(task), "a")
        await bench.ended(task)
        assert (await back(client, task.session_id, question_id="p:1"))[1]["error"] == "rewind_refused"
        assert (await back(client, task.session_id, question_id="none"))[1]["error"] == "question_not_found"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message_id": "x"},
        {"message_id": new_id(), "question_id": "q"},
        {"question_id": ""},
        {"question_id": "q", "fork": "no"},
        {"question_id": "q", "restore": "everything"},
        {"question_id": "q", "more": 1},
    ],
)
async def test_malformed(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    response = await client.post(f"/api/sessions/{new_id()}/rewind", json=body)
    assert (response.status_code, response.json()["error"]) == (422, "invalid_request")

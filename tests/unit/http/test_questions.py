"""Questions through the HTTP door: contract §2's table, lists, programs, dialog, and the socket."""

import asyncio
from typing import Any

import pytest
from tests.support.bench import Bench
from tests.support.questions import OPENING, asking, choice, text
from tests.support.served import KEY, Served

from glasshouse.contract.ids import new_id
from glasshouse.contract.question import QuestionKind
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import TaskRecord
from glasshouse.testing.scripted_engine import asks_and_leaves

ENGLISH = {"accept-language": "en"}


@pytest.fixture
def bench(served: Served) -> Bench:
    return served.bench


async def waiting(bench: Bench, *questions: dict[str, Any]) -> TaskRecord:
    prompt = new_id()
    bench.engine.plays(prompt, asks_and_leaves(asking(new_id(), *questions)))
    task = await bench.admit(prompt)
    await bench.waits(task)
    await bench.execution.wait_end(task.task_id)
    return task


async def answer(served: Served, task: TaskRecord, question_id: str, answer: Any, **fields: Any) -> tuple[int, Any]:
    body = {"session_id": task.session_id, "question_id": question_id, "answer": answer, **fields}
    async with served.client() as client:
        response = await client.post("/api/task/answer", json=body)
        return response.status_code, response.json()


class TestAnAnswer:
    async def test_it_is_taken_and_the_task_goes_on(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        assert await answer(served, task, "q", "a") == (
            200,
            {"success": True, "message": "答案已提交，任务继续执行", "remaining": []},
        )
        assert (await bench.ended(task)).status is TaskStatus.COMPLETED

    async def test_what_remains_is_listed(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, OPENING)
        status, body = await answer(served, task, "parent", "a")
        assert (status, body["remaining"]) == (200, ["must"])
        status, body = await answer(served, task, "must", "1 < 2 && a\x00 > b")
        assert (status, body["remaining"], body["cleaned"]) == (200, [], True)
        record = await bench.store.question(task.session_id, "must")
        assert record is not None
        assert record.answer == "1 < 2 && a > b"

    async def test_of_fifty_at_once_one_wins_and_all_others_are_told_by_whom(
        self, served: Served, bench: Bench
    ) -> None:
        # faults: D2
        task = await waiting(bench, text("q"))
        outcomes = await asyncio.gather(*(answer(served, task, "q", str(number)) for number in range(50)))
        won = [place for place, (status, _) in enumerate(outcomes) if status == 200]
        assert len(won) == 1
        record = await bench.store.question(task.session_id, "q")
        assert record is not None
        assert record.answer == str(won[0])
        refusals = [body for status, body in outcomes if status == 400]
        assert (
            refusals
            == [
                {
                    "success": False,
                    "error": "already_answered",
                    "message": "该问题已回答或已取消",
                    "answered_by": "person",
                    "answered_at": record.answered_at,
                    "door": "api",
                }
            ]
            * 49
        )

    async def test_the_console_is_another_door(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        async with served.client(()) as browser:
            await browser.post("/api/login", json={"key": KEY})
            body = {"session_id": task.session_id, "question_id": "q", "answer": "a"}
            assert (await browser.post("/api/task/answer", json=body)).status_code == 200
        status, refusal = await answer(served, task, "q", "b")
        assert (status, refusal["door"]) == (400, "console")

    async def test_declined_with_stop_the_task_is_cancelled(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        status, body = await answer(served, task, "q", None, reason="enough", stop=True)
        assert (status, body["message"], body["remaining"]) == (200, "任务已停止", [])
        assert (await bench.now(task)).status is TaskStatus.CANCELLED

    async def test_it_is_no_task_request_and_so_not_limited_as_one(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        outcomes = [await answer(served, task, "q", "x") for _ in range(30)]
        assert {status for status, _ in outcomes} == {400}

    async def test_an_edited_input_is_kept_with_its_permission(self, served: Served, bench: Bench) -> None:
        permission = asking("t", choice("p", "allow", "allow_session", "deny"), kind=QuestionKind.PERMISSION)
        bench.engine.script = (asks_and_leaves(permission),)
        task = await bench.admit()
        await bench.waits(task)
        status, body = await answer(served, task, "p", "deny", updated_input={"command": "ls"})
        assert (status, body["error"]) == (400, "invalid_answer")
        status, _ = await answer(served, task, "p", "allow", updated_input={"command": "ls"})
        assert status == 200
        record = await bench.store.question(task.session_id, "p")
        assert record is not None
        assert record.updated_input == {"command": "ls"}


class TestRefusals:
    """In the contract's order: session, question, limit, timed out, answered or cancelled, task over, value."""

    async def test_a_session_that_nobody_knows(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        for session_id in ("", "x", "../etc", new_id()):
            status, body = await answer(served, task, "q", 1, session_id=session_id)
            assert (status, body["error"], body["message"]) == (404, "session_not_found", "会话不存在")

    async def test_a_question_that_nobody_asked(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        status, body = await answer(served, task, "r", 1)
        assert (status, body["error"], body["message"]) == (404, "question_not_found", "问题不存在或已超时")

    async def test_a_question_of_a_task_that_ended(self, served: Served, bench: Bench) -> None:
        # faults: D1
        task = await waiting(bench, choice("q"))
        await bench.execution.stop(task.task_id)
        status, body = await answer(served, task, "q", 1)
        assert (status, body["error"], body["message"]) == (400, "task_interrupted", "任务已被中断")

    async def test_a_wrong_value_says_what_is_expected(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        for wrong in ("c", ["a"], 1, True, {"other": "x"}, {"id": "a"}, "x" * 1_000_000):
            status, body = await answer(served, task, "q", wrong)
            assert (status, body["error"]) == (400, "invalid_answer")
            assert body["message"].startswith("答案格式无效：q: ")

    @pytest.mark.parametrize(
        "body",
        [
            {},
            [],
            {"question_id": "q", "answer": "a"},
            {"session_id": "s", "question_id": "q"},
            {"session_id": 1, "question_id": "q", "answer": "a"},
            {"session_id": "s", "question_id": "q", "answer": "a", "stop": True},
            {"session_id": "s", "question_id": "q", "answer": "a", "question_text": "forged?"},
            {"session_id": "s", "question_id": "q", "answer": "a", "answers": ["a"]},
            {"session_id": "s", "question_id": "q", "answer": "a", "reason": 1},
        ],
    )
    async def test_a_body_of_another_form(self, served: Served, body: Any) -> None:
        # faults: D5
        async with served.client() as client:
            response = await client.post("/api/task/answer", json=body)
        assert (response.status_code, response.json()["error"]) == (422, "invalid_request")


class TestLists:
    async def test_pending_ones_come_first_asked_first_in_pages(self, served: Served, bench: Bench) -> None:
        tasks = [await waiting(bench, choice(f"q{number}")) for number in range(5)]
        await answer(served, tasks[1], "q1", "a")
        await bench.ended(tasks[1])
        async with served.client() as client:
            first = (await client.get("/api/questions?limit=3")).json()
            rest = (await client.get(f"/api/questions?limit=3&cursor={first['next_cursor']}")).json()
            everything = (await client.get("/api/questions?state=all")).json()
            answered = (await client.get("/api/questions?state=answered")).json()
            own = (await client.get(f"/api/questions?session_id={tasks[3].session_id}")).json()
            of_task = (await client.get(f"/api/questions?state=all&task_id={tasks[1].task_id}")).json()
        assert [each["question_id"] for each in first["questions"] + rest["questions"]] == ["q0", "q2", "q3", "q4"]
        assert rest["next_cursor"] is None
        assert [each["question_id"] for each in everything["questions"]] == ["q0", "q1", "q2", "q3", "q4"]
        assert [(each["question_id"], each["door"]) for each in answered["questions"]] == [("q1", "api")]
        assert [each["question_id"] for each in own["questions"]] == ["q3"]
        assert [each["question_id"] for each in of_task["questions"]] == ["q1"]
        assert {"session_id", "task_id", "kind", "state", "type", "options", "asked_at", "group"} <= set(
            own["questions"][0]
        )

    @pytest.mark.parametrize(
        "query", ["state=open", "limit=0", "limit=201", "limit=x", "cursor=x", "cursor=-1", f"cursor={'9' * 30}"]
    )
    async def test_a_query_that_is_wrong_is_refused(self, served: Served, query: str) -> None:
        async with served.client() as client:
            response = await client.get(f"/api/questions?{query}")
        assert (response.status_code, response.json()["error"]) == (422, "invalid_request")


class TestPrograms:
    async def test_a_program_asks_waits_and_gets_the_answer(self, served: Served, bench: Bench) -> None:
        task = await bench.do()
        async with served.client() as client:
            body = {"session_id": task.session_id, "question": choice("my/own", "yes", "no")}
            asked = await client.post("/api/questions", json=body)
            again = await client.post("/api/questions", json=body)
            assert (asked.status_code, again.status_code, again.json()["error"]) == (201, 400, "question_invalid")
            assert (asked.json()["task_id"], asked.json()["state"]) == (None, "pending")

            path = f"/api/questions/my%2Fown?session_id={task.session_id}"
            assert (await client.get(f"{path}&wait=0.01")).json()["state"] == "pending"
            waits = asyncio.create_task(client.get(f"{path}&wait=20"))
            await asyncio.sleep(0)
            status, taken = await answer(served, task, "my/own", "yes")
            assert (status, taken["message"]) == (200, "答案已提交")
            report = (await waits).json()
        assert (report["state"], report["answer"], report["answered_by"]) == ("answered", "yes", "person")

    async def test_without_an_id_it_gets_one(self, served: Served, bench: Bench) -> None:
        task = await bench.do()
        async with served.client() as client:
            body = {"session_id": task.session_id, "question": {"question_text": "?", "type": "text"}}
            ids = {(await client.post("/api/questions", json=body)).json()["question_id"] for _ in range(3)}
        assert len(ids) == 3

    @pytest.mark.parametrize("question", [{}, {"question_text": "?"}, {"question_text": "?", "type": "x"}])
    async def test_malformed_ones_are_refused(self, served: Served, bench: Bench, question: Any) -> None:
        task = await bench.do()
        async with served.client() as client:
            response = await client.post(
                "/api/questions", json={"session_id": task.session_id, "question": question}, headers=ENGLISH
            )
        assert (response.status_code, response.json()["error"]) == (400, "question_invalid")

    async def test_an_unknown_one_is_not_found(self, served: Served, bench: Bench) -> None:
        task = await bench.do()
        async with served.client() as client:
            there = await client.get(f"/api/questions/x?session_id={task.session_id}")
            nowhere = await client.get("/api/questions/x?session_id=y")
            unsaid = await client.get("/api/questions/x")
        assert [there.json()["error"], nowhere.json()["error"], unsaid.json()["error"]] == [
            "question_not_found",
            "session_not_found",
            "invalid_request",
        ]


class TestTasks:
    async def test_a_task_that_waits_says_for_what(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q1"), choice("q2"))
        async with served.client() as client:
            state = (await client.get(f"/api/task/{task.task_id}")).json()
        assert state["status"] == "waiting"
        assert state["waiting"]["question_ids"] == ["q1", "q2"]
        assert state["waiting"]["since"].endswith("Z")

    async def test_after_wait_s_its_caller_gets_the_questions(self, served: Served, bench: Bench) -> None:
        bench.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        async with served.client() as client:
            response = await client.post("/api/task", json={"prompt": "do it", "wait_s": 0.2})
        body = response.json()
        assert (response.status_code, body["status"]) == (202, "waiting")
        assert [question["question_id"] for question in body["questions"]] == ["q"]

    async def test_a_caller_who_waits_gets_the_result_after_the_answer(self, served: Served, bench: Bench) -> None:
        bench.engine.script = (asks_and_leaves(asking("call", choice("q"))),)
        task_id = new_id()
        async with served.client() as client:
            changes = bench.store.subscribe_questions()
            call = asyncio.create_task(client.post("/api/task", json={"prompt": "do it", "task_id": task_id}))
            await changes.next()
            changes.close()
            record = await bench.store.task(task_id)
            assert record is not None
            await answer(served, record, "q", "a")
            body = (await call).json()
        assert (body["status"], body["success"]) == ("completed", True)

    @pytest.mark.parametrize("questions", [1, [1], [{}], [text("q"), text("q")], [{"question_id": "q"}]])
    async def test_malformed_templates_are_refused(self, served: Served, questions: Any) -> None:
        async with served.client() as client:
            response = await client.post("/api/task", json={"prompt": "do it", "questions": questions})
        assert (response.status_code, response.json()["error"]) == (400, "question_invalid")


class TestDialog:
    async def test_it_tells_the_rounds_of_a_session(self, served: Served, bench: Bench) -> None:
        bench.engine.script = (
            asks_and_leaves(asking("c1", choice("q1"), text("t1"))),
            asks_and_leaves(asking("p", choice("p"), kind=QuestionKind.PERMISSION)),
            asks_and_leaves(asking("c2", choice("q2"))),
        )
        task = await bench.admit()
        for question_id, given in (("q1", "a"), ("t1", None), ("p", "a")):
            await bench.answer(await bench.waits(task, question_id), given)
        await bench.waits(task, "q2")
        async with served.client() as client:
            paths = [f"/api/{noun}/{task.session_id}/dialog" for noun in ("sessions", "task")]
            one, other = [(await client.get(path)).json() for path in paths]
            missing = await client.get(f"/api/sessions/{new_id()}/dialog")
        assert one == other
        assert (one["session_id"], one["current_round"], one["total_rounds"]) == (task.session_id, 2, 2)
        assert [(each["round"], each["question"], each["answer"], each["state"]) for each in one["dialog_history"]] == [
            (1, "q1?", "A", "answered"),
            (1, "t1?", None, "cancelled"),
        ]
        assert missing.status_code == 404


class TestTheSocket:
    async def test_it_shows_what_waits_and_every_change(self, served: Served, bench: Bench) -> None:
        task = await waiting(bench, choice("q"))
        socket = await served.socket()
        assert (await socket.ask({"op": "subscribe", "session_id": "*"}))["op"] == "subscribed"
        question, state = await socket.hear(), await socket.hear()
        assert (question["question"]["question_id"], question["question"]["state"]) == ("q", "pending")
        assert (state["task"]["status"], state["task"]["waiting"]["question_ids"]) == ("waiting", ["q"])

        await answer(served, task, "q", "a")

        heard: list[Any] = []
        while not heard or heard[-1].get("task", {}).get("status") != "completed":
            heard.append(await socket.hear())
        changed = [frame["question"] for frame in heard if "question" in frame]
        assert [(each["state"], each["way"]) for each in changed] == [("answered", None), ("answered", "cold")]
        await socket.leave()

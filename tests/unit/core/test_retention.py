"""Sessions that nobody has touched for so many days are forgotten whole, and nothing else is."""

from pathlib import Path

from tests.support.bench import Bench

from glasshouse.contract.question import Door, Question, QuestionType
from glasshouse.core.questions.settling import Given
from glasshouse.core.retention import Retention

DAY_S = 86_400.0


def retention(bench: Bench, days: int = 30) -> Retention:
    return Retention(store=bench.store, trees=bench.trees, attachments=bench.attachments, clock=bench.clock, days=days)


async def test_an_ended_session_goes_after_its_days_and_not_before(bench: Bench) -> None:
    await bench.begin()
    task = await bench.do()
    bench.clock.pass_by(29 * DAY_S)
    assert await retention(bench).sweep() == 0
    bench.clock.pass_by(2 * DAY_S)
    assert await retention(bench).sweep() == 1
    assert await bench.store.task(task.task_id) is None
    assert await bench.events(task) == []


async def test_a_session_is_as_old_as_its_last_event(bench: Bench) -> None:
    await bench.begin()
    first = await bench.do()
    bench.clock.pass_by(20 * DAY_S)
    second = await bench.do(resume=first.session_id)
    bench.clock.pass_by(20 * DAY_S)
    assert await retention(bench).sweep() == 0
    assert await bench.events(first)
    assert await bench.events(second)


async def test_a_task_that_waits_for_its_turn_is_never_too_old(bench: Bench) -> None:
    task = await bench.admit()
    bench.clock.pass_by(400 * DAY_S)
    assert await retention(bench).sweep() == 0
    assert await bench.store.task(task.task_id) is not None


async def test_a_programs_question_that_waits_keeps_its_session(bench: Bench) -> None:
    await bench.begin()
    task = await bench.do()
    asked = await bench.desk.ask_for_program(
        task.session_id, Question(question_id="q", question_text="?", type=QuestionType.TEXT)
    )
    bench.clock.pass_by(400 * DAY_S)
    assert await retention(bench).sweep() == 0
    await bench.desk.answer(task.session_id, asked.question_id, Given(answer="ja", door=Door.API))
    assert await retention(bench).sweep() == 0
    bench.clock.pass_by(31 * DAY_S)
    assert await retention(bench).sweep() == 1


async def test_a_session_that_was_forgotten_can_be_gone_on_with(bench: Bench, tmp_path: Path) -> None:
    await bench.begin()
    session_id = bench.knows_session(bench.work)
    first = await bench.do(resume=session_id)
    before = await bench.store.bounds(session_id)
    bench.clock.pass_by(31 * DAY_S)
    assert await retention(bench).sweep() == 1
    again = await bench.do(resume=session_id)
    assert again.task_id != first.task_id
    assert (await bench.store.bounds(session_id)).first == before.last + 1

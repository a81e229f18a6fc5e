"""The question of a directory's trust: asked before anything of it runs, remembered until what it carries changes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import PROMPT, Stage, write_json

from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import QuestionRecord, TaskRecord
from glasshouse.testing.offline_model import Call, Part, Reply, Say, played

COLOUR = {"question": "Colour?", "header": "H", "multiSelect": False}
OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
ASKS = Call("AskUserQuestion", {"questions": [{**COLOUR, "options": OPTIONS}]}, id="toolu_q")
DONE = Say("Done.")


def hook(stage: Stage, name: str, event: str = "SessionStart") -> dict[str, Any]:
    command = {"type": "command", "command": f"echo {name} >> {stage.root}/ledger"}
    return {"hooks": {event: [{"hooks": [command]}]}}


def plant(stage: Stage, name: str = "hook") -> None:
    write_json(stage.project / ".claude" / "settings.json", hook(stage, name))


def ledger(stage: Stage) -> list[str]:
    path = stage.root / "ledger"
    return path.read_text().split() if path.exists() else []


def bash(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "x"})


def plays(stage: Stage, *replies: Reply | Part, prompt: str = PROMPT) -> None:
    stage.scripts[:] = [played(prompt, *replies), *stage.scripts]


async def asks(house: House, prompt: str = PROMPT, **fields: Any) -> tuple[TaskRecord, QuestionRecord]:
    task = await house.admit(prompt, **fields)
    [question] = await house.asked(task)
    assert question.kind is QuestionKind.TRUST
    await house.until_left(task)
    return task, question


async def runs_unasked(house: House, prompt: str = PROMPT, **fields: Any) -> TaskRecord:
    task = await house.admit(prompt, **fields)
    ended = await house.ended(task)
    assert await house.questions(task) == []
    assert ended.status is TaskStatus.COMPLETED
    return ended


@pytest.fixture(autouse=True)
def done(stage: Stage) -> None:
    plays(stage, DONE)


async def test_trusted_once_the_directory_is_trusted_until_what_it_carries_changes(stage: Stage) -> None:
    # faults: B10 D6
    plant(stage)
    async with living(stage, trust="ask") as house:
        task, question = await asks(house)
        assert ledger(stage) == [] and stage.asked == [] and not stage.home.transcripts_dir.exists()
        assert [(each["kind"], each["path"]) for each in question.subject["runs"]] == [
            ("hook", ".claude/settings.json")
        ]
        [told] = await house.events(task, "ask_user_question")
        assert told["question"]["runs"] == question.subject["runs"] and told["question"]["kind"] == "trust"
        assert [option["id"] for option in told["question"]["options"]] == ["trust", "without", "cancel"]
        await house.answer(question, "trust")
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
        assert ledger(stage) == ["hook"]
        assert (await house.record(question)).way == "started"

        (stage.project / "README.md").write_text("words")
        await runs_unasked(house)
        assert ledger(stage) == ["hook", "hook"]

        plant(stage, "another")
        task, question = await asks(house)
        await house.answer(question, "without")
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
        await runs_unasked(house)
        assert ledger(stage) == ["hook", "hook"]

        plant(stage)
        await runs_unasked(house)
        assert ledger(stage) == ["hook"] * 3


@pytest.mark.parametrize("answer", ["cancel", None])
async def test_who_cancels_ends_the_task_and_is_asked_again(stage: Stage, answer: str | None) -> None:
    plant(stage)
    async with living(stage, trust="ask") as house:
        task, question = await asks(house)
        await house.answer(question, answer)
        assert (await house.ended(task)).status is TaskStatus.CANCELLED
        assert ledger(stage) == [] and stage.asked == []
        assert await house.store.trusts() == []
        again, question = await asks(house, session_id=task.session_id)
        await house.answer(question, "trust")
        assert (await house.ended(again)).status is TaskStatus.COMPLETED


async def test_one_answer_is_good_for_all_that_wait_for_it(stage: Stage) -> None:
    plant(stage)
    async with living(stage, trust="ask") as house:
        asked = [await asks(house) for _ in range(3)]
        await house.answer(asked[1][1], "trust")
        for task, question in asked:
            assert (await house.ended(task)).status is TaskStatus.COMPLETED
            record = await house.record(question)
            by = "person" if question is asked[1][1] else "elsewhere"
            assert (record.answer, record.answered_by, record.door is not None) == ("trust", by, by == "person")
        assert len(await house.store.trusts()) == 1


async def test_who_cancels_one_of_them_cancels_no_other(stage: Stage) -> None:
    plant(stage)
    async with living(stage, trust="ask") as house:
        (first, question), (other, waits) = [await asks(house) for _ in range(2)]
        await house.answer(question, "cancel")
        assert (await house.ended(first)).status is TaskStatus.CANCELLED
        assert (await house.record(waits)).state is QuestionState.PENDING
        await house.execution.stop(other.task_id)
        assert (await house.record(waits)).answered_by == "task_end"


async def test_hooks_that_are_written_while_a_question_waits_are_asked_about_before_the_next_start(
    stage: Stage,
) -> None:
    # faults: B10
    plays(stage, (ASKS,), DONE)
    async with living(stage, trust="ask") as house:
        task = await house.admit()
        [colour] = await house.asked(task)
        await house.until_left(task)
        plant(stage)
        await house.answer(colour, "Red")
        [question] = await house.asked(task)
        assert question.kind is QuestionKind.TRUST
        await house.until_left(task)
        assert ledger(stage) == []
        await house.answer(question, "without")
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
        assert ledger(stage) == []
        assert "Red" in str(stage.asked[-1])
        assert [record.way for record in await house.questions(task)] == ["resumed", "started"]


@pytest.mark.parametrize("seed", [None, {"model": "sonnet"}])
async def test_hooks_that_a_task_writes_do_not_run_in_its_own_process(
    stage: Stage, seed: dict[str, Any] | None
) -> None:
    # faults: B10
    if seed is not None:
        write_json(stage.project / ".claude" / "settings.json", seed)
    settings = {
        "hooks": {event: hook(stage, "late", event)["hooks"][event] for event in ("PreToolUse", "PostToolUse", "Stop")},
        "env": {"PLANTED": "yes"},
    }
    write = f"open('.claude/settings.json', 'w').write({json.dumps(settings)!r})"
    (stage.project / "plant.py").write_text(f"import os; os.makedirs('.claude', exist_ok=True); {write}")
    # Until Claude Code has seen the file and been refused, there is nothing to be shown.
    waits = "until [ -e go ]; do sleep 0.05; done; echo planted=$PLANTED"
    plays(stage, (bash("python3 plant.py"),), (bash(waits),), DONE)
    async with living(stage, trust="ask") as house:
        task = await house.admit(tools=("Bash",))
        async with asyncio.timeout(30):
            while not await _refused(house, task):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await asyncio.to_thread(Path(stage.project, "go").touch)
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
        assert "planted=" in (await house.results(task)).values()
        assert ledger(stage) == []


async def _refused(house: House, task: TaskRecord) -> bool:
    return any(event["metadata"].get("notice") == "settings_not_trusted" for event in await house.events(task, "info"))


async def test_a_plain_directory_never_asks_and_its_skills_work(stage: Stage) -> None:
    skill = stage.project / ".claude" / "skills" / "tidy" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tidy\ndescription: Tidies up\n---\nThe word is gentian.")
    async with living(stage, trust="ask") as house:
        await runs_unasked(house, "/tidy")
        assert "gentian" in str(stage.asked[-1])


async def test_a_change_of_mind_is_asked_about(stage: Stage) -> None:
    plant(stage)
    async with living(stage, trust="ask") as house:
        task, question = await asks(house)
        await house.answer(question, "without")
        await house.ended(task)
        assert await house.store.forget_trust(str(stage.project)) == 1
        task, question = await asks(house)
        await house.answer(question, "trust")
        await house.ended(task)
        assert ledger(stage) == ["hook"]


NESTED = "---\nname: nest\ndescription: x\n{}---\nThe word is teasel. {}"


def nest(stage: Stage, head: str = "", end: str = "") -> None:
    below = stage.project / "packages" / "a"
    skill = below / ".claude" / "skills" / "nest" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(NESTED.format(head, end))
    (below / "f.txt").write_text("words")
    read = Call("Read", {"file_path": str(below / "f.txt")})
    plays(stage, (read,), (Call("Skill", {"skill": "nest"}, id="toolu_s"),), DONE)


@pytest.mark.parametrize("tools", [("Read", "Skill", "Bash"), None])
async def test_a_skill_that_is_found_on_the_way_and_runs_something_is_not_used_unasked(
    stage: Stage, tools: tuple[str, ...] | None
) -> None:
    # faults: B10
    nest(stage, "allowed-tools: Bash(touch:*)\n", f"!`touch {stage.project}/canary`")
    async with living(stage, trust="ask") as house:
        task = await house.admit(tools=tools)
        if tools is None:
            [question] = await house.asked(task)
            assert question.kind is QuestionKind.PERMISSION
            assert "packages/a/.claude/skills/nest/SKILL.md" in str(question.question.description)
            await house.answer(question, "deny")
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
        assert "teasel" not in str(stage.asked[-1])
    assert not (stage.project / "canary").exists()


async def test_a_plain_skill_that_is_found_on_the_way_is_used(stage: Stage) -> None:
    nest(stage)
    async with living(stage, trust="ask") as house:
        task = await house.admit(tools=("Read", "Skill"))
        await house.ended(task)
        assert await house.questions(task) == []
        assert "teasel" in str(stage.asked[-1])

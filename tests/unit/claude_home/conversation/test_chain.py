"""Which lines are the conversation that is shown, and in which order."""

import random
from typing import Any

import pytest
from tests.support.transcripts import Library, Written

PARALLEL = "msg_parallel"


async def test_the_chain_goes_through_lines_that_are_no_messages(library: Library, written: Written) -> None:
    first = written.prompt("hello")
    for kind in ("attachment", "system", "progress"):
        written.beside(kind)
    written.raw(b'{"type":"queue-operation","operation":"enqueue"}\n{"type":"summary","summary":"x","leafUuid":"y"}\n')
    written.says("hi")

    messages = await library.messages(written)

    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert [message["parentUuid"] for message in messages] == [None, first]


async def test_of_two_branches_the_one_that_ends_newest_is_shown(library: Library, written: Written) -> None:
    # faults: E7
    root = written.prompt("hello")
    written.says("old one")
    written.prompt("old question")
    written.says("new one", parent=root)
    written.beside()

    assert await library.texts(written) == ["hello", "new one"]


async def test_calls_made_at_once_are_all_shown_with_all_their_results(library: Library, written: Written) -> None:
    written.prompt()
    written.says("three at once", message_id=PARALLEL)
    one, two, three = (written.calls(name, message_id=PARALLEL) for name in ("t1", "t2", "t3"))
    written.result("t2", parent=two)
    written.result("t3", parent=three)
    written.result("t1", parent=one)
    written.beside()
    written.says("all there")

    assert await library.texts(written) == [
        *("do it", "three at once", "call t1", "call t2", "call t3"),
        *("result t2", "result t3", "result t1", "all there"),
    ]


async def test_of_two_results_of_a_call_the_newest_is_put_back(library: Library, written: Written) -> None:
    written.prompt()
    one, two = (written.calls(name, message_id=PARALLEL) for name in ("t1", "t2"))
    written.result("t2", "interrupted", parent=two)
    written.result("t2", "found", parent=two)
    written.result("t1", parent=one)

    results = [message["content"][0] for message in await library.messages(written)][3:]

    assert [(block["tool_use_id"], block["content"]) for block in results] == [("t2", "found"), ("t1", "done")]


async def test_what_an_abandoned_branch_said_is_not_put_back(library: Library, written: Written) -> None:
    written.prompt()
    call = written.calls("t1")
    written.result("t1", "of the old branch")
    written.says("old")
    written.result("t1", "of the new branch", parent=call)
    written.says("new")

    messages = await library.messages(written)

    assert [message["content"][0].get("content", "") for message in messages] == ["", "", "of the new branch", ""]


@pytest.mark.parametrize("length", [1, 2, 7])
async def test_a_circle_of_parents_ends(library: Library, written: Written, length: int) -> None:
    # faults: E7
    uuids = [f"{number:08}-0000-4000-8000-000000000000" for number in range(length)]
    for number, uuid in enumerate(uuids):
        written.user(f"line {number}", uuid=uuid, parent=uuids[number - 1])

    assert await library.texts(written) == [f"line {number}" for number in range(length)]


async def test_a_damaged_line_in_the_middle_tears_nothing_off(library: Library, written: Written) -> None:
    # faults: E1 E7
    written.prompt("before")
    written.raw(b'{"parentUuid":"x","type":"assistant","uuid":"lost","mess\n')
    written.user("after", parent="lost")

    assert await library.texts(written) == ["before", "after"]


async def test_a_file_that_goes_on_from_another_one_begins_with_its_first_line(
    library: Library, written: Written
) -> None:
    written.user("first here", parent="of another file")
    written.says("second")

    messages = await library.messages(written)

    assert [message["parentUuid"] for message in messages] == [None, messages[0]["uuid"]]


async def test_both_sides_of_a_compaction_are_shown_with_the_boundary_between(
    library: Library, written: Written
) -> None:
    written.prompt("before")
    last = written.says("old answer")
    written.line(
        "system",
        parent=None,
        logicalParentUuid=last,
        subtype="compact_boundary",
        content="Conversation compacted",
        compactMetadata={"trigger": "auto", "preTokens": 150_000},
    )
    written.user("what was said before", isCompactSummary=True)
    written.prompt("after")

    messages = await library.messages(written)

    assert [(message["role"], message["kind"]) for message in messages] == [
        *(("user", "message"), ("assistant", "message"), ("system", "compaction")),
        *(("user", "summary"), ("user", "message")),
    ]
    assert messages[2]["compaction"] == {"trigger": "auto", "pre_tokens": 150_000}
    assert [message["round"] for message in messages] == [1, 1, 1, 1, 2]


async def test_side_chains_are_kept_apart(library: Library, written: Written) -> None:
    # faults: E7
    written.prompt("do it")
    call = written.calls("t1", "Task")
    side = written.user("look there", parent=None, isSidechain=True)
    written.says("I look", isSidechain=True)
    written.user("named one", parent=None, isSidechain=True, agentId="abc")
    written.result("t1", parent=call)

    page = await library.page(written)

    assert await library.texts(written) == ["do it", "call t1", "result t1"]
    assert [agent.agent_id for agent in page.agents] == [side, "abc"]
    assert await library.texts(written, agent=side) == ["look there", "I look"]
    assert await library.texts(written, agent="abc") == ["named one"]


async def test_equal_and_backward_times_do_not_move_a_message(library: Library, written: Written) -> None:
    # faults: E7
    for number in range(20):
        written.user(f"line {number}", timestamp=f"2026-01-01T00:00:{30 - number // 3:02}.000Z")

    assert await library.texts(written) == [f"line {number}" for number in range(20)]


@pytest.mark.parametrize("seed", range(20))
async def test_any_graph_of_parents_is_read_to_an_end_and_the_same_each_time(
    library: Library, written: Written, seed: int
) -> None:
    # faults: E7
    dice = random.Random(seed)
    uuids = [f"{number:08}-0000-4000-8000-{seed:012}" for number in range(60)]
    for number in range(60):
        parent = dice.choice([*uuids, None, "nowhere"])
        more: dict[str, Any] = {"isSidechain": dice.random() < 0.2, "isMeta": dice.random() < 0.1, "parent": parent}
        uuid = dice.choice(uuids)
        match dice.randrange(4):
            case 0:
                written.calls(f"t{dice.randrange(9)}", message_id=f"m{dice.randrange(9)}", uuid=uuid, **more)
            case 1:
                written.result(f"t{dice.randrange(9)}", uuid=uuid, **more)
            case 2:
                written.beside(uuid=uuid, **more)
            case _:
                written.prompt(f"line {number}", uuid=uuid, **more)

    forward = await library.messages(written, limit=7)
    backward = await library.messages(written, limit=5, newest_first=True)

    assert forward == backward[::-1]
    assert forward == await Library(library.home.config_dir.parent).messages(written)

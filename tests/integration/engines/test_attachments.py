"""Attachments with the real Claude Code: the model sees the images, and the files are read without asking."""

import struct
import zlib
from typing import Any

from tests.integration.engines.house import living
from tests.integration.engines.stage import PROMPT, Stage
from tests.integration.engines.test_questions import plays
from tests.unit.core.test_attachments import file

from glasshouse.contract.task import PermissionMode, TaskRequest, TaskStatus
from glasshouse.core import attachments
from glasshouse.testing.offline_model import Call, Say


def png() -> bytes:
    """One red point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


def request(*files: dict[str, Any]) -> TaskRequest:
    return TaskRequest.model_validate({"prompt": PROMPT, "attachments": list(files)})


async def lived(stage: Stage, *files: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    """The events of a task with these."""
    asked = request(*files)
    async with living(stage) as house:
        session_id = fields.pop("session_id", "5f0e3c0e-94b2-4a52-8f0e-1c7d6f9a2b11")
        await attachments.keep(house.attachments, session_id, asked)
        task = await house.admit(session_id=session_id, attachments=asked.identity()["attachments"], **fields)
        ended = await house.ended(task)
        assert ended.status is TaskStatus.COMPLETED, ended
        return await house.events(task)


def where(stage: Stage, name: str) -> str:
    [path] = (stage.root / "attachments").rglob(name)
    return str(path)


async def test_the_model_sees_the_images_and_is_told_where_all_files_are(stage: Stage) -> None:
    plays(stage, Say("I see."))
    await lived(stage, file("red.png", png(), "image/png"), file("notes.txt"), file("fake.png", b"no", "image/png"))

    [content] = [
        m["content"] for m in stage.asked[0]["messages"] if m["role"] == "user" and PROMPT in str(m["content"])
    ]
    [image] = [block for block in content if block["type"] == "image"]
    assert image["source"]["media_type"] == "image/png"
    told = next(block["text"] for block in content if "<glasshouse-attachments>" in block.get("text", ""))
    for name in ("red.png", "notes.txt", "fake.png"):
        assert where(stage, name) in told
    assert PROMPT in [block.get("text") for block in content]


async def reads(stage: Stage, path: str, **fields: Any) -> list[dict[str, Any]]:
    plays(stage, Call("Read", {"file_path": path}, id="toolu_r"), Say("Read."), prompt="Read it.")
    async with living(stage) as house:
        task = await house.admit("Read it.", session_id="5f0e3c0e-94b2-4a52-8f0e-1c7d6f9a2b11", **fields)
        ended = await house.ended(task)
        assert ended.status is TaskStatus.COMPLETED, ended
        return await house.events(task, "tool_result")


async def test_a_file_is_read_without_asking_by_later_tasks_too_in_plan_mode_too(stage: Stage) -> None:
    plays(stage, Say("Thanks."))
    await lived(stage, file("notes.txt", b"the secret word is plum"))
    modes: tuple[PermissionMode, ...] = ("default", "plan")
    for mode in modes:
        [result] = await reads(stage, where(stage, "notes.txt"), permission_mode=mode)
        assert "plum" in result["content"] and not result["is_error"]


async def test_what_lies_beside_them_is_not_open(stage: Stage) -> None:
    """The control: it is the rule that lets them be read."""
    plays(stage, Say("Thanks."))
    await lived(stage, file("notes.txt"))
    beside = stage.root / "attachments" / "other" / "secret.txt"
    beside.parent.mkdir()
    beside.write_text("another session's")
    plays(stage, Call("Read", {"file_path": str(beside)}, id="toolu_r"), Say("Read."), prompt="Read it.")
    async with living(stage) as house:
        task = await house.admit("Read it.", session_id="5f0e3c0e-94b2-4a52-8f0e-1c7d6f9a2b11")
        [question] = await house.asked(task)
        assert question.subject["tool_name"] == "Read"
        await house.execution.stop(task.task_id)


async def test_tools_that_are_named_stay_the_only_ones(stage: Stage) -> None:
    plays(stage, Say("Thanks."))
    await lived(stage, file("notes.txt"), tools=("Bash",))
    assert stage.tools_offered == {"Bash"}


async def test_an_image_is_remembered_by_the_conversation(stage: Stage) -> None:
    plays(stage, Say("I see."))
    await lived(stage, file("red.png", png(), "image/png"))
    plays(stage, Say("Still."), prompt="And now?")
    async with living(stage) as house:
        await house.ended(await house.admit("And now?", session_id="5f0e3c0e-94b2-4a52-8f0e-1c7d6f9a2b11"))
    assert '"image"' in str(stage.asked[-1]["messages"]).replace("'", '"')
    assert where(stage, "red.png")

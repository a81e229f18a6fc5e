"""What comes with a prompt, as files: under safe names, in a folder of their session's, and where they lie.

The files of one task lie together, in a folder named after what is in them, so that the same task sent twice finds
them there, and a task that waits in line after a restart has them still.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from glasshouse.contract.attachment import AttachmentFacts
from glasshouse.contract.task import TaskRequest, TaskStatus
from glasshouse.core.ports import AttachedFile, Attachments, Store, TaskRecord

_LONGEST = 120
_RESERVED = re.compile(r"^(CON|PRN|AUX|NUL|COM\d|LPT\d)(\.|$)", re.IGNORECASE)


def safe_names(names: Sequence[str]) -> list[str]:
    """Each a plain name of a file, no two the same on any file system."""
    taken: set[str] = set()
    safe = []
    for name in names:
        stem, suffix = _parts(_plain(name))
        candidate, number = f"{stem}{suffix}", 1
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{stem} ({number}){suffix}"
        taken.add(candidate.casefold())
        safe.append(candidate)
    return safe


def _plain(name: str) -> str:
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    # Neither control characters nor those that turn a name around, nor what shells and patterns have a meaning for.
    letters = [letter if letter.isalnum() or letter in " ._-()+,=@~" else "_" for letter in last if _is_shown(letter)]
    plain = "".join(letters).strip(" .").lstrip("-~")
    return f"_{plain}" if _RESERVED.match(plain) else plain or "attachment"


def _is_shown(letter: str) -> bool:
    return unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Co", "Cn")


def _parts(name: str) -> tuple[str, str]:
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem or len(suffix) > 16:
        stem, suffix = name, ""
    stem = stem.encode()[:_LONGEST].decode(errors="ignore").rstrip(" .")
    return stem or "attachment", f".{suffix}" if suffix else ""


def folder_of(facts: Sequence[Mapping[str, Any]]) -> str:
    """Named after all that is in it."""
    return hashlib.sha256(json.dumps([dict(each) for each in facts], sort_keys=True).encode()).hexdigest()[:32]


async def keep(attachments: Attachments, session_id: str, request: TaskRequest) -> None:
    """All of them or none. Raises StoreUnavailable."""
    facts = [each.facts.model_dump() for each in request.attachments]
    names = safe_names([each.name for each in request.attachments])
    files = {name: each.data for name, each in zip(names, request.attachments, strict=True)}
    await attachments.keep(session_id, folder_of(facts), files)


def attached(attachments: Attachments, record: TaskRecord) -> tuple[AttachedFile, ...]:
    given = record.request.get("attachments") or ()
    if not given:
        return ()
    facts = [AttachmentFacts.model_validate(each) for each in given]
    folder = attachments.path(record.session_id, folder_of(given))
    return tuple(
        AttachedFile(name, fact.media_type, fact.size, f"{folder}/{name}")
        for name, fact in zip(safe_names([each.name for each in facts]), facts, strict=True)
    )


async def sweep(attachments: Attachments, store: Store) -> int:
    """At a start, before anything is admitted: what no task has come to use, how many folders that were."""
    swept = 0
    for session_id, folders in (await attachments.kept()).items():
        records = await store.tasks(statuses=frozenset(TaskStatus), session_id=session_id)
        used = {folder_of(record.request["attachments"]) for record in records if record.request.get("attachments")}
        for folder in set(folders) - used:
            await attachments.forget(session_id, folder)
            swept += 1
    return swept

"""What is written into the index, and read from it: each function is one transaction or one query."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import apsw
import orjson

from glasshouse.adapters.session_index.folders import Mark, session_of
from glasshouse.adapters.session_index.rows import CHOOSE_SHOWN, SELECT_SUMMARIES, UPSERT_FILE, file_row
from glasshouse.adapters.session_index.search import has_word
from glasshouse.claude_home.digesting import AT_ONCE, Found, Job
from glasshouse.core.ports import SessionQuery

FILES = "SELECT path, offline, dev, ino, size, mtime_ns, read_to <> text_to FROM file ORDER BY active_at DESC"
DIRECTORIES = """
SELECT working_dir, count(*), max(active_at) FROM file WHERE shown GROUP BY working_dir ORDER BY max(active_at) DESC
"""
ONE = f"{SELECT_SUMMARIES} WHERE shown AND session_id = ?"
KNOWN = "SELECT session_id FROM file WHERE shown AND session_id IN (SELECT value FROM json_each(?))"
PLACES = "SELECT session_id, working_dir FROM file WHERE shown AND session_id IN (SELECT value FROM json_each(?))"
_LEFT = "SELECT path, size, read_to, text_to, proof, digest FROM file WHERE path IN (SELECT value FROM json_each(?))"


def jobs_for(connection: apsw.Connection, marks: Mapping[str, Mark], *, texts_of_new: bool) -> list[Job]:
    """Going on where each was left; what was not searchable yet is read for its texts later."""
    left = {row[0]: row[1:] for row in connection.execute(_LEFT, (orjson.dumps([*marks]).decode(),))}
    return [_job(path, mark, left.get(path), texts_of_new) for path, mark in marks.items()]


def _job(path: str, mark: Mark, left: tuple[Any, ...] | None, texts_of_new: bool) -> Job:
    texts_of_new = texts_of_new and mark[2] <= AT_ONCE
    if left is None:
        return Job(path, texts=texts_of_new)
    size, read_to, text_to, proof, digest = left
    if mark[2] <= size:
        # Written to and not longer: what was read of it may be another text now.
        return Job(path, texts=texts_of_new)
    return Job(path, read_to == text_to, read_to, proof, orjson.loads(digest))


def save(connection: apsw.Connection, found: Iterable[Found], is_offline: Callable[[str], bool]) -> None:
    for part in found:
        if part.is_last and part.digest is None:
            forget(connection, [part.path])
            continue
        known = connection.execute("SELECT id, text_to FROM file WHERE path = ?", (part.path,)).fetchone()
        if part.anew and known is not None:
            _drop_texts(connection, part.path)
        file, text_to = known or (None, 0)
        if part.is_last:
            file = _save_file(connection, part, is_offline(part.path), 0 if part.anew else text_to)
        if file is not None:
            _save_texts(connection, part.texts, file)


def _drop_texts(connection: apsw.Connection, path: str) -> None:
    pieces = "SELECT piece.id FROM piece JOIN file ON file.id = piece.file WHERE path = ?"
    for table in ("text", "short"):
        connection.execute(f"DELETE FROM {table} WHERE rowid IN ({pieces})", (path,))
    connection.execute("DELETE FROM piece WHERE file = (SELECT id FROM file WHERE path = ?)", (path,))


def forget(connection: apsw.Connection, paths: Collection[str]) -> None:
    for path in paths:
        _drop_texts(connection, path)
        connection.execute("DELETE FROM file WHERE path = ?", (path,))
        connection.execute(CHOOSE_SHOWN, {"session_id": session_of(path)})


def _save_file(connection: apsw.Connection, part: Found, offline: bool, text_to: int) -> int:
    shown = part.shown or part.digest
    assert shown is not None
    dev, ino, size, mtime_ns = part.mark
    row = file_row(part.path, session_of(part.path), offline, shown, mtime_ns)
    left = {
        "dev": dev,
        "ino": ino,
        "size": size,
        "mtime_ns": mtime_ns,
        "read_to": part.offset,
        "proof": part.proof,
        "text_to": part.offset if part.searched else text_to,
        "digest": orjson.dumps(part.digest).decode(),
    }
    file: int = connection.execute(UPSERT_FILE, row | left).get
    connection.execute(CHOOSE_SHOWN, {"session_id": row["session_id"]})
    return file


def _save_texts(connection: apsw.Connection, texts: Sequence[tuple[str, str]], file: int) -> None:
    for body, words in texts:
        connection.execute("INSERT INTO piece (file) VALUES (?)", (file,))
        piece = connection.last_insert_rowid()
        connection.execute("INSERT INTO text (rowid, body) VALUES (?, ?)", (piece, body))
        connection.execute("INSERT INTO short (rowid, words) VALUES (?, ?)", (piece, words))


def page(query: SessionQuery) -> tuple[str, dict[str, Any]]:
    """The statement, and what is bound in it."""
    conditions = ["shown", "working_dir IN (SELECT value FROM json_each(:working_dirs))"]
    bound: dict[str, Any] = {"working_dirs": orjson.dumps([*query.working_dirs]).decode(), "limit": query.limit}
    if query.since is not None:
        conditions.append("active_at >= :since")
        bound["since"] = query.since
    if query.until is not None:
        conditions.append("began_at <= :until")
        bound["until"] = query.until
    if query.tool is not None:
        conditions.append("EXISTS (SELECT 1 FROM json_each(tools_used) WHERE value = :tool)")
        bound["tool"] = query.tool
    if query.min_cost is not None:
        conditions.append(
            "(cost_usd >= :min_cost OR cost_usd IS NULL AND session_id IN (SELECT value FROM json_each(:costly)))"
        )
        bound |= {"min_cost": query.min_cost, "costly": orjson.dumps([*query.costly]).decode()}
    if query.after is not None:
        conditions.append("(active_at, session_id) < (:after_at, :after_id)")
        bound |= {"after_at": query.after[0], "after_id": query.after[1]}
    for number, word in enumerate(query.words):
        condition, names = has_word(word, f"word{number}")
        conditions.append(condition)
        bound |= names
    where = " AND ".join(conditions)
    # Left to itself SQLite collects all directories and sorts them.
    by_time = "INDEXED BY file_by_time" if len(query.working_dirs) > 1 else ""
    return f"{SELECT_SUMMARIES} {by_time} WHERE {where} ORDER BY active_at DESC, session_id DESC LIMIT :limit", bound

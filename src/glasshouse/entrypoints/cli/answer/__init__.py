"""`glasshouse answer`: what waits for a person, asked in this terminal and answered through the running server.

server   the server, as a terminal talks to it
shown    a question as lines
taking   what a person says to it, as an answer
keys     a line typed, or chosen with the arrows
plain    foreign text without what steers a terminal
"""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.bootstrap.sources import data_directory_of, read_settings
from glasshouse.contract.ids import is_uuid
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import QuestionReport, QuestionState
from glasshouse.core.access import TERMINAL
from glasshouse.core.settings import BadSettings
from glasshouse.entrypoints.cli.answer import keys, taking
from glasshouse.entrypoints.cli.answer.plain import plain
from glasshouse.entrypoints.cli.answer.server import Refused, Server, ServerGone
from glasshouse.entrypoints.cli.answer.shown import head_lines, waiting_lines

BAD_SETTINGS, NO_SERVER = 2, 1
_LOOKS_EVERY_S = 1.0

_NOTHING = Phrase("没有等待你回答的问题。", "Nothing waits for you.")
_NOTHING_YET = Phrase(
    "现在没有等待你回答的问题。等着（Ctrl+C 结束）…", "Nothing waits for you yet. Waiting (Ctrl+C ends it) …"
)
_RUNNING = Phrase("正在执行：{words}...", "Running: {words}...")
_TAKEN = Phrase("已提交：{words}", "Taken: {words}")
_DECLINED = Phrase("已取消。", "Declined.")
_ELSEWHERE = Phrase("别处先回答了（{by}）。", "It was settled elsewhere ({by}).")
_NOT_WAITED_FOR = frozenset({"already_answered", "question_not_found", "task_interrupted"})
_GONE = Phrase("与服务器的连接断了：{why}", "The server is gone: {why}")


def answer(flags: dict[str, Any], command: str) -> int:
    """0 when the person is done, 1 without a server."""
    session_id, once = flags.pop("session"), flags.pop("once")
    try:
        settings = read_settings(flags, os.environ)
    except BadSettings as wrong:
        print(f"glasshouse: {wrong}", file=sys.stderr)
        return BAD_SETTINGS
    if session_id is not None and not is_uuid(session_id):
        print(f"glasshouse: --session: {plain(session_id)} is no session's id", file=sys.stderr)
        return BAD_SETTINGS
    data = DataDirectory(data_directory_of(settings, os.environ))
    address = data.announced()
    if address is None:
        print(f"glasshouse: no server runs on {data.path}; start one with: {command}", file=sys.stderr)
        return NO_SERVER
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    server = Server(address["url"], settings.language)
    try:
        server.sign_in(data.new_code(TERMINAL))
        with suppress(KeyboardInterrupt, EOFError):
            _Round(server, settings.language, session_id).go_on(once=once)
        server.sign_out()
    except (ServerGone, Refused) as problem:
        print(f"glasshouse: {_GONE.say(settings.language, why=plain(str(problem)))}", file=sys.stderr)
        return NO_SERVER
    return 0


class _Round:
    """From one asking to the next."""

    def __init__(self, server: Server, language: Language, session_id: str | None) -> None:
        self._server = server
        self._language: Language = language
        self._session_id = None if session_id is None else session_id.lower()
        self._left: set[tuple[str, str]] = set()

    def go_on(self, *, once: bool) -> None:
        is_idle = False
        listed: list[str] = []
        while True:
            waiting = [each for each in self._server.waiting(self._session_id) if _name(each) not in self._left]
            if not waiting and once:
                if not listed:
                    print(_NOTHING.say(self._language), flush=True)
                return
            if not waiting:
                if not is_idle:
                    print(_NOTHING_YET.say(self._language), flush=True)
                is_idle = True
                time.sleep(_LOOKS_EVERY_S)
                continue
            is_idle = False
            ids = [each.question_id for each in waiting]
            # Said when there is more to it than one sees below, and not again after each answer.
            if len(waiting) > 1 and not set(ids) <= set(listed):
                print("\n".join(waiting_lines(waiting, self._language)))
            listed = ids
            self._ask([each for each in waiting if _call(each) == _call(waiting[0])])

    def _ask(self, call: Sequence[QuestionReport]) -> None:
        first = call[0]
        rounds = self._server.rounds(first.session_id)
        print("\n" + "\n".join(head_lines(first, rounds, self._language)))
        try:
            self._send(call, taking.take(call, self._language, lambda: self._is_over(first)))
        except taking.LeftForLater:
            self._left.update(_name(each) for each in call)
        except keys.Over:
            self._tell_by_whom(first)
        except Refused as refusal:
            # Somebody was first, or what it belonged to is over: what waits now is asked for again.
            if refusal.code in _NOT_WAITED_FOR:
                self._tell_by_whom(first)
            else:
                print(plain(str(refusal)), flush=True)

    def _send(self, call: Sequence[QuestionReport], taken: taking.Taken) -> None:
        first = call[0]
        answers = dict(taken.answers)
        body: dict[str, Any] = {
            "session_id": first.session_id,
            "question_id": first.question_id,
            "answer": answers.pop(first.question_id),
        }
        self._server.answer(
            body | ({"answers": answers} if answers else {}) | ({"reason": taken.reason} if taken.reason else {})
        )
        said = _DECLINED if taken.is_declined else _RUNNING if first.task_id is not None else _TAKEN
        print(said.say(self._language, words=plain("; ".join(filter(None, taken.words)))), flush=True)

    def _is_over(self, report: QuestionReport) -> bool:
        return self._server.question(report.session_id, report.question_id).state is not QuestionState.PENDING

    def _tell_by_whom(self, report: QuestionReport) -> None:
        now = self._server.question(report.session_id, report.question_id)
        print(_ELSEWHERE.say(self._language, by=now.door or now.answered_by or now.state), flush=True)


def _call(report: QuestionReport) -> tuple[str, str]:
    return report.session_id, report.group.id if report.group is not None else report.question_id


def _name(report: QuestionReport) -> tuple[str, str]:
    return report.session_id, report.question_id

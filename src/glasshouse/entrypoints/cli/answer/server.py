"""The running server as a terminal on the same machine talks to it: signed in with a code from the data directory."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ValidationError

from glasshouse.contract.phrase import Language
from glasshouse.contract.question import AnswerTaken, Dialog, QuestionPage, QuestionReport

_WITHIN_S = 30.0
Model = TypeVar("Model", bound=BaseModel)


class ServerGone(Exception):
    """Nothing answers, or not as this version does."""


class Refused(Exception):
    """An error of the server's, with its sentence; `body` is all that it says."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("message", "")))
        self.code = str(body.get("error", ""))
        self.body = body


class Server:
    def __init__(self, url: str, language: Language) -> None:
        self._url = url
        self._headers = {"Accept-Language": language, "Content-Type": "application/json"}
        # It is on this machine: no proxy has a part in this.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def sign_in(self, code: str) -> None:
        with self._opened("POST", "/api/login", {"key": code}) as response:
            self._headers["Cookie"] = response.headers["set-cookie"].partition(";")[0]

    def sign_out(self) -> None:
        self._opened("POST", "/api/logout", {}).close()

    def waiting(self, session_id: str | None) -> list[QuestionReport]:
        """In the order of asking."""
        asked = {"limit": "200", **({} if session_id is None else {"session_id": session_id})}
        return list(self._read(QuestionPage, f"/api/questions?{urlencode(asked)}").questions)

    def question(self, session_id: str, question_id: str) -> QuestionReport:
        path = f"/api/questions/{quote(question_id, safe='')}?{urlencode({'session_id': session_id})}"
        return self._read(QuestionReport, path)

    def rounds(self, session_id: str) -> int:
        return self._read(Dialog, f"/api/sessions/{session_id}/dialog").total_rounds

    def answer(self, body: Mapping[str, Any]) -> AnswerTaken:
        return self._read(AnswerTaken, "/api/task/answer", body)

    def _read(self, model: type[Model], path: str, body: Mapping[str, Any] | None = None) -> Model:
        with self._opened("GET" if body is None else "POST", path, body) as response:
            try:
                return model.model_validate_json(response.read())
            except (ValidationError, OSError) as problem:
                raise ServerGone(type(problem).__name__) from None

    def _opened(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        """Raises ServerGone or Refused."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data=data, headers=self._headers, method=method)
        try:
            return self._opener.open(request, timeout=_WITHIN_S)
        except urllib.error.HTTPError as problem:
            with problem:
                raise Refused(_error_in(problem)) from None
        except OSError as problem:
            raise ServerGone(str(getattr(problem, "reason", problem))) from None


def _error_in(problem: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        found = json.loads(problem.read())
    except (OSError, ValueError):
        found = None
    return found if isinstance(found, dict) else {"error": "unreadable", "message": f"HTTP {problem.code}"}

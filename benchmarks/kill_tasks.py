"""Tasks whose questions are answered through random doors, while their server comes and goes."""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from benchmarks.kill_scripts import KINDS
from glasshouse.testing.server_process import KEY, ServerProcess

_AGAIN_S = 0.05
_TASK_S = 180.0
_ENDED = frozenset({"completed", "failed", "cancelled", "interrupted"})
_DOORS = ("api", "console")
_ANSWERS = {"permission": "allow", "plan_approval": "approve", "trust": "trust"}


@dataclass
class Life:
    """Of one task, as its user sees it."""

    name: str
    kind: str
    task_id: str = field(default_factory=lambda: str(uuid4()))
    session_id: str = ""
    status: str = ""
    # What was acknowledged, by question; more than one is one too many.
    taken: dict[str, list[Any]] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)
    # Who was killed while it was under way.
    deaths: set[str] = field(default_factory=set)
    is_stuck: bool = False


class Tasks:
    def __init__(self, server: ServerProcess, dice: random.Random) -> None:
        self._server = server
        self._dice = dice
        self.lives: list[Life] = []
        self.under_way: set[str] = set()
        self.has_asked = asyncio.Event()

    async def keep_going(self, enough: asyncio.Event) -> None:
        """One after the other, until there are enough."""
        while not enough.is_set():
            name = f"n{len(self.lives)}"
            life = Life(name, self._dice.choice(list(KINDS)))
            self.lives.append(life)
            self.under_way.add(life.task_id)
            try:
                async with asyncio.timeout(_TASK_S):
                    await self._live(life)
            except TimeoutError:
                life.is_stuck = True
            self.under_way.discard(life.task_id)

    def note(self, who: str) -> None:
        for life in self.lives:
            if life.task_id in self.under_way:
                life.deaths.add(who)

    async def _live(self, life: Life) -> None:
        body = await asyncio.to_thread(self._body, life)
        state = await self._asked("POST", "/api/task", body)
        life.session_id = state["session_id"]
        while True:
            state = await self._asked("GET", f"/api/task/{life.task_id}")
            if state["status"] in _ENDED:
                break
            page = await self._asked("GET", f"/api/questions?task_id={life.task_id}")
            if page["questions"]:
                self.has_asked.set()
            await asyncio.gather(*(self._answer(life, each) for each in page["questions"]))
            await asyncio.sleep(_AGAIN_S)
        life.status = state["status"]
        found = await self._asked("GET", f"/api/questions?task_id={life.task_id}&state=all&limit=200")
        life.questions = found["questions"]

    def _body(self, life: Life) -> Mapping[str, Any]:
        kind = KINDS[life.kind]
        directory = self._server.workspace / life.name
        (directory / ".claude").mkdir(parents=True)
        if kind.carries is not None:
            (directory / ".claude" / "settings.json").write_text(kind.carries)
        prompt = f"{life.kind}: {life.name}"
        return {"prompt": prompt, "working_dir": str(directory), "task_id": life.task_id, "wait_s": 0, **kind.fields}

    async def _answer(self, life: Life, question: Mapping[str, Any]) -> None:
        """Through one door, or through all at once; what was taken is remembered."""
        await asyncio.sleep(self._dice.choice((0.0, 0.0, self._dice.uniform(0, 1.0))))
        doors = _DOORS if self._dice.random() < 0.3 else (self._dice.choice(_DOORS),)
        await asyncio.gather(*(self._through(door, life, question) for door in doors))

    async def _through(self, door: str, life: Life, question: Mapping[str, Any]) -> None:
        answer: Any = _ANSWERS.get(question["kind"]) or {"other": f"word{uuid4().hex}"}
        body = {"session_id": life.session_id, "question_id": question["question_id"], "answer": answer}
        try:
            async with httpx.AsyncClient(base_url=self._server.url, trust_env=False, timeout=30) as http:
                headers = self._server.headers if door == "api" else {}
                if door == "console":
                    (await http.post("/api/login", json={"key": KEY})).raise_for_status()
                response = await http.post("/api/task/answer", json=body, headers=headers)
        except (httpx.HTTPError, OSError):
            return  # the server is dead: whether it was taken is asked of the next one
        if response.status_code == 200:
            life.taken.setdefault(question["question_id"], []).append(answer)

    async def _asked(self, method: str, path: str, body: object = None) -> Any:
        """As often as it takes."""
        while True:
            try:
                async with httpx.AsyncClient(base_url=self._server.url, trust_env=False, timeout=30) as http:
                    response = await http.request(method, path, json=body, headers=self._server.headers)
            except (httpx.HTTPError, OSError):
                await asyncio.sleep(_AGAIN_S)
                continue
            if response.status_code < 400:
                return response.json()
            if response.status_code < 500:
                raise RuntimeError(f"{method} {path}: {response.status_code} {response.text}")
            await asyncio.sleep(_AGAIN_S)

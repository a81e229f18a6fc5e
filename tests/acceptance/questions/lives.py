"""One task over several lives of a server; the model outlives them all."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from glasshouse.testing.offline_model import Call, OfflineModel, Part, played

PROMPT = "Do it."
OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
QUESTION = {"questions": [{"question": "Colour?", "header": "H", "multiSelect": False, "options": OPTIONS}]}
ASKS = Call("AskUserQuestion", QUESTION, id="toolu_q")
ROOT = Path(__file__).parents[3]
LIFE = Path(__file__).with_name("life.py")


class Lives:
    def __init__(self, root: Path, life: Path = LIFE) -> None:
        self.root = root
        self._life = life
        self.scripts: list[Any] = []
        self.model = OfflineModel(self.scripts, language="en")
        self.identity = f"lives{os.getpid()}{uuid4().hex[:6]}"
        self.task_id = str(uuid4())

    def notes(self, word: str) -> Call:
        return Call("Bash", {"command": f"echo {word} >> {self.root}/ledger", "description": "note"})

    def plays(self, *replies: Part | tuple[Part, ...]) -> None:
        self.scripts[:] = [played(PROMPT, *replies)]

    @property
    def ledger(self) -> list[str]:
        path = self.root / "ledger"
        return path.read_text().split() if path.exists() else []

    @property
    def heard(self) -> str:
        """All that the model was told."""
        return "\n".join(json.dumps(request.body.get("messages")) for request in self.model.requests)

    async def live(self, **plan: Any) -> dict[str, Any]:
        """Lives until the task has ended, as often as it takes."""
        endpoint = await self.model.start()
        whole = {
            "root": str(self.root),
            "identity": self.identity,
            "url": endpoint.url,
            "key": endpoint.key,
            "task_id": self.task_id,
            "prompt": PROMPT,
            "answer": "Red",
            "answers": {"permission": "allow", "plan_approval": "approve"},
            "defer": "auto",
            "who": "server",
            "hot_s": 600.0,
            "tools": ["Bash"],
            "permission_mode": "default",
            "trust": "never",
            **plan,
        }
        (self.root / "plan.json").write_text(json.dumps(whole))
        for _ in range(3):
            await self._one_life(endpoint.url, endpoint.key)
            if (self.root / "report.json").exists():
                break
        report: dict[str, Any] = json.loads((self.root / "report.json").read_text())
        return report

    async def _one_life(self, url: str, key: str) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        with (self.root / "log.txt").open("ab") as log:
            life = await asyncio.create_subprocess_exec(
                sys.executable,
                str(self._life),
                str(self.root / "plan.json"),
                env=environment,
                cwd=ROOT,
                stdout=log,
                stderr=log,
            )
            try:
                await asyncio.wait_for(life.wait(), 60)
            finally:
                if life.returncode is None:
                    life.kill()
                    await life.wait()

"""`python -m benchmarks.kills [--count 1000] [--seed 7]`: kill -9 at random times, and what is lost by it.

A real server with the real Claude Code and a scripted model; the server, its Claude Codes or both are killed at random
while questions, permissions, plans and trust are asked and answered. Nothing may be lost, taken twice or run twice.
"""

import argparse
import asyncio
import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from benchmarks.family import descendants
from benchmarks.kill_scripts import Ledger, Plays
from benchmarks.kill_tasks import Life, Tasks
from glasshouse.testing.offline_model import OfflineModel
from glasshouse.testing.server_process import ServerProcess

_WHO = ("server", "cli", "both")
_AT_ONCE = 4
_LONGEST_S = 1.0
_WHILE_ASKED = 0.8
_GONE_S = 10.0


@dataclass
class Found:
    """Each is a sentence about what should not be, but for `by_cli`: Claude Code itself was killed, and forgets what it
    noted last, so that a model may do it again."""

    lost: list[str] = field(default_factory=list)
    twice_answered: list[str] = field(default_factory=list)
    twice_run: list[str] = field(default_factory=list)
    by_cli: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.twice_answered or self.twice_run or self.damaged or self.orphans)


class Killer:
    def __init__(self, server: ServerProcess, tasks: Tasks, dice: random.Random, found: Found) -> None:
        self._server, self._tasks, self._dice, self._found = server, tasks, dice, found
        self.killed: Counter[str] = Counter()
        self.checked = 0
        self.is_enough = False

    def enough(self) -> None:
        """Sooner than was asked for: what was found until then is told."""
        self.is_enough = True

    async def kill(self, count: int) -> None:
        begun = time.monotonic()
        while self.killed.total() < count and not self.is_enough:
            # Most of them where something is asked, and all at random.
            if self._dice.random() < _WHILE_ASKED:
                await self._tasks.has_asked.wait()
            await asyncio.sleep(self._dice.uniform(0, _LONGEST_S))
            self._tasks.has_asked.clear()
            await asyncio.to_thread(self._kill, self._dice.choice(_WHO))
            if self.killed.total() % 20 == 0:
                print(f"{self.killed.total()} kills in {time.monotonic() - begun:.0f} s", file=sys.stderr)

    def _kill(self, who: str) -> None:
        agents = [pid for pid in descendants(self._server.pid) if _is_claude_code(pid)]
        if not agents:
            who = "server"
        self.killed[who] += 1
        self._tasks.note(who)
        for pid in agents if who != "server" else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if who != "cli":
            self._server.kill()
            self._check_database()
            self._server.start()

    def _check_database(self) -> None:
        """A copy of it as the death left it."""
        with tempfile.TemporaryDirectory() as folder:
            for path in self._server.data.glob("*.db*"):
                shutil.copy(path, folder)
            for path in Path(folder).glob("*.db"):
                database = apsw.Connection(str(path))
                said = [row[0] for row in database.execute("PRAGMA integrity_check")]
                database.close()
                self.checked += 1
                if said != ["ok"]:
                    self._found.damaged.append(f"{path.name}: {said[:3]}")


def _is_claude_code(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name == "claude"
    except OSError:
        return False


def judge(lives: list[Life], ledger: Ledger, heard: set[str], found: Found) -> None:
    runs = Counter(ledger.words)
    for life in lives:
        at = f"{life.name} ({life.kind}, {life.status}, killed: {', '.join(sorted(life.deaths)) or 'nobody'})"
        if life.is_stuck:
            found.lost.append(f"{at}: it came to no end")
        for question in life.questions:
            name, taken = question["question_id"], life.taken.get(question["question_id"], [])
            if question["state"] == "pending":
                found.lost.append(f"{at}: {name} waits, and its task is over")
            if len(taken) > 1:
                found.twice_answered.append(f"{at}: {name} took {taken}")
            if taken and (question["state"] != "answered" or question["answer"] not in (taken[0],)):
                found.lost.append(f"{at}: {name} took {taken}, and has {question['answer']}")
            word = question["answer"].get("other") if isinstance(question["answer"], dict) else None
            if word is not None and life.status == "completed" and word not in heard:
                found.lost.append(f"{at}: the model did not hear the answer to {name}")
        for word in (f"{life.name}{step}" for step in "abpo"):
            if runs[word] > 1:
                (found.by_cli if "cli" in life.deaths else found.twice_run).append(
                    f"{at}: {word} ran {runs[word]} times"
                )


async def run(count: int, seed: int, defer: str) -> bool:
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ledger = Ledger(home / "ledger")
        plays = Plays(ledger)
        model = OfflineModel([plays], "en")
        endpoint = await model.start()
        environment = {
            "ANTHROPIC_BASE_URL": endpoint.url,
            "ANTHROPIC_API_KEY": endpoint.key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
            "GLASSHOUSE_OFFLINE": "never",
            "GLASSHOUSE_LANGUAGE": "en",
            "GLASSHOUSE_DEFER": defer,
        }
        server = ServerProcess(home, environment=environment)
        await asyncio.to_thread(server.start)
        found, enough = Found(), asyncio.Event()
        tasks = Tasks(server, dice)
        killer = Killer(server, tasks, dice, found)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, killer.enough)
        going = [asyncio.create_task(tasks.keep_going(enough)) for _ in range(_AT_ONCE)]
        try:
            await killer.kill(count)
        finally:
            enough.set()
            await asyncio.gather(*going)
            await asyncio.to_thread(server.stop)
            await model.stop()
        judge(tasks.lives, ledger, plays.heard, found)
        found.orphans += await _left_in(home)
        _print(killer, tasks, found, seed)
        return found.is_good


async def _left_in(home: Path) -> list[str]:
    deadline = time.monotonic() + _GONE_S
    # Nobody tells who is not the parent.
    while (left := _working_in(home)) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    return left


def _working_in(home: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        # Others' processes, and those that end meanwhile.
        with suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(home):
                found.append(f"{entry.name} {(entry / 'comm').read_text().strip()}")
    return found


def _print(killer: Killer, tasks: Tasks, found: Found, seed: int) -> None:
    lives = tasks.lives
    asked = sum(len(life.questions) for life in lives)
    ends = Counter(life.status or "stuck" for life in lives)
    print(f"seed {seed}: {killer.killed.total()} kills {dict(killer.killed)}, {len(lives)} tasks {dict(ends)}")
    print(f"  kinds {dict(Counter(life.kind for life in lives))}, {asked} questions asked")
    print(f"  questions lost {len(found.lost)}, answered twice {len(found.twice_answered)}, tools run twice ", end="")
    print(f"{len(found.twice_run)} (and {len(found.by_cli)} repeated after a kill of Claude Code alone)")
    print(f"  integrity_check failed {len(found.damaged)} of {killer.checked}, orphans {len(found.orphans)}")
    for sentences in (found.lost, found.twice_answered, found.twice_run, found.by_cli, found.damaged, found.orphans):
        for sentence in sentences:
            print(f"    {sentence}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--defer", choices=("auto", "never"), default="auto")
    given = parser.parse_args()
    # The model's words to a Claude Code that was killed are no news.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    print(f"seed {given.seed}", flush=True)
    return 0 if asyncio.run(run(given.count, given.seed, given.defer)) else 1


if __name__ == "__main__":
    sys.exit(main())

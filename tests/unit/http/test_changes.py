"""What a session has changed, through the HTTP door: shown, bounded, and put back."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.bench import Bench
from tests.support.repository import Repo, everywhere
from tests.support.served import Served, serving

from glasshouse.adapters.clock import SystemClock
from glasshouse.adapters.git import GitTrees
from glasshouse.contract.ids import new_id
from glasshouse.core.ports import Outcome, Run, TaskRecord
from glasshouse.testing.manual_clock import ManualClock
from glasshouse.testing.scripted_engine import Gate, waits_at

ENGLISH = {"accept-language": "en"}


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    bench = Bench(tmp_path, trees=GitTrees(tmp_path / "trees", covers=everywhere, clock=ManualClock()))
    # Files have the machine's own time.
    bench.clock.now = SystemClock().now  # type: ignore[method-assign]
    async with serving(Served(bench)) as served:
        yield served


@pytest.fixture
def bench(served: Served) -> Bench:
    return served.bench


@pytest.fixture
def repo(bench: Bench) -> Repo:
    repo = Repo(bench.work)
    repo.write("a", "1\n", commit=True)
    return repo


async def done(bench: Bench, repo: Repo, **files: str) -> TaskRecord:
    """A task that writes these."""

    async def write(run: Run) -> Outcome | None:
        for name, content in files.items():
            repo.write(name, content)
        return None

    prompt = new_id()
    bench.engine.plays(prompt, write)
    return await bench.do(prompt)


async def diff_of(client: httpx.AsyncClient, task: TaskRecord, **query: str) -> dict[str, Any]:
    response = await client.get(f"/api/sessions/{task.session_id}/diff", params=query, headers=ENGLISH)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def revert(client: httpx.AsyncClient, task: TaskRecord, path: str, **fields: Any) -> tuple[int, dict[str, Any]]:
    url = f"/api/sessions/{task.session_id}/revert"
    response = await client.post(url, json={"path": path, **fields}, headers=ENGLISH)
    return response.status_code, response.json()


class TestTheDifference:
    async def test_files_counts_and_lines(self, client: httpx.AsyncClient, bench: Bench, repo: Repo) -> None:
        task = await done(bench, repo, a="2\n3\n", b="new\n")
        found = await diff_of(client, task)

        assert (found["available"], found["total"], found["additions"], found["deletions"]) == (True, 2, 3, 1)
        a, b = found["files"]
        assert (a["path"], a["status"], a["additions"], a["deletions"]) == ("a", "modified", 2, 1)
        assert a["diff"].endswith("@@ -1 +1,2 @@\n-1\n+2\n+3\n")
        assert (b["path"], b["status"], b["kind"]) == ("b", "added", "file")

    async def test_a_later_task_is_compared_with_the_first_ones_beginning(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo
    ) -> None:
        task = await done(bench, repo, a="2\n")
        again = await bench.do("again", resume=task.session_id)
        assert [file["path"] for file in (await diff_of(client, again))["files"]] == ["a"]
        assert (await diff_of(client, await done(bench, repo)))["files"] == []

    async def test_long_and_binary_ones_are_cut_and_said_to_be(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo
    ) -> None:
        task = await done(bench, repo, a="x" * 300_000 + "\n", binary="\0\1\2")
        long, binary = (await diff_of(client, task))["files"]
        assert (long["cut"], long["diff"]) == (True, None)
        assert (binary["binary"], binary["additions"], binary["diff"]) == (True, None, None)
        [alone] = (await diff_of(client, task, path="a"))["files"]
        assert (alone["cut"], len(alone["diff"]) > 300_000) == (False, True)

    async def test_the_patch_takes_everything_back(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo, tmp_path: Path
    ) -> None:
        task = await done(bench, repo, a="2\n", b="\0binary", c="new\n")
        response = await client.get(f"/api/sessions/{task.session_id}/diff", params={"format": "patch"})
        assert response.headers["content-type"].startswith("text/x-diff")
        assert response.headers["content-disposition"].startswith("attachment")
        (tmp_path / "patch").write_bytes(response.content)
        repo.git("apply", "-R", str(tmp_path / "patch"))
        assert (await diff_of(client, task))["files"] == []

    async def test_where_there_is_no_repository_it_says_so(self, client: httpx.AsyncClient, bench: Bench) -> None:
        task = await bench.do()
        found = await diff_of(client, task)
        assert (found["available"], found["reason"]) == (False, "not_a_repository")
        assert found["message"] == "The working directory is not in a git repository"
        patch = await client.get(f"/api/sessions/{task.session_id}/diff", params={"format": "patch"})
        assert (patch.status_code, patch.json()["error"]) == (409, "diff_unavailable")

    # faults: E5
    @pytest.mark.parametrize("session", [new_id(), "..%2f..%2fetc", "x", "%00"])
    async def test_no_such_session(self, client: httpx.AsyncClient, session: str) -> None:
        found = await client.get(f"/api/sessions/{session}/diff")
        assert (found.status_code, found.json()["error"] in ("session_not_found", "not_found")) == (404, True)


class TestARevert:
    async def test_a_file_goes_back_and_the_log_says_so(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo
    ) -> None:
        task = await done(bench, repo, a="2\n", b="new\n")
        a, b = (await diff_of(client, task))["files"]
        status, body = await revert(client, task, "a", expected=a["state"])
        assert (status, body["message"], body["restored"]) == (200, "a was put back", "a")
        status, body = await revert(client, task, "b", expected=b["state"])
        assert (status, body["restored"]) == (200, None)

        assert (repo.root / "a").read_text() == "1\n" and not (repo.root / "b").exists()
        assert (await diff_of(client, task))["files"] == []
        frames = await bench.store.read(task.session_id, after=0, limit=100)
        assert b'"metadata":{"revert":{"path":"b","status":"added"}}' in frames[-1].body
        assert frames[-1].task_id is None

    async def test_what_changed_since_it_was_shown_is_left(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo
    ) -> None:
        task = await done(bench, repo, a="2\n")
        [a] = (await diff_of(client, task))["files"]
        repo.write("a", "mine\n")
        status, body = await revert(client, task, "a", expected=a["state"])
        assert (status, body["error"]) == (409, "file_changed")
        assert (repo.root / "a").read_text() == "mine\n"

    async def test_unseen_what_changed_after_the_last_task_is_left(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo
    ) -> None:
        task = await done(bench, repo, a="2\n", b="new\n")
        ended = datetime.fromisoformat(task.ended_at or "").timestamp()
        while repo.write("b", "mine\n").stat().st_ctime < ended + 0.01:
            pass
        assert (await revert(client, task, "b"))[0] == 409
        assert (await revert(client, task, "a"))[0] == 200
        assert ((repo.root / "a").read_text(), (repo.root / "b").read_text()) == ("1\n", "mine\n")

    # faults: B1 B2
    @pytest.mark.parametrize(
        "path",
        [
            "c",
            "/etc/passwd",
            "../outside",
            "./a",
            "a/",
            "a/../a",
            "a\0",
            "..%2foutside",
            ".git/config",
            "A",
            "x" * 5000,
        ],
    )
    async def test_only_what_differs_has_a_name(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo, path: str
    ) -> None:
        (bench.root / "outside").write_text("canary")
        task = await done(bench, repo, a="2\n")
        status, body = await revert(client, task, path)
        assert (status, body["error"]) == (404, "change_not_found")
        assert (await client.get(f"/api/sessions/{task.session_id}/diff", params={"path": path})).status_code == 404
        assert (bench.root / "outside").read_text() == "canary"

    async def test_while_a_task_works_in_the_directory_it_is_busy(
        self, client: httpx.AsyncClient, bench: Bench, repo: Repo
    ) -> None:
        task = await done(bench, repo, a="2\n")
        gate = Gate()
        bench.engine.plays("long", waits_at(gate))
        for fields, sentence in (({"resume": task.session_id}, "This session is"), ({}, "A task of another session")):
            running = await bench.admit("long", deltas=False, **fields)
            await gate.reached.wait()
            busy = (await revert(client, task, "a"))[1]
            assert busy["error"] == "session_busy" and busy["message"].startswith(sentence)
            await bench.execution.stop(running.task_id)
        assert (await revert(client, task, "a"))[0] == 200

    async def test_a_task_waits_for_a_revert_that_is_under_way(self, bench: Bench, repo: Repo) -> None:
        async with bench.workplaces.alone("s", str(bench.work)):
            task = await bench.admit()
            for _ in range(20):
                await asyncio.sleep(0)
            assert (await bench.now(task)).status == "queued"
        assert (await bench.ended(task)).status == "completed"

    @pytest.mark.parametrize("body", [{}, {"path": ""}, {"path": "a", "more": 1}, {"path": 1}])
    async def test_malformed(self, client: httpx.AsyncClient, body: dict[str, Any]) -> None:
        response = await client.post(f"/api/sessions/{new_id()}/revert", json=body)
        assert (response.status_code, response.json()["error"]) == (422, "invalid_request")

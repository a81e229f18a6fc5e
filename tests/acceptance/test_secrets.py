"""Canary keys in every place where a secret may stand, and then a search through all that is left of them."""

import sqlite3
from pathlib import Path

import httpx
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.model import ModelInThread
from tests.acceptance.support.processes import all_command_lines, until

from glasshouse.testing.server_process import ServerProcess

CANARIES = {
    "GLASSHOUSE_API_KEY": "canary-of-the-api-key-5d1f0a77",
    "AWS_SECRET_ACCESS_KEY": "canary-of-aws-77c0de11",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE": "canary-of-a-passphrase-90b1",
    "DATABASE_PASSWORD": "canary-of-somebody-elses-32aa",
}
WRONG = "canary-of-a-wrong-key-1b2c3d"
GATE = "$ touch begun; until [ -e go ]; do sleep 0.05; done; env > seen"


# faults: K2 K4
async def test_no_secret_is_left_anywhere(start_server: StartServer, api_of: ApiOf, model: ModelInThread) -> None:
    server = start_server(**CANARIES)
    secrets = [*CANARIES.values(), model.endpoint.key, WRONG]
    api = api_of(server)
    api.http.headers["Authorization"] = f"Bearer {CANARIES['GLASSHOUSE_API_KEY']}"

    task = await api.begin(GATE)
    await until((api.directory / "begun").exists)
    _has_none(secrets, all_command_lines())
    (api.directory / "go").touch()
    await api.ended(task["task_id"])
    failed = await api.run("fail 400")
    said = [await _told(api.http, task["task_id"]), await _told(api.http, failed["task_id"])]
    said += [(await api.http.get(path)).text for path in ("/docs", "/openapi.json", "/api/status", "/", "/api/tools")]
    said += await _refusals(server)
    _has_none(secrets, *said, server.output, server.log)

    passed_on = (api.directory / "seen").read_text()
    assert CANARIES["AWS_SECRET_ACCESS_KEY"] in passed_on, "what the user's Claude Code may need reaches it"
    assert CANARIES["GLASSHOUSE_API_KEY"] not in passed_on
    assert CANARIES["DATABASE_PASSWORD"] not in passed_on
    (api.directory / "seen").unlink()

    server.stop()
    _has_none(secrets, server.output, server.log)
    for path in server.home.rglob("*"):
        if path.is_file():
            _has_none(secrets, path.read_bytes().decode(errors="replace"), where=path)
    assert _is_readable(server.data / "glasshouse.db"), "the search would have found it"


async def _told(http: httpx.AsyncClient, task_id: str) -> str:
    stream, state = await http.get(f"/api/task/{task_id}/stream"), await http.get(f"/api/task/{task_id}")
    return stream.text + state.text


async def _refusals(server: ServerProcess) -> list[str]:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as http:
        answers = [
            await http.get("/api/status", headers={"X-API-Key": WRONG}),
            await http.get("/api/status", params={"key": WRONG, "token": CANARIES["GLASSHOUSE_API_KEY"]}),
            await http.get(f"/api/{WRONG}", headers={"Authorization": f"Basic {WRONG}"}),
            await http.post("/api/login", json={"key": WRONG}),
        ]
    assert {answer.status_code for answer in answers} == {401}
    return [answer.text for answer in answers]


def _has_none(secrets: list[str], *texts: str, where: Path | None = None) -> None:
    found = [secret for secret in secrets for text in texts if secret in text]
    assert found == [], where


def _is_readable(database: Path) -> bool:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return b"touch begun" in database.read_bytes() and connection.execute("PRAGMA quick_check").fetchone() == (
            "ok",
        )
    finally:
        connection.close()

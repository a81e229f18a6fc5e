"""What holds for every answer: its headers, its language, its one form of an error."""

import logging

import httpx
import pytest
from tests.support.served import AUTHORISED, KEY, Served

from glasshouse.core.ports import Append, StoreUnavailable
from glasshouse.testing.scripted_engine import says

PAGES = ["/", "/icon.svg", "/docs", "/docs/start.js", "/openapi.json", "/api/status", "/api/nothing", "/health"]


# faults: K4
@pytest.mark.parametrize("path", PAGES)
async def test_every_answer_shuts_the_browser_in(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers

    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'self'" in policy
    assert "http:" not in policy
    assert "https:" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/api/status", "/openapi.json", "/api/nothing"])
async def test_nothing_of_it_is_kept_by_anyone(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).headers["cache-control"] == "no-store"


async def test_refusals_have_them_too(served: Served) -> None:
    async with served.client(()) as stranger:
        answer = await stranger.get("/api/status")

    assert answer.status_code == 401
    assert "default-src 'none'" in answer.headers["content-security-policy"]


class TestLanguage:
    @pytest.mark.parametrize(
        ("accepted", "message"),
        [
            (None, "任务不存在"),
            ("", "任务不存在"),
            ("zh-CN,zh;q=0.9,en;q=0.8", "任务不存在"),
            ("fr", "任务不存在"),
            ("*", "任务不存在"),
            ("en;q=0", "任务不存在"),
            ("en;q=nonsense", "任务不存在"),
            ("en", "No such task"),
            ("EN-gb", "No such task"),
            ("fr, en;q=0.5", "No such task"),
            ("en;q=0.9, zh;q=0.8", "No such task"),
            ("zh;q=0.1,en;q=0.2", "No such task"),
            (";;;,,,q=1," * 1000 + "en", "No such task"),
        ],
    )
    async def test_chinese_unless_english_is_preferred(
        self, client: httpx.AsyncClient, accepted: str | None, message: str
    ) -> None:
        headers = {} if accepted is None else {"accept-language": accepted}

        assert (await client.get("/api/task/none", headers=headers)).json()["message"] == message

    async def test_refusals_at_the_gate_too(self, served: Served) -> None:
        async with served.client((("accept-language", "en"),)) as stranger:
            assert (await stranger.get("/api/status")).json()["message"] == "Invalid API key"


class TestErrors:
    @pytest.mark.parametrize(
        "path",
        ["/nothing", "/api", "/api/", "/api/status/", "/assets/../index.html", "/assets/other", "/docs/other", "/.git"],
    )
    async def test_an_address_that_is_none_is_not_found(self, client: httpx.AsyncClient, path: str) -> None:
        answer = await client.get(path)

        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")

    @pytest.mark.parametrize(
        ("method", "path", "allowed"), [("PUT", "/api/task", "POST"), ("POST", "/api/status", "GET")]
    )
    async def test_a_method_that_is_none_is_said_with_those_that_are(
        self, client: httpx.AsyncClient, method: str, path: str, allowed: str
    ) -> None:
        answer = await client.request(method, path)

        assert (answer.status_code, answer.json()["error"]) == (405, "method_not_allowed")
        assert answer.headers["allow"] == allowed

    # faults: K4
    async def test_a_fault_of_ours_shows_an_id_and_nothing_of_the_inside(
        self,
        served: Served,
        client: httpx.AsyncClient,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        async def broken(task_id: str) -> None:
            raise RuntimeError(f"inside: {KEY}")

        monkeypatch.setattr(served.services.store, "task", broken)
        with caplog.at_level(logging.ERROR):
            answer = await client.get("/api/task/00000000-0000-4000-8000-000000000000")

        body = answer.json()
        assert (answer.status_code, body["error"], body["message"]) == (500, "internal", "服务内部错误，请稍后重试")
        assert "inside" not in answer.text
        assert any(getattr(record, "request_id", "") == body["request_id"] for record in caplog.records)

    # faults: I5
    async def test_a_store_that_cannot_write_is_said(
        self, served: Served, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def full(step: Append) -> int:
            raise StoreUnavailable("disk full")

        monkeypatch.setattr(served.services.store, "append", full)
        answer = await client.post("/api/task", json={"prompt": "x"})

        assert (answer.status_code, answer.json()["error"]) == (507, "storage_full")

    async def test_ten_thousand_ranges_ask_for_nothing(self, client: httpx.AsyncClient) -> None:
        ranges = "bytes=" + ",".join(f"{n}-{n}" for n in range(10_000))

        assert (await client.get("/openapi.json", headers={"range": ranges})).status_code == 200


class TestStatus:
    async def test_it_says_what_the_console_must_know(self, served: Served, client: httpx.AsyncClient) -> None:
        assert (await client.get("/api/status")).json() == {
            "version": "0.0.0",
            "state": "ready",
            "offline": False,
            "default_directory": str(served.bench.work),
            "allowed_directories": [str(served.bench.work)],
            "bypass": False,
            "language": "zh",
            "self_check": {"state": "off", "version": None, "holds": None, "failing": []},
        }

    async def test_it_says_that_the_demo_is_on(self, served: Served, client: httpx.AsyncClient) -> None:
        served.bench.engine.is_offline = True

        assert (await client.get("/api/status")).json()["offline"] is True

    async def test_strangers_learn_that_it_lives_and_no_more(self, served: Served) -> None:
        async with served.client(()) as stranger:
            assert (await stranger.get("/health")).json() == {"status": "alive"}
            assert (await stranger.get("/ready")).json() == {"status": "ready"}


class TestBlobs:
    LONG = "<script>alert(1)</script>" + "字" * 100_000

    async def cut(self, served: Served) -> tuple[str, str]:
        served.bench.engine.script = (says(self.LONG),)
        [_, text, _] = await served.bench.events(await served.bench.do())
        return text["truncated"]["/content"]["sha256"], text["content"]

    # faults: B6
    async def test_what_was_cut_is_there_whole_as_a_text_that_no_browser_runs(
        self, served: Served, client: httpx.AsyncClient
    ) -> None:
        sha256, shown = await self.cut(served)

        answer = await client.get(f"/api/blobs/{sha256}")

        assert answer.content.decode() == self.LONG
        assert self.LONG.startswith(shown)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
        assert answer.headers["content-disposition"] == f'attachment; filename="{sha256[:16]}.txt"'

    @pytest.mark.parametrize(
        "name", ["0" * 64, "0" * 63, "A" * 64, "..", "%2e%2e%2fetc", "a%0d%0ab", "*", "0" * 64 + "%0A"]
    )
    async def test_one_that_is_not_there_is_not_found(self, client: httpx.AsyncClient, name: str) -> None:
        answer = await client.get(f"/api/blobs/{name}")

        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")

    async def test_it_wants_the_key(self, served: Served) -> None:
        sha256, _ = await self.cut(served)
        async with served.client(()) as stranger:
            assert (await stranger.get(f"/api/blobs/{sha256}")).status_code == 401


class TestCatalogue:
    async def test_tools_say_whether_they_are_offered_and_allowed(self, client: httpx.AsyncClient) -> None:
        [first, *_] = (await client.get("/api/tools")).json()["tools"]

        assert first == {"name": "Bash", "description": "what Bash does", "offered": True, "allowed": True}

    async def test_an_engine_that_is_none_is_refused(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/api/tools?engine=planner")

        assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request")
        assert "engine" in answer.json()["message"]

    async def test_directories_are_completed(self, served: Served, client: httpx.AsyncClient) -> None:
        served.bench.directory("project")

        for prefix, found in [("", served.bench.work), (f"{served.bench.work}/p", served.bench.work / "project")]:
            answer = await client.get("/api/directories", params={"prefix": prefix})
            assert answer.json() == {"directories": [str(found)]}

    # faults: B10
    @pytest.mark.parametrize("prefix", ["/etc/", "/e", "../", "\0", "/proc/self/root/", "~/", "%2e%2e/", "/\ud7ff"])
    async def test_they_lead_nowhere_else(self, client: httpx.AsyncClient, prefix: str) -> None:
        answer = await client.get("/api/directories", params={"prefix": prefix})

        assert (answer.status_code, answer.json()) == (200, {"directories": []})

    async def test_an_endless_prefix_is_refused(self, client: httpx.AsyncClient) -> None:
        assert (await client.get("/api/directories", params={"prefix": "/" * 4097})).status_code == 422

    @pytest.mark.parametrize(("language", "title"), [("zh", "列出文件"), ("en", "List files")])
    async def test_examples_are_in_the_language_of_who_asks(
        self, client: httpx.AsyncClient, language: str, title: str
    ) -> None:
        answer = await client.get("/api/examples", headers={"accept-language": language})

        assert answer.json()["examples"][0]["title"] == title


class TestTheDescription:
    async def test_it_wants_the_key(self, served: Served) -> None:
        async with served.client(()) as stranger:
            for path in ("/docs", "/docs/start.js", "/docs/swagger-ui.css", "/openapi.json", "/api/events/schema"):
                assert (await stranger.get(path)).status_code == 401, path

    async def test_it_is_made_of_our_own_files_only(self, client: httpx.AsyncClient) -> None:
        page = (await client.get("/docs")).text
        start = (await client.get("/docs/start.js")).text

        assert "http://" not in page + start
        assert "https://" not in page + start
        assert "//cdn" not in page + start
        assert "<script>" not in page
        assert "validatorUrl: null" in start
        for path in ("/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"):
            assert path in page
            assert (await client.get(path)).status_code == 200

    async def test_every_reference_in_it_leads_somewhere(self, client: httpx.AsyncClient) -> None:
        found = (await client.get("/openapi.json")).json()

        def references(value: object) -> list[str]:
            if isinstance(value, dict):
                own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
                return own + [ref for part in value.values() for ref in references(part)]
            return [ref for part in value for ref in references(part)] if isinstance(value, list) else []

        for reference in references(found):
            value = found
            for name in reference.removeprefix("#/").split("/"):
                value = value[name]
            assert value

    async def test_every_task_field_and_event_is_in_it(self, client: httpx.AsyncClient) -> None:
        schemas = (await client.get("/openapi.json")).json()["components"]["schemas"]

        assert {"prompt", "resume", "wait_s", "queue"} <= set(schemas["TaskRequest"]["properties"])
        assert set(schemas["Event"]["discriminator"]["mapping"]) >= {"text", "tool_use", "complete", "text_delta"}
        assert set(schemas["ErrorBody"]["properties"]) == {"success", "error", "message", "request_id"}


async def test_the_key_is_in_no_answer(served: Served, client: httpx.AsyncClient) -> None:
    assert dict(AUTHORISED)["authorization"].endswith(KEY)
    for path in (*PAGES, "/api/tools", "/api/examples", "/api/directories"):
        answer = await client.get(path)
        assert KEY not in answer.text
        assert KEY not in str(answer.headers)

"""The one gate: who comes in, with what, from where; and nothing of a body is read before that."""

import asyncio
from typing import Any

import httpx
import pytest
from starlette.types import Message
from tests.support.bench import Bench, opened
from tests.support.served import AUTHORISED, HOST, KEY, Headers, Served, serving

from glasshouse.contract.ids import new_id
from glasshouse.core.access import SIGN_IN_LIFETIME
from glasshouse.core.settings import Settings

STATUS = "/api/status"


async def asked(served: Served, headers: Headers, path: str = STATUS) -> httpx.Response:
    async with served.client(headers) as client:
        return await client.get(path)


class TestTheKey:
    @pytest.mark.parametrize(
        "header",
        [
            ("Authorization", f"Bearer {KEY}"),
            ("authorization", f"bearer {KEY}"),
            ("Authorization", f"BEARER   {KEY}"),
            ("X-API-Key", KEY),
            ("x-api-key", KEY),
        ],
    )
    async def test_it_comes_in_either_header(self, served: Served, header: tuple[str, str]) -> None:
        assert (await asked(served, (header,))).status_code == 200

    # faults: A9
    @pytest.mark.parametrize(
        "headers",
        [
            (),
            (("authorization", ""),),
            (("authorization", "Bearer"),),
            (("authorization", "Bearer "),),
            (("authorization", KEY),),
            (("authorization", f"Basic {KEY}"),),
            (("authorization", f"Bearer {KEY}x"),),
            (("authorization", f"Bearer {KEY[:-1]}"),),
            (("authorization", f"Bearer {KEY.upper()}"),),
            (("authorization", f"Bearer {KEY}, Bearer {KEY}"),),
            (("authorization", f"Bearer {KEY}"), ("authorization", f"Bearer {KEY}")),
            (("authorization", f"Bearer {KEY}"), ("x-api-key", "wrong")),
            (("x-api-key", KEY), ("x-api-key", KEY)),
            (("x-api-key", ""),),
            (("x-api-key", "schlüssel"),),
            (("x-api-key", "\xff" * 100),),
            (("x-api-key", "k" * 1_000_000),),
            (("cookie", f"glasshouse_test={KEY}"),),
            (("cookie", "glasshouse_test="),),
            (("cookie", ";;;=;glasshouse_test"),),
        ],
    )
    async def test_nothing_else_does(self, served: Served, headers: Headers) -> None:
        answer = await asked(served, tuple((name, value) for name, value in headers))

        assert answer.status_code == 401
        assert answer.json() == {"success": False, "error": "unauthorized", "message": "API 密钥无效"}
        assert answer.headers["www-authenticate"] == "Bearer"

    @pytest.mark.parametrize("query", [f"?key={KEY}", f"?api_key={KEY}", f"?token={KEY}", f"?access_token={KEY}"])
    async def test_it_is_never_taken_from_an_address(self, served: Served, query: str) -> None:
        assert (await asked(served, (), STATUS + query)).status_code == 401

    # faults: A9
    async def test_nothing_of_a_body_is_read_before_it_is_shown(self, served: Served) -> None:
        sent: list[Message] = []

        async def receive() -> Message:
            raise AssertionError("the body was read")

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/task",
            "query_string": b"",
            "scheme": "http",
            "headers": [(b"host", HOST.encode()), (b"content-length", b"100000000")],
            "client": ("127.0.0.1", 1),
        }
        await served.app(scope, receive, send)

        assert sent[0]["status"] == 401
        assert (b"connection", b"close") in sent[0]["headers"]


class TestWrongKeys:
    # faults: H4
    async def test_after_ten_in_a_minute_an_address_waits(self, served: Served) -> None:
        wrong = (("x-api-key", "wrong"),)

        answers = [(await asked(served, wrong)).status_code for _ in range(12)]

        assert answers == [401] * 10 + [429] * 2
        assert (await asked(served, wrong)).headers["retry-after"] == "60"

    async def test_it_waits_with_the_right_key_too_and_others_do_not(self, served: Served) -> None:
        for _ in range(10):
            await asked(served, (("x-api-key", "wrong"),))

        assert (await asked(served, AUTHORISED)).status_code == 429
        async with served.client(address="127.0.0.2") as another:
            assert (await another.get(STATUS)).status_code == 200
        served.bench.clock.pass_by(60)
        assert (await asked(served, AUTHORISED)).status_code == 200

    async def test_who_shows_no_key_guesses_none(self, served: Served) -> None:
        for _ in range(30):
            assert (await asked(served, (("cookie", "glasshouse_test=old"),))).status_code == 401

    async def test_wrong_sign_ins_count_too(self, served: Served) -> None:
        async with served.client(()) as client:
            answers = [(await client.post("/api/login", json={"key": "wrong"})).status_code for _ in range(12)]

        assert answers == [401] * 10 + [429] * 2

    # faults: H4
    async def test_of_a_burst_of_sign_ins_no_more_than_ten_are_told_that_they_were_wrong(self, served: Served) -> None:
        async with served.client(()) as client:
            burst = (client.post("/api/login", json={"key": f"wrong {n}"}) for n in range(40))
            answers = [answer.status_code for answer in await asyncio.gather(*burst)]

        assert sorted(answers) == [401] * 10 + [429] * 30


class TestSigningIn:
    async def test_the_key_gives_a_cookie_that_no_script_reads_and_no_other_site_sends(self, served: Served) -> None:
        async with served.client(()) as client:
            answer = await client.post("/api/login", json={"key": KEY})

        cookie = answer.headers["set-cookie"]
        assert answer.status_code == 200
        assert cookie.startswith("glasshouse_test=")
        for part in ("HttpOnly", "SameSite=strict", "Path=/", f"Max-Age={int(SIGN_IN_LIFETIME.total_seconds())}"):
            assert part in cookie
        assert "Secure" not in cookie
        assert "Domain" not in cookie

    async def test_behind_https_the_cookie_is_for_https_only(self, served: Served) -> None:
        async with served.client(()) as client:
            answer = await client.post(f"https://{HOST}/api/login", json={"key": KEY})

        assert "Secure" in answer.headers["set-cookie"]

    async def test_the_cookie_opens_what_the_key_opens(self, served: Served) -> None:
        async with served.client(()) as client:
            await client.post("/api/login", json={"key": KEY})

            assert (await client.get(STATUS)).status_code == 200
            assert (await client.post("/api/task", json={"prompt": "x"})).status_code == 200

    async def test_a_one_time_code_is_good_once(self, served: Served) -> None:
        code = served.data.new_code()
        async with served.client(()) as client:
            assert (await client.post("/api/login", json={"key": code})).status_code == 200
        async with served.client(()) as another:
            assert (await another.post("/api/login", json={"key": code})).status_code == 401

    async def test_after_signing_out_the_cookie_opens_nothing(self, served: Served) -> None:
        async with served.client(()) as client:
            await client.post("/api/login", json={"key": KEY})
            token = client.cookies["glasshouse_test"]
            answer = await client.post("/api/logout")

        assert answer.status_code == 200
        assert 'glasshouse_test=""' in answer.headers["set-cookie"]
        assert (await asked(served, (("cookie", f"glasshouse_test={token}"),))).status_code == 401

    async def test_a_cookie_runs_out(self, served: Served) -> None:
        async with served.client(()) as client:
            await client.post("/api/login", json={"key": KEY})
            served.bench.clock.pass_by(SIGN_IN_LIFETIME.total_seconds())

            assert (await client.get(STATUS)).status_code == 401

    @pytest.mark.parametrize("body", [{}, {"key": 1}, {"key": None}, {"key": "k" * 5000}, {"key": KEY, "x": 1}, []])
    async def test_a_malformed_sign_in_is_refused(self, served: Served, body: Any) -> None:
        async with served.client(()) as client:
            assert (await client.post("/api/login", json=body)).status_code == 422


# faults: A3
class TestHosts:
    GOOD = ("localhost", "localhost:8000", "LOCALHOST:9", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000")
    BAD = (
        *("evil.com", "localhost.evil.com", "127.0.0.1.evil.com", "localhost.", "0.0.0.0", "", " ", "[::]", "::1"),
        *("localhost:8000:8000", "localhost:x", "localhost:-1", "localhost:99999", "user@localhost", "localhost/x"),
        *(
            "localhost#",
            "localhost?x",
            "127.0.0.1\\evil.com",
            "127.1",
            "2130706433",
            "0x7f000001",
            "[::ffff:127.0.0.1]",
        ),
        *(
            "localhost,evil.com",
            "http://localhost",
            "local\thost",
            "localhost:",
            "lоcalhost".encode().decode("latin-1"),
        ),
    )

    @pytest.mark.parametrize("host", GOOD)
    async def test_our_own_names_are_welcome(self, served: Served, host: str) -> None:
        headers = (*AUTHORISED, ("host", host))

        assert (await asked(served, headers)).status_code == 200
        assert (await asked(served, headers, "/icon.svg")).status_code in (200, 404)
        assert (await served.socket(headers)).refused is None

    @pytest.mark.parametrize("host", BAD)
    async def test_no_other_name_is_on_any_door(self, served: Served, host: str) -> None:
        headers = (*AUTHORISED, ("host", host))

        for path in (STATUS, "/", "/assets/x.js", "/docs", "/openapi.json"):
            answer = await asked(served, headers, path)
            assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
        assert (await served.socket(headers)).refused == 403
        stream = served.call("POST", "/api/task/stream", {"prompt": "x"}, (("host", host),))
        await stream.begun()
        assert stream.status == 403

    @pytest.mark.parametrize("headers", [(("host", "localhost"), ("host", "localhost")), (("host", ""),)])
    async def test_none_or_two_are_no_name(self, served: Served, headers: Headers) -> None:
        assert (await served.socket((*AUTHORISED, *headers))).refused == 403

    @pytest.mark.parametrize("path", ["/health", "/ready"])
    async def test_whoever_asks_whether_we_live_may_call_us_anything(self, served: Served, path: str) -> None:
        assert (await asked(served, (("host", "10.1.2.3:8000"),), path)).status_code == 200

    async def test_the_operators_names_are_welcome_with_their_port_or_any(self, tmp_path: Any) -> None:
        settings = Settings(allowed_hosts=("box.example", "other.example:8443", "[2001:db8::1]"))
        async with serving(Served(Bench(tmp_path), settings)) as served:
            for host, status in [
                ("box.example", 200),
                ("box.example:1234", 200),
                ("BOX.example", 200),
                ("other.example:8443", 200),
                ("other.example", 403),
                ("other.example:8444", 403),
                ("[2001:db8::1]:80", 200),
                ("x.box.example", 403),
            ]:
                assert (await asked(served, (*AUTHORISED, ("host", host)))).status_code == status, host

    @pytest.mark.parametrize(
        ("bound", "arrived_at", "host", "status"),
        [
            ("0.0.0.0", "192.168.1.5", "192.168.1.5:8000", 200),
            ("0.0.0.0", "192.168.1.5", "192.168.1.6:8000", 403),
            ("::", "::ffff:192.168.1.5", "192.168.1.5:8000", 200),
            ("::", "fd00::5", "[fd00::5]:8000", 200),
            ("127.0.0.1", "192.168.1.5", "192.168.1.5", 403),
            ("192.168.1.5", "192.168.1.5", "192.168.1.5:80", 200),
        ],
    )
    async def test_bound_to_all_addresses_it_goes_by_the_one_that_was_reached(
        self, tmp_path: Any, bound: str, arrived_at: str, host: str, status: int
    ) -> None:
        async with serving(Served(Bench(tmp_path), Settings(host=bound))) as served:
            call = served.call("GET", STATUS, headers=(("host", host),), server=arrived_at)
            await call.begun()
            assert call.status == status


# faults: A4
class TestOrigins:
    GOOD = (f"http://{HOST}", f"HTTP://{HOST.upper()}")
    BAD = (
        *("null", "", "http://localhost.evil.com:8000", "http://127.0.0.1.evil.com", "https://evil.com/.ok", "file://"),
        *("http://localhost:8001", "http://localhost", f"https://{HOST}", f"http://{HOST}/", f"http://{HOST}.evil.com"),
        *(f"http://x@{HOST}", f"http://{HOST} http://{HOST}", "chrome-extension://abc", HOST),
    )

    @pytest.mark.parametrize("origin", GOOD)
    async def test_our_own_page_may_change_things(self, served: Served, origin: str) -> None:
        async with served.client((*AUTHORISED, ("origin", origin))) as client:
            assert (await client.post("/api/task", json={"prompt": "x"})).status_code == 200
        assert (await served.socket((*AUTHORISED, ("origin", origin)))).refused is None

    @pytest.mark.parametrize("origin", BAD)
    async def test_no_other_page_may(self, served: Served, origin: str) -> None:
        async with served.client((*AUTHORISED, ("origin", origin))) as client:
            for method, path in [
                ("POST", "/api/task"),
                ("POST", "/api/task/stream"),
                ("DELETE", f"/api/task/{new_id()}"),
                ("POST", "/api/login"),
                ("POST", "/api/logout"),
                ("PUT", "/api/anything"),
            ]:
                answer = await client.request(method, path, json={"prompt": "x"})
                assert (answer.status_code, answer.json()["error"]) == (403, "forbidden"), (method, path)
        assert (await served.socket((*AUTHORISED, ("origin", origin)))).refused == 403
        assert served.bench.engine.told == []

    async def test_two_origins_are_none_of_ours(self, served: Served) -> None:
        headers = (*AUTHORISED, ("origin", f"http://{HOST}"), ("origin", f"http://{HOST}"))

        assert (await served.socket(headers)).refused == 403

    async def test_a_program_without_one_comes_in_with_its_key_only(self, served: Served) -> None:
        assert (await served.socket(AUTHORISED)).refused is None
        assert (await served.socket(())).refused == 401


# faults: A5
@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonp"],
)
@pytest.mark.parametrize("path", ["/api/task", "/api/task/stream", "/api/login"])
async def test_what_a_foreign_form_can_send_is_not_taken(served: Served, content_type: str, path: str) -> None:
    async with served.client() as client:
        answer = await client.post(path, content=b'{"prompt": "x"}', headers={"content-type": content_type})

    assert (answer.status_code, answer.json()["error"]) == (415, "unsupported_media_type")
    assert served.bench.engine.told == []


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=utf-8", "application/json;x"])
async def test_json_is_taken_in_every_spelling(served: Served, content_type: str) -> None:
    async with served.client() as client:
        answer = await client.post("/api/task", content=b'{"prompt": "x"}', headers={"content-type": content_type})

    assert answer.status_code == 200


# faults: A5
async def test_a_get_changes_nothing(served: Served, client: httpx.AsyncClient) -> None:
    for path in ("/api/login", "/api/logout", "/api/task", "/api/task/stream"):
        assert (await client.get(path)).status_code in (404, 405)


# faults: H4
class TestHowOften:
    @pytest.fixture
    async def limited(self, tmp_path: Any) -> Any:
        async with serving(Served(Bench(tmp_path), Settings(rate_limit=3))) as served:
            yield served

    async def post(self, served: Served, path: str = "/api/task", address: str = "127.0.0.1", **headers: str) -> int:
        async with served.client(address=address) as client:
            return (await client.post(path, json={"prompt": "x"}, headers=headers)).status_code

    async def test_so_many_pass_and_the_next_waits(self, limited: Served) -> None:
        assert [await self.post(limited) for _ in range(5)] == [200] * 3 + [429] * 2
        limited.bench.clock.pass_by(60)
        assert await self.post(limited) == 200

    async def test_it_says_how_long(self, limited: Served) -> None:
        for _ in range(3):
            await self.post(limited)
        limited.bench.clock.pass_by(20)
        async with limited.client() as client:
            answer = await client.post("/api/task", json={"prompt": "x"})

        assert answer.headers["retry-after"] == "40"
        assert answer.json()["message"] == "请求过于频繁，请稍后再试"

    async def test_a_burst_gets_no_more(self, limited: Served) -> None:
        answers = await asyncio.gather(*(self.post(limited) for _ in range(20)))

        assert sorted(answers) == [200] * 3 + [429] * 17

    async def test_each_endpoint_and_each_address_has_its_own(self, limited: Served) -> None:
        for _ in range(3):
            await self.post(limited)

        assert await self.post(limited, "/api/task/stream") == 200
        assert await self.post(limited, address="127.0.0.2") == 200

    # faults: A7
    @pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
    async def test_headers_add_no_budget(self, limited: Served, header: str) -> None:
        answers = [await self.post(limited, **{header: f"10.0.0.{n}"}) for n in range(20)]

        assert answers == [200] * 3 + [429] * 17

    async def test_other_spellings_of_the_path_add_none(self, limited: Served) -> None:
        for path in ("/api/task", "/api/%74ask", "/api/task?x=1"):
            assert await self.post(limited, path) == 200
        assert await self.post(limited) == 429
        for path in ("/api/task/", "//api/task", "/API/TASK", "/api/./task"):
            assert await self.post(limited, path) in (404, 405, 429)
        assert len(limited.bench.engine.told) == 3

    async def test_who_has_no_key_uses_none_of_it(self, limited: Served) -> None:
        for _ in range(5):
            async with limited.client(()) as stranger:
                await stranger.post("/api/task", json={"prompt": "x"})

        assert await self.post(limited) == 200

    async def test_looking_is_not_counted(self, limited: Served) -> None:
        task = await limited.bench.do()
        async with limited.client() as client:
            for _ in range(20):
                assert (await client.get(f"/api/task/{task.task_id}")).status_code == 200


# faults: A7
class TestProxies:
    async def served_to(self, tmp_path: Any, *proxies: str) -> Served:
        return Served(Bench(tmp_path), Settings(rate_limit=1, trusted_proxies=proxies))

    @pytest.mark.parametrize(
        ("peer", "chain", "address"),
        [
            ("203.0.113.9", "10.0.0.1", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "127.0.0.1, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", "6.6.6.6, 198.51.100.7, 10.0.0.3, 10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", "nonsense", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.7, nonsense", "10.0.0.1"),
        ],
    )
    async def test_the_address_is_the_last_that_no_proxy_of_ours_has(
        self, tmp_path: Any, peer: str, chain: str, address: str
    ) -> None:
        async with serving(await self.served_to(tmp_path, "10.0.0.0/8")) as served:
            async with served.client(address=peer) as client:
                await client.post("/api/task", json={"prompt": "x"}, headers={"x-forwarded-for": chain})

            window = served.services.task_rates["/api/task"]
            assert list(window._taken) == [address]

    async def test_the_scheme_is_what_a_trusted_proxy_says(self, tmp_path: Any) -> None:
        async with serving(await self.served_to(tmp_path, "10.0.0.1/32")) as served:
            for peer, status in (("10.0.0.1", 200), ("10.0.0.2", 403)):
                async with served.client(address=peer) as client:
                    headers = {"x-forwarded-proto": "https", "origin": f"https://{HOST}"}
                    assert (await client.post("/api/logout", headers=headers)).status_code == status


class TestBeforeItIsReady:
    @pytest.fixture
    async def starting(self, tmp_path: Any) -> Any:
        bench = Bench(tmp_path)
        async with opened(bench):
            yield Served(bench)

    async def test_it_is_alive_and_not_ready(self, starting: Served) -> None:
        assert (await asked(starting, (), "/health")).status_code == 200
        answer = await asked(starting, (), "/ready")
        assert (answer.status_code, answer.json()) == (503, {"status": "starting"})
        assert answer.headers["retry-after"] == "2"

    async def test_its_page_comes_and_nothing_else(self, starting: Served) -> None:
        assert (await asked(starting, (), "/icon.svg")).status_code in (200, 404)  # as far as it is built
        async with starting.client() as client:
            for method, path in [("GET", STATUS), ("POST", "/api/task"), ("POST", "/api/login")]:
                answer = await client.request(method, path, json={"prompt": "x"})
                assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
                assert answer.headers["retry-after"] == "2"
        assert (await starting.socket()).refused == 503

    async def test_who_was_signed_in_is_told_to_come_again_rather_than_to_sign_in(self, starting: Served) -> None:
        answer = await asked(starting, (("cookie", "glasshouse_test=from-before"),))
        assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")

    async def test_a_stranger_learns_nothing_of_its_state(self, starting: Served) -> None:
        assert (await asked(starting, ())).status_code == 401

    # faults: J3
    async def test_once_it_drains_it_takes_no_task(self, served: Served, client: httpx.AsyncClient) -> None:
        await served.services.drain()

        assert (await client.get("/ready")).json() == {"status": "draining"}
        assert (await client.post("/api/task", json={"prompt": "x"})).status_code == 503

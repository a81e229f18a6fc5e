"""The offline model's start and stop."""

import asyncio
import logging
import signal

import httpx
import pytest
import uvloop

from glasshouse.testing.offline_model import OfflineModel, Pause, Say, played

REQUEST = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}


async def test_many_starts_at_once_start_one() -> None:
    model = OfflineModel()
    endpoints = await asyncio.gather(*(model.start() for _ in range(5)))
    assert len(set(endpoints)) == 1
    await model.stop()


async def stop_while_a_stream_is_open() -> None:
    model = OfflineModel([played("go", (Say("Wait"), Pause(3600), Say("for it.")))])
    endpoint = await model.start()
    headers = {"x-api-key": endpoint.key}
    async with (
        httpx.AsyncClient(base_url=endpoint.url, headers=headers, trust_env=False) as http,
        http.stream("POST", "/v1/messages", json=REQUEST) as answer,
    ):
        chunks = answer.aiter_bytes()
        await anext(chunks)
        async with asyncio.timeout(5):
            await model.stop()
            with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
                async for _ in chunks:
                    pass


async def test_a_stop_ends_a_stream_that_is_open() -> None:
    await stop_while_a_stream_is_open()


def test_so_it_does_on_the_event_loop_that_a_server_runs_on() -> None:
    uvloop.run(stop_while_a_stream_is_open())


async def test_a_client_that_goes_ends_its_answer() -> None:
    model = OfflineModel([played("go", (Say("Wait"), Pause(3600)))])
    endpoint = await model.start()
    before = asyncio.all_tasks()
    headers = {"x-api-key": endpoint.key}
    async with (
        httpx.AsyncClient(base_url=endpoint.url, headers=headers, trust_env=False) as http,
        http.stream("POST", "/v1/messages", json=REQUEST) as answer,
    ):
        await anext(answer.aiter_bytes())
        serving = asyncio.all_tasks() - before
    assert serving
    async with asyncio.timeout(5):
        await asyncio.wait(serving)
    await model.stop()


async def test_after_a_stop_nobody_listens_and_it_can_start_again() -> None:
    model = OfflineModel()
    first = await model.start()
    await model.stop()
    async with httpx.AsyncClient(trust_env=False) as http:
        with pytest.raises(httpx.ConnectError):
            await http.get(first.url)
        second = await model.start()
        assert (await http.get(second.url)).status_code == 200
    await model.stop()
    await model.stop()


async def test_it_leaves_the_signals_and_the_logging_of_the_program_alone() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), list(logging.getLogger().handlers)
    model = OfflineModel()
    await model.start()
    during = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), list(logging.getLogger().handlers)
    await model.stop()
    assert during == before


async def test_only_the_newest_requests_are_kept() -> None:
    model = OfflineModel()
    endpoint = await model.start()
    async with httpx.AsyncClient(base_url=endpoint.url, trust_env=False) as http:
        for number in range(120):
            await http.get("/", params={"number": number})
    await model.stop()
    assert len(model.requests) == 100

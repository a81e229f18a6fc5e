"""Who may come in: with the key, with a sign-in, with a one-time code that is good once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.contract.errors import Unauthorized
from glasshouse.contract.question import Door
from glasshouse.core.access import SIGN_IN_LIFETIME, TERMINAL, Access
from glasshouse.testing.manual_clock import ManualClock
from glasshouse.testing.memory_store import MemoryStore

KEY = "a-key-of-the-operator"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore()
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    data = DataDirectory(tmp_path / "data")
    data.prepare()
    return data


@pytest.fixture
def access(store: MemoryStore, clock: ManualClock, data: DataDirectory) -> Access:
    return Access(key=KEY, spend_code=data.spend_code, store=store, clock=clock)


def test_the_key_is_the_key(access: Access) -> None:
    assert access.is_key(KEY)


# faults: A9
@pytest.mark.parametrize("given", ["", KEY[:-1], KEY + "x", KEY + "\n", KEY.upper(), "ключ", "\ud800", "x" * 1_000_000])
def test_nothing_else_is(access: Access, given: str) -> None:
    assert not access.is_key(given)


async def test_the_key_signs_in(access: Access) -> None:
    assert access.is_signed_in(await access.sign_in(KEY))


async def test_the_door_is_how_somebody_came_in(access: Access, data: DataDirectory) -> None:
    assert access.door_of(await access.sign_in(KEY)) is Door.CONSOLE
    assert access.door_of(await access.sign_in(data.new_code())) is Door.CONSOLE
    assert access.door_of(await access.sign_in(data.new_code(TERMINAL))) is Door.CLI


async def test_no_browser_passes_for_a_terminal(store: MemoryStore, clock: ManualClock, data: DataDirectory) -> None:
    key = f"{TERMINAL}{KEY}"
    access = Access(key=key, spend_code=data.spend_code, store=store, clock=clock)
    token = await access.sign_in(key)

    assert access.door_of(token) is Door.CONSOLE
    assert access.door_of(TERMINAL + token) is None
    with pytest.raises(Unauthorized):
        await access.sign_in(TERMINAL + data.new_code())


async def test_a_code_signs_in_once(access: Access, data: DataDirectory) -> None:
    code = data.new_code()

    assert access.is_signed_in(await access.sign_in(code))
    with pytest.raises(Unauthorized):
        await access.sign_in(code)


async def test_of_many_that_spend_a_code_at_once_one_comes_in(access: Access, data: DataDirectory) -> None:
    code = data.new_code()

    results = await asyncio.gather(*(access.sign_in(code) for _ in range(20)), return_exceptions=True)

    assert sum(isinstance(result, str) for result in results) == 1
    assert sum(isinstance(result, Unauthorized) for result in results) == 19


@pytest.mark.parametrize("code", ["", "wrong", "../api-key", ".", "\0", "\ud800"])
async def test_a_wrong_code_does_not(access: Access, data: DataDirectory, code: str) -> None:
    key = data.api_key()

    with pytest.raises(Unauthorized):
        await access.sign_in(code)
    assert data.api_key() == key


async def test_a_sign_in_runs_out(access: Access, clock: ManualClock) -> None:
    token = await access.sign_in(KEY)
    clock.pass_by(SIGN_IN_LIFETIME.total_seconds() - 1)
    assert access.is_signed_in(token)

    clock.pass_by(1)
    assert not access.is_signed_in(token)


async def test_a_sign_in_survives_a_restart(access: Access, store: MemoryStore, clock: ManualClock) -> None:
    token = await access.sign_in(KEY)
    again = Access(key=KEY, spend_code=lambda code: False, store=store, clock=clock)
    assert not again.is_signed_in(token)

    await again.load()

    assert again.is_signed_in(token)


async def test_who_signed_out_is_out_after_a_restart_too(
    access: Access, store: MemoryStore, clock: ManualClock
) -> None:
    token = await access.sign_in(KEY)
    await access.sign_out(token)
    again = Access(key=KEY, spend_code=lambda code: False, store=store, clock=clock)
    await again.load()

    assert not access.is_signed_in(token)
    assert not again.is_signed_in(token)


async def test_the_store_never_sees_a_token(access: Access, store: MemoryStore) -> None:
    token = await access.sign_in(KEY)

    assert token not in str(await store.sign_ins())


async def test_signing_out_with_anything_is_harmless(access: Access) -> None:
    await access.sign_out("nobody's")


async def test_a_start_forgets_what_has_run_out(access: Access, clock: ManualClock, store: MemoryStore) -> None:
    await access.sign_in(KEY)
    clock.pass_by(SIGN_IN_LIFETIME.total_seconds() + 1)
    kept = await access.sign_in(KEY)

    await access.load()

    assert len(await store.sign_ins()) == 1
    assert access.is_signed_in(kept)

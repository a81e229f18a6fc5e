"""Real servers with the real Claude Code. Two are shared by all tests that do not end them."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.acceptance.support.api import Api
from tests.acceptance.support.model import ModelInThread, model_in_thread
from tests.acceptance.support.obedient import Obedient
from tests.acceptance.support.processes import left_in, strays_in

from glasshouse.testing.server_process import ServerProcess, running_server

StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="session")
def model() -> Iterator[ModelInThread]:
    with model_in_thread([Obedient()]) as running:
        yield running


def environment_for(model: ModelInThread, home: Path) -> dict[str, str]:
    """The scripted model as if it were the real one."""
    return {
        "GLASSHOUSE_OFFLINE": "never",
        "ANTHROPIC_BASE_URL": model.endpoint.url,
        "ANTHROPIC_API_KEY": model.endpoint.key,
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "GLASSHOUSE_LANGUAGE": "en",
        # Enough to be met with, little enough for small machines.
        "GLASSHOUSE_WARM_PROCESSES": "1",
        # By default a normal user's home is allowed, too.
        "GLASSHOUSE_ALLOWED_DIRS": str(home / "work"),
    }


@pytest.fixture(scope="session")
def server(model: ModelInThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Asks the obedient model as if it were the real one."""
    home = tmp_path_factory.mktemp("server")
    with running_server(home, environment=environment_for(model, home)) as running:
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """As `glasshouse --offline`."""
    home = tmp_path_factory.mktemp("demo")
    environment = {"GLASSHOUSE_LANGUAGE": "en", "GLASSHOUSE_OFFLINE": "auto"}
    with running_server(home, arguments=["--offline"], environment=environment) as running:
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture
def start_server(model: ModelInThread, tmp_path: Path) -> Iterator[StartServer]:
    """Servers of the test's own, each with the home of that name."""
    with ExitStack() as running:

        def start(name: str = "home", **environment: str) -> ServerProcess:
            home = tmp_path / name
            home.mkdir(exist_ok=True)
            return running.enter_context(
                running_server(home, environment={**environment_for(model, home), **environment})
            )

        yield start
    left = left_in(tmp_path)
    assert not left


def _directory(server: ServerProcess, request: pytest.FixtureRequest) -> Path:
    name: str = request.node.name
    directory = server.workspace / name.replace("/", "_")[:100]
    directory.mkdir()
    return directory


@pytest.fixture
async def api(server: ServerProcess, request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    api = Api(server, _directory(server, request))
    async with api.http:
        yield api
    strays = strays_in(api.directory)
    assert not strays


@pytest.fixture
async def demo(demo_server: ServerProcess, request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    api = Api(demo_server, _directory(demo_server, request))
    async with api.http:
        yield api


ApiOf = Callable[[ServerProcess], Api]


@pytest.fixture
async def api_of() -> AsyncIterator[ApiOf]:
    """For servers of the test's own."""
    made: list[Api] = []

    def make(server: ServerProcess) -> Api:
        made.append(Api(server, server.workspace))
        return made[-1]

    yield make
    for api in made:
        await api.http.aclose()

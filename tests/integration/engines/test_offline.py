"""A demo run calls the demo model and nothing else, whatever settings and environment say."""

import os
from collections.abc import AsyncIterator

import pytest
from tests.integration.engines.stage import Stage, write_json

from glasshouse.contract.task import Failure
from glasshouse.testing.offline_model import Call, OfflineModel, Say

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture
async def elsewhere() -> AsyncIterator[OfflineModel]:
    """Who must not be called; its own words would betray that it was."""
    model = OfflineModel()
    await model.start()
    yield model
    await model.stop()


async def _hostile(elsewhere: OfflineModel) -> dict[str, str]:
    url = (await elsewhere.start()).url
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-somebody-elses",
        "ANTHROPIC_AUTH_TOKEN": "somebody-elses",
        "ANTHROPIC_BEDROCK_BASE_URL": url,
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "ANTHROPIC_CUSTOM_HEADERS": "x-redirect: yes",
        **dict.fromkeys(_PROXIES, url),
    }


async def test_hostile_settings_and_environment_do_not_lead_elsewhere(
    stage: Stage, elsewhere: OfflineModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = await _hostile(elsewhere)
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    settings = {"env": hostile, "apiKeyHelper": "echo sk-somebody-elses", "model": "theirs"}
    for file in (
        stage.home.settings_file,
        stage.offline_home.settings_file,
        stage.project / ".claude" / "settings.json",
        stage.project / ".claude" / "settings.local.json",
    ):
        write_json(file, settings)

    engine = stage.engine(trust="always", environment=dict(os.environ))
    run = await stage.do(stage.run(Say("It was me."), offline=True), engine)

    assert run.outcome.message == "It was me."
    assert len(stage.asked) == 1 and not elsewhere.requests


async def test_the_hostile_settings_would_lead_elsewhere_if_they_could(stage: Stage, elsewhere: OfflineModel) -> None:
    endpoint = await elsewhere.start()
    write_json(
        stage.home.settings_file, {"env": {"ANTHROPIC_BASE_URL": endpoint.url, "ANTHROPIC_API_KEY": endpoint.key}}
    )
    await stage.do(stage.run(Say("It was me.")))

    assert elsewhere.requests and not stage.asked


async def test_a_proxy_never_comes_between_a_run_and_loopback(
    stage: Stage, elsewhere: OfflineModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _PROXIES:
        monkeypatch.setenv(name, (await elsewhere.start()).url)
    monkeypatch.setenv("NO_PROXY", "example.com")
    echo = Call("Bash", {"command": "echo $NO_PROXY", "description": "echo"})
    engine = stage.engine(environment=dict(os.environ))
    run = await stage.do(stage.run((echo,), Say("It was me."), tools=("Bash",)), engine)

    assert run.outcome.message == "It was me." and not elsewhere.requests
    assert run.result.content == "example.com,localhost,127.0.0.1,::1"


async def test_a_demo_run_says_so_costs_nothing_and_keeps_its_own_home(stage: Stage) -> None:
    run = await stage.do(stage.run(Say("Yes."), offline=True))

    assert run.reported["offline"] is True
    assert run.outcome.cost_usd == 0.0
    assert list(stage.offline_home.transcripts_dir.glob(f"*/{run.task.session_id}.jsonl"))
    assert not stage.home.transcripts_dir.exists()


async def test_a_demo_session_is_resumed_in_its_own_home(stage: Stage) -> None:
    engine = stage.engine()
    first = await stage.do(stage.run(Say("I keep the word swordfish."), offline=True), engine)
    await stage.do(stage.run(Say("Yes."), prompt="What was it?", offline=True, after=first), engine)

    assert "swordfish" in str(stage.asked[-1]["messages"])


async def test_neither_keys_nor_servers_are_on_the_command_line(stage: Stage) -> None:
    # faults: K2
    stage.user_has_mcp_server({"type": "http", "url": "http://127.0.0.1:9", "headers": {"Authorization": "top-secret"}})
    show = Call("Bash", {"command": "cat /proc/$PPID/cmdline | tr '\\0' ' '", "description": "show"})
    run = await stage.do(stage.run((show,), Say("."), tools=("Bash", "mcp__mine__echo"), offline=False))
    demo = await stage.do(stage.run((show,), Say("."), tools=("Bash",), offline=True))

    for result in (run.result, demo.result):
        assert "--output-format" in result.content
        assert "top-secret" not in result.content and stage.endpoint.key not in result.content


async def test_where_there_must_be_no_demo_a_task_without_credentials_says_how_to_give_some(stage: Stage) -> None:
    run = await stage.do(stage.run(Say("Never.")), stage.engine(offline="never", environment={}))

    assert run.outcome.failure is Failure.NO_CREDENTIALS
    assert "glasshouse claude" in run.outcome.message and run.events == [] and stage.asked == []


async def test_without_credentials_the_demo_is_chosen(stage: Stage) -> None:
    assert stage.engine(environment={}).offline()
    assert not stage.engine().offline()
    assert stage.engine(offline="always").offline()
    assert not stage.engine(offline="never", environment={}).offline()
    write_json(stage.home.config_dir / ".credentials.json", {"claudeAiOauth": {"accessToken": "x"}})
    assert not stage.engine(environment={}).offline()

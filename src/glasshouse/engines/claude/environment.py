"""The environment that one Claude Code gets on top of the server's own (which `serve` has reduced already)."""

from collections.abc import Iterable, Mapping

from glasshouse.core.ports import ModelEndpoint

_LOOPBACK = ("localhost", "127.0.0.1", "::1")

_ALWAYS = {
    # The end of a turn is told by these.
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
    # The CLI is the wheel's; it comes and goes with it.
    "DISABLE_AUTOUPDATER": "1",
}

_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}

# Whatever could lead a call to another endpoint, provider or account. Variables can be emptied but not removed;
# Claude Code takes an empty one for none.
_ELSEWHERE = (
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_UNIX_SOCKET",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "ANTHROPIC_FOUNDRY_AUTH_TOKEN",
    "ANTHROPIC_AWS_BASE_URL",
    "ANTHROPIC_AWS_API_KEY",
    "ANTHROPIC_GOOGLE_CLOUD_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_API_BASE_URL",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_GATEWAY",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_HTTP_PROXY",
    "CLAUDE_CODE_HTTPS_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
)


def for_every_run(server: Mapping[str, str]) -> dict[str, str]:
    return {**_ALWAYS, **_without_proxy_to_loopback(server)}


def for_the_demo_model(endpoint: ModelEndpoint, server: Mapping[str, str], foreign: Iterable[str]) -> dict[str, str]:
    """Only this endpoint is called. `foreign` are the variables that settings files would set: they keep the value
    that they have without them."""
    return {
        **{name: server.get(name, "") for name in foreign},
        **dict.fromkeys(_ELSEWHERE, ""),
        **for_every_run(server),
        **_QUIET,
        "ANTHROPIC_BASE_URL": endpoint.url,
        "ANTHROPIC_API_KEY": endpoint.key,
    }


def _without_proxy_to_loopback(server: Mapping[str, str]) -> dict[str, str]:
    excepted: dict[str, None] = {}
    for name in ("NO_PROXY", "no_proxy"):
        excepted.update(dict.fromkeys(part.strip() for part in server.get(name, "").split(",") if part.strip()))
    excepted.update(dict.fromkeys(_LOOPBACK))
    return dict.fromkeys(("NO_PROXY", "no_proxy"), ",".join(excepted))

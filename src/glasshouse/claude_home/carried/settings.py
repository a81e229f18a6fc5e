"""What settings files and MCP configurations start: hooks, helpers, servers, variables, and what they permit."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glasshouse.claude_home.carried.item import Item, Kind, canonical, item
from glasshouse.claude_home.carried.named import named_programs

# All others may run something, or open something up: what is not known is shown to a person.
_PLAIN = frozenset(
    (
        *("$schema", "model", "fallbackModel", "effortLevel", "alwaysThinkingEnabled", "fastMode", "language"),
        *("outputStyle", "viewMode", "theme", "verbose", "attribution", "includeCoAuthoredBy"),
        "includeGitInstructions",
        *("respectGitignore", "spinnerTipsEnabled", "spinnerVerbs", "prefersReducedMotion", "showThinkingSummaries"),
        *("companyAnnouncements", "autoMemoryEnabled", "autoCompactEnabled", "claudeMdExcludes", "skillOverrides"),
        *("disabledMcpjsonServers", "deniedMcpServers", "disableSkillShellExecution"),
        *("disableBundledSkills", "disableWorkflows", "disableAutoMode", "timeFormat", "timeZone", "minimumVersion"),
        # They approve of servers; which, `.mcp.json` says.
        *("enableAllProjectMcpServers", "enabledMcpjsonServers"),
    )
)
_HELPERS = frozenset(
    (
        *("apiKeyHelper", "proxyAuthHelper", "awsCredentialExport", "awsAuthRefresh", "gcpAuthRefresh"),
        *("otelHeadersHelper", "processWrapper", "policyHelper", "policyHelpers", "fileSuggestion"),
        *("statusLine", "subagentStatusLine"),
    )
)
_PLUGINS = frozenset(("enabledPlugins", "extraKnownMarketplaces", "additionalMarketplaces", "pluginConfigs"))
# They only take away.
_PLAIN_PERMISSIONS = frozenset(("deny", "ask", "disableBypassPermissionsMode", "disableAutoMode"))
_SECRET = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)


def in_settings(path: Path, settings: Mapping[str, Any], working_dir: Path) -> Iterator[Item]:
    for name, value in settings.items():
        if name in _PLAIN or value in (None, {}, []):
            continue
        if name == "hooks":
            yield from _hooks(path, value, working_dir)
        elif name == "env" and isinstance(value, dict):
            for variable, content in value.items():
                hidden = "••••" if _SECRET.search(variable) else _words(content)
                yield item(Kind.VARIABLE, path, variable, hidden, content)
        elif name == "permissions" and isinstance(value, dict):
            for rule, content in value.items():
                if rule not in _PLAIN_PERMISSIONS and content not in (None, []):
                    yield item(Kind.PERMISSION, path, rule, _words(content), content)
        elif name in _PLUGINS and isinstance(value, dict):
            for plugin, content in value.items():
                if content is not False:
                    yield item(Kind.PLUGIN, path, plugin, "" if content is True else _words(content), name, content)
        else:
            kind = Kind.HELPER if name in _HELPERS else Kind.SETTING
            yield item(kind, path, name, _words(value), value, named_programs(_words(value), working_dir))


def in_mcp_configuration(path: Path, configuration: Mapping[str, Any], working_dir: Path) -> Iterator[Item]:
    servers = configuration.get("mcpServers", configuration)
    if not isinstance(servers, dict):
        yield item(Kind.UNREADABLE, path, path.name, "", configuration)
        return
    for name, server in servers.items():
        words = _server(server)
        yield item(Kind.MCP_SERVER, path, name, words, server, named_programs(words, working_dir))


def _hooks(path: Path, value: object, working_dir: Path) -> Iterator[Item]:
    for event, matchers in value.items() if isinstance(value, dict) else [("hooks", value)]:
        for matcher in matchers if isinstance(matchers, list) else [matchers]:
            group = matcher if isinstance(matcher, dict) else {}
            on = str(group.get("matcher") or "")
            for hook in group["hooks"] if isinstance(group.get("hooks"), list) else [matcher]:
                words = _hook(hook)
                name = f"{event} ({on})" if on else event
                yield item(Kind.HOOK, path, name, words, event, on, hook, named_programs(words, working_dir))


def _hook(hook: object) -> str:
    if isinstance(hook, dict):
        for name in ("command", "url", "prompt"):
            if isinstance(hook.get(name), str):
                return " ".join([hook[name], *_listed(hook.get("args"))])
    return _words(hook)


def _server(server: object) -> str:
    if isinstance(server, dict) and isinstance(server.get("command"), str):
        variables = server.get("env")
        names = [f"{name}=…" for name in variables] if isinstance(variables, dict) else []
        return " ".join([*names, server["command"], *_listed(server.get("args"))])
    if isinstance(server, dict) and isinstance(server.get("url"), str):
        helper = server.get("headersHelper")
        return f"{server['url']} ({helper})" if helper else server["url"]
    return _words(server)


def _listed(value: object) -> list[str]:
    return [_words(part) for part in value] if isinstance(value, list) else []


def _words(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ", ".join(value)
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        return str(value["command"])
    return canonical(value)

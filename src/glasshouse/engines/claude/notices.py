"""What Claude Code tells beside the conversation and people should know, as `info` events."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from claude_agent_sdk import Message, RateLimitEvent, SystemMessage

from glasshouse.contract.events import Info, Stamp
from glasshouse.contract.phrase import Language, Phrase

_READY = Phrase("Claude Code {version} 已就绪，模型 {model}", "Claude Code {version} is ready, with the model {model}")
_READY_OFFLINE = Phrase(
    "Claude Code {version} 已就绪（离线演示模型，不是真实模型）",
    "Claude Code {version} is ready (offline demo model, no real model)",
)
_NOT_OFFERED = Phrase("Claude Code 没有这些工具：{tools}", "Claude Code does not have these tools: {tools}")
_NEAR_LIMIT = Phrase("用量接近或达到上限（{kind}：{status}）", "Usage is near or at its limit ({kind}: {status})")
_TOLD = Phrase("{words}", "{words}")

_NOTICES = {
    "compact_boundary": Phrase("对话已压缩", "The conversation was compacted"),
    "api_retry": Phrase(
        "模型调用失败（{error}），{seconds:.1f} 秒后第 {attempt} 次重试（最多 {max_retries} 次）",
        "The model's call failed ({error}), retry {attempt} of {max_retries} in {seconds:.1f} s",
    ),
    "model_fallback": Phrase("已换用另一个模型", "Another model has taken over"),
    "model_refusal_fallback": Phrase("模型拒绝回答，已换用另一个模型", "The model refused, another has taken over"),
    "informational": _TOLD,
    "notification": _TOLD,
    "local_command_output": _TOLD,
}
# What Claude Code reports of itself, under our names.
_REPORTED = {
    "session_id": "session_id",
    "model": "model",
    "cwd": "working_dir",
    "tools": "tools",
    "permissionMode": "permission_mode",
    "claude_code_version": "claude_code_version",
    "slash_commands": "slash_commands",
    "agents": "agents",
    "skills": "skills",
    "output_style": "output_style",
    "apiKeySource": "api_key_source",
}
_NOT_TOLD = frozenset({"type", "subtype", "uuid", "session_id"})


def ready(data: Mapping[str, Any], offline: bool, stamp: Stamp, language: Language) -> Info:
    """The second `info` of a task."""
    metadata = {ours: data.get(theirs) for theirs, ours in _REPORTED.items()}
    servers = data.get("mcp_servers") or []
    metadata["mcp_servers"] = [{"name": server.get("name"), "status": server.get("status")} for server in servers]
    if offline:
        metadata["offline"] = True
    phrase = _READY_OFFLINE if offline else _READY
    content = phrase.say(language, version=data.get("claude_code_version"), model=data.get("model"))
    return Info(content=content, metadata=metadata, **stamp)


def not_offered(names: Sequence[str], stamp: Stamp, language: Language) -> Info:
    content = _NOT_OFFERED.say(language, tools=", ".join(names))
    return Info(content=content, metadata={"notice": "tools_not_offered", "tools": list(names)}, **stamp)


def notice(message: Message, stamp: Callable[[], Stamp], language: Language) -> Info | None:
    if isinstance(message, RateLimitEvent):
        limit = message.rate_limit_info
        if limit.status == "allowed":
            return None
        content = _NEAR_LIMIT.say(language, kind=limit.rate_limit_type, status=limit.status)
        return Info(content=content, metadata={"notice": "rate_limit", **limit.raw}, **stamp())
    if not isinstance(message, SystemMessage) or message.subtype not in _NOTICES:
        return None
    told = {name: value for name, value in message.data.items() if name not in _NOT_TOLD}
    content = _NOTICES[message.subtype].say(language, **_fields(told))
    if not content:
        return None
    return Info(content=content, metadata={"notice": message.subtype, **told}, **stamp())


def _fields(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "words": told.get("content") or told.get("text") or told.get("message") or "",
        "error": told.get("error_status") or told.get("error") or "?",
        "attempt": told.get("attempt", "?"),
        "max_retries": told.get("max_retries", "?"),
        "seconds": float(told.get("retry_delay_ms") or 0) / 1000,
    }

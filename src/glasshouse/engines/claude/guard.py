"""What of a project a Claude Code would take up while it runs: only as far as it is trusted.

Changed settings are refused. One that is refused stays so only as long as all later ones are: Claude Code reads every
file anew for each that is not. So what counts is what the directory carries now, not which file has changed.
Skills in folders below, which it finds on its way, are asked about if any of them runs something; where nobody would be
asked, none is used then.
"""

import asyncio
from pathlib import Path
from typing import cast

from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import HookContext, HookEvent, HookInput, HookJSONOutput

from glasshouse.claude_home.carried.below import TooMuchBelow, carried_below
from glasshouse.claude_home.carried.item import shown_path
from glasshouse.contract.events import Info
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.core.ports import Run
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.trust import ProjectTrust

_NOT_TAKEN_UP = Phrase(
    "项目的设置在任务进行中改变了：在你信任它们之前不会生效",
    "The project's settings changed while the task runs: they take no effect until you trust them",
)
_BELOW = Phrase(
    "子目录中有会运行程序的技能或命令：{paths}", "Skills or commands in folders below would run programs: {paths}"
)
_TOO_MUCH_BELOW = Phrase(
    "子目录太多，无法查清其中有没有会运行程序的技能",
    "There is too much below the directory to see whether a skill there would run programs",
)
_SKILL = "Skill"
_SHOWN_PATHS = 5


class Guard:
    """Of one process, for as long as it lives."""

    def __init__(self, launch: Launch, trust: ProjectTrust, language: Language) -> None:
        # Whose task the process does; None between two of them.
        self._run: Run | None = None
        self._working_dir = launch.task.working_dir
        self._standing = launch.project
        # Where the tool runs without asking, a hook that wants to ask is not heard.
        self._is_unasked = _SKILL in launch.allowed or launch.task.permission_mode == "bypassPermissions"
        self._trust = trust
        self._language: Language = language
        self._told = False

    def lead_to(self, run: Run) -> None:
        self._run, self._told = run, False

    def lead_nowhere(self) -> None:
        self._run = None

    def on_changes(self) -> dict[HookEvent, list[HookMatcher]]:
        if not self._standing.guarded:
            return {}
        # The SDK passes on events that it has no type for.
        return {cast("HookEvent", "ConfigChange"): [HookMatcher(None, [self._on_change])]}

    def before_skills(self) -> list[HookMatcher]:
        return [HookMatcher(_SKILL, [self._before_skill])] if self._standing.guarded else []

    async def _on_change(self, _: HookInput, __: str | None, ___: HookContext) -> HookJSONOutput:
        if await self._trust.holds(self._working_dir, self._standing):
            return {}
        reason = _NOT_TAKEN_UP.say(self._language)
        if self._run is not None and not self._told:
            self._told = True
            await self._run.emit(Info(content=reason, metadata={"notice": "settings_not_trusted"}, **self._run.stamp()))
        return cast("HookJSONOutput", {"decision": "block", "reason": reason})

    async def _before_skill(self, _: HookInput, __: str | None, ___: HookContext) -> HookJSONOutput:
        reason = await asyncio.to_thread(self._reason_to_ask)
        if reason is None:
            return {}
        decision = "deny" if self._is_unasked else "ask"
        output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
        return cast("HookJSONOutput", {"hookSpecificOutput": output})

    def _reason_to_ask(self) -> str | None:
        directory = Path(self._working_dir)
        try:
            found = carried_below(directory)
        except TooMuchBelow:
            return _TOO_MUCH_BELOW.say(self._language)
        if not found:
            return None
        paths = ", ".join(shown_path(each.path, directory) for each in found[:_SHOWN_PATHS])
        return _BELOW.say(self._language, paths=paths)

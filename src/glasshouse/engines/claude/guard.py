"""Claude Code takes up changed settings while it runs: those of the project only as far as they are trusted.

A change that is refused stays refused only as long as all later ones are: Claude Code reads every file anew for each
that is not. So what counts is what the directory carries now, not which file has changed.
"""

from typing import cast

from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import HookContext, HookEvent, HookInput, HookJSONOutput

from glasshouse.contract.events import Info
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.core.ports import Run
from glasshouse.engines.claude.trust import ProjectTrust, Standing

_NOT_TAKEN_UP = Phrase(
    "项目的设置在任务进行中改变了：在你信任它们之前不会生效",
    "The project's settings changed while the task runs: they take no effect until you trust them",
)


class SettingsGuard:
    """Of one process."""

    def __init__(self, run: Run, standing: Standing, trust: ProjectTrust, language: Language) -> None:
        self._run = run
        self._standing = standing
        self._trust = trust
        self._language: Language = language
        self._told = False

    def hooks(self) -> dict[HookEvent, list[HookMatcher]]:
        if not self._standing.guarded:
            return {}
        # The SDK passes on events that it has no type for.
        return {cast("HookEvent", "ConfigChange"): [HookMatcher(None, [self._on_change])]}

    async def _on_change(self, _: HookInput, __: str | None, ___: HookContext) -> HookJSONOutput:
        if await self._trust.holds(self._run.task.working_dir, self._standing):
            return {}
        reason = _NOT_TAKEN_UP.say(self._language)
        if not self._told:
            self._told = True
            await self._run.emit(Info(content=reason, metadata={"notice": "settings_not_trusted"}, **self._run.stamp()))
        return cast("HookJSONOutput", {"decision": "block", "reason": reason})

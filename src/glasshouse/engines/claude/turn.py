"""When the turn that a prompt began is over, and what came of it.

A result need not be its end: background agents lead to more of them, and after a resume one may come that answers
an older message. The turn is over when Claude Code reports to be idle after the result that answers our prompt, and
all that was said meanwhile to steer it: what comes too late for one result has another of its own.
"""

import re
from enum import Enum, auto
from uuid import uuid4

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    RateLimitEvent,
    ResultMessage,
    SystemMessage,
    TaskNotificationMessage,
    TaskStartedMessage,
    TaskUpdatedMessage,
    UserMessage,
)
from claude_agent_sdk.types import TERMINAL_TASK_STATUSES

# How long after the answer a report of being idle may take, while nothing is heard and no agent is at work.
IDLE_GRACE_S = 2.0
# Wrong credentials do not become right; Claude Code itself would go on for minutes.
_SIGN_IN_ATTEMPTS = 3
OLDEST = (2, 0, 0)


class TurnState(Enum):
    ASKED = auto()
    ANSWERED = auto()
    OVER = auto()


class Turn:
    def __init__(self) -> None:
        self.prompt_uuid: str | None = str(uuid4())
        self.state = TurnState.ASKED
        # It ended with a call that Claude Code keeps until it is resumed.
        self.deferred = False
        self.result: ResultMessage | None = None
        self.num_turns = 0
        # The kind of the error that the last message of the main conversation stood for.
        self.api_error: str | None = None
        # Of a limit that it ran into, where its provider says so; seconds since the epoch.
        self.limit_resets_at: int | None = None
        self.sign_in_refused = False
        self.too_old: str | None = None
        # A command in the background outlives its turn.
        self.commands_run_on = False
        # The prompt is with the model. Before, what is said beside it would become one with it.
        self._begun = False
        self._is_answered = False
        self._is_idle = False
        # Said to steer it, and named by no result; and of these, what Claude Code has taken in.
        self._joining: set[str] = set()
        self._joined: set[str] = set()
        self._stopping = False
        self._agents: set[str] = set()

    @property
    def over(self) -> bool:
        return self.state is TurnState.OVER

    @property
    def hopeless(self) -> bool:
        return self.sign_in_refused or self.too_old is not None

    @property
    def works_on(self) -> bool:
        """Something of it is at work in the background."""
        return self.commands_run_on or bool(self._agents)

    @property
    def patience_s(self) -> float | None:
        """How long to wait for the next message before the turn counts as over; None: as long as it takes."""
        only_idle = self.state is TurnState.ASKED and self._is_answered and self._is_idle
        is_answered = self.state is TurnState.ANSWERED and not self._agents
        return IDLE_GRACE_S if is_answered or only_idle else None

    @property
    def takes_more(self) -> bool:
        """Whether what is said now joins it."""
        return self.state is TurnState.ASKED and self._begun and not self._stopping

    @property
    def went_well(self) -> bool:
        return self.over and not self.hopeless and self.result is not None and not self.result.is_error

    def begin(self, prompt_uuid: str | None) -> None:
        """Another one, in the same process; None: what is presented again, without a prompt."""
        self.prompt_uuid = prompt_uuid
        self.state = TurnState.ASKED
        self._begun = self._is_answered = self._is_idle = False
        self._joining, self._joined = set(), set()

    def expects(self, uuid: str) -> None:
        """Said to steer it."""
        self._joining.add(uuid)

    def no_longer_expects(self, uuid: str) -> None:
        self._joining.discard(uuid)

    def stop(self) -> None:
        """The next result, whatever it answers, is the end."""
        self._stopping = True

    def see(self, message: Message) -> None:
        match message:
            case ResultMessage():
                self._see_result(message)
            case AssistantMessage(parent_tool_use_id=None):
                self.api_error = message.error
            case RateLimitEvent():
                limit = message.rate_limit_info
                self.limit_resets_at = limit.resets_at if limit.status == "rejected" else None
                self._begun = True
            case UserMessage(parent_tool_use_id=None):
                self._begun = self._begun or self.prompt_uuid in (None, message.uuid)
                self._joined.update(self._joining & {message.uuid})
            case TaskStartedMessage(task_type="local_agent" | "local_workflow"):
                self._agents.add(message.task_id)
            case TaskNotificationMessage():
                self._agents.discard(message.task_id)
            case TaskUpdatedMessage(status=status) if status in TERMINAL_TASK_STATUSES:
                self._agents.discard(message.task_id)
            case SystemMessage(subtype="session_state_changed"):
                self._is_idle = message.data.get("state") == "idle"
                is_answered = self.state is TurnState.ANSWERED or self._is_answered
                if self._is_idle and is_answered and self._joining <= self._joined:
                    self.state = TurnState.OVER
            case SystemMessage(subtype="api_retry"):
                refused = message.data.get("error") == "authentication_failed"
                self.sign_in_refused = refused and int(message.data.get("attempt") or 0) >= _SIGN_IN_ATTEMPTS
            case SystemMessage(subtype="init"):
                self._see_version(str(message.data.get("claude_code_version")))
            case SystemMessage(subtype="background_tasks_changed"):
                self.commands_run_on = bool(message.data.get("tasks"))

    def _see_result(self, result: ResultMessage) -> None:
        self.deferred = result.deferred_tool_use is not None
        ends = self._stopping or self.deferred
        if self.state is TurnState.ASKED and not (ends or self._is_answer(result)):
            return
        self.result = result
        self.num_turns += result.num_turns
        self._is_answered = True
        self._joining -= _answered_by(result)
        if ends:
            self.state = TurnState.OVER
        elif not self._joining:
            self.state = TurnState.ANSWERED

    def _is_answer(self, result: ResultMessage) -> bool:
        answered = _answered_by(result)
        # Not every result names what it answers, an error for one.
        names_none = not answered and (result.num_turns > 0 or result.is_error)
        return self.prompt_uuid in answered or bool(self._joining & answered) or names_none

    def _see_version(self, version: str) -> None:
        numbers = re.match(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", version)
        if numbers is not None and tuple(map(int, numbers.groups())) < OLDEST:
            self.too_old = version


def _answered_by(result: ResultMessage) -> set[str]:
    return {uuid for uuid in (result.user_message_uuid, *(result.user_message_uuids or ())) if uuid is not None}

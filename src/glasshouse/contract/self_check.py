"""Whether the Claude Code in use does what Glasshouse relies on: each behaviour, and what was found."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

SelfCheckState = Literal["pending", "running", "done", "failed", "off"]


class Behaviour(StrEnum):
    """In the order in which they are tried."""

    WORKS = "works"
    TOOLS_ARE_KNOWN = "tools_are_known"
    KEEPS_THE_SESSION = "keeps_the_session"
    ASKS = "asks"
    KEEPS_A_QUESTION = "keeps_a_question"
    ASKS_BY_OUR_TOOL = "asks_by_our_tool"
    ASKS_FOR_PERMISSION = "asks_for_permission"
    RUNS_WHAT_WAS_APPROVED = "runs_what_was_approved"
    PRESENTS_ITS_PLAN = "presents_its_plan"
    TAKES_A_MESSAGE = "takes_a_message"
    GIVES_A_MESSAGE_BACK = "gives_a_message_back"
    STOPS = "stops"
    RUNS_NOTHING_UNTRUSTED = "runs_nothing_untrusted"
    TAKES_UP_NO_CHANGE = "takes_up_no_change"


class Finding(BaseModel):
    model_config = ConfigDict(frozen=True)

    behaviour: Behaviour
    holds: bool
    # What was seen where it does not hold; and what is worth telling where it does.
    detail: str = ""


class SelfCheck(BaseModel):
    """`build` tells one program from another of the same version."""

    model_config = ConfigDict(frozen=True)

    program: str
    build: str
    version: str | None
    checked_at: str
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)

    def has(self, behaviour: Behaviour) -> bool:
        return any(finding.behaviour is behaviour and finding.holds for finding in self.findings)

"""What keeps the model from answering and passes: told from what Claude Code says once it has given up retrying.

Of a subscription's limit it reports when it lifts. Of a key's it does not, whatever the provider said; and a long
`retry-after` it neither awaits nor passes on.
"""

import re
from datetime import UTC, datetime

from claude_agent_sdk import ResultMessage

from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure, Limit
from glasshouse.core.messages import readable
from glasshouse.core.ports import LimitHit, Outcome
from glasshouse.core.times import timestamp
from glasshouse.engines.claude.failures import LIFTS, MODEL_FAILED, OVERLOADED, USAGE_LIMIT

_USAGE = re.compile(
    r"usage limit reached|reached your specified \w+ usage limits|hit your [\w -]{1,40}limit", re.IGNORECASE
)
_EPOCH = re.compile(r"\|(\d{10})\b")
_REGAIN = re.compile(r"regain access on (\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d) UTC)?")


def limit_in(result: ResultMessage, api_error: str | None, resets_at: int | None) -> LimitHit | None:
    """`resets_at` is what Claude Code reported of a limit that it ran into, in seconds since the epoch."""
    words = result.result or ""
    status = result.api_error_status
    if api_error in ("rate_limit", "billing_error") or status == 429 or _USAGE.search(words):
        return LimitHit(Limit.USAGE, _lifts_at(words, resets_at))
    if status == 529 or api_error == "overloaded":
        return LimitHit(Limit.OVERLOADED)
    if api_error == "server_error":
        return LimitHit(Limit.UNREACHABLE)
    return None


def _lifts_at(words: str, resets_at: int | None) -> datetime | None:
    try:
        if resets_at is None and (found := _EPOCH.search(words)):
            resets_at = int(found[1])
        if resets_at is not None:
            return datetime.fromtimestamp(resets_at, UTC)
        if found := _REGAIN.search(words):
            return datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00'}+00:00")
    except (ValueError, OverflowError, OSError):
        pass  # others wrote it: no such day, or one beyond all calendars
    return None


def limited(hit: LimitHit, words: str, language: Language) -> Outcome:
    lifts = "" if hit.lifts_at is None else LIFTS.say(language, until=readable(timestamp(hit.lifts_at)))
    sentence = {Limit.USAGE: USAGE_LIMIT, Limit.OVERLOADED: OVERLOADED, Limit.UNREACHABLE: MODEL_FAILED}[hit.kind]
    failure = Failure.ENGINE_FAILED if hit.kind is Limit.UNREACHABLE else Failure.USAGE_LIMIT
    return Outcome(sentence.say(language, words=words) + lifts, failure=failure, detail=words, limit=hit)

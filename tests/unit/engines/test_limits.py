"""What of Claude Code's errors is a limit, and when it lifts."""

from datetime import UTC, datetime
from typing import Any

import pytest
from claude_agent_sdk import RateLimitEvent, RateLimitInfo, ResultMessage
from tests.unit.engines.test_turn import a_result, a_task, after, an_error

from glasshouse.contract.task import Failure, Limit
from glasshouse.core.ports import LimitHit
from glasshouse.engines.claude.limits import limit_in
from glasshouse.engines.claude.outcome import outcome_of

LIFTS = datetime(2026, 12, 1, 6, 30, tzinfo=UTC)
EPOCH = int(LIFTS.timestamp())


def hit(words: str, api_error: str | None = None, resets_at: int | None = None, **fields: Any) -> LimitHit | None:
    result = ResultMessage("success", 1, 1, True, 1, "s", result=words, **fields)
    return limit_in(result, api_error, resets_at)


# What Claude Code 2.1.327 says, each as it was heard.
@pytest.mark.parametrize(
    ("words", "error", "status", "kind"),
    [
        ("API Error: Request rejected (429) · Number of requests exceeded", "rate_limit", 429, Limit.USAGE),
        ("You've hit your 5-hour limit · resets 1:37am (UTC)", "rate_limit", 429, Limit.USAGE),
        ("Credit balance is too low", "billing_error", 400, Limit.USAGE),
        (
            "API Error: 529 Overloaded. This is a server-side issue",
            "server_error",
            529,
            Limit.OVERLOADED,
        ),
        ("API Error: Connection dropped (ECONNRESET).", "server_error", None, Limit.UNREACHABLE),
        ("API Error: 500 Internal server error", "server_error", 500, Limit.UNREACHABLE),
    ],
)
def test_each_is_of_its_kind(words: str, error: str, status: int | None, kind: Limit) -> None:
    assert hit(words, error, api_error_status=status) == LimitHit(kind)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("API Error: 400 as told", "invalid_request"),
        ("Failed to authenticate. API Error: 401", "authentication_failed"),
        ("I have hit your nail on the head", "unknown"),
    ],
)
def test_what_does_not_pass_is_none(words: str, error: str) -> None:
    assert hit(words, error, api_error_status=400) is None


@pytest.mark.parametrize(
    ("words", "resets_at", "lifts_at"),
    [
        ("You've hit your weekly limit", EPOCH, LIFTS),
        (f"Claude AI usage limit reached|{EPOCH}", None, LIFTS),
        (
            "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at "
            "06:30 UTC.",
            None,
            LIFTS,
        ),
        (
            "You have reached your specified workspace usage limits. You will regain access on 2026-13-77.",
            None,
            None,
        ),
        ("usage limit reached", 10**18, None),
        ("usage limit reached", None, None),
    ],
)
def test_when_it_lifts_is_told_where_anybody_says_so(
    words: str, resets_at: int | None, lifts_at: datetime | None
) -> None:
    assert hit(words, "unknown", resets_at) == LimitHit(Limit.USAGE, lifts_at)


def test_the_failure_says_when_it_lifts() -> None:
    said = RateLimitEvent(RateLimitInfo("rejected", EPOCH, "five_hour"), "u", "s")
    outcome = outcome_of(after(said, *an_error("rate_limit", api_error_status=429)), a_task(), "en")

    assert outcome is not None and outcome.failure is Failure.USAGE_LIMIT
    assert outcome.message == "The usage limit is reached: API Error; it lifts at 2026-12-01 06:30 UTC"
    assert outcome.limit == LimitHit(Limit.USAGE, LIFTS)


def test_a_limit_that_is_over_is_forgotten() -> None:
    rejected = RateLimitEvent(RateLimitInfo("rejected", EPOCH, "five_hour"), "u", "s")
    allowed = RateLimitEvent(RateLimitInfo("allowed", EPOCH, "five_hour"), "u", "s")
    assert after(rejected, allowed).limit_resets_at is None


def test_a_limit_that_looks_like_missing_credentials_is_a_limit() -> None:
    words = "Failed to authenticate. API Error: 403 You have reached your specified API usage limits."
    [error, _] = an_error("authentication_failed")
    outcome = outcome_of(after(error, a_result(is_error=True, result=words)), a_task(), "en")
    assert outcome is not None and outcome.failure is Failure.USAGE_LIMIT

"""What a conversation has cost by its transcript's own account."""

import json
from pathlib import Path

import pytest

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.costs import total_cost

SESSION = "0c4d3c0e-94b2-4a52-8f0e-1c7d6f9a2b11"
MESSAGE = {"type": "user", "cwd": "/work", "message": {"role": "user", "content": "x"}}


def written(root: Path, *lines: object) -> ClaudeHome:
    home = ClaudeHome.at(root)
    file = home.transcripts_dir / "-work" / f"{SESSION}.jsonl"
    file.parent.mkdir(parents=True)
    texts = [line if isinstance(line, str) else json.dumps(line, separators=(",", ":")) for line in (MESSAGE, *lines)]
    file.write_text("\n".join(texts) + "\n")
    return home


def state(cost: object, session: str = SESSION) -> dict[str, object]:
    return {"type": "cost-state", "sessionId": session, "totalCostUSD": cost}


@pytest.mark.parametrize(
    ("lines", "cost"),
    [
        ((), None),
        ((state(0.5),), 0.5),
        ((state(0.5), MESSAGE, state(0.75), MESSAGE), 0.75),
        # faults: E1 E2
        ((state(0.5), '{"type":"cost-state","sessionId":', state("much"), state(-1), "[]"), 0.5),
        ((state(0.5), state(9, "of the session that it came from")), 0.5),
        ((state(0.5), {**MESSAGE, "text": '"cost-state"' + "x" * 3_000_000}), 0.5),
        ((state(0.5), *[{**MESSAGE, "text": "y" * 100_000}] * 20), 0.5),
    ],
)
def test_the_last_account_counts(tmp_path: Path, lines: tuple[object, ...], cost: float | None) -> None:
    assert total_cost(written(tmp_path, *lines), SESSION) == cost


def test_a_line_may_lie_across_what_is_read_at_once(tmp_path: Path) -> None:
    home = ClaudeHome.at(tmp_path)
    for length in range(262_000, 262_144, 7):
        home = written(tmp_path / str(length), state(0.25), {"type": "x", "text": "z" * length})
        assert total_cost(home, SESSION) == 0.25


def test_no_conversation_has_no_cost(tmp_path: Path) -> None:
    assert total_cost(ClaudeHome.at(tmp_path), SESSION) is None

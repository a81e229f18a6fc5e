"""The API's description and the events' schema are what was agreed on."""

import difflib

import pytest
from tests.contract.snapshots import HERE, RENEW, SNAPSHOTS, current


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_what_the_api_says_of_itself_has_not_changed(name: str) -> None:
    agreed, now = (HERE / name).read_text(encoding="utf-8"), current(name)
    changes = list(
        difflib.unified_diff(agreed.splitlines(), now.splitlines(), f"agreed/{name}", f"now/{name}", "", "", 3, "")
    )

    if changes:
        more = f"\n… and {len(changes) - 80} lines more" if len(changes) > 80 else ""
        pytest.fail("\n".join(changes[:80]) + f"{more}\n\nIf this is meant: {RENEW}", pytrace=False)

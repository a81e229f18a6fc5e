"""Says in one line how the tests of a JUnit report went: N passed, N failed, N skipped."""

from __future__ import annotations

import sys
from collections import Counter
from xml.etree import ElementTree


def outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def main(report: str) -> None:
    counts = Counter(map(outcome, ElementTree.parse(report).iter("testcase")))
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")


if __name__ == "__main__":
    main(sys.argv[1])

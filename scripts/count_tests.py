"""Says in one line how the tests of JUnit reports went together: N passed, N failed, N skipped."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def main(reports: list[Path]) -> int:
    missing = [report for report in reports if not report.exists()]
    for report in missing:
        print(f"no report from {report.stem}: see above for what stopped its tests")
    found = [report for report in reports if report not in missing]
    counts = Counter(outcome(case) for report in found for case in ElementTree.parse(report).iter("testcase"))
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return len(missing)


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))

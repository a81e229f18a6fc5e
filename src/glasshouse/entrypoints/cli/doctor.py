"""`glasshouse doctor`: has the Claude Code in use show whether it does what Glasshouse relies on."""

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from glasshouse.adapters.data_directory import DataDirectory, DataDirectoryUnusable
from glasshouse.bootstrap.sources import data_directory_of, read_settings
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.self_check import SelfCheck
from glasshouse.core.environment import passed_on
from glasshouse.core.settings import BadSettings

BAD_SETTINGS, AMISS = 2, 1

LOOKING = Phrase("正在检查 Claude Code（几秒钟）…", "Looking at Claude Code (some seconds) …")
HEAD = Phrase("Claude Code {version}，{program}", "Claude Code {version}, {program}")
HOLDS = Phrase("一切正常。", "All of it holds.")
FALLS_SHORT = Phrase(
    "有不符之处：受影响的功能会改用备用方式，或如实报告失败。",
    "Something does not hold: what it concerns takes another way, or fails and says so.",
)


def doctor(flags: Mapping[str, Any]) -> int:
    """0 if all holds, 1 if something does not."""
    try:
        settings = read_settings(flags, os.environ)
    except BadSettings as wrong:
        print(f"glasshouse: {wrong}", file=sys.stderr)
        return BAD_SETTINGS
    data = DataDirectory(data_directory_of(settings, os.environ))
    reduced = passed_on(os.environ, settings.pass_env)
    os.environ.clear()
    os.environ.update(reduced)
    print(LOOKING.say(settings.language), flush=True)
    # Slow to import.
    from glasshouse.bootstrap import build, examine  # noqa: PLC0415

    report = asyncio.run(examine(build, os.environ))
    print(told(report, settings.language))
    with suppress(DataDirectoryUnusable, OSError):  # a server that starts next then need not look itself
        data.prepare()
        data.remember_self_check(report)
    return 0 if report.holds else AMISS


def told(report: SelfCheck, language: Language) -> str:
    from glasshouse.core.rehearsal import SAYS  # noqa: PLC0415

    lines = [HEAD.say(language, version=report.version or "?", program=report.program)]
    for finding in report.findings:
        mark = "✓" if finding.holds else "✗"
        why = f": {finding.detail}" if finding.detail and not finding.holds else ""
        lines.append(f"  {mark} {SAYS[finding.behaviour].say(language)}{why}")
    lines.append((HOLDS if report.holds else FALLS_SHORT).say(language))
    return "\n".join(lines)

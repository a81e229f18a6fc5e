"""The slash commands that are built into Claude Code and of use here: they answer, or have the model do something.

Not those that belong to a terminal, that change settings of the user's, or that leave the session for another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from glasshouse.contract.command import Command, CommandSource
from glasshouse.contract.phrase import Language, Phrase

_NONE = Phrase("", "")
_TARGET = Phrase("[目标]", "[target]")
_ISSUE = Phrase("[问题]", "[issue]")


@dataclass(frozen=True, slots=True)
class SlashCommand:
    name: str
    description: Phrase
    argument_hint: Phrase = _NONE


SLASH_COMMANDS = (
    SlashCommand(
        "compact",
        Phrase("压缩对话，释放上下文", "Summarise the conversation to free up context"),
        Phrase("[摘要的重点]", "[what the summary is to keep]"),
    ),
    SlashCommand("context", Phrase("显示上下文的用量", "Show what the context is filled with")),
    SlashCommand("usage", Phrase("显示会话的费用和用量", "Show the session's cost and usage")),
    SlashCommand("init", Phrase("为项目写一份 CLAUDE.md", "Write a CLAUDE.md for the project")),
    SlashCommand("code-review", Phrase("审查当前改动中的错误", "Review the current changes for bugs"), _TARGET),
    SlashCommand("security-review", Phrase("审查当前改动的安全性", "Review the security of the current changes")),
    SlashCommand("simplify", Phrase("简化改动过的代码", "Simplify the code that was changed"), _TARGET),
    SlashCommand("verify", Phrase("实际运行，检验改动", "Verify a change by running it")),
    SlashCommand("run", Phrase("运行项目，看看改动的效果", "Run the project's app to see a change")),
    SlashCommand(
        "batch",
        Phrase("调查并规划大范围改动，再并行实施", "Plan a large change, then carry it out in parallel"),
        Phrase("<要做的改动>", "<the change>"),
    ),
    SlashCommand("deep-research", Phrase("多方检索、核实并写成报告", "Search widely, verify, and write a report")),
    SlashCommand(
        "debug", Phrase("诊断本会话的问题", "Diagnose a problem of this session"), Phrase("[问题]", "[issue]")
    ),
    SlashCommand("doctor", Phrase("检查 Claude Code 的设置", "Check the set-up of Claude Code")),
    SlashCommand("recap", Phrase("用一句话概括会话", "Recap the session in one line")),
)


def built_in(language: Language) -> Sequence[Command]:
    return [
        Command(
            name=command.name,
            description=command.description.say(language),
            argument_hint=command.argument_hint.say(language),
            source=CommandSource.BUILTIN,
        )
        for command in SLASH_COMMANDS
    ]

"""Demo: three sub-agents at once, each with one of the other demos; then what they brought."""

import re

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model.conversation import Conversation, ToolResult
from glasshouse.testing.offline_model.demo.attempt import Obstacle, attempt
from glasshouse.testing.offline_model.demo.explain_file import EXPLAIN_FILE
from glasshouse.testing.offline_model.demo.list_files import LIST_FILES
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.demo.write_program import WRITE_PROGRAM
from glasshouse.testing.offline_model.reply import Call, Pause, Reply, Say

_PARTS = (LIST_FILES, EXPLAIN_FILE, WRITE_PROGRAM)
_TOOL = "Agent"
# Whoever watches is to see them at work.
_PACE_S = 0.7

PART = Phrase("子任务：{prompt}", "Sub-task: {prompt}")
BEGIN = Phrase(
    "（离线演示模型）我同时启动 {count} 个子代理，每个做一件事。它们的每一步都看得见，也可以单独停下。",
    "(Offline demo model) I start {count} sub-agents at once, each with a task of its own. "
    "Every step of theirs can be seen, and each can be stopped alone.",
)
NOT_STARTED = Phrase("子代理没有启动，所以什么也没有做。", "No sub-agent was started, so nothing was done.")
DONE = Phrase("子代理都结束了：", "The sub-agents have ended:")
DID = Phrase("- {title}：完成", "- {title}: done")
DID_NOT = Phrase("- {title}：没有完成", "- {title}: not done")

# What Claude Code puts around a sub-agent's last words.
_REPORT = "[Subagent hand-back]"


def _play(conversation: Conversation) -> Reply:
    for part in _PARTS:
        if conversation.prompt == _prompt(part, conversation.language):
            return Pause(_PACE_S), *part.play(conversation)
    return _lead(conversation)


def _lead(conversation: Conversation) -> Reply:
    language = conversation.language
    started = attempt(conversation, *(_start(part, language) for part in _PARTS[:1]))
    results = [result for result in conversation.results if result.tool == _TOOL]
    if isinstance(started, Call) and started.tool != _TOOL:
        return (started,)
    if not results and isinstance(started, Call):
        return Say(BEGIN.say(language, count=len(_PARTS))), *(_start(part, language) for part in _PARTS)
    if not results and isinstance(started, Obstacle):
        return (Say(f"{NOT_STARTED.say(language)}\n\n{started.told(language)}"),)
    return (Say("\n".join([DONE.say(language), "", *_told(results, language)])),)


def _told(results: list[ToolResult], language: Language) -> list[str]:
    titles = (part.title.say(language) for part in _PARTS)
    return [
        (DID if _REPORT in result.text and not result.is_error else DID_NOT).say(language, title=title)
        for title, result in zip(titles, results, strict=False)
    ]


def _start(part: DemoTask, language: Language) -> Call:
    return Call(
        _TOOL,
        {
            "description": part.title.say(language),
            "prompt": _prompt(part, language),
            "subagent_type": "general-purpose",
            "run_in_background": False,
        },
    )


def _prompt(part: DemoTask, language: Language) -> str:
    return PART.say(language, prompt=part.prompt.say(language))


FAN_OUT = DemoTask(
    id="fan_out",
    title=Phrase("看得见的子任务", "Sub-tasks that can be seen"),
    description=Phrase(
        "同时启动三个子代理：列文件、讲解一个文件、写一个程序并运行；每个的进度都看得见。",
        "Starts three sub-agents at once: one lists files, one explains a file, one writes a program and runs it; "
        "each can be watched.",
    ),
    prompt=Phrase("同时派出三个子代理分头工作", "Send out three sub-agents at once"),
    asks_for_it=re.compile(r"子代理|子任务|\bsub-?agents?\b|\bsub-?task", re.IGNORECASE),
    tools=("Agent", "Bash", "Read", "Write"),
    permission_mode="default",
    play=_play,
)

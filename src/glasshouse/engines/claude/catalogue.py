"""Every tool of Claude Code that a request may name, and those of its past."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.core.ports import ToolInfo


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: Phrase
    # A tool of an earlier Claude Code may be named, does nothing, and is reported.
    offered: bool = True


ASK_USER_QUESTION = "AskUserQuestion"
EXIT_PLAN_MODE = "ExitPlanMode"
# A server of ours offers a tool of ours.
OUR_SERVER = "glasshouse"
OUR_QUESTION = f"mcp__{OUR_SERVER}__ask_user_question"

_GONE = Phrase("旧版本的工具，现已不提供", "A tool of earlier versions, no longer offered")

CATALOGUE = (
    Tool("Agent", Phrase("启动一个子代理，独立完成多步任务", "Start a sub-agent for a task of several steps")),
    Tool("Task", Phrase("同 Agent（原名）", "The same as Agent, by its earlier name")),
    Tool("Bash", Phrase("执行 shell 命令", "Run a shell command")),
    Tool("Read", Phrase("读取文件", "Read a file")),
    Tool("Write", Phrase("写入文件", "Write a file")),
    Tool("Edit", Phrase("修改文件中的一段文字", "Replace a passage in a file")),
    Tool("NotebookEdit", Phrase("修改 Jupyter 笔记本的单元格", "Change a cell of a Jupyter notebook")),
    Tool("Glob", Phrase("按名称模式查找文件", "Find files by a pattern of their names")),
    Tool("Grep", Phrase("在文件内容中搜索", "Search in the contents of files")),
    Tool("WebFetch", Phrase("读取一个网页", "Read a web page")),
    Tool("WebSearch", Phrase("搜索网络", "Search the web")),
    Tool("Skill", Phrase("使用一项技能", "Use a skill")),
    Tool("Workflow", Phrase("运行由多个子代理组成的工作流", "Run a workflow of several sub-agents")),
    Tool("Monitor", Phrase("在后台观察一个命令的输出", "Watch the output of a command in the background")),
    Tool("SendMessage", Phrase("给一个子代理发消息", "Send a message to a sub-agent")),
    Tool("ListAgents", Phrase("列出正在运行的子代理", "List the running sub-agents")),
    Tool(
        "ReportFindings", Phrase("以结构化的形式报告审查结果", "Report the findings of a review in a structured form")
    ),
    Tool("TaskCreate", Phrase("在任务清单中新建一项", "Add an item to the task list")),
    Tool("TaskGet", Phrase("读取任务清单中的一项", "Read an item of the task list")),
    Tool("TaskList", Phrase("列出任务清单", "List the task list")),
    Tool("TaskUpdate", Phrase("更新任务清单中的一项", "Update an item of the task list")),
    Tool("TaskStop", Phrase("停止一个后台任务", "Stop a background task")),
    Tool("ToolSearch", Phrase("查找按需加载的工具", "Find tools that are loaded on demand")),
    Tool("ScheduleWakeup", Phrase("安排稍后继续", "Arrange to go on later")),
    Tool("CronCreate", Phrase("安排定时任务", "Schedule a recurring task")),
    Tool("CronDelete", Phrase("删除定时任务", "Delete a scheduled task")),
    Tool("CronList", Phrase("列出定时任务", "List the scheduled tasks")),
    Tool("EnterPlanMode", Phrase("进入计划模式", "Enter plan mode")),
    Tool(ASK_USER_QUESTION, Phrase("向用户提问（总是提供）", "Ask the user (always offered)")),
    Tool(OUR_QUESTION, Phrase("向用户提问：更多题型（总是提供）", "Ask the user, in more forms (always offered)")),
    Tool(EXIT_PLAN_MODE, Phrase("提交计划，请求批准", "Present the plan for approval")),
    Tool("EnterWorktree", Phrase("在新的 git 工作树中工作", "Work in a new git worktree")),
    Tool("ExitWorktree", Phrase("离开 git 工作树", "Leave the git worktree")),
    Tool("MultiEdit", _GONE, offered=False),
    Tool("NotebookRead", _GONE, offered=False),
    Tool("LS", _GONE, offered=False),
    Tool("TodoRead", _GONE, offered=False),
    Tool("TodoWrite", _GONE, offered=False),
    Tool("BashOutput", _GONE, offered=False),
    Tool("KillBash", _GONE, offered=False),
    Tool("KillShell", _GONE, offered=False),
    Tool("TaskOutput", _GONE, offered=False),
    Tool("AgentOutputTool", _GONE, offered=False),
    Tool("SlashCommand", _GONE, offered=False),
)

_NAMES = frozenset(tool.name for tool in CATALOGUE)
_MCP_TOOL = re.compile(r"mcp__[A-Za-z0-9_-]+?__[A-Za-z0-9_-]+")
# The same tool under two names: what the init message calls it, and the model.
_ALIASES = {"Agent": "Task", "Task": "Agent"}

# Those that do more than look. A tool of an MCP server may do anything.
_ACTING = frozenset(
    {"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch", "Workflow", "Monitor"}
    | {"ScheduleWakeup", "CronCreate", "CronDelete", "EnterWorktree", "ExitWorktree"}
)


# As Claude Code matches the names of tools.
ACTING = ("|".join(sorted(_ACTING)), "mcp__.*")


def listed(language: Language) -> Sequence[ToolInfo]:
    return [ToolInfo(tool.name, tool.description.say(language), tool.offered) for tool in CATALOGUE]


def knows(name: str) -> bool:
    return name in _NAMES or is_mcp(name)


def is_mcp(name: str) -> bool:
    return len(name) <= 200 and _MCP_TOOL.fullmatch(name) is not None


def acts(name: str) -> bool:
    return name in _ACTING or (is_mcp(name) and name != OUR_QUESTION)


def mcp_prefix(server: str) -> str:
    """What the names of a server's tools begin with."""
    return "mcp__" + re.sub(r"[^A-Za-z0-9_-]", "_", server)


def names_tool_of(server: str, names: Iterable[str]) -> bool:
    return any(name.startswith(f"{mcp_prefix(server)}__") for name in names)


def not_offered(named: Sequence[str], offered: Sequence[str]) -> list[str]:
    """Of the tools that a request named, those that Claude Code does not have."""
    return [name for name in dict.fromkeys(named) if name not in offered and _ALIASES.get(name) not in offered]

"""The sentences of ours in the events of a task, in the server's language."""

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import Failure, Limit, Parked, TaskStatus

STARTED = Phrase("任务已接收", "Task accepted")
STARTED_OFFLINE = Phrase(
    "任务已接收（离线演示模型：回答来自脚本，不是真实模型）",
    "Task accepted (offline demo model: its answers are scripted, no real model is asked)",
)

ENDED: dict[TaskStatus, Phrase] = {
    TaskStatus.COMPLETED: Phrase("任务完成", "Task completed"),
    TaskStatus.FAILED: Phrase("任务失败", "Task failed"),
    TaskStatus.CANCELLED: Phrase("任务已停止", "Task stopped"),
    TaskStatus.INTERRUPTED: Phrase("任务已中断", "Task interrupted"),
}

QUESTION: dict[QuestionState, Phrase] = {
    QuestionState.PENDING: Phrase("等待回答", "Waiting for an answer"),
    QuestionState.ANSWERED: Phrase("问题已回答", "Question answered"),
    QuestionState.CANCELLED: Phrase("问题已取消", "Question cancelled"),
    QuestionState.TIMEOUT: Phrase("问题超时未答", "Nobody answered the question in time"),
}
ASKED_TOO_OFTEN = Phrase(
    "已达到多轮问答上限（{limit} 次），没有再提问；模型会就此收尾。",
    "The limit of {limit} question rounds is reached; it was not asked again, and the model is told to finish.",
)
_WHY_PARKED = {
    Limit.USAGE: Phrase("已达到用量上限", "The usage limit is reached"),
    Limit.OVERLOADED: Phrase("模型过载", "The model is overloaded"),
    Limit.UNREACHABLE: Phrase("无法连接模型", "The model cannot be reached"),
}
_PARKED_RESUMES = Phrase(
    "{why}：任务暂停，{until} 自动继续", "{why}: the task is parked and goes on by itself at {until}"
)
_PARKED_UNTIL = Phrase(
    "{why}（{until} 解除）：任务暂停，等待继续", "{why} until {until}: the task is parked until it is told to go on"
)
_PARKED = Phrase("{why}：任务暂停，等待继续", "{why}: the task is parked until it is told to go on")
FORKED = Phrase("从另一个会话分叉", "Forked from another session")
GOES_ON = Phrase("任务继续", "The task goes on")


def parked(state: Parked, language: Language) -> str:
    """`until` as people read it."""
    phrase = _PARKED if state.until is None else _PARKED_RESUMES if state.resumes else _PARKED_UNTIL
    return phrase.say(language, why=_WHY_PARKED[state.reason].say(language), until=readable(state.until or ""))


def readable(moment: str) -> str:
    """A timestamp of ours to the minute."""
    return f"{moment[:16].replace('T', ' ')} UTC"


UNANSWERED = Phrase("等待回答超时，任务结束", "Nobody answered in time, so the task ended")

REVERTED = Phrase("已还原 {path}", "{path} was put back")
REMOVED = Phrase("已删除 {path}（会话开始时还没有它）", "{path} was removed: the session began without it")

REWOUND = Phrase("会话已回到较早的一处", "The session went back to an earlier point")
FORK_BEGUN = Phrase("从这里的较早一处分出了新会话", "A new session was begun from an earlier point of this one")
FILES_BACK = Phrase("文件已恢复到较早的状态", "Files were put back to an earlier state")

TIMED_OUT = Phrase("任务超时：超过 {seconds:g} 秒", "The task took longer than its {seconds:g} s")
BROKE = Phrase(
    "任务因服务内部错误而失败，详见服务日志（{reference}）",
    "The task failed by an internal error; the server's log has it ({reference})",
)

FAILED: dict[Failure, Phrase] = {
    Failure.ENGINE_FAILED: Phrase("Claude Code 出错", "Claude Code failed"),
    Failure.BUDGET_EXCEEDED: Phrase("已超出预算", "The budget is used up"),
    Failure.TASK_TIMEOUT: Phrase("任务超时", "The task took too long"),
    Failure.MAX_TURNS_REACHED: Phrase("已达到最大回合数", "The task used up its turns"),
    Failure.USAGE_LIMIT: Phrase("已达到用量上限", "The usage limit is reached"),
    Failure.NO_CREDENTIALS: Phrase("没有可用的凭据", "No credentials"),
}
AGENT_STOPPED = Phrase("提问的子代理已被停止", "The sub-agent that asked was stopped")

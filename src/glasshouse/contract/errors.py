"""Every error that a caller can meet, as one tree; entrypoints map `code` to their own form once.

GlasshouseError
├─ InvalidRequest            a field is wrong
│  ├─ PromptEmpty · PromptTooLong · ToolsInvalid · ResumeConflict · PositionInvalid · WorkingDirInvalid
│  ├─ QuestionInvalid · InvalidAnswer · AlreadyAnswered · TaskInterrupted
├─ Refused                   who asks may not
│  ├─ Unauthorized · Forbidden · RateLimited · RecursiveLimitExceeded
├─ Missing                   what is asked for is not there
│  ├─ NotFound · SessionNotFound · AnswerSessionNotFound · QuestionNotFound · TaskNotFound · AgentNotFound
│  ├─ PositionGone
│  ├─ ChangeNotFound · MessageNotFound
├─ Conflict                  not now, or not twice
│  ├─ SessionBusy · DirectoryBusy · TaskConflict · TaskEnded · MessageConflict · ChangeRefused
│  ├─ FileChanged · RevertRefused · DiffUnavailable · RewindRefused
├─ Transport                 the request's outer form is wrong
│  ├─ MethodNotAllowed · TooLarge · UnsupportedMediaType
├─ Unavailable               starting or draining
├─ StorageFull               nothing can be written
└─ Internal                  our own fault
"""

from typing import ClassVar, Literal

from pydantic import BaseModel

from glasshouse.contract.phrase import Language


class ErrorBody(BaseModel):
    """The one body of every error."""

    success: Literal[False] = False
    error: str
    message: str
    request_id: str | None = None


class AlreadyAnsweredBody(ErrorBody):
    """Of `already_answered`, with who was first: a person, or a declared default."""

    answered_by: str | None
    answered_at: str | None
    door: str | None


class GlasshouseError(Exception):
    """An error with a code for programs and a sentence for people; `{detail}` is filled in where there is one."""

    code: ClassVar[str]
    zh: ClassVar[str]
    en: ClassVar[str]

    def __init__(self, detail: str = "", *, retry_after_s: int | None = None) -> None:
        super().__init__(detail or self.code)
        self.detail = detail
        self.retry_after_s = retry_after_s

    def message(self, language: Language) -> str:
        return (self.zh if language == "zh" else self.en).format(detail=self.detail)


class InvalidRequest(GlasshouseError):
    code = "invalid_request"
    zh = "请求参数无效：{detail}"
    en = "Invalid request: {detail}"


class PromptEmpty(InvalidRequest):
    code = "prompt_empty"
    zh = "任务描述不能为空"
    en = "The task description must not be empty"


class PromptTooLong(InvalidRequest):
    code = "prompt_too_long"
    zh = "任务描述超过最大长度限制"
    en = "The task description is too long"


class ToolsInvalid(InvalidRequest):
    code = "tools_invalid"
    zh = "工具名称无效：{detail}"
    en = "Unknown or forbidden tools: {detail}"


class ResumeConflict(InvalidRequest):
    code = "resume_conflict"
    zh = "不能同时指定两种续接方式"
    en = "Two ways of continuing a session exclude each other"


class PositionInvalid(InvalidRequest):
    code = "position_invalid"
    zh = "事件位置无效：{detail}"
    en = "Not a position in this stream: {detail}"


class WorkingDirInvalid(InvalidRequest):
    """One message for all reasons: it must not tell which directories exist."""

    code = "working_dir_invalid"
    zh = "工作目录不存在或无权限访问"
    en = "The working directory does not exist or may not be used"


class QuestionInvalid(InvalidRequest):
    code = "question_invalid"
    zh = "问题格式无效：{detail}"
    en = "Malformed question: {detail}"


class InvalidAnswer(InvalidRequest):
    """`detail` says what is expected."""

    code = "invalid_answer"
    zh = "答案格式无效：{detail}"
    en = "Not an answer to this question; expected: {detail}"


class AlreadyAnswered(InvalidRequest):
    """With who was first, where that is known."""

    code = "already_answered"
    zh = "该问题已回答或已取消"
    en = "This question was answered or cancelled already"

    def __init__(self, answered_by: str | None = None, answered_at: str | None = None, door: str | None = None) -> None:
        super().__init__()
        self.winner = {"answered_by": answered_by, "answered_at": answered_at, "door": door}


class TaskInterrupted(InvalidRequest):
    """The question's task has ended, and took the question with it."""

    code = "task_interrupted"
    zh = "任务已被中断"
    en = "The task has ended"


class Refused(GlasshouseError):
    pass


class Unauthorized(Refused):
    code = "unauthorized"
    zh = "API 密钥无效"
    en = "Invalid API key"


class Forbidden(Refused):
    code = "forbidden"
    zh = "不允许的来源或主机：{detail}"
    en = "Host or origin not allowed: {detail}"


class RateLimited(Refused):
    code = "rate_limited"
    zh = "请求过于频繁，请稍后再试"
    en = "Too many requests, try again later"


class RecursiveLimitExceeded(Refused):
    code = "recursive_limit_exceeded"
    zh = "已达到多轮问答上限，请完成当前对话"
    en = "The limit of question rounds is reached; finish the current conversation"


class Missing(GlasshouseError):
    pass


class NotFound(Missing):
    code = "not_found"
    zh = "没有这个地址或内容"
    en = "Not found"


class SessionNotFound(Missing):
    code = "session_not_found"
    zh = "指定的会话不存在"
    en = "No such session"


class AnswerSessionNotFound(SessionNotFound):
    """The same code in other words: these are the seeds' for an answer."""

    zh = "会话不存在"
    en = "No such session"


class QuestionNotFound(Missing):
    code = "question_not_found"
    zh = "问题不存在或已超时"
    en = "No such question, or its time is over"


class TaskNotFound(Missing):
    code = "task_not_found"
    zh = "任务不存在"
    en = "No such task"


class AgentNotFound(Missing):
    code = "agent_not_found"
    zh = "该会话没有这个子代理或后台任务"
    en = "This session has no such agent or background task"


class PositionGone(Missing):
    code = "position_gone"
    zh = "该位置之前的事件已清理"
    en = "The events at this position are no longer kept"


class ChangeNotFound(Missing):
    code = "change_not_found"
    zh = "该会话没有改动过这个文件"
    en = "The session has not changed this file"


class MessageNotFound(Missing):
    code = "message_not_found"
    zh = "该会话中没有这条用户消息"
    en = "Nobody said this message in the session"


class Conflict(GlasshouseError):
    pass


class SessionBusy(Conflict):
    code = "session_busy"
    zh = "该会话正在执行任务"
    en = "This session is running a task"


class DirectoryBusy(SessionBusy):
    """The same code: to whoever wants to change files it means the same."""

    zh = "另一个会话的任务正在这个目录里工作"
    en = "A task of another session is at work in this directory"


class TaskConflict(Conflict):
    code = "task_conflict"
    zh = "任务 ID 已被使用"
    en = "This task id belongs to another request"


class FileChanged(Conflict):
    code = "file_changed"
    zh = "文件此后又有改动，没有还原：{detail}"
    en = "The file has changed since, and was left as it is: {detail}"


class RevertRefused(Conflict):
    code = "revert_refused"
    zh = "无法还原这个文件：{detail}"
    en = "This file cannot be put back: {detail}"


class DiffUnavailable(Conflict):
    code = "diff_unavailable"
    zh = "无法得知该会话改动了什么：{detail}"
    en = "What the session has changed cannot be told: {detail}"


class RewindRefused(Conflict):
    code = "rewind_refused"
    zh = "无法回到那里：{detail}"
    en = "There is no way back there: {detail}"


class TaskEnded(Conflict):
    code = "task_ended"
    zh = "任务已结束，不能再向它发送消息或更改设置"
    en = "The task has ended: it takes no more messages and no changes"


class MessageConflict(Conflict):
    code = "message_conflict"
    zh = "消息 ID 已被使用"
    en = "This message id belongs to another message"


class ChangeRefused(Conflict):
    """`detail` is the agent's reason."""

    code = "change_refused"
    zh = "正在运行的任务没有接受这个更改：{detail}"
    en = "The running task did not take this change: {detail}"


class Transport(GlasshouseError):
    pass


class MethodNotAllowed(Transport):
    code = "method_not_allowed"
    zh = "不支持的请求方法"
    en = "Method not allowed"


class TooLarge(Transport):
    code = "too_large"
    zh = "请求内容过大"
    en = "The request is too large"


class UnsupportedMediaType(Transport):
    code = "unsupported_media_type"
    zh = "请求内容类型须为 application/json"
    en = "The content type must be application/json"


class Unavailable(GlasshouseError):
    code = "unavailable"
    zh = "服务正在启动或停止，请稍后再试"
    en = "The server is starting or stopping, try again soon"


class StorageFull(GlasshouseError):
    code = "storage_full"
    zh = "存储空间不足或无法写入，请求未被接受"
    en = "The storage is full or cannot be written; the request was not accepted"


class Internal(GlasshouseError):
    code = "internal"
    zh = "服务内部错误，请稍后重试"
    en = "Internal error, try again later"

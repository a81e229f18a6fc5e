"""Everything outside, as core sees it: one Protocol a neighbour, and the values that cross it.

Store       the event log and its projections, one transaction for both
TaskQueue   which admitted task runs when
Engine      what does a task
Sessions    what the engines know of conversations, also those begun elsewhere
SessionIndex   …as lists show them, and as a search finds them
Conversations  what was said in them
Labels      the title and the tags that a person gives them
AgentFiles  what they keep of sub-agents
Processes   the processes of runs, and their certain end
FileTree    what is in a working directory
WorkingTrees  what sessions change in their directories
WaysBack    where conversations can be cut: to fork them, or to go back in them
Attachments  the files that come with prompts
Clock       time
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from glasshouse.contract.agent import Agent
from glasshouse.contract.command import Command
from glasshouse.contract.events import DurableEvent, LiveEvent, Stamp
from glasshouse.contract.instruction import MessageMode, ReceiptState
from glasshouse.contract.message import ConversationAgent, Damage
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import Answer, Door, Question, QuestionKind, QuestionState
from glasshouse.contract.task import (
    EngineName,
    Failure,
    Limit,
    Parked,
    PermissionMode,
    TaskRequest,
    TaskResult,
    TaskStatus,
)

# --- time


class Clock(Protocol):
    def now(self) -> datetime:
        """UTC."""

    def monotonic(self) -> float: ...


# --- the event log


@dataclass(frozen=True, slots=True)
class Blob:
    sha256: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """An event as it goes into the log: encoded once, here, for every reader there will ever be."""

    # None for what belongs to the session and outlives its tasks.
    task_id: str | None
    body: bytes
    durable: bool = True
    ends_task: bool = False
    blobs: tuple[Blob, ...] = ()


class Frame:
    """An event as it comes out: `seq` is its number in the session, None for a live one."""

    __slots__ = ("_sse", "body", "ends_task", "seq", "task_id")

    def __init__(self, seq: int | None, task_id: str | None, body: bytes, ends_task: bool = False) -> None:
        self.seq = seq
        self.task_id = task_id
        self.body = body
        self.ends_task = ends_task
        self._sse: bytes | None = None

    @property
    def sse(self) -> bytes:
        """The event as one write of a Server-Sent-Events stream; made once, shared by all subscribers."""
        if self._sse is None:
            number = b"" if self.seq is None else b"id: %d\n" % self.seq
            self._sse = b"%sdata: %s\n\n" % (number, self.body)
        return self._sse


@dataclass(frozen=True, slots=True)
class Bounds:
    """The first kept and the last given number of a session; an empty log has first = last + 1."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """A session's conversation up to one of its messages; None: nothing of it."""

    session_id: str
    message_id: str | None


@dataclass(frozen=True, slots=True)
class SessionRecord:
    session_id: str
    engine: EngineName
    working_dir: str
    created_at: str
    offline: bool
    # What the engine wants to know again at the session's next task, opaque to all others.
    engine_state: Mapping[str, Any] = field(default_factory=dict)
    forked_from: ForkPoint | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """What a task has cost, in US dollars, and how many turns it took; None: not known."""

    cost_usd: float | None = None
    num_turns: int | None = None


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """The projection of a task. `generation` counts its claims: an append under an old one is refused."""

    task_id: str
    session_id: str
    engine: EngineName
    status: TaskStatus
    working_dir: str
    request: Mapping[str, Any]
    created_at: str
    offline: bool = False
    deltas: bool = False
    generation: int = 0
    started_at: str | None = None
    ended_at: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    result: TaskResult | None = None
    # Over all turns at it; what it waited for a person is not in it.
    worked_ms: int = 0
    # Up to now, over all turns at it.
    figures: Figures = field(default_factory=Figures)
    # The last time that it was.
    parked: Parked | None = None


class AnsweredBy(StrEnum):
    PERSON = "person"
    DEFAULT = "default"
    # A person, to the same question in another session.
    ELSEWHERE = "elsewhere"
    # Nobody answered: the task ended, or the asking was one too many, or what it belongs to went on without it.
    TASK_END = "task_end"
    LIMIT = "limit"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """The projection of a question. `call_id` names the asking call: its questions go back to the asker together."""

    session_id: str
    question_id: str
    task_id: str | None
    kind: QuestionKind
    call_id: str
    question: Question
    # The asking call in its session, from 1; 0 for what is no round of questions: a permission, for one.
    round: int
    asked_at: str
    # Of the questions that the call itself asked; a follow-up has a parent instead, and its parent's place.
    index: int = 1
    total: int = 1
    parent_id: str | None = None
    state: QuestionState = QuestionState.PENDING
    # When its time is over, on the clock that runs only while a server does.
    due_at_uptime_s: float | None = None
    # What its kind brings along for people to see, and what the asker wants to find again.
    subject: Mapping[str, Any] = field(default_factory=dict)
    memo: Mapping[str, Any] = field(default_factory=dict)
    answer: Answer = None
    answered_at: str | None = None
    answered_by: AnsweredBy | None = None
    door: Door | None = None
    reason: str | None = None
    updated_input: Mapping[str, Any] | None = None
    # Who declined wants its task to end, not to go on.
    ends_task: bool = False
    # How the answer reached the agent.
    way: str | None = None


class TrustDecision(StrEnum):
    """Whether what a directory carries may run, or tasks run without it."""

    TRUST = "trust"
    WITHOUT = "without"


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """What a person has decided about a directory, as long as it carries precisely this."""

    directory: str
    digest: str
    decision: TrustDecision
    decided_at: str
    session_id: str
    question_id: str


@dataclass(frozen=True, slots=True)
class InstructionRecord:
    """The projection of an instruction: a message if it has a mode, else a change of what its task runs with."""

    task_id: str
    instruction_id: str
    session_id: str
    accepted_at: str
    mode: MessageMode | None = None
    content: str = ""
    permission_mode: PermissionMode | None = None
    model: str | None = None
    receipt: ReceiptState = ReceiptState.ACCEPTED
    reason: str | None = None

    @property
    def is_open(self) -> bool:
        return self.receipt.is_open


@dataclass(frozen=True, slots=True)
class InstructionIsNew:
    """Holds if the task has no instruction of this id; else `InstructionExists`."""

    task_id: str
    instruction_id: str


@dataclass(frozen=True, slots=True)
class OpenInstructionsAre:
    """Holds if precisely these instructions of the task are open; else `InstructionsMoved`."""

    task_id: str
    instruction_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class QuestionIsNew:
    """Holds if the session has no question of this id; else `QuestionExists`."""

    session_id: str
    question_id: str


@dataclass(frozen=True, slots=True)
class QuestionIsPending:
    """Holds if the question waits for its answer; else `QuestionSettled`."""

    session_id: str
    question_id: str


@dataclass(frozen=True, slots=True)
class TaskIsNew:
    """Holds if no task has this id; else the append fails with `TaskExists`."""

    task_id: str


@dataclass(frozen=True, slots=True)
class SessionIsFree:
    """Holds if no task of the session is queued, running, waiting or parked; else `SessionTaken`."""

    session_id: str


@dataclass(frozen=True, slots=True)
class TaskIs:
    """Holds if the task is in one of these states and of this generation; else `TaskMoved`."""

    task_id: str
    statuses: frozenset[TaskStatus]
    generation: int


Expectation = (
    TaskIsNew | SessionIsFree | TaskIs | QuestionIsNew | QuestionIsPending | InstructionIsNew | OpenInstructionsAre
)


class StoreRefused(Exception):
    """An expectation did not hold; nothing was written."""


class TaskExists(StoreRefused):
    def __init__(self, record: TaskRecord) -> None:
        super().__init__(f"task {record.task_id} exists")
        self.record = record


class SessionTaken(StoreRefused):
    pass


class QuestionExists(StoreRefused):
    def __init__(self, record: QuestionRecord) -> None:
        super().__init__(f"question {record.question_id} exists")
        self.record = record


class QuestionSettled(StoreRefused):
    def __init__(self, record: QuestionRecord | None) -> None:
        super().__init__("the question no longer waits")
        self.record = record


class InstructionExists(StoreRefused):
    def __init__(self, record: InstructionRecord) -> None:
        super().__init__(f"instruction {record.instruction_id} exists")
        self.record = record


class InstructionsMoved(StoreRefused):
    def __init__(self, task_id: str) -> None:
        super().__init__(f"other instructions of task {task_id} are open than was expected")


class TaskMoved(StoreRefused):
    def __init__(self, record: TaskRecord | None) -> None:
        super().__init__("the task is no longer in the expected state")
        self.record = record


class StoreUnavailable(Exception):
    """The store cannot write now (a full disk, an I/O error); nothing was acknowledged."""


@dataclass(frozen=True, slots=True)
class Append:
    """One step of a session: events, and the projections that follow from them, all or nothing.

    `task` replaces the task's record; the store fills in its `first_seq` (of the task's first event) and
    `last_seq` by itself. `by_person` is on the disk before it is acknowledged, and all before it too.
    """

    session_id: str
    entries: Sequence[Entry] = ()
    task: TaskRecord | None = None
    session: SessionRecord | None = None
    questions: Sequence[QuestionRecord] = ()
    trust: Sequence[TrustRecord] = ()
    instructions: Sequence[InstructionRecord] = ()
    expect: Sequence[Expectation] = ()
    by_person: bool = False


class StoreUnusable(Exception):
    """The store cannot be opened: damaged, somebody else's, or of a newer version. It was left as it is."""


class Lagged(Exception):
    """This subscriber fell behind what is kept for it: read from the log, then subscribe again."""


class Closed(Exception):
    """The server is going: there is nothing more to come on this subscription."""


class Subscription(Protocol):
    """What is delivered from the moment of subscribing on, in the order of the log; live frames between."""

    async def next(self) -> Sequence[Frame]:
        """At least one frame. Raises Lagged or Closed."""

    def close(self) -> None: ...


class TaskChanges(Protocol):
    """The records of tasks as they change, of all sessions."""

    async def next(self) -> Sequence[TaskRecord]:
        """At least one record. Raises Lagged or Closed."""

    def close(self) -> None: ...


class QuestionChanges(Protocol):
    """The records of questions as they are asked and change, of all sessions."""

    async def next(self) -> Sequence[QuestionRecord]:
        """At least one record. Raises Lagged or Closed."""

    def close(self) -> None: ...


class TrustMemory(Protocol):
    """What people have decided about directories."""

    async def trust(self, directory: str, digest: str) -> TrustRecord | None: ...


class Store(TrustMemory, Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def append(self, step: Append) -> int:
        """Write the step; returns the session's last number once it is committed. Raises StoreRefused."""

    def publish(self, session_id: str, entry: Entry) -> None:
        """Pass a live entry on to whoever listens, in order with what was appended before it. Never blocks."""

    def subscribe(self, session_id: str) -> Subscription:
        """From now on: no frame committed after this call returns is missed."""

    def subscribe_tasks(self) -> TaskChanges: ...

    def subscribe_questions(self) -> QuestionChanges: ...

    def hang_up(self) -> None:
        """End every subscription with Closed (the server is going)."""

    async def read(self, session_id: str, *, after: int, limit: int, task_id: str | None = None) -> Sequence[Frame]:
        """Durable frames with seq > after, oldest first, of the task only if one is named."""

    async def bounds(self, session_id: str) -> Bounds: ...

    async def task(self, task_id: str) -> TaskRecord | None: ...

    async def tasks(self, *, statuses: frozenset[TaskStatus], session_id: str | None = None) -> Sequence[TaskRecord]:
        """In the order of admission."""

    async def session(self, session_id: str) -> SessionRecord | None: ...

    async def sessions(self) -> Sequence[SessionRecord]:
        """All of them, the newest first."""

    async def current_tasks(self, session_ids: Collection[str]) -> Mapping[str, TaskRecord]:
        """Of each session that had one: the first task that has not ended, else the newest."""

    async def costs(self, session_ids: Collection[str] | None = None) -> Mapping[str, float]:
        """What the tasks of each session have cost together, where any of them says; None: of all sessions."""

    async def question(self, session_id: str, question_id: str) -> QuestionRecord | None: ...

    async def questions_of_call(self, session_id: str, call_id: str) -> Sequence[QuestionRecord]:
        """In the order of asking."""

    async def questions(
        self,
        *,
        states: frozenset[QuestionState],
        limit: int,
        session_id: str | None = None,
        task_id: str | None = None,
        after: int = 0,
    ) -> tuple[Sequence[QuestionRecord], int | None]:
        """In the order of asking, and the place to go on after; None if these are the last."""

    async def instruction(self, task_id: str, instruction_id: str) -> InstructionRecord | None: ...

    async def instructions(
        self, task_id: str, *, receipts: frozenset[ReceiptState] = frozenset(ReceiptState)
    ) -> Sequence[InstructionRecord]:
        """In the order in which they were accepted."""

    async def opening_questions(self, session_id: str) -> Sequence[QuestionRecord]:
        """Those of the session that wait, and whose answers may open follow-ups."""

    async def due_questions(self, uptime_s: float) -> Sequence[QuestionRecord]:
        """Those that wait although their time is over."""

    async def asking_rounds(self, session_id: str) -> int:
        """How many asking calls the session has had."""

    async def trust_questions(self) -> Sequence[QuestionRecord]:
        """Those that wait and are about a directory's trust, in the order of asking."""

    async def trusts(self) -> Sequence[TrustRecord]:
        """By directory; of one, the newest first."""

    async def forget_trust(self, directory: str) -> int:
        """All that was decided about it; returns how many decisions that were."""

    async def uptime_s(self) -> float:
        """How long servers have run on this store, as far as it was noted."""

    async def note_uptime(self, uptime_s: float) -> None: ...

    async def blob(self, sha256: str) -> bytes | None: ...

    async def quiet_sessions(self, before: str) -> Sequence[str]:
        """Those whose last event is older than this moment, and in which nothing runs or waits."""

    async def forget(self, session_id: str, before: str) -> bool:
        """Remove all that is kept of the session if it is still quiet; whether it was. No number is given again."""

    async def add_sign_in(self, token_hash: str, expires_at: float) -> None:
        """Remember a browser's sign-in until `expires_at` (seconds since the epoch)."""

    async def sign_ins(self) -> Mapping[str, float]: ...

    async def remove_sign_in(self, token_hash: str) -> None: ...


# --- which task runs when


class TaskQueue(Protocol):
    async def start(self, run: Callable[[str], Awaitable[bool]]) -> None:
        """Begin to call `run(task_id)`, never two of one session at a time.

        It tells whether the task is over. One that is not stays first in its session's line, which waits with it.
        """

    async def put(self, task: TaskRecord) -> None:
        """At the end of its session's line; one that is in it already is looked at again."""

    async def stop(self) -> None:
        """Start no more, and wait for what runs (which has been told to stop)."""


# --- files that come with prompts


@dataclass(frozen=True, slots=True)
class AttachedFile:
    name: str
    media_type: str
    size: int
    path: str


class Attachments(Protocol):
    """Folders of files, each in its session's own; out of every project."""

    async def keep(self, session_id: str, folder: str, files: Mapping[str, bytes]) -> None:
        """Whole or not at all, and on the disk when this returns; nothing is done if it is there already.

        Raises StoreUnavailable."""

    def path(self, session_id: str, folder: str | None = None) -> str:
        """Where it is, or would be; without a name, the session's own."""

    async def kept(self) -> Mapping[str, Sequence[str]]:
        """The names of the folders, by their sessions."""

    async def forget(self, session_id: str, folder: str | None = None) -> None:
        """The folder, or all of the session's."""


# --- engines


@dataclass(frozen=True, slots=True)
class EngineTask:
    """What an engine is told of a task."""

    task_id: str
    session_id: str
    prompt: str
    working_dir: str
    # Named by the caller: offered alone, and without a prompt. None: the engine's own set, within the bound.
    tools: tuple[str, ...] | None
    # What the operator allows to be offered at all; None: everything.
    tools_bound: tuple[str, ...] | None
    permission_mode: PermissionMode
    model: str | None
    max_turns: int | None
    deltas: bool
    offline: bool
    engine_state: Mapping[str, Any]
    # What the caller lets the agent ask by id alone.
    templates: Mapping[str, Question] = field(default_factory=dict)
    # The conversation has the prompt, from the session that this one is a fork of.
    prompted: bool = False
    # Not the first time that the task is taken up: it waited for a person meanwhile, without a process.
    continued: bool = False
    max_budget_usd: float | None = None
    attachments: tuple[AttachedFile, ...] = ()
    # Outside the project, and to be read without asking.
    readable: tuple[str, ...] = ()
    # Where the session's conversation begins, if it has none of its own yet.
    forked_from: ForkPoint | None = None
    # Of the task, before it was taken up this time.
    figures: Figures = field(default_factory=Figures)
    # When a person changed the permission mode to this one, if one did.
    mode_changed_at: str | None = None


@dataclass(frozen=True, slots=True)
class LimitHit:
    """`lifts_at` None: nobody knows."""

    kind: Limit
    lifts_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the engine's part ended. `failure` None and not `stopped` is success."""

    message: str
    failure: Failure | None = None
    detail: str | None = None
    stopped: bool = False
    # It waits for a person, and no process waits with it: the task is taken up again when it is answered.
    waiting: bool = False
    # The failure passes: the task may go on from here later.
    limit: LimitHit | None = None
    # Of the whole task, not of this part of it alone.
    cost_usd: float | None = None
    num_turns: int | None = None
    engine_state: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """What an engine puts to a person: one call, one question or several. Asked again, it finds the first."""

    call_id: str
    questions: Sequence[Question]
    kind: QuestionKind = QuestionKind.QUESTION
    # A model asks so often at the most until a person speaks again; what is denied to be asked again counts once.
    by_model: bool = True
    subject: Mapping[str, Any] = field(default_factory=dict)
    memo: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """An asking call and how far it is. Its own questions in order, and the follow-ups that answers opened."""

    call_id: str
    records: Sequence[QuestionRecord]

    @property
    def is_settled(self) -> bool:
        return not any(record.state is QuestionState.PENDING for record in self.records)

    @property
    def is_over_limit(self) -> bool:
        return any(record.answered_by is AnsweredBy.LIMIT for record in self.records)

    @property
    def roots(self) -> Sequence[QuestionRecord]:
        return [record for record in self.records if record.parent_id is None]


class StopSignal(Protocol):
    """Set when the task is to end: by a person, its time-out, or the server going."""

    def is_set(self) -> bool: ...

    async def wait(self) -> object: ...


class Run(Protocol):
    """A task being done, as its engine sees it."""

    @property
    def task(self) -> EngineTask: ...

    @property
    def stop(self) -> StopSignal: ...

    async def prepared(self) -> None:
        """Returns when the agent may begin to change things: what it begins with is remembered."""

    def stamp(self) -> Stamp: ...

    async def emit(self, event: DurableEvent) -> None:
        """Returns when the event is in the log."""

    def show(self, event: LiveEvent) -> None: ...

    async def ask(self, asking: Asking) -> Call:
        """Put it to a person, durably; returns at once. The task waits from here on."""

    async def call(self, call_id: str) -> Call | None:
        """A call that was asked before, in this process or an earlier one."""

    async def settled(self, call_id: str) -> Call:
        """Returns when all of its questions are answered, cancelled or out of time. Asked or known before."""

    async def withdraw(self, call_id: str) -> None:
        """Whoever asked no longer wants to know; what waits of the call is settled by nobody."""

    async def open_calls(self) -> Sequence[Call]:
        """The task's calls whose way back to the agent is not in the log, in the order of asking.

        Not those about a directory's trust: the agent did not ask them."""

    async def told(self, call_id: str, way: str) -> None:
        """The answers went back to the agent, in this way."""

    async def answered(self, *kinds: QuestionKind) -> Sequence[QuestionRecord]:
        """What was answered in the session, of these kinds, in the order of asking; in earlier tasks too."""

    async def unanswered(self, kind: QuestionKind) -> Sequence[QuestionRecord]:
        """Likewise what an agent asked and nobody answered in time."""

    def stops_agents_by(self, stop: Callable[[str], Awaitable[None]]) -> None:
        """How one of its agents is stopped while it runs; it returns when that is in the log, or cannot be."""

    async def spent(self, figures: Figures) -> None:
        """What the whole task has cost so far; returns when that would survive a crash."""

    async def instructions(self) -> Sequence[InstructionRecord]:
        """What people said to the task and the agent is not known to have, in the order in which it was accepted."""

    def instructed(self) -> Coroutine[Any, Any, None]:
        """Returns when `instructions` may have changed since this was last awaited."""

    async def note(
        self, instructions: Sequence[InstructionRecord], receipt: ReceiptState, reason: str | None = None
    ) -> None:
        """How far they are; returns when that is in the log. What is known already is not noted again."""

    def alive(self) -> None:
        """The engine heard from its agent (a sign of life that is no event)."""


@dataclass(frozen=True, slots=True)
class ToolInfo:
    name: str
    description: str
    offered: bool = True


class Engine(Protocol):
    name: EngineName

    async def run(self, run: Run) -> Outcome:
        """Do the task to its end. When this returns, nothing that it started runs any more; an agent that is ready for
        the session's next task, and does nothing, may be kept."""

    async def has_heard(self, task: TaskRecord, messages: Sequence[InstructionRecord]) -> Sequence[InstructionRecord]:
        """Of the task's messages that were on their way, in their order, those that the agent's own record of the
        conversation holds. No process is at the task."""

    def tools(self) -> Sequence[ToolInfo]: ...

    def knows_tool(self, name: str) -> bool: ...

    def commands(self, working_dir: Path, language: Language) -> Sequence[Command]:
        """Slash commands that a prompt there may begin with. Blocking: they are looked for on the disk."""

    def offline(self) -> bool:
        """Whether a new session would run on the offline demo model."""

    def new_session(self, request: TaskRequest, working_dir: str, *, deltas: bool, offline: bool) -> str:
        """The id of a session that begins there with this request: of an agent that is ready for it, else a new one."""

    async def let_go(self, session_id: str) -> None:
        """Keep nothing ready for this session: somebody else is about to write to it, or it goes."""

    async def close(self) -> None:
        """Keep nothing ready any more. When this returns, nothing that was kept runs."""

    def prepare(self) -> None:
        """Do now what is slow to do first, an import for one. Blocking: called in a thread, once all is ready."""


# --- the offline demo model


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where a model speaks the Messages API, and the key that it wants."""

    url: str
    key: str = field(repr=False)


# --- conversations that the engines keep


@dataclass(frozen=True, slots=True)
class KnownSession:
    session_id: str
    working_dir: str
    offline: bool


class Sessions(Protocol):
    async def find(self, session_id: str) -> KnownSession | None: ...

    async def newest(self, working_dir: str, *, offline: bool) -> KnownSession | None:
        """Of the sessions begun in exactly this directory; demo sessions and real ones are never mixed."""


@dataclass(frozen=True, slots=True)
class MessagesWanted:
    """A page, from the cursor on; of the sub-agent only if one is named."""

    limit: int
    newest_first: bool = False
    cursor: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class MessagesFound:
    """Each body is a `contract.message.Message` as JSON, cut like an event; `total` and `rounds` are of all pages."""

    bodies: Sequence[bytes]
    next_cursor: str | None
    total: int
    rounds: int
    agents: Sequence[ConversationAgent] = ()
    damaged: Damage | None = None


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """`fields` may have the beginnings of strings that are too long to be held; `pieces` are the whole as JSON, read
    while they are taken (blocking)."""

    fields: Mapping[str, Any]
    pieces: Callable[[], Iterator[bytes]]


class Conversations(Protocol):
    """Of sessions that people may see; None where nothing is known of the session, NotFound if of the sub-agent."""

    async def page(self, session_id: str, wanted: MessagesWanted, *, offline: bool) -> MessagesFound | None:
        """Raises PositionInvalid, or PositionGone where the cursor's place is no longer what it was."""

    async def message(
        self, session_id: str, uuid: str, *, offline: bool, agent: str | None = None
    ) -> WholeMessage | None: ...

    async def agents(self, session_id: str, *, offline: bool) -> Sequence[ConversationAgent] | None: ...

    def everything(
        self, session_id: str, *, offline: bool, agent: str | None = None
    ) -> AsyncIterator[Sequence[WholeMessage]]:
        """Oldest first, as they were when it began."""


class Labels(Protocol):
    async def label(self, session_id: str, *, offline: bool, title: str | None, tags: Sequence[str] | None) -> bool:
        """None leaves it as it is. False: nothing is kept of the session that could be labelled."""


class AgentFiles(Protocol):
    """What the engines keep of sub-agents."""

    async def of(self, session_id: str) -> Sequence[Agent]:
        """In the order in which they began, without their children."""


# --- and how they are found


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a list shows of a conversation that was written down."""

    session_id: str
    working_dir: str
    offline: bool
    title: str
    began_at: str
    active_at: str
    message_count: int
    damaged_lines: int = 0
    tools_used: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    cost_usd: float | None = None
    model: str | None = None
    git_branch: str | None = None
    tags: tuple[str, ...] = ()
    # With words to be found: the text around the first of them; None if all stand in the title.
    found_in: str | None = None


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """Newest first, behind `after`: the last one's `active_at` and id. None leaves a bound away."""

    working_dirs: Collection[str]
    limit: int
    words: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    tool: str | None = None
    min_cost: float | None = None
    # Whose transcripts do not tell it, but we know that they cost as much.
    costly: Collection[str] = ()
    after: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class DirectorySessions:
    working_dir: str
    count: int
    active_at: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """How many transcripts there are, how many of them lists know, and of how many the text can be searched."""

    total: int
    listed: int
    searchable: int


class SessionChanges(Protocol):
    """Sessions whose transcripts appeared, grew or went; several changes of one come as one."""

    async def next(self) -> Mapping[str, str | None]:
        """By id, with the directory that each was in before, if it was; at least one. Raises Closed."""

    def close(self) -> None: ...


class SessionIndex(Protocol):
    """Knows every transcript on this machine; made again from them where it is lost."""

    async def open(self) -> None: ...

    async def follow(self) -> None:
        """From now on notice what changes, by itself. Returns at once."""

    async def close(self) -> None: ...

    async def fresh(self, patience_s: float) -> Indexed:
        """Returns once the index has all that is on the disk at this moment, or when patience is over."""

    async def directories(self) -> Sequence[DirectorySessions]: ...

    async def page(self, query: SessionQuery) -> Sequence[SessionSummary]: ...

    async def get(self, session_id: str) -> SessionSummary | None: ...

    async def known(self, session_ids: Collection[str]) -> Collection[str]:
        """Those of them that it has."""

    def subscribe(self) -> SessionChanges: ...


# --- processes of runs


class ProcessesRemain(Exception):
    """These could not be ended in time: the kernel does not let go of them, or they run as another user."""

    def __init__(self, pids: Sequence[int]) -> None:
        super().__init__(f"still running: {', '.join(map(str, pids))}")
        self.pids = pids


class Processes(Protocol):
    """Every run's first process is `launcher`, which starts `program` under watch; a marker in the environment
    and the parentage together tell whose a process is, and only runs of this data directory are ever touched."""

    launcher: str

    def environment(self, run_id: str, program: str) -> Mapping[str, str]:
        """What `launcher` must find in its environment, to start `program` as a part of the run."""

    async def end(self, run_id: str, *, leave_s: float = 0.0) -> None:
        """End everything that the run started, however it tried to leave; nothing of it runs when this returns.

        Its program is asked by SIGTERM first, where it is given so many seconds. Raises ProcessesRemain."""

    async def strays(self, run_id: str) -> Sequence[int]:
        """What the run's program started and is no longer below it, although the program still runs."""

    async def sweep(self) -> int:
        """End what runs of an earlier server left behind; how many processes that were. Called before any run."""


# --- files of a working directory


@dataclass(frozen=True, slots=True)
class Names:
    """Of files, relative to their directory. `complete`: there are no others."""

    names: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Beginning:
    """Of a file: its first bytes, and its whole size."""

    content: bytes
    size: int


class FileTree(Protocol):
    """Both take a directory whose links are resolved. What is no text as a name is left out."""

    async def names(self, directory: Path) -> Names:
        """What people call the directory's files: without what a repository ignores; bounded in time and number."""

    def beginning(self, directory: Path, path: Path, limit: int) -> Beginning | None:
        """Of a regular file below the directory; None for whatever else is there. Blocking."""


# --- what sessions change in their directories


class NoTree(StrEnum):
    """Why it cannot be told what a session has changed."""

    NOT_A_REPOSITORY = "not_a_repository"
    NO_GIT = "no_git"
    TOO_SLOW = "too_slow"
    TOO_MANY_FILES = "too_many_files"
    UNREADABLE = "unreadable"
    NOT_RECORDED = "not_recorded"
    LOST = "lost"


class TreeUnavailable(Exception):
    def __init__(self, reason: NoTree) -> None:
        super().__init__(reason)
        self.reason = reason


class ChangedMeanwhile(Exception):
    """The file is no longer what it was found to be; nothing was done to it."""


class _Said(Exception):
    """Why not, for people."""

    def __init__(self, why: Phrase, **fields: object) -> None:
        super().__init__(why.say("en", **fields))
        self._why = why
        self._fields = fields

    def say(self, language: Language) -> str:
        return self._why.say(language, **self._fields)


class NotRestored(_Said):
    """The file cannot be put back. Nothing was done to it."""


class ChangeStatus(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file as git names it: what it is (its mode) and what it holds (the hash of that)."""

    mode: str
    hash: str

    @property
    def is_repository(self) -> bool:
        return self.mode == "160000"


@dataclass(frozen=True, slots=True)
class TreeChange:
    """Of one file, by its name in the session's directory. Counts are of lines, None where it has none."""

    path: bytes
    # Of what was renamed.
    old_path: bytes | None
    status: ChangeStatus
    before: TreeFile | None
    now: TreeFile | None
    additions: int | None
    deletions: int | None
    # Known by size and time alone.
    large: bool = False


class Comparison(Protocol):
    """A directory as it was and as it is at this moment. Raises TreeUnavailable where git gives up."""

    @property
    def recorded_at(self) -> str: ...

    @property
    def changes(self) -> Sequence[TreeChange]:
        """By name."""

    async def patch(self, changes: Sequence[TreeChange], limit: int) -> bytes:
        """As unified differences; of more than `limit` bytes the first."""

    async def changed_at(self, change: TreeChange) -> float:
        """When the file that is there now was last touched, in seconds since the epoch."""

    async def restore(self, change: TreeChange) -> None:
        """Put the file back as it was. Raises ChangedMeanwhile, NotRestored."""


class WorkingTrees(Protocol):
    async def remember(self, session_id: str, working_dir: str) -> None:
        """How the directory is now, uncommitted and untracked files included: once a session, in bounded time.

        Where that is not possible, it is remembered why."""

    def compare(self, session_id: str, working_dir: str) -> AbstractAsyncContextManager[Comparison]:
        """With what was remembered. Raises TreeUnavailable."""

    async def forget(self, session_id: str) -> None: ...


# --- the way back in a conversation


@dataclass(frozen=True, slots=True)
class ConversationPoint:
    """`at` is the last entry before it, None at the very beginning; `kept` messages come before.

    `dropped` is from where to where the engine's record of the conversation would no longer count, in bytes."""

    at: str | None
    # What the person said there.
    prompt: str | None
    kept: int
    dropped: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FilesBack:
    """`files` by their absolute paths; counts of lines, None where they are not told."""

    files: Sequence[str] = ()
    insertions: int | None = None
    deletions: int | None = None
    skipped_links: int = 0


class NoWayBack(_Said):
    """The engine cannot go back there; nothing was done."""


class WaysBack(Protocol):
    async def newest_message(self, session_id: str, dropped: Sequence[tuple[int, int]], *, offline: bool) -> str | None:
        """The newest that the conversation can go on from, no call before it being without its result; of what was
        `dropped`, in bytes, it is none."""

    async def before_message(self, session_id: str, message_id: str, *, offline: bool) -> ConversationPoint | None:
        """Just before a person said this; None if nobody did, in this session."""

    async def at_call(self, session_id: str, call_id: str, *, offline: bool) -> ConversationPoint | None:
        """Where this call has been made and has no result."""

    async def files_before(
        self, session: KnownSession, message_id: str, may_write: Callable[[str], bool] | None
    ) -> FilesBack:
        """Put the files that the agent's editing tools wrote back to how they were when a person said this, if
        `may_write` holds for every one of them; None: only tell. Raises NoWayBack."""

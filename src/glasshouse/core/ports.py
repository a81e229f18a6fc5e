"""Everything outside, as core sees it: one Protocol a neighbour, and the values that cross it.

Store       the event log and its projections, one transaction for both
TaskQueue   which admitted task runs when
Engine      what does a task
Sessions    what the engines know of conversations, also those begun elsewhere
Processes   the processes of runs, and their certain end
Clock       time
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from glasshouse.contract.events import DurableEvent, LiveEvent, Stamp
from glasshouse.contract.task import EngineName, Failure, PermissionMode, TaskResult, TaskStatus

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

    task_id: str
    body: bytes
    durable: bool = True
    ends_task: bool = False
    blobs: tuple[Blob, ...] = ()


class Frame:
    """An event as it comes out: `seq` is its number in the session, None for a live one."""

    __slots__ = ("_sse", "body", "ends_task", "seq", "task_id")

    def __init__(self, seq: int | None, task_id: str, body: bytes, ends_task: bool = False) -> None:
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
class SessionRecord:
    session_id: str
    engine: EngineName
    working_dir: str
    created_at: str
    offline: bool
    # What the engine wants to know again at the session's next task, opaque to all others.
    engine_state: Mapping[str, Any] = field(default_factory=dict)


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


Expectation = TaskIsNew | SessionIsFree | TaskIs


class StoreRefused(Exception):
    """An expectation did not hold; nothing was written."""


class TaskExists(StoreRefused):
    def __init__(self, record: TaskRecord) -> None:
        super().__init__(f"task {record.task_id} exists")
        self.record = record


class SessionTaken(StoreRefused):
    pass


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


class Store(Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def append(self, step: Append) -> int:
        """Write the step; returns the session's last number once it is committed. Raises StoreRefused."""

    def publish(self, session_id: str, entry: Entry) -> None:
        """Pass a live entry on to whoever listens, in order with what was appended before it. Never blocks."""

    def subscribe(self, session_id: str) -> Subscription:
        """From now on: no frame committed after this call returns is missed."""

    def subscribe_tasks(self) -> TaskChanges: ...

    def hang_up(self) -> None:
        """End every subscription with Closed (the server is going)."""

    async def read(self, session_id: str, *, after: int, limit: int, task_id: str | None = None) -> Sequence[Frame]:
        """Durable frames with seq > after, oldest first, of the task only if one is named."""

    async def bounds(self, session_id: str) -> Bounds: ...

    async def task(self, task_id: str) -> TaskRecord | None: ...

    async def tasks(self, *, statuses: frozenset[TaskStatus], session_id: str | None = None) -> Sequence[TaskRecord]:
        """In the order of admission."""

    async def session(self, session_id: str) -> SessionRecord | None: ...

    async def blob(self, sha256: str) -> bytes | None: ...

    async def add_sign_in(self, token_hash: str, expires_at: float) -> None:
        """Remember a browser's sign-in until `expires_at` (seconds since the epoch)."""

    async def sign_ins(self) -> Mapping[str, float]: ...

    async def remove_sign_in(self, token_hash: str) -> None: ...


# --- which task runs when


class TaskQueue(Protocol):
    async def start(self, run: Callable[[str], Awaitable[None]]) -> None:
        """Begin to call `run(task_id)`, never two of one session at a time."""

    async def put(self, task: TaskRecord) -> None: ...

    async def stop(self) -> None:
        """Start no more, and wait for what runs (which has been told to stop)."""


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the engine's part ended. `failure` None and not `stopped` is success."""

    message: str
    failure: Failure | None = None
    detail: str | None = None
    stopped: bool = False
    cost_usd: float | None = None
    num_turns: int | None = None
    engine_state: Mapping[str, Any] | None = None


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

    def stamp(self) -> Stamp: ...

    async def emit(self, event: DurableEvent) -> None:
        """Returns when the event is in the log."""

    def show(self, event: LiveEvent) -> None: ...

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
        """Do the task to its end. When this returns, nothing that it started runs any more."""

    def tools(self) -> Sequence[ToolInfo]: ...

    def knows_tool(self, name: str) -> bool: ...

    def offline(self) -> bool:
        """Whether a new session would run on the offline demo model."""

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

    async def end(self, run_id: str) -> None:
        """End everything that the run started, however it tried to leave; nothing of it runs when this returns.

        Raises ProcessesRemain."""

    async def sweep(self) -> int:
        """End what runs of an earlier server left behind; how many processes that were. Called before any run."""

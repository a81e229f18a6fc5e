"""From settings to services: every implementation is named here and nowhere else."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import glasshouse
from glasshouse.adapters.attachments import AttachmentFolders
from glasshouse.adapters.clock import SystemClock
from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.adapters.file_tree import LocalFileTree
from glasshouse.adapters.git import GitTrees
from glasshouse.adapters.machine import memory_bytes
from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.adapters.queue.local import LocalQueue
from glasshouse.adapters.session_index import TranscriptIndex
from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.bootstrap.doctor import examine
from glasshouse.bootstrap.services import Services
from glasshouse.claude_home import ClaudeHome, SubAgents, Transcripts
from glasshouse.claude_home.conversation import ConversationReader
from glasshouse.core.access import Access
from glasshouse.core.admission import Admission, TaskPolicy
from glasshouse.core.agents import SessionAgents
from glasshouse.core.changes import Changes
from glasshouse.core.conversation import Conversation
from glasshouse.core.directories import Surroundings, directories
from glasshouse.core.execution import Execution
from glasshouse.core.files import Files
from glasshouse.core.forking import Forks
from glasshouse.core.history import History
from glasshouse.core.instructions import Instructions
from glasshouse.core.limits import SlidingWindow
from glasshouse.core.ports import Engine
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.uptime import Uptime
from glasshouse.core.retention import Retention
from glasshouse.core.rewind import Rewind
from glasshouse.core.self_check import SelfChecks
from glasshouse.core.settings import Settings
from glasshouse.core.visible import VisibleSessions
from glasshouse.core.workplaces import Workplaces
from glasshouse.engines.claude import ClaudeEngine, ClaudeLabels, ClaudeWaysBack
from glasshouse.engines.claude.program import build_of, claude_code
from glasshouse.testing.offline_model import OfflineModel, Script, examples

_WRONG_KEYS_A_MINUTE = 10
# What a Claude Code holds that waits for its session's next task; and more than a person comes back to.
_A_PROCESS = 226 * 1024 * 1024
_MOST_WARM = 4
_TASK_PATHS = ("/api/task", "/api/task/stream")


def build(
    settings: Settings,
    data: DataDirectory,
    environment: Mapping[str, str],
    *,
    scripts: Sequence[Script] | None = None,
) -> Services:
    """`data` is prepared and locked; `scripts` are what the offline model plays, by default the demo. Raises
    BadSettings."""
    clock = SystemClock()
    identity = data.identity()
    home = ClaudeHome.of(environment, Path.home())
    offline_home = ClaudeHome.at(data.path / "offline")
    places = directories(settings, _surroundings(), data_dir=data.path, claude_dir=home.config_dir)
    store = SqliteStore(data.path / "glasshouse.db")
    attachments = AttachmentFolders(data.path / "attachments")
    queue = LocalQueue()
    processes = SupervisedProcesses(data.path / "run", identity)
    uptime = Uptime(store=store, clock=clock)
    sessions = Transcripts(home=home, offline_home=offline_home)
    visible = VisibleSessions(store=store, sessions=sessions, directories=places)
    index = TranscriptIndex(
        data.path / "sessions.db", roots={False: home.transcripts_dir, True: offline_home.transcripts_dir}
    )
    trees = GitTrees(data.path / "trees", covers=places.guard.covers, clock=clock)
    workplaces = Workplaces(store)
    desk = Desk(
        store=store,
        queue=queue,
        clock=clock,
        uptime=uptime,
        language=settings.language,
        timeout_s=settings.question_timeout_s,
        limit=settings.question_limit,
    )
    offline_model = OfflineModel(scripts, settings.language)
    engine = ClaudeEngine(
        home=home,
        offline_home=offline_home,
        run_files=data.path / "run" / "files",
        processes=processes,
        environment=environment,
        language=settings.language,
        trust=settings.trust,
        trust_memory=store,
        offline=settings.offline,
        offline_model=offline_model.start,
        defer=settings.defer,
        warm=_affordable() if settings.warm_processes is None else settings.warm_processes,
        allow_bypass=settings.allow_bypass,
    )
    engines: dict[str, Engine] = {engine.name: engine}
    ways_back = ClaudeWaysBack(
        home=home,
        offline_home=offline_home,
        processes=processes,
        environment=environment,
        offline_model=offline_model.start,
    )
    conversation = Conversation(
        store=store,
        visible=visible,
        kept=ConversationReader(home=home, offline_home=offline_home),
        labels=ClaudeLabels(home=home, offline_home=offline_home),
    )
    admission = Admission(
        store=store,
        queue=queue,
        sessions=sessions,
        visible=visible,
        engines=engines,
        attachments=attachments,
        directories=places,
        policy=TaskPolicy(
            allowed_tools=None if settings.allowed_tools is None else frozenset(settings.allowed_tools),
            allow_bypass=settings.allow_bypass,
        ),
        clock=clock,
        language=settings.language,
    )
    instructions = Instructions(store=store, clock=clock, language=settings.language, check_mode=admission.check_mode)
    execution = Execution(
        store=store,
        engines=engines,
        attachments=attachments,
        desk=desk,
        instructions=instructions,
        queue=queue,
        trees=trees,
        workplaces=workplaces,
        clock=clock,
        language=settings.language,
        timeout_s=settings.task_timeout_s,
        tools_bound=settings.allowed_tools,
    )
    return Services(
        version=glasshouse.__version__,
        settings=settings,
        directories=places,
        clock=clock,
        store=store,
        attachments=attachments,
        queue=queue,
        processes=processes,
        engines=engines,
        uptime=uptime,
        retention=Retention(
            store=store, trees=trees, attachments=attachments, clock=clock, days=settings.retention_days
        ),
        desk=desk,
        sessions=sessions,
        visible=visible,
        forks=Forks(
            store=store,
            visible=visible,
            ways_back=ways_back,
            let_go=engine.let_go,
            clock=clock,
            language=settings.language,
        ),
        self_checks=SelfChecks(
            by_itself=settings.self_check == "auto",
            build=lambda: build_of(claude_code()),
            examine=lambda: examine(build, environment),
            memory=data,
            defer=engine.trust_to_keep_questions,
        ),
        conversation=conversation,
        files=Files(places.guard, LocalFileTree()),
        agents=SessionAgents(
            store=store,
            files=SubAgents(home=home, offline_home=offline_home),
            visible=visible,
            execution=execution,
            desk=desk,
            language=settings.language,
        ),
        index=index,
        history=History(store=store, index=index, visible=visible, clock=clock),
        access=Access(key=settings.api_key or data.api_key(), spend_code=data.spend_code, store=store, clock=clock),
        admission=admission,
        instructions=instructions,
        execution=execution,
        rewind=Rewind(
            store=store,
            queue=queue,
            desk=desk,
            visible=visible,
            ways_back=ways_back,
            workplaces=workplaces,
            let_go=engine.let_go,
            clock=clock,
            language=settings.language,
        ),
        changes=Changes(
            store=store, visible=visible, trees=trees, workplaces=workplaces, clock=clock, language=settings.language
        ),
        cookie=f"glasshouse_{identity}",
        wrong_keys=SlidingWindow(_WRONG_KEYS_A_MINUTE, clock),
        task_rates={path: SlidingWindow(settings.rate_limit, clock) for path in _TASK_PATHS},
        examples=examples,
        stop_offline_model=offline_model.stop,
    )


def _affordable() -> int:
    """So many processes may do nothing: an eighth of the memory."""
    return min(_MOST_WARM, memory_bytes() // 8 // _A_PROCESS)


def _surroundings() -> Surroundings:
    return Surroundings(started_in=Path.cwd(), home=Path.home(), is_root=os.geteuid() == 0, checkout=_checkout())


def _checkout() -> Path | None:
    """The clone that this code runs from; None if it is installed elsewhere."""
    root = Path(glasshouse.__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "src" / "glasshouse").is_dir() else None

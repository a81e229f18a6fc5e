"""A task, done by one Claude Code process: started, asked, listened to until its turn is over, and ended."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any

from claude_agent_sdk import AssistantMessage, Message, ResultMessage, StreamEvent

from glasshouse.contract.events import LiveEvent
from glasshouse.contract.task import TaskStatus
from glasshouse.core import messages
from glasshouse.core.ports import Outcome, Run, StoreUnavailable
from glasshouse.engines.claude.activity import Activity, results_in
from glasshouse.engines.claude.attached import content_of
from glasshouse.engines.claude.beginning import MESSAGE, Beginning, Present, Say
from glasshouse.engines.claude.connection import Connection
from glasshouse.engines.claude.costs import Meter
from glasshouse.engines.claude.failures import (
    DIED,
    EXIT_CODE,
    NO_RESULT,
    NOT_STARTED,
    TOO_SLOW,
    engine_failed,
)
from glasshouse.engines.claude.grants import Approvals
from glasshouse.engines.claude.launch import Launch
from glasshouse.engines.claude.outcome import deaths, outcome_of, waiting
from glasshouse.engines.claude.patience import Waiting
from glasshouse.engines.claude.permissions import Permissions
from glasshouse.engines.claude.process import Broken, ClaudeProcess, NotReady
from glasshouse.engines.claude.questions import Questions
from glasshouse.engines.claude.steering import Steering
from glasshouse.engines.claude.translate import Translator
from glasshouse.engines.claude.trust import tell_started
from glasshouse.engines.claude.turn import Turn
from glasshouse.engines.claude.workplace import Workplace

log = logging.getLogger(__name__)

# How long an interrupted turn may take to give its result; it takes some milliseconds.
_INTERRUPT_S = 1.0
# How long a Claude Code that has done its work may take to leave; it takes some milliseconds, but for hooks of the
# user's. With commands in the background, which are ended anyway, it would wait for those.
_LEAVE_S = 2.0
_LEAVE_COMMANDS_S = 0.2
# So often a task whose process dies while a person is asked goes on with another one.
_MOST_DEATHS = 3
# How long the end of an agent that is stopped may take to be told; it takes some milliseconds.
_STOP_AGENT_S = 5.0
# A call that Claude Code kept is presented at once, or not at all.
_PRESENT_S = 10.0


class NotPresented(Exception):
    """Claude Code was to present a call that it had kept, and did not: it has lost it."""


class NotTaken(Exception):
    """A process that was kept died before it took the prompt: another one can be asked the same."""


class Drive:
    def __init__(
        self,
        run: Run,
        launch: Launch,
        beginning: Beginning,
        connection: Connection,
        workplace: Workplace,
        *,
        keep: Callable[[Connection], Awaitable[None]] | None = None,
    ) -> None:
        """`connection` is open already, or is opened here, and ended here; unless it may be kept, and is given to
        `keep`."""
        self._run = run
        self._launch = launch
        self._beginning = beginning
        self._connection = connection
        self._at = workplace
        self._keep = keep
        self._heard = connection.heard
        self._heard.forget()
        self._metering: asyncio.Task[None] | None = None
        self._asked = False
        self._is_heard = False
        self._turn = Turn()
        self._meter = Meter(run, launch.task, connection.cost_usd if connection.is_reused else launch.cost_before)
        self._activity = Activity()
        self._waiting = Waiting(run, self._activity, workplace.patience)
        self._permissions = Permissions(
            run,
            launch.task,
            workplace.language,
            activity=self._activity,
            waiting=self._waiting,
            approvals=Approvals(run, beginning.approved),
            grants=beginning.grants,
        )
        self._steering = Steering(run, self._turn, self._permissions)
        self._questions = Questions(run, launch.task, workplace.language, self._waiting, self._steering)
        # Before it is presented the model has nothing to say.
        self._expected = asyncio.Event()
        self._expected.set()
        # Calls whose results Claude Code has.
        self._returned: list[str] = []
        # Calls whose answers a message has brought, until Claude Code is heard to have it.
        self._told: tuple[str, ...] = ()
        self._translator = Translator(
            stamp=run.stamp,
            language=workplace.language,
            working_dir=launch.task.working_dir,
            named_tools=launch.task.tools or (),
            offline=launch.task.offline,
            continued=launch.task.continued,
            earlier_calls=beginning.tools,
        )

    async def to_its_end(self) -> Outcome:
        """When this returns or raises, nothing of the run is left, but for ProcessesRemain and what is kept.

        Raises NotPresented, NotTaken."""
        self._run.stops_agents_by(self._stop_agent)
        work = asyncio.create_task(self._work())
        stop = asyncio.create_task(_wait(self._run))
        let_go = asyncio.create_task(self._wait_let_go())
        spent_out = asyncio.create_task(self._wait_spent_out())
        try:
            await asyncio.wait({work, stop, let_go, spent_out}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return self._with_figures(work.result())
            if let_go.done() and not stop.done():
                return self._with_figures(waiting(self._launch.task))
            if await self._run.open_calls():
                # The server goes, and the question stays: an interrupt would answer it.
                self._waiting.let_go.set()
            else:
                await self._interrupt(work)
            return self._with_figures(self._stopped())
        finally:
            await _even_if_cancelled(self._end(work, stop, let_go, spent_out))

    # --- the work

    async def _work(self) -> Outcome:
        language = self._at.language
        sentence = NOT_STARTED
        problem: Broken | None = None
        following: asyncio.Task[None] | None = None
        try:
            process = await self._connected()
            sentence = DIED
            await tell_started(self._run, self._beginning.trusted)
            await self._run.prepared()
            self._asked = True
            self._metering = asyncio.create_task(self._meter.watch(process.usage))
            following = asyncio.create_task(self._steering.follow(process))
            async for step in self._steps():
                await self._take(process, step)
                if self._turn.deferred:
                    return waiting(self._launch.task)
        except NotReady:
            said = f": {self._heard}" if str(self._heard) else ""
            return engine_failed(language, TOO_SLOW, seconds=self._at.start_timeout_s, said=said)
        except Broken as broken:
            problem = broken
        finally:
            if following is not None:
                following.cancel()
                for trouble in await asyncio.gather(following, return_exceptions=True):
                    if isinstance(trouble, Exception):
                        log.warning("messages could not be brought in while the turn ran: %s", trouble)
        # After an error Claude Code reports a result, and then may end as if it had broken.
        outcome = outcome_of(self._turn, self._launch.task, language)
        if outcome is None and self._connection.is_reused and not self._is_heard:
            raise NotTaken
        if outcome is None and await self._run.open_calls() and deaths(self._launch.task) < _MOST_DEATHS:
            # What it asked is in our log: the answer finds another process.
            return waiting(self._launch.task, died=True)
        return outcome or engine_failed(language, sentence, reason=self._reason(problem))

    async def _steps(self) -> AsyncGenerator[Present | Say]:
        """How it begins, and then what was said meanwhile, a turn each, as long as all goes well."""
        for step in self._beginning.steps:
            yield step
        begun = bool(self._beginning.steps)
        while not begun or self._turn.went_well:
            said = await self._steering.next_turn()
            if said is None:
                return
            begun = True
            yield said

    async def _take(self, process: ClaudeProcess, step: Present | Say) -> None:
        """Raises Broken, NotPresented."""
        if isinstance(step, Say):
            self._turn.begin(step.uuid)
            self._told = step.told
            content: str | list[dict[str, Any]] = step.text
            if step.files:
                content = await asyncio.to_thread(content_of, step.text, step.files, self._at.language)
            await process.ask(content, step.uuid)
            await self._listen(process)
            return
        self._turn.begin(None)
        self._expected = self._questions.expect(step.call_id)
        presented = asyncio.create_task(self._presented(step.call_id))
        listening = asyncio.create_task(self._listen(process))
        try:
            await asyncio.wait({presented, listening}, return_when=asyncio.FIRST_COMPLETED)
            if presented.done():
                presented.result()
            elif not self._expected.is_set():
                listening.result()
                raise NotPresented
            await listening
        finally:
            for task in (presented, listening):
                task.cancel()
            await asyncio.gather(presented, listening, return_exceptions=True)

    async def _presented(self, call_id: str) -> None:
        try:
            async with asyncio.timeout(_PRESENT_S):
                await self._questions.expect(call_id).wait()
        except TimeoutError:
            raise NotPresented from None

    async def _connected(self) -> ClaudeProcess:
        """Raises NotReady, Broken."""
        for step in self._beginning.steps:
            if isinstance(step, Present):
                self._questions.expect(step.call_id)
        self._connection.lead_to(self._run, self._questions, self._permissions)
        return self._connection.process if self._connection.is_open else await self._connection.open()

    async def _listen(self, process: ClaudeProcess) -> None:
        """Until the turn is over, or there is nothing more to be heard. Raises Broken."""
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(None) as patience, aclosing(process.messages()) as heard:
                async for message in heard:
                    # Only silence counts, not the time that our own log takes.
                    patience.reschedule(None)
                    self._is_heard = True
                    self._run.alive()
                    self._turn.see(message)
                    self._meter.hear(message)
                    await self._steering.see(message)
                    if isinstance(message, AssistantMessage) and not self._expected.is_set():
                        raise NotPresented
                    await self._tell(message)
                    await self._note(message)
                    if self._turn.over or self._turn.hopeless:
                        return
                    seconds = self._turn.patience_s
                    patience.reschedule(None if seconds is None else clock() + seconds)
        except TimeoutError:
            if not patience.expired():
                raise

    async def _tell(self, message: Message) -> None:
        for event in self._translator.events(message):
            if isinstance(event, LiveEvent):
                self._run.show(event)
            else:
                await self._run.emit(event)

    async def _note(self, message: Message) -> None:
        """What the message says of calls, once it is in the log."""
        self._activity.see(message)
        if isinstance(message, AssistantMessage | StreamEvent | ResultMessage):
            # The model has spoken, so it has what came before; until then a death could make Claude Code forget it.
            for call_id in self._returned:
                await self._questions.returned(call_id)
            for call_id in self._told:
                await self._run.told(call_id, MESSAGE)
            self._returned, self._told = [], ()
        self._returned += results_in(message)

    def _reason(self, problem: Broken | None) -> str:
        language = self._at.language
        if str(self._heard):
            return str(self._heard)
        if problem is None:
            return NO_RESULT.say(language)
        if problem.exit_code is not None:
            return EXIT_CODE.say(language, code=problem.exit_code)
        return str(problem)

    async def _stop_agent(self, agent_id: str) -> None:
        agents = self._translator.agents
        if not agents.is_running(agent_id):
            return
        # It may end, and the process with it, at this very moment.
        with suppress(Broken, TimeoutError):
            async with asyncio.timeout(_STOP_AGENT_S):
                await self._connection.process.stop_agent(agent_id)
                await self._activity.when(lambda: not agents.is_running(agent_id))

    # --- its end

    async def _interrupt(self, work: asyncio.Task[Outcome]) -> None:
        """Have the turn ended by its own means, if it has begun: its transcript is whole then."""
        if not self._asked:
            return
        self._turn.stop()
        interrupting = asyncio.create_task(self._interrupt_process(self._connection.process))
        await asyncio.wait({work}, timeout=_INTERRUPT_S)
        interrupting.cancel()
        await asyncio.gather(interrupting, return_exceptions=True)

    async def _interrupt_process(self, process: ClaudeProcess) -> None:
        await self._steering.hold()
        await process.interrupt()

    async def _wait_let_go(self) -> None:
        await self._waiting.let_go.wait()

    async def _wait_spent_out(self) -> None:
        await self._meter.spent_out.wait()

    def _stopped(self) -> Outcome:
        return Outcome(messages.ENDED[TaskStatus.CANCELLED].say(self._at.language), stopped=True)

    def _with_figures(self, outcome: Outcome) -> Outcome:
        return self._meter.on(outcome, self._turn, self._at.language)

    async def _end(self, work: asyncio.Task[Outcome], *others: asyncio.Task[None]) -> None:
        grace_s = 0.0
        # One that waits for a person is not spoken to again, that would lose the call. Nor is it killed at once: it
        # notes at its end where its conversation stands, and a resume goes back to what was noted last.
        keeps = self._turn.deferred or self._waiting.let_go.is_set()
        if self._turn.result is not None and not keeps and not self._run.stop.is_set():
            grace_s = _LEAVE_COMMANDS_S if self._turn.commands_run_on else _LEAVE_S
        ending = [work, *others, *([self._metering] if self._metering else [])]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        self._connection.cost_usd = self._meter.total_usd
        if self._keep is not None and self._is_clean(work) and not await self._connection.has_strays():
            await self._keep(self._connection)
        else:
            await self._connection.end(grace_s, by_signal_s=_LEAVE_S if keeps else 0.0)
        # Where it cannot be written, the task's own end says it.
        with suppress(StoreUnavailable):
            for event in self._translator.agents.left():
                await self._run.emit(event)

    def _is_clean(self, work: asyncio.Task[Outcome]) -> bool:
        """Whether it has nothing left to do or to tell, and is what it was started as."""
        if work.cancelled() or work.exception() is not None or self._run.stop.is_set() or self._waiting.let_go.is_set():
            return False
        outcome = work.result()
        return (
            outcome.failure is None
            and not outcome.waiting
            and self._turn.over
            and not self._turn.works_on
            and not self._activity.background
            and self._activity.results.issuperset(self._activity.calls)
            and self._steering.is_done
            and not self._steering.has_changed
            and not self._permissions.has_changed_mode
            and not self._connection.altered
        )


async def _wait(run: Run) -> None:
    await run.stop.wait()


async def _even_if_cancelled(ending: Coroutine[Any, Any, None]) -> None:
    """What must not be left half done, and takes a bounded time."""
    task = asyncio.create_task(ending)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError

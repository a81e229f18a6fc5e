"""What people say to a task while its process works: brought to Claude Code when the turn can take it, and receipted.

A message that steers is given to Claude Code at once and joins the running turn; one that is queued stays in our log
until the turn is over. Claude Code's own queue is never used for those: it makes one prompt of several, and starts it
over a question that it was to keep.
"""

import asyncio

from claude_agent_sdk import AssistantMessage, Message, ResultMessage, StreamEvent, UserMessage

from glasshouse.contract.ids import uuid_of
from glasshouse.contract.instruction import MessageMode, ReceiptState
from glasshouse.core.ports import InstructionRecord, Run
from glasshouse.engines.claude.beginning import Say
from glasshouse.engines.claude.permissions import Permissions
from glasshouse.engines.claude.process import Broken, ClaudeProcess, Declined
from glasshouse.engines.claude.turn import Turn


class Steering:
    """Of one process at one task."""

    def __init__(self, run: Run, turn: Turn, permissions: Permissions) -> None:
        self._run = run
        self._turn = turn
        self._permissions = permissions
        self._process: ClaudeProcess | None = None
        # By the ids that Claude Code knows them by: given to it, and not heard to be taken.
        self._on_their_way: dict[str, InstructionRecord] = {}
        # Taken, and the model has not spoken since; until then a death could make Claude Code forget them.
        self._taken: list[InstructionRecord] = []
        # It is no longer what it was started as.
        self.has_changed = False
        self._held = False
        self._turn_took_more = False
        self._news = asyncio.Event()
        # One at a time gives, or takes back.
        self._giving = asyncio.Lock()

    async def follow(self, process: ClaudeProcess) -> None:
        """Until cancelled, or the process is gone."""
        self._process = process
        hearing = asyncio.create_task(self._hear())
        try:
            while True:
                self._news.clear()
                await self._bring_in(process)
                await self._news.wait()
        except Broken:
            return  # who listens to the process hears it, too
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async def see(self, message: Message) -> None:
        """Each of the process's messages, after the turn has seen it."""
        match message:
            case UserMessage(uuid=str(uuid)) if uuid in self._on_their_way:
                self._taken.append(self._on_their_way.pop(uuid))
            case AssistantMessage() | StreamEvent() | ResultMessage() if self._taken:
                taken, self._taken = self._taken, []
                await self._run.note(taken, ReceiptState.CONSUMED)
        if self._turn.takes_more and not self._turn_took_more:
            self._news.set()
        self._turn_took_more = self._turn.takes_more

    @property
    def is_done(self) -> bool:
        """Nothing is with Claude Code that it has not answered."""
        return not self._on_their_way and not self._taken

    async def next_turn(self) -> Say | None:
        """When a turn is over: the oldest message that Claude Code does not have, to begin another with."""
        async with self._giving:
            for each in await self._run.instructions():
                if each.mode is None or self._is_taken(each):
                    continue
                await self._run.note([each], ReceiptState.DELIVERED)
                self._on_their_way[self._uuid(each)] = each
                return Say(each.content, self._uuid(each))
        return None

    async def hold(self) -> bool:
        """Nothing is brought in until `release`, and what is on its way is taken back: else the end of the turn would
        be the beginning of another. Whether that worked."""
        self._held = True
        async with self._giving:
            for uuid in list(self._on_their_way):
                if self._process is None or not await self._process.withdraw(uuid):
                    return False
                self._on_their_way.pop(uuid, None)
                self._turn.no_longer_expects(uuid)
        return True

    def release(self) -> None:
        self._held = False
        self._news.set()

    # --- small parts

    async def _hear(self) -> None:
        while True:
            await self._run.instructed()
            self._news.set()

    async def _bring_in(self, process: ClaudeProcess) -> None:
        """Raises Broken."""
        async with self._giving:
            for each in await self._run.instructions():
                if each.mode is None:
                    await self._change(process, each)
                elif each.mode is MessageMode.STEER and self._can_give(each):
                    await self._run.note([each], ReceiptState.DELIVERED)
                    await self._give(process, each)

    def _can_give(self, message: InstructionRecord) -> bool:
        is_with_it = self._uuid(message) in self._on_their_way or self._is_taken(message)
        return self._turn.takes_more and not self._held and not is_with_it

    async def _give(self, process: ClaudeProcess, message: InstructionRecord) -> None:
        # The turn may have ended while that was noted: then it begins the next one.
        if self._can_give(message):
            self._on_their_way[self._uuid(message)] = message
            self._turn.expects(self._uuid(message))
            await process.ask(message.content, self._uuid(message), priority="next")

    async def _change(self, process: ClaudeProcess, change: InstructionRecord) -> None:
        self.has_changed = True
        try:
            if change.permission_mode is not None:
                with self._permissions.changing_to(change.permission_mode):
                    await process.set_permission_mode(change.permission_mode)
            if change.model is not None:
                await process.set_model(change.model)
        except Declined as declined:
            await self._run.note([change], ReceiptState.REFUSED, str(declined))
        else:
            await self._run.note([change], ReceiptState.CONSUMED)

    def _is_taken(self, message: InstructionRecord) -> bool:
        return any(each.instruction_id == message.instruction_id for each in self._taken)

    def _uuid(self, message: InstructionRecord) -> str:
        return uuid_of(message.task_id, message.instruction_id)

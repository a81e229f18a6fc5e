"""What was said in a session that people may see: from its engine's transcript, else from our own log."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from glasshouse.contract.errors import NotFound, SessionNotFound
from glasshouse.contract.labels import SessionLabels
from glasshouse.contract.message import ConversationAgent
from glasshouse.core.logged_conversations import LoggedConversations
from glasshouse.core.ports import (
    Conversations,
    Labels,
    MessagesFound,
    MessagesWanted,
    Store,
    WholeMessage,
)
from glasshouse.core.visible import VisibleSession, VisibleSessions
from glasshouse.core.workplaces import check_free


@dataclass(frozen=True, slots=True)
class Source:
    """A session's conversation, from wherever it is kept."""

    session: VisibleSession
    kept_by: Conversations
    agents: Sequence[ConversationAgent]

    def everything(self, agent: str | None = None) -> AsyncIterator[Sequence[WholeMessage]]:
        return self.kept_by.everything(self.session.session_id, offline=self.session.offline, agent=agent)


class Conversation:
    def __init__(self, *, store: Store, visible: VisibleSessions, kept: Conversations, labels: Labels) -> None:
        self._store = store
        self._visible = visible
        self._kept = kept
        self._logged = LoggedConversations(store)
        self._labels = labels

    async def page(self, session_id: str, wanted: MessagesWanted) -> MessagesFound:
        """Raises SessionNotFound, NotFound, PositionInvalid or PositionGone."""
        session = await self._visible.find(session_id)
        found = await self._kept.page(session_id, wanted, offline=session.offline)
        if found is None and session.known:
            found = await self._logged.page(session_id, wanted)
        if found is None:
            raise SessionNotFound
        return found

    async def message(self, session_id: str, uuid: str, agent: str | None) -> WholeMessage:
        """Raises SessionNotFound or NotFound."""
        session = await self._visible.find(session_id)
        found = await self._kept.message(session_id, uuid, offline=session.offline, agent=agent)
        if found is None and session.known:
            found = await self._logged.message(session_id, uuid, agent=agent)
        if found is None:
            raise NotFound
        return found

    async def source(self, session_id: str) -> Source:
        """All of it. Raises SessionNotFound."""
        session = await self._visible.find(session_id)
        agents = await self._kept.agents(session_id, offline=session.offline)
        if agents is not None:
            return Source(session, self._kept, agents)
        if not session.known:
            raise SessionNotFound
        return Source(session, self._logged, await self._logged.agents(session_id) or ())

    async def label(self, session_id: str, title: str | None, tags: Sequence[str] | None) -> SessionLabels:
        """Raises SessionNotFound, or SessionBusy while a task is at the session: its engine is writing then."""
        session = await self._visible.find(session_id)
        await check_free(self._store, session_id)
        if not await self._labels.label(session_id, offline=session.offline, title=title, tags=tags):
            raise SessionNotFound
        return SessionLabels(session_id=session_id, title=title, tags=None if tags is None else list(tags))

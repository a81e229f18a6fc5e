"""The port `WaysBack`, over points that are told to it, without transcripts and without files."""

from collections.abc import Callable, Sequence

from glasshouse.contract.phrase import Phrase
from glasshouse.core.ports import ConversationPoint, FilesBack, KnownSession, NoWayBack

NO_FILES = Phrase("没有文件检查点", "no files are kept")


class MemoryWaysBack:
    def __init__(self) -> None:
        # By session, and by the id of a message or a call.
        self.points: dict[tuple[str, str], ConversationPoint] = {}
        # By session, the oldest first, each with where it ends.
        self.messages: dict[str, list[tuple[str, int]]] = {}
        self.files: dict[str, FilesBack] = {}
        self.put_back: list[str] = []

    async def newest_message(self, session_id: str, dropped: Sequence[tuple[int, int]], *, offline: bool) -> str | None:
        kept = [
            message
            for message, end in self.messages.get(session_id, ())
            if not any(begin < end <= behind for begin, behind in dropped)
        ]
        return kept[-1] if kept else None

    async def before_message(self, session_id: str, message_id: str, *, offline: bool) -> ConversationPoint | None:
        return self.points.get((session_id, message_id))

    async def at_call(self, session_id: str, call_id: str, *, offline: bool) -> ConversationPoint | None:
        return self.points.get((session_id, call_id))

    async def files_before(
        self, session: KnownSession, message_id: str, may_write: Callable[[str], bool] | None
    ) -> FilesBack:
        if message_id not in self.files:
            raise NoWayBack(NO_FILES)
        if may_write is not None:
            self.put_back.append(message_id)
        return self.files[message_id]

"""What a session has changed in its directory: shown file by file, and put back file by file."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from glasshouse.contract.changes import FileChange, FileKind, Reverted, RevertRequest, SessionDiff
from glasshouse.contract.errors import (
    ChangeNotFound,
    DiffUnavailable,
    FileChanged,
    RevertRefused,
    TooLarge,
)
from glasshouse.contract.events import Info
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.core import messages
from glasshouse.core.encoding import entry_of
from glasshouse.core.lifecycle import ENDED
from glasshouse.core.ports import (
    Append,
    ChangedMeanwhile,
    ChangeStatus,
    Clock,
    Comparison,
    NoTree,
    NotRestored,
    Store,
    TreeChange,
    TreeFile,
    TreeUnavailable,
    WorkingTrees,
)
from glasshouse.core.times import timestamp
from glasshouse.core.visible import VisibleSession, VisibleSessions
from glasshouse.core.workplaces import Workplaces

# A page of differences, not an archive.
_MOST_FILES = 2000
_MOST_SHOWN = 100
_SHOWN_BYTES = 1024 * 1024
_FILE_BYTES = 128 * 1024
_ALONE_BYTES = 2 * 1024 * 1024
_PATCH_BYTES = 32 * 1024 * 1024

_KINDS = {"100755": FileKind.PROGRAM, "120000": FileKind.LINK, "160000": FileKind.REPOSITORY}
_ABSENT = "absent"

WHY_NONE: Mapping[NoTree, Phrase] = {
    NoTree.NOT_A_REPOSITORY: Phrase("工作目录不在 git 仓库中", "The working directory is not in a git repository"),
    NoTree.NO_GIT: Phrase("这台机器上没有 git", "There is no git on this machine"),
    NoTree.TOO_SLOW: Phrase("仓库太大，未能及时读完", "The repository is too large to be read in time"),
    NoTree.TOO_MANY_FILES: Phrase("仓库中的文件太多", "The repository holds too many files"),
    NoTree.UNREADABLE: Phrase("git 无法读取这个目录", "Git cannot read this directory"),
    NoTree.LOST: Phrase(
        "仓库已经清理掉了会话开始时的内容", "The repository no longer has what was there when the session began"
    ),
    NoTree.NOT_RECORDED: Phrase(
        "该会话还没有在这里执行过任务，没有可比较的起点",
        "No task of this session has run here: there is nothing to compare with",
    ),
}


class Changes:
    def __init__(
        self,
        *,
        store: Store,
        visible: VisibleSessions,
        trees: WorkingTrees,
        workplaces: Workplaces,
        clock: Clock,
        language: Language,
    ) -> None:
        self._store = store
        self._visible = visible
        self._trees = trees
        self._workplaces = workplaces
        self._clock = clock
        self._language: Language = language

    async def diff(self, session_id: str, *, path: str | None, language: Language) -> SessionDiff:
        """`path` alone, if one is named. Raises SessionNotFound, ChangeNotFound."""
        session = await self._visible.find(session_id)
        try:
            async with self._trees.compare(session_id, session.working_dir) as comparison:
                chosen = comparison.changes if path is None else [_named(comparison, path)]
                return await _shown_diff(session, comparison, chosen, alone=path is not None)
        except TreeUnavailable as none:
            return SessionDiff(
                session_id=session_id,
                working_dir=session.working_dir,
                available=False,
                reason=none.reason,
                message=WHY_NONE[none.reason].say(language),
            )

    async def patch(self, session_id: str, *, path: str | None, language: Language) -> bytes:
        """What `git apply -R` takes back. Raises SessionNotFound, ChangeNotFound, DiffUnavailable, TooLarge."""
        session = await self._visible.find(session_id)
        try:
            async with self._trees.compare(session_id, session.working_dir) as comparison:
                chosen = comparison.changes if path is None else [_named(comparison, path)]
                patch = await comparison.patch(chosen, _PATCH_BYTES) if chosen else b""
        except TreeUnavailable as none:
            raise DiffUnavailable(WHY_NONE[none.reason].say(language)) from None
        if len(patch) == _PATCH_BYTES:
            raise TooLarge
        return patch

    async def revert(self, session_id: str, asked: RevertRequest, *, language: Language) -> Reverted:
        """Raises SessionNotFound, SessionBusy, ChangeNotFound, FileChanged, RevertRefused, DiffUnavailable."""
        session = await self._visible.find(session_id)
        async with self._workplaces.alone(session_id, session.working_dir):
            try:
                async with self._trees.compare(session_id, session.working_dir) as comparison:
                    change = _named(comparison, asked.path)
                    await self._check(session, asked, comparison, change)
                    await comparison.restore(change)
            except TreeUnavailable as none:
                raise DiffUnavailable(WHY_NONE[none.reason].say(language)) from None
            except ChangedMeanwhile:
                raise FileChanged(asked.path) from None
            except NotRestored as refused:
                raise RevertRefused(refused.say(language)) from None
            await self._tell(session_id, asked.path, change)
        removed = change.before is None
        said = messages.REMOVED if removed else messages.REVERTED
        restored = None if removed else shown(change.old_path or change.path)
        return Reverted(message=said.say(language, path=asked.path), path=asked.path, restored=restored)

    async def _check(
        self, session: VisibleSession, asked: RevertRequest, comparison: Comparison, change: TreeChange
    ) -> None:
        if asked.expected is None:
            is_newer = await self._is_newer(session, comparison, change)
        else:
            is_newer = asked.expected != _state(change)
        if is_newer:
            raise FileChanged(asked.path)

    async def _is_newer(self, session: VisibleSession, comparison: Comparison, change: TreeChange) -> bool:
        """Whether somebody changed the file after the session's last task: then who asks has to show what they saw."""
        if change.now is None:
            return False
        ended = [task.ended_at for task in await self._store.tasks(statuses=ENDED, session_id=session.session_id)]
        last = max((moment for moment in ended if moment is not None), default=None)
        if last is None:
            return True
        # Moments are written in whole milliseconds.
        return await comparison.changed_at(change) > datetime.fromisoformat(last).timestamp() + 0.001

    async def _tell(self, session_id: str, path: str, change: TreeChange) -> None:
        said = messages.REMOVED if change.before is None else messages.REVERTED
        event = Info(
            content=said.say(self._language, path=path),
            timestamp=timestamp(self._clock.now()),
            session_id=session_id,
            task_id=None,
            metadata={"revert": {"path": path, "status": change.status}},
        )
        await self._store.append(Append(session_id, entries=[entry_of(event)], by_person=True))


def shown(path: bytes) -> str:
    return path.decode(errors="backslashreplace")


def _named(comparison: Comparison, path: str) -> TreeChange:
    """Only what differs has a name here, so that no path leads anywhere else. Raises ChangeNotFound."""
    found = [change for change in comparison.changes if shown(change.path) == path]
    if len(found) != 1:
        raise ChangeNotFound
    return found[0]


async def _shown_diff(
    session: VisibleSession, comparison: Comparison, changes: Sequence[TreeChange], *, alone: bool
) -> SessionDiff:
    left = _ALONE_BYTES if alone else _SHOWN_BYTES
    each = _ALONE_BYTES if alone else _FILE_BYTES
    files: list[FileChange] = []
    for number, change in enumerate(changes[:_MOST_FILES]):
        file = _file(change)
        if not (file.binary or file.large):
            limit = min(left, each) if number < _MOST_SHOWN else 0
            patch = await comparison.patch([change], limit) if limit else b""
            file.cut = len(patch) >= limit
            if not file.cut:
                file.diff = patch.decode(errors="replace")
                left -= len(patch)
        files.append(file)
    return SessionDiff(
        session_id=session.session_id,
        working_dir=session.working_dir,
        available=True,
        recorded_at=comparison.recorded_at,
        files=files,
        total=len(changes),
        additions=sum(change.additions or 0 for change in changes),
        deletions=sum(change.deletions or 0 for change in changes),
    )


def _file(change: TreeChange) -> FileChange:
    now, before = _kind(change.now), _kind(change.before)
    return FileChange(
        path=shown(change.path),
        old_path=None if change.old_path is None else shown(change.old_path),
        status=change.status.value,
        kind=now or before,
        old_kind=before if now is not None and before is not now else None,
        additions=change.additions,
        deletions=change.deletions,
        binary=not change.large and change.additions is None,
        large=change.large,
        state=_state(change),
    )


def _kind(file: TreeFile | None) -> FileKind | None:
    return None if file is None else _KINDS.get(file.mode, FileKind.FILE)


def _state(change: TreeChange) -> str:
    if change.large and change.status is not ChangeStatus.DELETED:
        return "large"
    return _ABSENT if change.now is None else f"{change.now.mode}:{change.now.hash}"

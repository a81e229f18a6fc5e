"""What a task has done so far, folded from its events."""

from collections.abc import Iterable

from glasshouse.contract.events import Event, ToolResult, ToolUse, any_event
from glasshouse.core.ports import Store, TaskRecord
from glasshouse.core.streams import PAGE, start_of


class Work:
    def __init__(self) -> None:
        self._tools: dict[str, None] = {}
        self._files: dict[str, None] = {}
        self._open: dict[str, None] = {}

    def see(self, event: Event) -> None:
        if isinstance(event, ToolUse):
            self._tools[event.tool_name] = None
            self._open[event.tool_use_id] = None
        elif isinstance(event, ToolResult):
            self._open.pop(event.tool_use_id, None)
            self._add_files(event.files_changed or ())

    def _add_files(self, paths: Iterable[str]) -> None:
        self._files.update(dict.fromkeys(paths))

    @property
    def tools_used(self) -> list[str]:
        return list(self._tools)

    @property
    def files_changed(self) -> list[str]:
        return list(self._files)

    @property
    def open_calls(self) -> list[str]:
        """Calls that have begun and whose results nobody has seen."""
        return list(self._open)


async def work_of(store: Store, record: TaskRecord) -> Work:
    """As the log has it, up to now."""
    work = Work()
    position = start_of(record)
    while page := await store.read(record.session_id, after=position, limit=PAGE, task_id=record.task_id):
        for frame in page:
            work.see(any_event.validate_json(frame.body))
        position = page[-1].seq or position
    return work

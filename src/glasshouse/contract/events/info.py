"""What is worth knowing beside the work: the start, what the engine reports, notices."""

from typing import Literal

from glasshouse.contract.events.base import Event, Metadata, Truncated


class Info(Event):
    """The first of a task has session_id, task_id, engine, model, working_dir, tools and prompt in its metadata.

    `metadata.agent` is an AgentReport, `metadata.background` a BackgroundReport.
    """

    type: Literal["info"] = "info"
    metadata: Metadata
    truncated: Truncated | None = None

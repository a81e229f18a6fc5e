"""A clock that stands still until somebody sets it, its wall time and its monotonic time each for itself."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    def __init__(self) -> None:
        self.wall = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
        self.seconds = 1000.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.seconds

    def pass_by(self, seconds: float) -> None:
        """Time goes by, on both."""
        self.seconds += seconds
        self.wall += timedelta(seconds=seconds)

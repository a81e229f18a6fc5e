"""What a benchmark finds, and whether that is good enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar, Literal

Percentile = Literal["p50", "p99"]


@dataclass(frozen=True, slots=True)
class Spread:
    p50: float
    p99: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Spread":
        ordered = sorted(samples)
        return cls(p50=median(ordered), p99=ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)])


@dataclass(frozen=True, slots=True)
class AtMostTimes:
    limit: float
    judged: Percentile = "p50"

    def reached(self, baseline: Spread, measured: Spread) -> bool:
        return ratio(baseline, measured, self.judged) <= self.limit

    def __str__(self) -> str:
        return f"<= {self.limit:g} x" + ("" if self.judged == "p50" else f" {self.judged}")


@dataclass(frozen=True, slots=True)
class AtLeastTimes:
    limit: float
    judged: ClassVar[Percentile] = "p50"

    def reached(self, baseline: Spread, measured: Spread) -> bool:
        return ratio(baseline, measured, self.judged) >= self.limit

    def __str__(self) -> str:
        return f">= {self.limit:g} x"


@dataclass(frozen=True, slots=True)
class AtMost:
    """Whatever the baseline does."""

    limit: float
    unit: str
    judged: ClassVar[Percentile] = "p50"

    def reached(self, baseline: Spread, measured: Spread) -> bool:
        return measured.p50 <= self.limit

    def __str__(self) -> str:
        return f"<= {self.limit:g} {self.unit} p50"


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Whatever the baseline does."""

    limit: float
    unit: str
    judged: ClassVar[Percentile] = "p50"

    def reached(self, baseline: Spread, measured: Spread) -> bool:
        return measured.p50 >= self.limit

    def __str__(self) -> str:
        return f">= {self.limit:g} {self.unit} p50"


@dataclass(frozen=True, slots=True)
class AtMostMore:
    """Than the baseline."""

    limit: float
    unit: str
    judged: ClassVar[Percentile] = "p50"

    def reached(self, baseline: Spread, measured: Spread) -> bool:
        return measured.p50 - baseline.p50 <= self.limit

    def __str__(self) -> str:
        return f"<= +{self.limit:g} {self.unit} p50"


Target = AtMostMore | AtMostTimes | AtLeastTimes | AtMost | AtLeast


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    unit: str
    baseline_is: str
    baseline: Spread
    measured: Spread
    target: Target
    # What else there is to know, for people.
    note: str = ""

    @property
    def ratio(self) -> float:
        return ratio(self.baseline, self.measured, self.target.judged)

    @property
    def reached(self) -> bool:
        return self.target.reached(self.baseline, self.measured)


def ratio(baseline: Spread, measured: Spread, judged: Percentile) -> float:
    return float(getattr(measured, judged) / getattr(baseline, judged))

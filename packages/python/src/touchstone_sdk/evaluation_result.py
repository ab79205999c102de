"""What an evaluation of a run returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, cast

from .generated.api_types import EvaluationDetail, Run
from .scoring import Case


class Gate(TypedDict):
    """Whether the candidate is shown to be no worse than the baseline by more than the margin."""

    passed: bool
    summary: str


@dataclass(frozen=True)
class EvaluationResult:
    """`comparison`, `verdict` and `gate` are None without a baseline or a gate."""

    run: Run
    evaluation: EvaluationDetail
    url: str
    cases: list[Case] = field(repr=False)

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """The metrics by name, with `mean` and its interval `ci`."""
        return {metric["name"]: metric for metric in self._results.get("metrics", [])}

    @property
    def comparison(self) -> dict[str, Any] | None:
        return self._results.get("comparison")

    @property
    def verdict(self) -> str | None:
        return None if self.comparison is None else str(self.comparison["verdict"])

    @property
    def gate(self) -> Gate | None:
        return cast("Gate | None", self._results.get("gate"))

    @property
    def summary(self) -> str:
        """The summary of the gate, else of the comparison, else the means of the metrics."""
        if self.gate is not None:
            return self.gate["summary"]
        if self.comparison is not None:
            return str(self.comparison["summary"])
        return ", ".join(f"{name} {_rounded(metric['mean'])}" for name, metric in self.metrics.items())

    @property
    def _results(self) -> Mapping[str, Any]:
        return self.evaluation["results"] or {}


def _rounded(mean: float | None) -> str:
    return "not measured" if mean is None else f"{mean:.3g}"


@dataclass(frozen=True)
class Progress:
    """How far `evaluate` is: cases of the task, cases of the own scorers, or scores of the evaluation."""

    phase: Literal["tasks", "scores", "evaluation"]
    run_id: str
    done: int
    total: int

"""Evaluators of an evaluation: those of the server, and functions of the user."""

from __future__ import annotations

import json
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from .errors import ConfigurationError
from .generated.api_types import DatasetItem
from .texts import to_text

Scorer: TypeAlias = Callable[["Case"], Any]
Evaluator: TypeAlias = str | Mapping[str, Any] | Scorer
ScorerFunction = TypeVar("ScorerFunction", bound=Scorer)

OPTIONS = "_touchstone_options"
LABEL_LENGTH_MAX = 200
REASON_LENGTH_MAX = 4000
DETAILS_BYTES_MAX = 16 * 1024
FIELDS = ("score", "label", "passed", "reason", "details")


@dataclass
class Case:
    """An item with the result of the task. `output` is None and `error` has the reason if the task failed.

    In a run that was resumed, the output of an earlier case is the text that was stored.
    """

    item: DatasetItem
    trace_id: str
    output: Any = None
    error: str | None = None
    scores: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def input(self) -> str | None:
        return self.item["input"]

    @property
    def expected(self) -> str | None:
        return self.item["expected"]


def scorer(
    *,
    name: str | None = None,
    pass_at: float | None = None,
    higher_is_better: bool | None = None,
    timeout_minutes: float | None = None,
) -> Callable[[ScorerFunction], ScorerFunction]:
    """Gives a scorer options: the score from which a case passes, and how long the server waits (60 minutes)."""
    options = {"name": name, "passAt": pass_at, "higherIsBetter": higher_is_better, "timeoutMinutes": timeout_minutes}

    def decorate(function: ScorerFunction) -> ScorerFunction:
        setattr(function, OPTIONS, {key: value for key, value in options.items() if value is not None})
        return function

    return decorate


def read_evaluators(evaluators: Sequence[Evaluator]) -> tuple[list[dict[str, Any]], dict[str, Scorer]]:
    """The configuration of all evaluators, and those that run here, by name."""
    config: list[dict[str, Any]] = []
    scorers: dict[str, Scorer] = {}
    for evaluator in evaluators:
        if isinstance(evaluator, str):
            config.append({"type": evaluator})
        elif isinstance(evaluator, Mapping):
            config.append(dict(evaluator))
        elif callable(evaluator):
            options = getattr(evaluator, OPTIONS, {})
            entry = {"type": "external", **options, "name": options.get("name") or _name_of(evaluator)}
            if entry["name"] in scorers:
                raise ConfigurationError(f"Two scorers have the name {entry['name']!r}.")
            config.append(entry)
            scorers[entry["name"]] = evaluator
        else:
            raise ConfigurationError(f"An evaluator is a name, a dict or a function, not {type(evaluator).__name__}.")
    return config, scorers


def _name_of(function: Scorer) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    if name == "<lambda>":
        raise ConfigurationError("A lambda has no name: use a function, or scorer(name=…)(lambda case: …).")
    return name


def score_of(result: object) -> dict[str, Any]:
    """What a scorer returned, as the API has it. A result that the server would reject becomes an error."""
    try:
        return _fields_of(result)
    except ValueError as error:
        return no_score(str(error))


def _fields_of(result: object) -> dict[str, Any]:
    if isinstance(result, bool):
        return {"passed": result}
    if isinstance(result, numbers.Real):
        return {"score": _checked(result)}
    if not isinstance(result, Mapping):
        raise ValueError(f"A scorer returns a number, a bool or a dict, not {type(result).__name__}.")
    unknown = set(result) - set(FIELDS)
    if unknown:
        raise ValueError(f"A score has no field {sorted(map(str, unknown))[0]!r}, only {', '.join(FIELDS)}.")
    fields = {name: value for name, value in result.items() if value is not None}
    if not fields.keys() & {"score", "label", "passed"}:
        raise ValueError("A score needs at least one of score, label and passed.")
    if "score" in fields:
        fields["score"] = _checked(fields["score"])
    if "passed" in fields:
        fields["passed"] = bool(fields["passed"])
    if "label" in fields:
        fields["label"] = _shortened(str(fields["label"]), LABEL_LENGTH_MAX)
    if "reason" in fields:
        fields["reason"] = _shortened(str(fields["reason"]), REASON_LENGTH_MAX)
    if "details" in fields:
        fields["details"] = _checked_details(fields["details"])
    return fields


def _checked_details(details: object) -> object:
    if not isinstance(details, Mapping):
        raise ValueError(f"The details of a score are a dict, not {type(details).__name__}.")
    text = to_text(details) or ""
    if len(text.encode()) > DETAILS_BYTES_MAX:
        raise ValueError(f"The details of a score are larger than {DETAILS_BYTES_MAX} bytes.")
    return json.loads(text)


def _shortened(text: str, length_max: int) -> str:
    """A text that the server accepts."""
    clean = (to_text(text) or "").replace("\0", "")
    return clean if len(clean) <= length_max else f"{clean[: length_max - 1]}…"


def _checked(score: object) -> float:
    if isinstance(score, bool) or not isinstance(score, numbers.Real):
        raise ValueError(f"A score is a number from 0 to 1, not {type(score).__name__}.")
    number = float(score)
    # Also false for NaN.
    if not 0 <= number <= 1:
        raise ValueError(f"A score is a number from 0 to 1, not {number}.")
    return number


def no_score(reason: str) -> dict[str, Any]:
    """Why a case has no score; the score is `failed`."""
    return {"error": _shortened(reason, REASON_LENGTH_MAX) or "no reason given"}

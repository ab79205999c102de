# Generated from async_evaluations.py by `npm run generate`; do not edit.
"""Evaluations of the API."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from typing_extensions import Unpack

from .. import sync_tools
from .sync_connection import Connection
from .sync_pages import Pages
from ..batches import batches_of
from ..errors import ConnectionError, TouchstoneError
from .api_types import (
    DeliveredScores,
    Evaluation,
    EvaluationDetail,
    EvaluationDetailProgress,
    EvaluationEstimate,
    Score,
    StartedEvaluation,
)
from ..retries import is_transient
from ..wire import QueryValue, RequestOptions

SCORES_PER_REQUEST = 500
# The server sends a line at least every 15 seconds.
SILENCE_SECONDS = 45.0
POLL_SECONDS = 2.0
FAILURES_MAX = 30


class Evaluations:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, component_id: str, **options: Unpack[RequestOptions]) -> Pages[Evaluation]:
        """The evaluations of a component, newest first."""
        return Pages(self._connection, _EVALUATIONS, params={"componentId": component_id}, options=options)

    def get(self, component_id: str, evaluation_id: str, **options: Unpack[RequestOptions]) -> EvaluationDetail:
        params = _of(component_id, evaluation_id)
        evaluation: EvaluationDetail = self._connection.request("GET", _EVALUATION, params=params, **options)
        return evaluation

    def create(
        self,
        component_id: str,
        dataset_id: str,
        *,
        run_id: str | None = None,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        **options: Unpack[RequestOptions],
    ) -> StartedEvaluation:
        """Starts an evaluation in the background; `wait` waits for its end."""
        started: StartedEvaluation = self._connection.request(
            "POST",
            _EVALUATIONS,
            params={"componentId": component_id},
            body=_create_body(dataset_id, run_id, name, config),
            **options,
        )
        return started

    def estimate(
        self,
        component_id: str,
        dataset_id: str,
        *,
        run_id: str | None = None,
        config: Mapping[str, Any] | None = None,
        **options: Unpack[RequestOptions],
    ) -> EvaluationEstimate:
        """Checks the config and estimates calls and cost, without starting anything."""
        estimate: EvaluationEstimate = self._connection.request(
            "POST",
            _EVALUATIONS,
            params={"componentId": component_id},
            query={"dry_run": True},
            body=_create_body(dataset_id, run_id, None, config),
            **options,
        )
        return estimate

    def wait(
        self,
        component_id: str,
        evaluation_id: str,
        *,
        on_progress: Callable[[EvaluationDetailProgress], None] | None = None,
    ) -> EvaluationDetail:
        """Waits until the evaluation is `completed` or `failed`, and returns it. Outlasts a restart of the server."""
        failures = 0
        while True:
            try:
                # A proxy may cut streams, or not pass them on: reading the evaluation is enough.
                with contextlib.suppress(ConnectionError):
                    self._follow_events(component_id, evaluation_id, on_progress)
                evaluation = self.get(component_id, evaluation_id)
            except TouchstoneError as error:
                failures += 1
                if failures == FAILURES_MAX or not is_transient(error):
                    raise
            else:
                failures = 0
                if evaluation["status"] in ("completed", "failed"):
                    return evaluation
                if on_progress:
                    on_progress(evaluation["progress"])
            sync_tools.sleep(POLL_SECONDS)

    def _follow_events(
        self,
        component_id: str,
        evaluation_id: str,
        on_progress: Callable[[EvaluationDetailProgress], None] | None,
    ) -> None:
        event = ""
        lines = self._connection.lines(
            f"{_EVALUATION}/events", params=_of(component_id, evaluation_id), silence=SILENCE_SECONDS
        )
        with contextlib.closing(lines):
            for line in lines:
                if line.startswith("event:"):
                    event = line[6:].strip()
                elif line.startswith("data:") and event == "progress" and on_progress:
                    on_progress(json.loads(line[5:])["progress"])

    def scores(
        self,
        component_id: str,
        evaluation_id: str,
        *,
        state: str | None = None,
        evaluator: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Pages[Score]:
        query: dict[str, QueryValue] = {"state": state, "evaluator": evaluator}
        return Pages(
            self._connection,
            f"{_EVALUATION}/scores",
            params=_of(component_id, evaluation_id),
            query=query,
            options=options,
        )

    def create_scores(
        self,
        component_id: str,
        evaluation_id: str,
        scores: Sequence[Mapping[str, Any]],
        **options: Unpack[RequestOptions],
    ) -> DeliveredScores:
        """Delivers scores of external evaluators. Repeating it is safe: a score that is stored already stays."""
        delivered: DeliveredScores = {"stored": 0, "unchanged": 0, "unknown": []}
        sent = 0
        for batch in batches_of(scores, SCORES_PER_REQUEST):
            part: DeliveredScores = self._connection.request(
                "POST",
                f"{_EVALUATION}/scores",
                params=_of(component_id, evaluation_id),
                body={"scores": batch},
                **options,
            )
            delivered["stored"] += part["stored"]
            delivered["unchanged"] += part["unchanged"]
            delivered["unknown"] += [{**entry, "index": entry["index"] + sent} for entry in part["unknown"]]
            sent += len(batch)
        return delivered

    def cancel(self, component_id: str, evaluation_id: str, **options: Unpack[RequestOptions]) -> None:
        params = _of(component_id, evaluation_id)
        self._connection.request("POST", f"{_EVALUATION}/cancel", params=params, **options)

    def retry(self, component_id: str, evaluation_id: str, **options: Unpack[RequestOptions]) -> None:
        params = _of(component_id, evaluation_id)
        self._connection.request("POST", f"{_EVALUATION}/retry", params=params, **options)

    def delete(self, component_id: str, evaluation_id: str, **options: Unpack[RequestOptions]) -> None:
        self._connection.request("DELETE", _EVALUATION, params=_of(component_id, evaluation_id), **options)


_EVALUATIONS = "/components/{componentId}/evaluations"
_EVALUATION = f"{_EVALUATIONS}/{{evaluationId}}"


def _of(component_id: str, evaluation_id: str) -> dict[str, str]:
    return {"componentId": component_id, "evaluationId": evaluation_id}


def _create_body(
    dataset_id: str, run_id: str | None, name: str | None, config: Mapping[str, Any] | None
) -> dict[str, object]:
    body = {"datasetId": dataset_id, "runId": run_id, "name": name, "config": config}
    return {field: value for field, value in body.items() if value is not None}

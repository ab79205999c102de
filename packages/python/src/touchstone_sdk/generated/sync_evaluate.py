# Generated from async_evaluate.py by `npm run generate`; do not edit.
"""Runs a task on all items of a dataset, evaluates what it returns, and compares it with a baseline."""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .. import sync_tools, tracing
from .sync_client import Touchstone
from .sync_lookups import find_component, find_dataset
from .sync_trial_evaluation import QUEUE, find_baseline, open_trial, require_end, shared_key
from .sync_trials import CallEnd
from ..case_span import CaseSpan, item_attributes
from ..errors import ConfigurationError, EvaluationFailedError, TouchstoneError
from ..evaluation_result import EvaluationResult, Progress
from .api_types import (
    Component,
    DatasetItem,
    EvaluationDetail,
    EvaluationDetailProgress,
    LeasedCall,
    Run,
    TrialDetail,
)
from ..scoring import Case, Evaluator, Scorer, no_score, read_evaluators, score_of
from ..texts import error_text, output_text
from ..wire import RequestOptions

Split: TypeAlias = Literal["train", "validation", "test"]

ITEM = "/components/{componentId}/datasets/{datasetId}/items/{itemId}"

log = logging.getLogger("touchstone_sdk")


def evaluate(
    task: Callable[[DatasetItem], Any],
    *,
    component: str,
    dataset: str,
    evaluators: Sequence[Evaluator] | None = None,
    name: str | None = None,
    baseline: str | None = None,
    gate: Mapping[str, Any] | None = None,
    split: Split | None = None,
    config: Mapping[str, Any] | None = None,
    concurrency: int = 8,
    resume: str | None = None,
    resumable: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    client: Touchstone | None = None,
) -> EvaluationResult:
    """Calls `task(item)` for each item of a dataset, as a run with the given name, and evaluates the run.

    `component`, `dataset` and `baseline` (a run) are ids or names. `evaluators` are types of the server ("exactMatch"),
    their configurations, and functions `(case) -> number | bool | dict`; without any, those of the server that apply.
    `config` has further keys of the evaluation. `resume` is the id of a run that was interrupted: only items without a
    trace are run. With `resumable`, the items are calls of a trial with this `name`: an evaluation with the same name
    goes on where the first one stopped, and programs that run at the same time share the items. An error of the task is
    the result of its case.
    """
    if concurrency < 1:
        raise ConfigurationError("concurrency must be at least 1.")

    with contextlib.ExitStack() as stack:
        if client is None:
            client = stack.enter_context(Touchstone())
        found = find_component(client, component)
        dataset_id = (find_dataset(client, found["id"], dataset))["id"]
        entries, scorers = read_evaluators(evaluators or [])
        given: dict[str, Any] = {"evaluators": entries or None, "split": split, "gate": gate}
        if baseline is not None:
            given["baselineRunId"] = (find_baseline(client, found["id"], baseline))["id"]
        settings = {**(config or {}), **{key: value for key, value in given.items() if value is not None}}
        trial = None
        if resumable:
            if name is None or resume is not None:
                raise ConfigurationError("An evaluation that is resumable needs a name, and no resume.")
            trial = open_trial(client, found["id"], dataset_id, name, settings)
            run = client.runs.get(found["id"], trial["variants"][0]["runId"])
        elif resume is None:
            run = _create_run(client, found["id"], dataset_id, settings, name)
        else:
            run = client.runs.get(found["id"], resume)
            if run["datasetId"] != dataset_id:
                raise ConfigurationError("The run to resume belongs to another dataset.")
        pages = client.datasets.items.list(found["id"], dataset_id, split=settings.get("split"))
        items = [item for item in pages][::-1]
        log.info("Run %s (%s) of %d items.", run["name"], run["id"], len(items))
        evaluating = _Evaluating(client, found, run, concurrency, on_progress)
        cases = (evaluating.run_task(task, items) if trial is None else evaluating.run_trial(task, items, trial))
        # Scores of own functions are delivered by the program that has started the evaluation.
        asked = {"run": run["id"], "name": name, "config": settings}
        key = None if scorers else shared_key(client, trial, asked)
        evaluation = evaluating.evaluate(cases, settings, scorers, name, key)
        run = client.runs.get(found["id"], run["id"])
        url = f"{client.url}/a/{found['workspaceId']}/c/{found['id']}/evaluations/{evaluation['id']}"
        return EvaluationResult(run, evaluation, url, cases)


def _create_run(
    client: Touchstone, component_id: str, dataset_id: str, settings: Mapping[str, Any], name: str | None
) -> Run:
    run = client.runs.create(component_id, dataset_id, name=name)
    try:
        # Before the first task is run, which may be expensive: an invalid config is rejected here.
        client.evaluations.estimate(component_id, dataset_id, run_id=run["id"], config=settings)
    except TouchstoneError:
        client.runs.delete(component_id, run["id"])
        raise
    return run


@dataclass
class _Evaluating:
    client: Touchstone
    component: Component
    run: Run
    concurrency: int
    on_progress: Callable[[Progress], None] | None

    def run_task(self, task: Callable[[DatasetItem], Any], items: list[DatasetItem]) -> list[Case]:
        """The cases in the order of the items: those that the run has already, and those of the task."""
        cases = self._stored_cases(items)
        done = itertools.count(len(cases) + 1)

        def run_item(item: DatasetItem) -> None:
            cases[item["id"]] = self._run_item(task, item)
            self._report(Progress("tasks", self.run["id"], next(done), len(items)))

        missing = [item for item in items if item["id"] not in cases]
        sync_tools.for_each(run_item, missing, self.concurrency)
        # The spans inside of the task are sent by OpenTelemetry, in the background.
        sync_tools.call(tracing.flush)
        return [cases[item["id"]] for item in items]

    def run_trial(
        self, task: Callable[[DatasetItem], Any], items: list[DatasetItem], trial: TrialDetail
    ) -> list[Case]:
        """Runs the items that no program has run yet. Returns the cases of all of them."""
        by_id = {item["id"]: item for item in items}
        cases: dict[str, Case] = {}

        def run_call(call: LeasedCall) -> Any:
            item = by_id.get(call["itemId"])
            if item is None:
                # It was added after the items had been listed, by the program that has created the trial.
                params = {
                    "componentId": self.component["id"],
                    "datasetId": trial["datasetId"],
                    "itemId": call["itemId"],
                }
                item = self.client.request("GET", ITEM, params=params)
            return sync_tools.call(task, item)

        def on_end(call: LeasedCall, end: CallEnd) -> None:
            item = by_id.get(call["itemId"])
            if item is not None and end.state in ("done", "failed"):
                cases[item["id"]] = Case(item, call["traceId"], end.output, end.error)
            self._report(Progress("tasks", self.run["id"], len(cases), len(items)))

        self.client.trials.work(
            run_call,
            component=self.component["id"],
            queue=QUEUE,
            trial=trial["id"],
            concurrency=self.concurrency,
            on_end=on_end,
        )
        sync_tools.call(tracing.flush)
        require_end(self.client, trial)
        self.run = self.client.runs.get(self.component["id"], self.run["id"])
        found = {**cases, **self._stored_cases([item for item in items if item["id"] not in cases])}
        return [found[item["id"]] for item in items if item["id"] in found]

    def _stored_cases(self, items: list[DatasetItem]) -> dict[str, Case]:
        by_id = {item["id"]: item for item in items}
        cases: dict[str, Case] = {}
        if self.run["traceCount"] == 0:
            return cases
        for link in self.client.runs.traces(self.component["id"], self.run["id"]):
            item = by_id.get(link["itemId"] or "")
            if item is not None and item["id"] not in cases:
                trace = self.client.traces.get(link["id"], spans=False)
                error = "The task failed." if trace["status"] == "error" else None
                cases[item["id"]] = Case(item, link["traceId"], trace["output"], error)
        return cases

    def _run_item(self, task: Callable[[DatasetItem], Any], item: DatasetItem) -> Case:
        attributes = item_attributes(
            component=self.component["name"],
            dataset_id=item["datasetId"],
            run_id=self.run["id"],
            item_id=item["id"],
            input_text=item["input"],
        )
        span = CaseSpan(getattr(task, "__name__", "task"), attributes)
        output = None
        try:
            with tracing.inside_span(span.trace_id, span.span_id):
                output = sync_tools.call(task, item)
            span.end(output=output_text(output))
        except ConfigurationError:
            raise
        except Exception as error:
            span.end(error=error_text(error))
            log.warning("The task failed for item %s: %s", item["id"], span.error)
        self.client.send_spans(span.otlp())
        return Case(item, span.trace_id, None if span.error else output, span.error)

    def evaluate(
        self,
        cases: list[Case],
        settings: Mapping[str, Any],
        scorers: Mapping[str, Scorer],
        name: str | None,
        key: str | None = None,
    ) -> EvaluationDetail:
        component_id = self.component["id"]
        options: RequestOptions = {} if key is None else {"idempotency_key": key}
        started = self.client.evaluations.create(
            component_id,
            self.run["datasetId"],
            run_id=self.run["id"],
            name=name or self.run["name"],
            config=settings,
            **options,
        )
        try:
            if scorers:
                self._score(cases, scorers, started["id"])
        except BaseException:
            # Else it would wait for scores that never come.
            with contextlib.suppress(TouchstoneError):
                self.client.evaluations.cancel(component_id, started["id"])
            raise
        evaluation = self.client.evaluations.wait(
            component_id, started["id"], on_progress=self._report_evaluation
        )
        if evaluation["status"] != "completed":
            raise EvaluationFailedError(f"The evaluation failed: {evaluation['error']}", evaluation)
        return evaluation

    def _score(self, cases: list[Case], scorers: Mapping[str, Scorer], evaluation_id: str) -> None:
        done = itertools.count(1)

        def score_case(case: Case) -> None:
            for name, scorer in scorers.items():
                case.scores[name] = self._score_of(case, scorer)
            # At once, case by case: an interruption loses nothing that was paid for.
            stored = self.client.evaluations.create_scores(
                self.component["id"],
                evaluation_id,
                [{"evaluator": name, "traceDbId": case.trace_id, **score} for name, score in case.scores.items()],
            )
            for unknown in stored["unknown"]:
                log.warning("A score of item %s was not stored: %s", case.item["id"], unknown["reason"])
            self._report(Progress("scores", self.run["id"], next(done), len(cases)))

        sync_tools.for_each(score_case, cases, self.concurrency)

    def _score_of(self, case: Case, scorer: Scorer) -> dict[str, Any]:
        if case.error is not None:
            return no_score(f"There is no output: {case.error}")
        try:
            return score_of(sync_tools.call(scorer, case))
        except ConfigurationError:
            raise
        except Exception as error:
            return no_score(f"The scorer failed: {error_text(error)}")

    def _report_evaluation(self, state: EvaluationDetailProgress) -> None:
        done = state["done"] + state["failed"] + state["skipped"]
        self._report(Progress("evaluation", self.run["id"], done, state["total"]))

    def _report(self, progress: Progress) -> None:
        if self.on_progress:
            self.on_progress(progress)

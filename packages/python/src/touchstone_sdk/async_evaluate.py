"""Runs a task on all items of a dataset, evaluates what it returns, and compares it with a baseline."""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from . import async_tools, tracing
from .async_client import AsyncTouchstone
from .async_lookups import find_component, find_dataset
from .async_trial_evaluation import QUEUE, find_baseline, open_trial, require_end, shared_key
from .async_trials import CallEnd
from .case_span import CaseSpan, item_attributes
from .errors import ConfigurationError, EvaluationFailedError, TouchstoneError
from .evaluation_result import EvaluationResult, Progress
from .generated.api_types import (
    Component,
    DatasetItem,
    EvaluationDetail,
    EvaluationDetailProgress,
    LeasedCall,
    Run,
    TrialDetail,
)
from .scoring import Case, Evaluator, Scorer, no_score, read_evaluators, score_of
from .texts import error_text, output_text
from .wire import RequestOptions

Split: TypeAlias = Literal["train", "validation", "test"]

ITEM = "/components/{componentId}/datasets/{datasetId}/items/{itemId}"

log = logging.getLogger("touchstone_sdk")


async def aevaluate(
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
    client: AsyncTouchstone | None = None,
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

    async with contextlib.AsyncExitStack() as stack:
        if client is None:
            client = await stack.enter_async_context(AsyncTouchstone())
        found = await find_component(client, component)
        dataset_id = (await find_dataset(client, found["id"], dataset))["id"]
        entries, scorers = read_evaluators(evaluators or [])
        given: dict[str, Any] = {"evaluators": entries or None, "split": split, "gate": gate}
        if baseline is not None:
            given["baselineRunId"] = (await find_baseline(client, found["id"], baseline))["id"]
        settings = {**(config or {}), **{key: value for key, value in given.items() if value is not None}}
        trial = None
        if resumable:
            if name is None or resume is not None:
                raise ConfigurationError("An evaluation that is resumable needs a name, and no resume.")
            trial = await open_trial(client, found["id"], dataset_id, name, settings)
            run = await client.runs.get(found["id"], trial["variants"][0]["runId"])
        elif resume is None:
            run = await _create_run(client, found["id"], dataset_id, settings, name)
        else:
            run = await client.runs.get(found["id"], resume)
            if run["datasetId"] != dataset_id:
                raise ConfigurationError("The run to resume belongs to another dataset.")
        pages = client.datasets.items.list(found["id"], dataset_id, split=settings.get("split"))
        items = [item async for item in pages][::-1]
        log.info("Run %s (%s) of %d items.", run["name"], run["id"], len(items))
        evaluating = _Evaluating(client, found, run, concurrency, on_progress)
        cases = await (evaluating.run_task(task, items) if trial is None else evaluating.run_trial(task, items, trial))
        # Scores of own functions are delivered by the program that has started the evaluation.
        asked = {"run": run["id"], "name": name, "config": settings}
        key = None if scorers else await shared_key(client, trial, asked)
        evaluation = await evaluating.evaluate(cases, settings, scorers, name, key)
        run = await client.runs.get(found["id"], run["id"])
        url = f"{client.url}/a/{found['workspaceId']}/c/{found['id']}/evaluations/{evaluation['id']}"
        return EvaluationResult(run, evaluation, url, cases)


async def _create_run(
    client: AsyncTouchstone, component_id: str, dataset_id: str, settings: Mapping[str, Any], name: str | None
) -> Run:
    run = await client.runs.create(component_id, dataset_id, name=name)
    try:
        # Before the first task is run, which may be expensive: an invalid config is rejected here.
        await client.evaluations.estimate(component_id, dataset_id, run_id=run["id"], config=settings)
    except TouchstoneError:
        await client.runs.delete(component_id, run["id"])
        raise
    return run


@dataclass
class _Evaluating:
    client: AsyncTouchstone
    component: Component
    run: Run
    concurrency: int
    on_progress: Callable[[Progress], None] | None

    async def run_task(self, task: Callable[[DatasetItem], Any], items: list[DatasetItem]) -> list[Case]:
        """The cases in the order of the items: those that the run has already, and those of the task."""
        cases = await self._stored_cases(items)
        done = itertools.count(len(cases) + 1)

        async def run_item(item: DatasetItem) -> None:
            cases[item["id"]] = await self._run_item(task, item)
            self._report(Progress("tasks", self.run["id"], next(done), len(items)))

        missing = [item for item in items if item["id"] not in cases]
        await async_tools.for_each(run_item, missing, self.concurrency)
        # The spans inside of the task are sent by OpenTelemetry, in the background.
        await async_tools.call(tracing.flush)
        return [cases[item["id"]] for item in items]

    async def run_trial(
        self, task: Callable[[DatasetItem], Any], items: list[DatasetItem], trial: TrialDetail
    ) -> list[Case]:
        """Runs the items that no program has run yet. Returns the cases of all of them."""
        by_id = {item["id"]: item for item in items}
        cases: dict[str, Case] = {}

        async def run_call(call: LeasedCall) -> Any:
            item = by_id.get(call["itemId"])
            if item is None:
                # It was added after the items had been listed, by the program that has created the trial.
                params = {
                    "componentId": self.component["id"],
                    "datasetId": trial["datasetId"],
                    "itemId": call["itemId"],
                }
                item = await self.client.request("GET", ITEM, params=params)
            return await async_tools.call(task, item)

        def on_end(call: LeasedCall, end: CallEnd) -> None:
            item = by_id.get(call["itemId"])
            if item is not None and end.state in ("done", "failed"):
                cases[item["id"]] = Case(item, call["traceId"], end.output, end.error)
            self._report(Progress("tasks", self.run["id"], len(cases), len(items)))

        await self.client.trials.work(
            run_call,
            component=self.component["id"],
            queue=QUEUE,
            trial=trial["id"],
            concurrency=self.concurrency,
            on_end=on_end,
        )
        await async_tools.call(tracing.flush)
        await require_end(self.client, trial)
        self.run = await self.client.runs.get(self.component["id"], self.run["id"])
        found = {**cases, **await self._stored_cases([item for item in items if item["id"] not in cases])}
        return [found[item["id"]] for item in items if item["id"] in found]

    async def _stored_cases(self, items: list[DatasetItem]) -> dict[str, Case]:
        by_id = {item["id"]: item for item in items}
        cases: dict[str, Case] = {}
        if self.run["traceCount"] == 0:
            return cases
        async for link in self.client.runs.traces(self.component["id"], self.run["id"]):
            item = by_id.get(link["itemId"] or "")
            if item is not None and item["id"] not in cases:
                trace = await self.client.traces.get(link["id"], spans=False)
                error = "The task failed." if trace["status"] == "error" else None
                cases[item["id"]] = Case(item, link["traceId"], trace["output"], error)
        return cases

    async def _run_item(self, task: Callable[[DatasetItem], Any], item: DatasetItem) -> Case:
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
                output = await async_tools.call(task, item)
            span.end(output=output_text(output))
        except ConfigurationError:
            raise
        except Exception as error:
            span.end(error=error_text(error))
            log.warning("The task failed for item %s: %s", item["id"], span.error)
        await self.client.send_spans(span.otlp())
        return Case(item, span.trace_id, None if span.error else output, span.error)

    async def evaluate(
        self,
        cases: list[Case],
        settings: Mapping[str, Any],
        scorers: Mapping[str, Scorer],
        name: str | None,
        key: str | None = None,
    ) -> EvaluationDetail:
        component_id = self.component["id"]
        options: RequestOptions = {} if key is None else {"idempotency_key": key}
        started = await self.client.evaluations.create(
            component_id,
            self.run["datasetId"],
            run_id=self.run["id"],
            name=name or self.run["name"],
            config=settings,
            **options,
        )
        try:
            if scorers:
                await self._score(cases, scorers, started["id"])
        except BaseException:
            # Else it would wait for scores that never come.
            with contextlib.suppress(TouchstoneError):
                await self.client.evaluations.cancel(component_id, started["id"])
            raise
        evaluation = await self.client.evaluations.wait(
            component_id, started["id"], on_progress=self._report_evaluation
        )
        if evaluation["status"] != "completed":
            raise EvaluationFailedError(f"The evaluation failed: {evaluation['error']}", evaluation)
        return evaluation

    async def _score(self, cases: list[Case], scorers: Mapping[str, Scorer], evaluation_id: str) -> None:
        done = itertools.count(1)

        async def score_case(case: Case) -> None:
            for name, scorer in scorers.items():
                case.scores[name] = await self._score_of(case, scorer)
            # At once, case by case: an interruption loses nothing that was paid for.
            stored = await self.client.evaluations.create_scores(
                self.component["id"],
                evaluation_id,
                [{"evaluator": name, "traceDbId": case.trace_id, **score} for name, score in case.scores.items()],
            )
            for unknown in stored["unknown"]:
                log.warning("A score of item %s was not stored: %s", case.item["id"], unknown["reason"])
            self._report(Progress("scores", self.run["id"], next(done), len(cases)))

        await async_tools.for_each(score_case, cases, self.concurrency)

    async def _score_of(self, case: Case, scorer: Scorer) -> dict[str, Any]:
        if case.error is not None:
            return no_score(f"There is no output: {case.error}")
        try:
            return score_of(await async_tools.call(scorer, case))
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

"""Sends the cases of a test session as a run, and evaluates it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from . import sync_tools
from .case_span import CaseSpan, item_attributes
from .errors import ConfigurationError, EvaluationFailedError
from .generated.api_types import Component, Dataset, DatasetItem, EvaluationDetail, NewDatasetItem, Run
from .generated.sync_client import Touchstone
from .generated.sync_lookups import find_component, find_run

CONCURRENCY = 8
PASSED = "passed"
# The field of an item's metadata by which the case is found again in the next session.
NODE_ID = "pytest.nodeid"
NOT_SCORED = "The test has no score of this name."


@dataclass
class RecordedCase:
    """A finished test, with plain values only: it may have been run in another process."""

    span: CaseSpan
    input: str | None
    expected: str | None
    scores: dict[str, dict[str, Any]]

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def restore(plain: Mapping[str, Any]) -> RecordedCase:
        return RecordedCase(CaseSpan(**plain["span"]), plain["input"], plain["expected"], plain["scores"])


@dataclass(frozen=True)
class SessionSettings:
    component: str
    dataset: str
    run: str | None
    baseline: str | None
    gate: dict[str, Any] | None

    @staticmethod
    def read(values: Mapping[str, str | None]) -> SessionSettings:
        component = values.get("component")
        if not component:
            raise ConfigurationError("--touchstone needs --touchstone-component, or the setting touchstone_component.")
        baseline, metric, margin = values.get("baseline"), values.get("gate"), values.get("margin")
        if metric and not baseline:
            raise ConfigurationError("--touchstone-gate needs --touchstone-baseline, a run to compare with.")
        gate: dict[str, Any] | None = None
        if metric:
            gate = {"metric": metric, **({"margin": _number(margin)} if margin else {})}
        return SessionSettings(
            component, values.get("dataset") or "pytest", values.get("run") or None, baseline or None, gate
        )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(f"--touchstone-margin must be a number, not {text!r}.") from None


@dataclass(frozen=True)
class PublishedSession:
    passed: bool
    lines: list[str]


def publish(settings: SessionSettings, cases: Mapping[str, RecordedCase]) -> PublishedSession:
    """`cases` are by node id."""
    with Touchstone() as client:
        component = find_component(client, settings.component)
        dataset = _dataset(client, component["id"], settings.dataset)
        baseline = _baseline(client, component["id"], dataset["id"], settings.baseline)
        items = _items(client, component["id"], dataset["id"], cases)
        run_name = settings.run or f"{datetime.now(timezone.utc):pytest %Y-%m-%d %H:%M:%S} UTC"
        run = client.runs.create(component["id"], dataset["id"], name=run_name)
        publishing = _Publishing(client, component, run)
        publishing.send_spans(cases, items)
        evaluation = publishing.evaluate(cases, baseline, settings.gate)
        url = f"{client.url}/a/{component['workspaceId']}/c/{component['id']}/evaluations/{evaluation['id']}"
        return _summarized(evaluation, f"Run {run_name}: {url}", settings, baseline)


def _dataset(client: Touchstone, component_id: str, name: str) -> Dataset:
    for dataset in client.datasets.list(component_id):
        if dataset["name"] == name:
            return dataset
    return client.datasets.create(component_id, name, description="The tests of a pytest suite, by node id")


def _baseline(client: Touchstone, component_id: str, dataset_id: str, name: str | None) -> Run | None:
    if name is None:
        return None
    if name != "latest":
        return find_run(client, component_id, name)
    return next((run for run in client.runs.list(component_id) if run["datasetId"] == dataset_id), None)


def _items(
    client: Touchstone, component_id: str, dataset_id: str, cases: Mapping[str, RecordedCase]
) -> dict[str, DatasetItem]:
    """The item of each case, by node id: found again, updated if the test has changed, or created."""
    items: dict[str, DatasetItem] = {}
    for item in client.datasets.items.list(component_id, dataset_id):
        node_id = str(item["metadata"].get(NODE_ID))
        if node_id in cases:
            items[node_id] = item
    for node_id, item in items.items():
        case = cases[node_id]
        if (item["input"], item["expected"]) != (case.input, case.expected):
            changes = {"input": case.input, "expected": case.expected}
            items[node_id] = client.datasets.items.update(component_id, dataset_id, item["id"], changes)
    missing = [node_id for node_id in cases if node_id not in items]
    created = client.datasets.items.create(component_id, dataset_id, [_new_item(name, cases[name]) for name in missing])
    return {**items, **dict(zip(missing, created, strict=True))}


def _new_item(node_id: str, case: RecordedCase) -> NewDatasetItem:
    item: NewDatasetItem = {"input": case.input, "metadata": {NODE_ID: node_id}}
    if case.expected is not None:
        item["expected"] = case.expected
    return item


@dataclass(frozen=True)
class _Publishing:
    client: Touchstone
    component: Component
    run: Run

    def send_spans(self, cases: Mapping[str, RecordedCase], items: Mapping[str, DatasetItem]) -> None:
        def send(node_id: str) -> None:
            case = cases[node_id]
            case.span.attributes = item_attributes(
                component=self.component["name"],
                dataset_id=self.run["datasetId"],
                run_id=self.run["id"],
                item_id=items[node_id]["id"],
                input_text=case.input,
            )
            self.client.send_spans(case.span.otlp())

        sync_tools.for_each(send, cases, CONCURRENCY)

    def evaluate(
        self, cases: Mapping[str, RecordedCase], baseline: Run | None, gate: dict[str, Any] | None
    ) -> EvaluationDetail:
        names = [PASSED, *sorted({name for case in cases.values() for name in case.scores} - {PASSED})]
        config: dict[str, Any] = {"evaluators": [{"type": "external", "name": name} for name in names]}
        if baseline is not None:
            config["baselineRunId"] = baseline["id"]
            if gate is not None:
                config["gate"] = gate
        component_id = self.component["id"]
        started = self.client.evaluations.create(
            component_id, self.run["datasetId"], run_id=self.run["id"], name=self.run["name"], config=config
        )
        scores = [
            {"evaluator": name, "traceDbId": case.span.trace_id, **case.scores.get(name, {"error": NOT_SCORED})}
            for case in cases.values()
            for name in names
        ]
        self.client.evaluations.create_scores(component_id, started["id"], scores)
        evaluation = self.client.evaluations.wait(component_id, started["id"])
        if evaluation["status"] != "completed":
            raise EvaluationFailedError(f"The evaluation failed: {evaluation['error']}", evaluation)
        return evaluation


def _summarized(
    evaluation: EvaluationDetail, first_line: str, settings: SessionSettings, baseline: Run | None
) -> PublishedSession:
    results = evaluation["results"] or {}
    lines = [first_line]
    if settings.baseline is not None and baseline is None:
        lines.append("There is no earlier run to compare with: this one is the first.")
    if comparison := results.get("comparison"):
        lines.append(f"{comparison['verdict']}: {comparison['summary']}")
    gate = results.get("gate")
    if gate is not None:
        lines.append(f"Gate: {gate['summary']}")
    return PublishedSession(gate is None or gate["passed"] is True, lines)

"""Evaluations of tasks, against the real server."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from conftest import Seeded
from touchstone_sdk import (
    AsyncTouchstone,
    Case,
    ConfigurationError,
    EvaluationFailedError,
    NotFoundError,
    Progress,
    Touchstone,
    ValidationError,
    aevaluate,
    evaluate,
    scorer,
)
from touchstone_sdk.types import DatasetItem

CAPITALS = {"France": "Paris", "Italy": "Rome"}


def answer(item: DatasetItem) -> str:
    return CAPITALS[item["input"] or ""]


def is_right(case: Case) -> bool:
    return bool(case.output == case.expected)


def test_runs_the_task_on_every_item_and_evaluates_it(client: Touchstone, seeded: Seeded) -> None:
    progress: list[Progress] = []
    result = evaluate(
        answer,
        component=seeded.component_name,
        dataset=seeded.dataset_name,
        name="v1",
        evaluators=["exactMatch", {"type": "contains", "name": "has an R", "value": "R"}, is_right],
        on_progress=progress.append,
        client=client,
    )
    assert result.run["name"] == "v1"
    assert result.run["traceCount"] == 3
    assert [case.item["id"] for case in result.cases] == seeded.item_ids
    assert result.metrics["exactMatch"]["mean"] == pytest.approx(2 / 3)
    assert result.metrics["is_right"]["mean"] == pytest.approx(2 / 3)
    assert result.url.endswith(f"/c/{seeded.component_id}/evaluations/{result.evaluation['id']}")
    assert (result.comparison, result.verdict, result.gate) == (None, None, None)
    assert "is_right 0.667" in result.summary
    assert {state.phase for state in progress} == {"tasks", "scores", "evaluation"}
    assert Progress("tasks", result.run["id"], 3, 3) in progress
    assert Progress("scores", result.run["id"], 3, 3) in progress
    # Items with the same input are distinguished by their ids.
    links = {trace["itemId"]: trace["traceId"] for trace in client.runs.traces(seeded.component_id, result.run["id"])}
    assert links == {case.item["id"]: case.trace_id for case in result.cases}
    trace = client.traces.get(result.cases[0].trace_id)
    assert (trace["name"], trace["input"], trace["output"]) == ("answer", "France", "Paris")
    assert trace["componentName"] == seeded.component_name


async def test_async_tasks_run_at_the_same_time(seeded: Seeded) -> None:
    begun: list[DatasetItem] = []
    all_have_begun = asyncio.Event()

    async def together(item: DatasetItem) -> str:
        begun.append(item)
        if len(begun) == 3:
            all_have_begun.set()
        await all_have_begun.wait()
        return answer(item)

    async def judge(case: Case) -> dict[str, Any]:
        return {"score": 0.5, "label": "fair", "reason": f"{case.input} is {case.output}", "details": {"tokens": 3}}

    async with AsyncTouchstone() as client:
        result = await aevaluate(
            together,
            component=seeded.component_id,
            dataset=seeded.dataset_id,
            evaluators=[judge, is_right],
            client=client,
        )
        scores = client.evaluations.scores(seeded.component_id, result.evaluation["id"], evaluator="judge")
        stored = [score async for score in scores]
    assert {score["reason"] for score in stored} == {"France is Paris", "Italy is Rome"}
    values = [(score["score"], score["label"], score["details"]) for score in stored]
    assert values == [(0.5, "fair", {"tokens": 3})] * 3
    assert result.metrics["is_right"]["n"] == 3


def test_threads_run_tasks_at_the_same_time(seeded: Seeded) -> None:
    barrier = threading.Barrier(3, timeout=60)

    def together(item: DatasetItem) -> str:
        barrier.wait()
        return answer(item)

    result = evaluate(
        together, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=["exactMatch"], concurrency=3
    )
    assert [case.error for case in result.cases] == [None, None, None]


def test_a_failed_task_is_a_case_with_an_error(client: Touchstone, seeded: Seeded) -> None:
    def fragile(item: DatasetItem) -> str:
        if item["input"] == "France":
            raise RuntimeError("no such country")
        return answer(item)

    result = evaluate(
        fragile, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=[is_right, "exactMatch"]
    )
    assert [case.error for case in result.cases] == ["RuntimeError: no such country", None, None]
    assert client.traces.get(result.cases[0].trace_id)["status"] == "error"
    assert (result.metrics["is_right"]["n"], result.metrics["is_right"]["failed"]) == (2, 1)


def test_an_output_that_cannot_be_stored_is_an_error_of_its_case(seeded: Seeded) -> None:
    def odd(item: DatasetItem) -> object:
        circle: list[object] = []
        circle.append(circle)
        return {"Paris": circle, "Rome": "x" * 5_000_000, "Roma": "half of a pair: \ud83d, \0"}[item["expected"] or ""]

    result = evaluate(odd, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=["exactMatch"])
    assert [case.error for case in result.cases] == [
        "ValueError: Circular reference detected",
        "ValueError: The output has 5000000 characters, 4000000 at most.",
        None,
    ]


def test_a_scorer_that_fails_or_returns_nonsense_fails_its_score_only(client: Touchstone, seeded: Seeded) -> None:
    def broken(case: Case) -> float:
        results: dict[str, Any] = {"Paris": 7, "Rome": None, "Roma": {"sccore": 1}}
        return results[case.expected or ""]  # type: ignore[no-any-return]

    def raising(_: Case) -> float:
        raise KeyError("x" * 5000)

    result = evaluate(
        answer, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=["exactMatch", broken, raising]
    )
    scores = client.evaluations.scores(seeded.component_id, result.evaluation["id"], evaluator="broken")
    assert sorted(score["error"] or "" for score in scores) == [
        "A score has no field 'sccore', only score, label, passed, reason, details.",
        "A score is a number from 0 to 1, not 7.0.",
        "A scorer returns a number, a bool or a dict, not NoneType.",
    ]
    assert result.metrics["raising"]["failed"] == 3
    assert result.metrics["exactMatch"]["n"] == 3


def test_compares_with_a_baseline_and_decides_by_a_gate(client: Touchstone, seeded: Seeded) -> None:
    items: list[Any] = [{"input": f"Country {number}", "expected": f"City {number}"} for number in range(60)]
    dataset = client.datasets.create(seeded.component_id, "Many")
    client.datasets.items.create(seeded.component_id, dataset["id"], items)

    def wrong(_: DatasetItem) -> str:
        return "?"

    def right(item: DatasetItem) -> str:
        return (item["input"] or "").replace("Country", "City")

    common: dict[str, Any] = {
        "component": seeded.component_id,
        "dataset": "Many",
        "evaluators": [is_right],
        "client": client,
    }
    evaluate(right, name="v1", **common)
    gate = {"metric": "is_right", "margin": 0.1}
    worse = evaluate(wrong, name="v2", baseline="v1", gate=gate, **common)
    assert worse.verdict == "regressed"
    assert worse.gate is not None
    assert worse.gate["passed"] is False
    assert worse.summary == worse.gate["summary"]
    same = evaluate(right, name="v2", baseline="v1", gate=gate, **common)
    assert same.gate is not None
    assert same.gate["passed"] is True
    # Both have the same name, and each its own traces.
    assert (worse.run["name"], same.run["name"]) == ("v2", "v2")
    assert (worse.run["traceCount"], same.run["traceCount"]) == (60, 60)


def test_resumes_an_interrupted_run_with_the_missing_items_only(client: Touchstone, seeded: Seeded) -> None:
    called: list[str] = []

    def interrupted(item: DatasetItem) -> str:
        called.append(item["id"])
        if len(called) == 3:
            raise KeyboardInterrupt
        return answer(item)

    common: dict[str, Any] = {"component": seeded.component_id, "dataset": seeded.dataset_id, "evaluators": [is_right]}
    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupted, name="v1", concurrency=1, client=client, **common)
    [run] = client.runs.list(seeded.component_id)
    assert run["traceCount"] == 2
    result = evaluate(interrupted, resume=run["id"], client=client, **common)
    assert called == [*seeded.item_ids, seeded.item_ids[2]]
    assert result.run["id"] == run["id"]
    assert result.run["traceCount"] == 3
    assert [case.output for case in result.cases] == ["Paris", "Rome", "Rome"]
    assert result.metrics["is_right"]["n"] == 3


def test_a_run_of_another_dataset_is_not_resumed(client: Touchstone, seeded: Seeded) -> None:
    other = client.datasets.create(seeded.component_id, "Other")
    run = client.runs.create(seeded.component_id, other["id"])
    with pytest.raises(ConfigurationError, match="another dataset"):
        evaluate(answer, component=seeded.component_id, dataset=seeded.dataset_id, resume=run["id"])


def test_an_interruption_while_scoring_cancels_the_evaluation(client: Touchstone, seeded: Seeded) -> None:
    def interrupted(_: Case) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(answer, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=[interrupted])
    [evaluation] = client.evaluations.list(seeded.component_id)
    assert client.evaluations.get(seeded.component_id, evaluation["id"])["error"] == "cancelled"


def test_an_invalid_config_is_rejected_before_a_task_is_run(client: Touchstone, seeded: Seeded) -> None:
    called: list[DatasetItem] = []
    common: dict[str, Any] = {"component": seeded.component_id, "dataset": seeded.dataset_id}
    with pytest.raises(ValidationError, match="nonsense"):
        evaluate(called.append, evaluators=["nonsense"], **common)
    with pytest.raises(ConfigurationError, match="lambda"):
        evaluate(called.append, evaluators=[lambda _: 1], **common)
    with pytest.raises(ConfigurationError, match="Two scorers"):
        evaluate(called.append, evaluators=[is_right, is_right], **common)
    with pytest.raises(ConfigurationError, match="concurrency"):
        evaluate(called.append, evaluators=[is_right], concurrency=0, **common)
    with pytest.raises(NotFoundError, match="no run with the name 'v0'"):
        evaluate(called.append, evaluators=[is_right], baseline="v0", **common)
    assert called == []
    assert list(client.runs.list(seeded.component_id)) == []


def test_unknown_names_are_errors(seeded: Seeded) -> None:
    with pytest.raises(NotFoundError, match="no component with the name 'Nothing'"):
        evaluate(answer, component="Nothing", dataset="Countries", evaluators=[is_right])
    with pytest.raises(NotFoundError, match="no dataset with the name 'Nothing'"):
        evaluate(answer, component=seeded.component_name, dataset="Nothing", evaluators=[is_right])


def test_an_evaluation_without_any_score_is_an_error(seeded: Seeded) -> None:
    def failing(_: DatasetItem) -> str:
        raise RuntimeError("always")

    with pytest.raises(EvaluationFailedError, match="The evaluation failed: ") as caught:
        evaluate(failing, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=[is_right])
    assert caught.value.evaluation["status"] == "failed"


def test_a_blocking_evaluation_rejects_async_functions(seeded: Seeded) -> None:
    async def task(item: DatasetItem) -> str:
        return answer(item)

    with pytest.raises(ConfigurationError, match="task is an async function: use aevaluate"):
        evaluate(task, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=[is_right])


def test_a_scorer_can_have_another_name_and_options(client: Touchstone, seeded: Seeded) -> None:
    tone = scorer(name="tone", pass_at=0.4, timeout_minutes=5)(lambda _: 0.5)
    result = evaluate(answer, component=seeded.component_id, dataset=seeded.dataset_id, evaluators=[tone])
    assert result.metrics["tone"]["passed"]["mean"] == 1
    config = client.evaluations.get(seeded.component_id, result.evaluation["id"])["config"]
    assert config["evaluators"] == [{"type": "external", "name": "tone", "passAt": 0.4, "timeoutMinutes": 5}]


def test_one_split_is_evaluated_by_the_evaluators_that_apply(client: Touchstone, seeded: Seeded) -> None:
    client.datasets.items.update(seeded.component_id, seeded.dataset_id, seeded.item_ids[1], {"split": "test"})
    options: list[dict[str, Any]] = [{"split": "test"}, {"config": {"split": "test"}}]
    for option in options:
        result = evaluate(answer, component=seeded.component_id, dataset=seeded.dataset_id, **option)
        assert [case.item["id"] for case in result.cases] == [seeded.item_ids[1]]
        assert result.metrics["exactMatch"]["mean"] == 1

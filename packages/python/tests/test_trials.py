"""Workers of trials, and evaluations that are resumed by their name, against the real server."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from typing import Any

import pytest

from conftest import Seeded
from touchstone_sdk import (
    AsyncTouchstone,
    AuthenticationError,
    ConfigurationError,
    NotFoundError,
    Touchstone,
    TransientError,
    ValidationError,
    aevaluate,
    evaluate,
)
from touchstone_sdk.types import DatasetItem, LeasedCall

CAPITALS = {"France": "Paris", "Italy": "Rome"}
WORKER = {"name": "my code", "target": {"type": "worker", "queue": "agent"}}


def start(client: Touchstone, seeded: Seeded, **fields: Any) -> str:
    body = {"datasetId": seeded.dataset_id, "name": "nightly", "variants": [WORKER], **fields}
    return client.trials.create(seeded.component_id, body)["id"]


def calls_of(client: Touchstone, seeded: Seeded, trial_id: str, state: str) -> list[Any]:
    params = {"componentId": seeded.component_id, "trialId": trial_id}
    path = "/components/{componentId}/trials/{trialId}/calls"
    data: list[Any] = client.request("GET", path, params=params, query={"state": state})["data"]
    return data


def test_runs_the_calls_of_a_trial_and_ends_with_it(client: Touchstone, seeded: Seeded) -> None:
    trial_id = start(client, seeded, repetitions=4)
    together = threading.Barrier(3)
    seen: list[LeasedCall] = []

    def answer(call: LeasedCall) -> dict[str, str]:
        together.wait(timeout=60)
        seen.append(call)
        return {"city": CAPITALS[call["input"]]}

    work = client.trials.work
    counts = work(answer, component=seeded.component_name, queue="agent", trial="nightly", concurrency=3)
    assert counts == {"done": 12, "failed": 0, "retrying": 0, "returned": 0, "lost": 0}
    assert set(Counter(call["itemId"] for call in seen).values()) == {4}
    trial = client.trials.get(seeded.component_id, trial_id)
    assert trial["progress"] == {"total": 12, "done": 12, "failed": 0, "skipped": 0}
    traces = list(client.runs.traces(seeded.component_id, trial["variants"][0]["runId"]))
    assert sorted(trace["traceId"] for trace in traces) == sorted(call["traceId"] for call in seen)
    assert "city" in str(client.traces.get(traces[0]["id"])["output"])


def test_an_error_fails_its_call_and_a_transient_one_is_tried_again(client: Touchstone, seeded: Seeded) -> None:
    trial_id = start(client, seeded)
    attempts: list[str] = []

    def answer(call: LeasedCall) -> str:
        if call["input"] == "France":
            raise KeyError("no France")
        attempts.append(call["itemId"])
        if len(attempts) == 1:
            raise TransientError("busy")
        return "Rome"

    counts = client.trials.work(answer, component=seeded.component_id, queue="agent", trial=trial_id)
    assert (counts["done"], counts["failed"], counts["retrying"]) == (2, 1, 1)
    assert [call["reason"] for call in calls_of(client, seeded, trial_id, "failed")] == ["KeyError: 'no France'"]


async def test_a_canceled_worker_returns_its_calls(client: Touchstone, seeded: Seeded) -> None:
    trial_id = start(client, seeded)
    all_have_begun = asyncio.Event()
    begun: list[LeasedCall] = []

    async def never(call: LeasedCall) -> None:
        begun.append(call)
        if len(begun) == 3:
            all_have_begun.set()
        await asyncio.Event().wait()

    async with AsyncTouchstone() as other:
        options: dict[str, Any] = {"component": seeded.component_id, "queue": "agent", "trial": trial_id}
        worker = asyncio.ensure_future(other.trials.work(never, **options))
        await all_have_begun.wait()
        worker.cancel()
        with pytest.raises(asyncio.CancelledError):
            await worker
        assert calls_of(client, seeded, trial_id, "running") == []

        async def answer(call: LeasedCall) -> str:
            return CAPITALS[call["input"]]

        assert (await other.trials.work(answer, **options))["done"] == 3


def test_a_stopped_worker_finishes_the_calls_that_run(client: Touchstone, seeded: Seeded) -> None:
    trial_id = start(client, seeded)
    stop = threading.Event()

    def answer(_: LeasedCall) -> str:
        stop.set()
        return "Rome"

    counts = client.trials.work(answer, component=seeded.component_id, queue="agent", concurrency=1, stop=stop)
    assert counts == {"done": 1, "failed": 0, "retrying": 0, "returned": 0, "lost": 0}
    assert len(calls_of(client, seeded, trial_id, "queued")) == 2


def test_a_stopped_worker_returns_what_does_not_finish(client: Touchstone, seeded: Seeded) -> None:
    trial_id = start(client, seeded)
    stop = threading.Event()
    end = threading.Event()

    def never(_: LeasedCall) -> str:
        stop.set()
        end.wait()
        return "late"

    options: dict[str, Any] = {"component": seeded.component_id, "queue": "agent"}
    counts = client.trials.work(never, **options, concurrency=2, stop=stop, grace_seconds=0.1)
    assert counts["returned"] >= 1
    assert (counts["done"], counts["failed"]) == (0, 0)
    assert calls_of(client, seeded, trial_id, "running") == []
    assert client.trials.work(lambda call: CAPITALS[call["input"]], **options, trial=trial_id)["done"] == 3
    end.set()


# A program of its own, with and without tracing, in threads and in an event loop.
ENDED = {
    "sync": """
        def never(call):
            print("begun", flush=True)
            threading.Event().wait(60)

        with Touchstone() as client:
            client.trials.work(never, **options)
    """,
    "async": """
        async def never(call):
            print("begun", flush=True)
            await asyncio.Event().wait()

        async def work():
            async with AsyncTouchstone() as client:
                await client.trials.work(never, **options)

        asyncio.run(work())
    """,
}


@pytest.mark.parametrize("program", ENDED.values(), ids=ENDED.keys())
@pytest.mark.parametrize("begin", ["", "init('Support')"], ids=["", "with tracing"])
def test_a_program_that_is_ended_returns_its_calls(
    client: Touchstone, seeded: Seeded, program: str, begin: str
) -> None:
    trial_id = start(client, seeded)
    header = f"""
import asyncio, threading
from touchstone_sdk import AsyncTouchstone, Touchstone, init
{begin}
options = dict(component={seeded.component_id!r}, queue="agent", concurrency=1, grace_seconds=0)
"""
    source = header + textwrap.dedent(program)
    process = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)
        while calls_of(client, seeded, trial_id, "running"):
            assert process.poll() is None or not calls_of(client, seeded, trial_id, "running")
            time.sleep(0.05)
        assert len(calls_of(client, seeded, trial_id, "retrying")) == 1
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_wrong_options_are_reported(client: Touchstone, seeded: Seeded) -> None:
    async def answer(_: LeasedCall) -> str:
        return "Rome"

    options: dict[str, Any] = {"component": seeded.component_name, "queue": "agent"}
    with pytest.raises(ConfigurationError, match="at least 1"):
        client.trials.work(print, **options, concurrency=0)
    with pytest.raises(NotFoundError, match="gone"):
        client.trials.work(print, **options, trial="gone")
    with pytest.raises(NotFoundError, match="gone"):
        client.trials.work(print, component="gone", queue="agent")
    with pytest.raises(AuthenticationError), Touchstone(api_key="tsk_wrong") as wrong:
        wrong.trials.work(print, component=seeded.component_id, queue="agent")
    trial_id = start(client, seeded)
    with pytest.raises(ConfigurationError, match="async function"):
        client.trials.work(answer, **options, trial=trial_id)
    assert calls_of(client, seeded, trial_id, "running") == []


def test_an_evaluation_goes_on_by_its_name(client: Touchstone, seeded: Seeded) -> None:
    asked: list[str] = []

    def answer(item: DatasetItem) -> str:
        asked.append(item["id"])
        if len(asked) == 2:
            raise ConfigurationError("the key has expired")
        return CAPITALS[item["input"] or ""]

    options: dict[str, Any] = {
        "component": seeded.component_name,
        "dataset": seeded.dataset_name,
        "name": "v1",
        "resumable": True,
        "concurrency": 1,
        "client": client,
    }
    with pytest.raises(ConfigurationError, match="expired"):
        evaluate(answer, **options)
    result = evaluate(answer, **options, evaluators=["exactMatch"])
    # The call that was interrupted waits a little before it is tried again.
    assert sorted(Counter(asked).values()) == [1, 1, 2]
    assert asked.count(asked[1]) == 2
    assert [case.item["id"] for case in result.cases] == seeded.item_ids
    assert [case.output for case in result.cases] == ["Paris", "Rome", "Rome"]
    assert result.metrics["exactMatch"]["mean"] == pytest.approx(2 / 3)
    again = evaluate(answer, **options)
    assert len(asked) == 4
    assert again.run["id"] == result.run["id"]
    compared = evaluate(answer, **{**options, "name": "v2"}, baseline="v1", evaluators=["exactMatch"])
    assert compared.comparison is not None
    assert compared.comparison["baseline"]["runId"] == result.run["id"]
    assert len(list(client.runs.list(seeded.component_id))) == 2


async def test_an_evaluation_is_shared_by_programs(client: Touchstone, seeded: Seeded) -> None:
    asked: list[str] = []

    async def answer(item: DatasetItem) -> str:
        asked.append(item["id"])
        if item["input"] == "France":
            raise KeyError("no France")
        return "Rome"

    options: dict[str, Any] = {"component": seeded.component_id, "dataset": seeded.dataset_id, "name": "v1"}
    both = await asyncio.gather(*(aevaluate(answer, **options, resumable=True) for _ in range(2)))
    assert sorted(asked) == sorted(seeded.item_ids)
    assert len(list(client.trials.list(seeded.component_id))) == 1
    assert len(list(client.runs.list(seeded.component_id))) == 1
    assert both[0].evaluation["id"] == both[1].evaluation["id"]
    for result in both:
        assert [case.item["id"] for case in result.cases] == seeded.item_ids
        assert [case.error is None for case in result.cases] == [False, True, True]


def test_an_evaluation_with_wrong_options_starts_nothing(client: Touchstone, seeded: Seeded) -> None:
    options: dict[str, Any] = {"component": seeded.component_id, "dataset": seeded.dataset_id, "resumable": True}
    with pytest.raises(ConfigurationError, match="needs a name"):
        evaluate(print, **options)
    with pytest.raises(ConfigurationError, match="no resume"):
        evaluate(print, **options, name="v1", resume="x")
    with pytest.raises(ValidationError, match="noSuchEvaluator"):
        evaluate(print, **options, name="v1", evaluators=["noSuchEvaluator"])
    assert list(client.trials.list(seeded.component_id)) == []
    assert list(client.runs.list(seeded.component_id)) == []
    start(client, seeded)
    with pytest.raises(ConfigurationError, match="not one of this evaluation"):
        evaluate(print, **options, name="nightly")

"""The client against the real server."""

from __future__ import annotations

import pickle
import socket
import traceback

import httpx
import pytest

import touchstone_sdk
from conftest import Seeded, Server
from touchstone_sdk import AsyncTouchstone, ConfigurationError, NotFoundError, Touchstone, sync_tools


def test_creates_reads_lists_and_deletes_resources(client: Touchstone, seeded: Seeded) -> None:
    component_id, dataset_id = seeded.component_id, seeded.dataset_id
    run = client.runs.create(component_id, dataset_id, name="v1")
    created = client.traces.create(component_id, {"input": "France", "output": "Paris"})
    linked = client.runs.add_traces(component_id, run["id"], [created["traceId"]])
    assert linked["traceCount"] == 1
    assert [trace["itemId"] for trace in client.runs.traces(component_id, run["id"])] == [seeded.item_ids[0]]
    annotation = client.annotations.create(component_id, run["id"], created["id"], rating="up", comment="Good")
    assert [entry["id"] for entry in client.annotations.list(component_id, run["id"])] == [annotation["id"]]
    assert [entry["id"] for entry in client.annotations.list_of_dataset(component_id, dataset_id)] == [annotation["id"]]
    assert client.traces.get(created["id"], spans=False)["output"] == "Paris"
    assert [trace["id"] for trace in client.traces.list(component_id=component_id)] == [created["id"]]
    client.annotations.delete(component_id, run["id"], annotation["id"])
    client.traces.delete(created["id"])
    client.runs.delete(component_id, run["id"])
    client.datasets.delete(component_id, dataset_id)
    client.components.delete(component_id)
    with pytest.raises(NotFoundError):
        client.components.get(component_id)


async def test_the_async_client_does_the_same(seeded: Seeded) -> None:
    async with AsyncTouchstone() as client:
        run = await client.runs.create(seeded.component_id, seeded.dataset_id, name="v1")
        assert await client.runs.get(seeded.component_id, run["id"]) == run
        assert [entry async for entry in client.runs.list(seeded.component_id)] == [run]
        with pytest.raises(NotFoundError):
            await client.runs.get(seeded.component_id, seeded.dataset_id)


def test_iterates_over_all_pages_and_returns_each_entry_once(client: Touchstone, seeded: Seeded) -> None:
    component_id, dataset_id = seeded.component_id, seeded.dataset_id
    client.datasets.items.create(component_id, dataset_id, [{"input": str(number)} for number in range(250)])
    inputs = []
    for item in client.datasets.items.list(component_id, dataset_id):
        inputs.append(item["input"])
        if len(inputs) == 1:
            # Shifts all pages that follow.
            client.datasets.items.create(component_id, dataset_id, [{"input": "late"}])
    assert len(inputs) == 253
    assert set(map(str, range(250))) < set(inputs)
    page = client.datasets.items.list(component_id, dataset_id).page(limit=10, offset=250)
    assert (len(page.data), page.total, page.has_more) == (4, 254, False)


def test_iterates_over_lists_with_cursors_to_their_end(client: Touchstone, seeded: Seeded) -> None:
    for _ in range(2):
        traces = [{"input": "France"} for _ in range(100)]
        client.request(
            "POST",
            "/components/{componentId}/traces",
            params={"componentId": seeded.component_id},
            body={"traces": traces},
        )
    assert len({trace["id"] for trace in client.traces.list(component_id=seeded.component_id)}) == 200


def test_adds_more_items_than_one_request_may_have(client: Touchstone, seeded: Seeded) -> None:
    long = "x" * 300_000
    items = client.datasets.items.create(
        seeded.component_id, seeded.dataset_id, [{"input": f"{number} {long}"} for number in range(7)]
    )
    assert [(item["input"] or "")[:2] for item in items] == [f"{number} " for number in range(7)]


def test_waits_for_an_evaluation_and_reports_its_progress(client: Touchstone, seeded: Seeded) -> None:
    config = {"evaluators": [{"type": "exactMatch"}]}
    client.datasets.items.create(
        seeded.component_id, seeded.dataset_id, [{"input": "Spain", "output": "Madrid", "expected": "Madrid"}]
    )
    assert client.evaluations.estimate(seeded.component_id, seeded.dataset_id, config=config)["cases"] == 4
    started = client.evaluations.create(seeded.component_id, seeded.dataset_id, config=config, name="first")
    progress: list[int] = []
    evaluation = client.evaluations.wait(
        seeded.component_id, started["id"], on_progress=lambda state: progress.append(state["done"])
    )
    assert evaluation["status"] == "completed"
    assert progress[-1] == 1
    scores = client.evaluations.scores(seeded.component_id, started["id"], state="scored")
    assert [score["score"] for score in scores] == [1]


def test_waiting_outlasts_a_server_that_is_away(
    client: Touchstone, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"evaluators": [{"type": "external", "name": "tone"}]}
    client.datasets.items.create(seeded.component_id, seeded.dataset_id, [{"input": "Spain", "output": "Madrid"}])
    started = client.evaluations.create(seeded.component_id, seeded.dataset_id, config=config)
    items = [item["id"] for item in client.datasets.items.list(seeded.component_id, seeded.dataset_id)]
    scores = [{"evaluator": "tone", "itemId": item_id, "score": 1} for item_id in items]
    away = iter(range(5))

    def fail(request: httpx.Request) -> httpx.Response:
        if next(away, None) is not None:
            raise httpx.ConnectError("refused")
        # Now it is back, and the scores arrive.
        client.evaluations.create_scores(seeded.component_id, started["id"], scores)
        monkeypatch.setattr(waiting._connection, "_http", client._connection._http)
        raise httpx.ReadError("the stream was cut", request=request)

    monkeypatch.setattr(sync_tools, "sleep", lambda _: None)
    waiting = Touchstone(transport=httpx.MockTransport(fail), max_retries=0)
    assert waiting.evaluations.wait(seeded.component_id, started["id"])["status"] == "completed"


def test_an_error_has_the_message_the_status_and_the_request_id(client: Touchstone) -> None:
    with pytest.raises(touchstone_sdk.ValidationError, match="name") as caught:
        client.request("POST", "/components", body={"name": ""})
    assert caught.value.status == 400
    assert caught.value.request_id
    assert caught.value.request_id in str(caught.value)
    restored = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - written one line above
    assert (str(restored), restored.status) == (str(caught.value), 400)


@pytest.mark.parametrize(
    ("url", "message"), [("http://127.0.0.1:1", "failed"), ("{server}", "Invalid or missing API key")]
)
def test_a_key_is_in_no_message_and_no_repr(server: Server, url: str, message: str) -> None:
    secret = "tsk_secret-of-this-test-0123456789"
    with Touchstone(secret, url.format(server=server.url), max_retries=0) as client:
        with pytest.raises(touchstone_sdk.TouchstoneError, match=message) as caught:
            client.components.list().page()
        printed = [repr(client), str(client), repr(vars(client)), repr(caught.value)]
    printed += traceback.format_exception(caught.value)
    assert not any("secret-of-this-test" in text for text in printed)


@pytest.mark.parametrize("key", ["tsk_secret\n-key", "tsk_secret-ключ", "tsk_secret key"])
def test_a_malformed_key_is_rejected_without_repeating_it(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Touchstone(key)
    assert "secret" not in str(caught.value)


def test_a_server_that_never_responds_is_a_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Touchstone(base_url=url, timeout=0.1, max_retries=0) as client, pytest.raises(touchstone_sdk.TimeoutError):
            client.components.list().page()
        with Touchstone(base_url=url) as client, pytest.raises(touchstone_sdk.TimeoutError):
            client.components.list(timeout=0.1, max_retries=0).page()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_URL")
    assert Touchstone().url == "http://127.0.0.1:3000"
    monkeypatch.setenv("TOUCHSTONE", "https://example.com/touchstone/api/v1/")
    assert Touchstone().url == "https://example.com/touchstone"
    monkeypatch.delenv("TOUCHSTONE_API_KEY")
    with pytest.raises(ConfigurationError, match="TOUCHSTONE_API_KEY"):
        Touchstone()


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:3000", "ftp://example.com", "http://", "http://a:b@example.com", "http://x:99999", "http://x?a=1"],
)
def test_an_invalid_url_is_rejected(url: str) -> None:
    with pytest.raises(ConfigurationError, match="URL of the server"):
        Touchstone(base_url=url)


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_an_empty_id_never_addresses_another_resource(client: Touchstone, value: str) -> None:
    with pytest.raises(ConfigurationError, match="componentId"):
        client.components.delete(value)


def test_an_id_with_a_slash_stays_one_segment_of_the_path(client: Touchstone) -> None:
    with pytest.raises(touchstone_sdk.ApiError) as caught:
        client.components.get("../workspace")
    assert caught.value.status in (400, 404)


def test_a_body_that_is_not_json_is_rejected_before_it_is_sent(client: Touchstone) -> None:
    with pytest.raises(ConfigurationError, match="not JSON"):
        client.request("POST", "/components", body={"name": float("nan")})

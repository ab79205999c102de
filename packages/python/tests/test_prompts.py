"""Prompts: the vectors of all clients, the cache with a server and a clock of the test, and the real server."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

import touchstone_sdk
from conftest import REPOSITORY
from touchstone_sdk import (
    AsyncTouchstone,
    NotFoundError,
    ServerError,
    Touchstone,
    TouchstoneError,
    async_tools,
    sync_tools,
)
from touchstone_sdk.async_prompts import AsyncPrompts
from touchstone_sdk.generated.sync_prompts import Prompts
from touchstone_sdk.prompts import LoadedPrompt, choose_split, render_messages

VECTORS = json.loads((REPOSITORY / "test/prompts/vectors.json").read_text(encoding="utf-8"))
COMPONENT = "01890a5d-ac96-774b-bcce-b302099a8057"
FALLBACK = {"messages": [{"role": "system", "content": "Hello {{name}}"}]}


@pytest.mark.parametrize("vector", VECTORS["render"], ids=lambda vector: vector["name"])
def test_a_template_is_rendered_as_the_vectors_say(vector: dict[str, Any]) -> None:
    if "error" in vector:
        with pytest.raises(TouchstoneError, match=re.escape(vector["error"])):
            render_messages(vector["messages"], vector["values"])
    else:
        assert render_messages(vector["messages"], vector["values"]) == vector["result"]


@pytest.mark.parametrize("vector", VECTORS["split"])
def test_a_split_gives_each_key_the_version_of_the_vectors(vector: dict[str, Any]) -> None:
    for key, version in vector["versions"].items():
        chosen = choose_split(vector["promptId"], vector["seed"], vector["splits"], key)
        assert chosen is not None
        assert chosen["version"] == version


class FakeServer:
    """Replies as the test says, at the time that it says."""

    def __init__(self) -> None:
        self.reply: Callable[[], httpx.Response] = lambda: served(1)
        self.etags: list[str | None] = []
        self.now = 0.0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.etags.append(request.headers.get("if-none-match"))
        return self.reply()


def served(*numbers: int) -> httpx.Response:
    weight = 100 // len(numbers)
    versions = [{"number": number, "content": {"messages": []}} for number in numbers]
    splits = [{"weight": weight, "version": version} for version in versions]
    body = {"promptId": COMPONENT, "seed": 1, "splits": splits}
    return httpx.Response(200, json=body, headers={"etag": f'"{numbers}"'})


def missing() -> httpx.Response:
    return httpx.Response(404, json={"error": "Prompt answer has no label production."})


def busy() -> httpx.Response:
    return httpx.Response(503, json={"error": "Busy."})


def reset() -> httpx.Response:
    raise httpx.ConnectError("refused")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    async def sleep(_seconds: float) -> None:
        pass

    monkeypatch.setattr(sync_tools, "sleep", lambda _seconds: None)
    monkeypatch.setattr(async_tools, "sleep", sleep)
    return FakeServer()


@contextmanager
def connected(fake: FakeServer) -> Iterator[Callable[..., LoadedPrompt]]:
    with Touchstone(transport=httpx.MockTransport(fake)) as client:
        prompts = Prompts(client._connection, clock=lambda: fake.now)

        def get(**options: Any) -> LoadedPrompt:
            prompt = prompts.get("answer", component=COMPONENT, **options)
            # What began in the background is finished before the test goes on.
            for future in [*prompts._running.values()]:
                future.exception(timeout=60)
            return prompt

        yield get


def test_a_response_is_used_for_ten_seconds_and_then_returned_while_it_is_refreshed(fake: FakeServer) -> None:
    with connected(fake) as get:
        first = get()
        assert (first.version, first.source, first.is_stale) == (1, "network", False)
        fake.now = 9.9
        assert get().source == "memory"
        assert len(fake.etags) == 1
        fake.now = 10
        fake.reply = lambda: httpx.Response(304)
        assert (get().version, fake.etags[1:]) == (1, ['"(1,)"'])
        fake.reply = lambda: served(2)
        fake.now = 19.9
        assert (get().version, len(fake.etags)) == (1, 2)
        fake.now = 20
        assert get().version == 1
        assert (get().version, len(fake.etags)) == (2, 3)


@pytest.mark.parametrize("failure", [reset, busy])
def test_an_outage_keeps_the_prompt_and_marks_it_as_stale(
    fake: FakeServer, failure: Callable[[], httpx.Response]
) -> None:
    with connected(fake) as get:
        get()
        fake.reply = failure
        fake.now = 10
        get()
        for _ in range(10_000):
            fake.now += 0.01
            prompt = get()
            assert (prompt.version, prompt.is_stale) == (1, True)
        assert len(fake.etags) <= 13
        fake.reply = lambda: served(2)
        fake.now += 10
        get()
        assert (get().version, get().is_stale) == (2, False)


def test_a_label_that_is_gone_is_dropped_within_one_refresh(fake: FakeServer) -> None:
    with connected(fake) as get:
        get()
        fake.reply = missing
        fake.now = 10
        assert get().version == 1
        with pytest.raises(NotFoundError, match="no label production"):
            get()
        fallback = get(fallback=FALLBACK)
        assert (fallback.version, fallback.source) == (None, "fallback")
        assert fallback.render({"name": "Ann"}) == [{"role": "system", "content": "Hello Ann"}]
        assert fallback.attributes == {
            "touchstone.prompt": "answer",
            "touchstone.prompt.label": "production",
            "touchstone.prompt.source": "fallback",
        }


def test_without_a_response_get_raises_or_returns_the_fallback_after_one_attempt(fake: FakeServer) -> None:
    fake.reply = busy
    with connected(fake) as get:
        with pytest.raises(ServerError):
            get()
        assert len(fake.etags) == 3
        assert get(fallback=FALLBACK).content["model"] is None
        assert len(fake.etags) == 4


def test_a_key_has_the_same_version_in_every_process(fake: FakeServer) -> None:
    fake.reply = lambda: served(1, 2)
    with connected(fake) as get, connected(fake) as get_elsewhere:
        keys = [f"user {n}" for n in range(50)]
        versions = [get(key=key).version for key in keys]
        assert versions == [get_elsewhere(key=key).version for key in keys]
        assert set(versions) == {1, 2}
        assert {get().version for _ in range(100)} == {1, 2}


def test_threads_share_one_request(fake: FakeServer) -> None:
    threads = 8
    with connected(fake) as get, ThreadPoolExecutor(threads) as executor:
        assert {prompt.version for prompt in executor.map(lambda _: get(), range(threads))} == {1}
        fake.now = 10
        before = len(fake.etags)
        assert {prompt.version for prompt in executor.map(lambda _: get(), range(threads))} == {1}
        assert len(fake.etags) == before + 1


async def test_the_async_client_shares_one_request_and_refreshes_in_the_background(fake: FakeServer) -> None:
    async with AsyncTouchstone(transport=httpx.MockTransport(fake)) as client:
        prompts = AsyncPrompts(client._connection, clock=lambda: fake.now)
        loaded = await asyncio.gather(*(prompts.get("answer", component=COMPONENT) for _ in range(20)))
        assert {prompt.source for prompt in loaded} == {"network"}
        assert len(fake.etags) == 1
        fake.now = 10
        fake.reply = missing
        assert (await prompts.get("answer", component=COMPONENT)).version == 1
        await asyncio.wait(prompts._running.values())
        with pytest.raises(NotFoundError):
            await prompts.get("answer", component=COMPONENT)


def test_prompts_of_the_server_are_found_by_the_name_of_their_component(client: Touchstone) -> None:
    component = f"Support {uuid.uuid4().hex[:8]}"
    component_id = client.components.create(component)["id"]
    path = "/components/{componentId}/prompts"
    prompt_id = client.request("POST", path, params={"componentId": component_id}, body={"name": "team/answer"})["id"]
    params = {"componentId": component_id, "promptId": prompt_id}
    content = {"messages": [{"role": "user", "content": "{{question}}"}]}
    body = {"content": content, "labels": ["production"]}
    client.request("POST", f"{path}/{{promptId}}/versions", params=params, body=body)
    prompt = client.prompts.get("team/answer", component=component)
    assert (prompt.version, prompt.attributes["touchstone.prompt"]) == (1, "team/answer@1")
    assert prompt.render({"question": "Why?"}) == [{"role": "user", "content": "Why?"}]
    with pytest.raises(NotFoundError):
        client.prompts.get("team/answer", component=component, label="unknown")
    with pytest.raises(touchstone_sdk.NotFoundError):
        client.prompts.get("team/answer", component="Nowhere")


def test_the_current_span_names_the_prompt(fake: FakeServer) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    with connected(fake) as get, trace.TracerProvider().get_tracer("test").start_as_current_span("call") as span:
        get()
    assert span.attributes["touchstone.prompt"] == "answer@1"
    assert span.attributes["touchstone.prompt.source"] == "network"

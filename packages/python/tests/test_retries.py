"""Retries, with a transport that fails as configured."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone

import httpx
import pytest

import touchstone_sdk
from touchstone_sdk import AsyncTouchstone, Touchstone, async_tools, sync_tools
from touchstone_sdk.retries import parse_retry_after, retry_delay

Reply = httpx.Response | Exception


class Flaky:
    """Gives one reply after the other, and then 201."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = [*replies]
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0) if self.replies else httpx.Response(201, json={"id": "1"})
        if isinstance(reply, Exception):
            raise reply
        return reply

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("idempotency-key") for request in self.requests]


def failure(status: int, message: str = "busy", **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": message}, headers=headers)


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(sync_tools, "sleep", waited.append)
    monkeypatch.setattr(async_tools, "sleep", sleep)
    return waited


def connect(flaky: Flaky, max_retries: int = 2) -> Touchstone:
    return Touchstone(transport=httpx.MockTransport(flaky), max_retries=max_retries)


TRANSIENT: list[Callable[[], Reply]] = [
    lambda: failure(408),
    lambda: failure(429),
    lambda: failure(500),
    lambda: failure(503),
    lambda: failure(409, "A request with this Idempotency-Key is still running; try again when it is finished"),
    lambda: httpx.ConnectError("refused"),
    lambda: httpx.ReadTimeout("slow"),
    lambda: httpx.RemoteProtocolError("closed"),
]


@pytest.mark.parametrize("reply", TRANSIENT)
def test_a_transient_failure_is_repeated_with_the_same_key(reply: Callable[[], Reply], delays: list[float]) -> None:
    flaky = Flaky(reply(), reply())
    assert connect(flaky).components.create("A") == {"id": "1"}
    assert len(flaky.requests) == 3
    assert len(set(flaky.keys)) == 1
    assert flaky.keys[0]
    assert 0.25 <= delays[0] <= 0.5
    assert 0.5 <= delays[1] <= 1


async def test_the_async_client_repeats_as_well(delays: list[float]) -> None:
    flaky = Flaky(failure(503), httpx.ConnectError("refused"))
    async with AsyncTouchstone(transport=httpx.MockTransport(flaky)) as client:
        assert await client.components.create("A") == {"id": "1"}
    assert len(delays) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_a_permanent_failure_is_not_repeated(status: int, delays: list[float]) -> None:
    flaky = Flaky(failure(status, "no"))
    with pytest.raises(touchstone_sdk.ApiError, match="no") as caught:
        connect(flaky).components.create("A")
    assert (caught.value.status, len(flaky.requests), delays) == (status, 1, [])


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, touchstone_sdk.ValidationError),
        (401, touchstone_sdk.AuthenticationError),
        (403, touchstone_sdk.PermissionError),
        (404, touchstone_sdk.NotFoundError),
        (409, touchstone_sdk.ConflictError),
        (422, touchstone_sdk.ValidationError),
        (429, touchstone_sdk.RateLimitError),
        (500, touchstone_sdk.ServerError),
        (503, touchstone_sdk.ServerError),
        (418, touchstone_sdk.ApiError),
    ],
)
def test_each_status_has_its_error(status: int, kind: type[touchstone_sdk.ApiError]) -> None:
    with pytest.raises(touchstone_sdk.ApiError) as caught:
        connect(Flaky(failure(status)), max_retries=0).components.create("A")
    assert type(caught.value) is kind


def test_gives_up_after_the_last_attempt_with_its_error(delays: list[float]) -> None:
    flaky = Flaky(*[failure(503) for _ in range(9)])
    with pytest.raises(touchstone_sdk.ServerError):
        connect(flaky, max_retries=6).components.create("A")
    assert len(flaky.requests) == 7
    assert max(delays) <= 8
    with pytest.raises(touchstone_sdk.TimeoutError):
        connect(Flaky(httpx.ReadTimeout("slow")), max_retries=0).components.create("A")


def test_a_post_without_a_key_is_never_repeated(delays: list[float]) -> None:
    flaky = Flaky(failure(503))
    with pytest.raises(touchstone_sdk.ServerError):
        connect(flaky).request("POST", "/members", body={})
    assert (flaky.keys, delays) == ([None], [])


def test_a_given_key_is_sent(delays: list[float]) -> None:
    flaky = Flaky(failure(503))
    connect(flaky).components.create("A", idempotency_key="mine", headers={"X-Team": "a"})
    assert flaky.keys == ["mine", "mine"]
    assert flaky.requests[0].headers["x-team"] == "a"
    assert len(delays) == 1


def test_retry_after_is_honored_up_to_a_minute(delays: list[float]) -> None:
    connect(Flaky(failure(429, **{"retry-after": "7"}))).components.create("A")
    assert delays == [7]
    with pytest.raises(touchstone_sdk.RateLimitError) as caught:
        connect(Flaky(failure(429, **{"retry-after": "3600"}))).components.create("A")
    assert caught.value.retry_after == 3600
    assert delays == [7]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("12", 12),
        ("Tue, 17 Nov 2026 08:00:30 GMT", 30),
        ("Tue, 17 Nov 2026 07:00:00 GMT", 0),
        ("soon", None),
        ("-1", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_has_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, datetime(2026, 11, 17, 8, tzinfo=timezone.utc)) == seconds


def test_delays_grow_to_eight_seconds() -> None:
    error = touchstone_sdk.ConnectionError("refused")
    delays = [retry_delay(error, attempt, is_repeatable=True) or 0 for attempt in range(20)]
    assert all(min(8, 0.5 * 2**attempt) / 2 <= delay <= 8 for attempt, delay in enumerate(delays))


def test_a_response_that_is_not_ours_gives_a_readable_error() -> None:
    with pytest.raises(touchstone_sdk.ApiError, match="no error message"):
        connect(Flaky(httpx.Response(404, text="<html>"))).components.list().page()
    with pytest.raises(touchstone_sdk.ApiError, match="redirects"):
        connect(Flaky(httpx.Response(302, headers={"location": "/login"}))).components.list().page()
    broken = httpx.Response(200, text="{", headers={"content-type": "application/json"})
    with pytest.raises(touchstone_sdk.ResponseError, match="not JSON"):
        connect(Flaky(broken)).components.list().page()

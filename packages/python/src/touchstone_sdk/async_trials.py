"""Trials of the API, and workers that run their calls."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from typing_extensions import Unpack

from . import async_tools, tracing
from .async_connection import AsyncConnection
from .async_named import find_named, is_id
from .async_pages import AsyncPages
from .errors import ApiError, ConfigurationError, ConflictError, NotFoundError, TouchstoneError, TransientError
from .generated.api_types import AcceptedTrial, Component, LeasedCall, Trial, TrialDetail, TrialEstimate
from .retries import is_transient
from .signals import ending_on_sigterm
from .texts import error_text
from .wire import RequestOptions

# A third of the lease: two attempts to extend it may fail.
EXTEND_SECONDS = 20.0
# Short, because a worker that is stopped must read the response: it may contain a call.
WAIT_SECONDS = 2
TRIAL_POLL_SECONDS = 0.25
PAUSE_SECONDS_MAX = 30.0
ERROR_LENGTH_MAX = 4000

# `lost`: another worker has the call, or no one needs it any more. `returned`: it was interrupted before the result.
CallState: TypeAlias = Literal["done", "failed", "retrying", "returned", "lost"]

log = logging.getLogger("touchstone_sdk")


@dataclass(frozen=True)
class CallEnd:
    """How a call has ended for this worker."""

    state: CallState
    output: Any = None
    error: str | None = None


class AsyncTrials:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(self, component_id: str, **options: Unpack[RequestOptions]) -> AsyncPages[Trial]:
        """The trials of a component, newest first."""
        return AsyncPages(self._connection, _TRIALS, params={"componentId": component_id}, options=options)

    async def get(self, component_id: str, trial_id: str, **options: Unpack[RequestOptions]) -> TrialDetail:
        trial: TrialDetail = await self._connection.request(
            "GET", _TRIAL, params=_of(component_id, trial_id), **options
        )
        return trial

    async def find(self, component_id: str, name_or_id: str) -> TrialDetail | None:
        """The newest trial with a name, or the one with an id. None if no trial has the name."""
        if is_id(name_or_id):
            return await self.get(component_id, name_or_id)
        async for trial in self.list(component_id):
            if trial["name"] == name_or_id:
                return await self.get(component_id, trial["id"])
        return None

    async def create(
        self, component_id: str, trial: Mapping[str, Any], **options: Unpack[RequestOptions]
    ) -> AcceptedTrial:
        """Starts a trial in the background. `trial` has the fields of the API."""
        params = {"componentId": component_id}
        accepted: AcceptedTrial = await self._connection.request("POST", _TRIALS, params=params, body=trial, **options)
        return accepted

    async def estimate(
        self, component_id: str, trial: Mapping[str, Any], **options: Unpack[RequestOptions]
    ) -> TrialEstimate:
        """What a trial would cost, need and show, without starting anything."""
        params = {"componentId": component_id}
        query = {"dry_run": True}
        estimate: TrialEstimate = await self._connection.request(
            "POST", _TRIALS, params=params, query=query, body=trial, **options
        )
        return estimate

    async def cancel(self, component_id: str, trial_id: str, **options: Unpack[RequestOptions]) -> TrialDetail:
        params = _of(component_id, trial_id)
        trial: TrialDetail = await self._connection.request("POST", f"{_TRIAL}/cancel", params=params, **options)
        return trial

    async def retry(self, component_id: str, trial_id: str, **options: Unpack[RequestOptions]) -> TrialDetail:
        """Sends the calls again that failed and can succeed, and those that were skipped because the trial ended."""
        params = _of(component_id, trial_id)
        trial: TrialDetail = await self._connection.request("POST", f"{_TRIAL}/retry", params=params, **options)
        return trial

    async def delete(self, component_id: str, trial_id: str, **options: Unpack[RequestOptions]) -> None:
        """Deletes a trial with its calls. Its runs stay."""
        await self._connection.request("DELETE", _TRIAL, params=_of(component_id, trial_id), **options)

    async def work(
        self,
        run: Callable[[LeasedCall], Any],
        *,
        component: str,
        queue: str,
        trial: str | None = None,
        concurrency: int = 8,
        grace_seconds: float = 5.0,
        stop: threading.Event | None = None,
        on_end: Callable[[LeasedCall, CallEnd], None] | None = None,
    ) -> dict[CallState, int]:
        """Runs the calls of a queue in this program: `run(call)` returns the output, text or any JSON.

        What it raises is the failure of the call; after a `TransientError` it is tried again, up to five times.
        `component` and `trial` are ids or names. With `trial`, only its calls are run, and the worker ends when all of
        them have ended; otherwise it ends when `stop` is set. Calls that run then have `grace_seconds` to finish and
        are returned to the queue, as after Ctrl-C and SIGTERM. Any number of programs may work on one queue. Spans that
        are created meanwhile belong to the trace of the call.
        """
        if concurrency < 1:
            raise ConfigurationError("concurrency must be at least 1.")
        component_id = component if is_id(component) else (await self._find_component(component))["id"]
        found = None if trial is None else await self.find(component_id, trial)
        if trial is not None and found is None:
            raise NotFoundError(f"There is no trial with the name {trial!r}.", status=404)
        ends: list[CallEnd] = []

        def report(call: LeasedCall, end: CallEnd) -> None:
            ends.append(end)
            if on_end:
                on_end(call, end)

        stop = stop or threading.Event()
        trial_id = found["id"] if found else None
        working = _Working(self._connection, component_id, trial_id, queue, run, stop, report)
        with ending_on_sigterm():
            await async_tools.run_workers(
                working.run_calls, concurrency, stop, grace_seconds=grace_seconds, give_up=working.return_calls
            )
        counts: dict[CallState, int] = {"done": 0, "failed": 0, "retrying": 0, "returned": 0, "lost": 0}
        for end in ends:
            counts[end.state] += 1
        return counts

    async def _find_component(self, name: str) -> Component:
        components: AsyncPages[Component] = AsyncPages(self._connection, "/components", options={})
        return await find_named(components, "component", name)


@dataclass
class _Working:
    connection: AsyncConnection
    component_id: str
    trial_id: str | None
    queue: str
    run: Callable[[LeasedCall], Any]
    stop: threading.Event
    report: Callable[[LeasedCall, CallEnd], None]
    # By their leases. Removed by what ends a call first: its result, or the end of the worker.
    held: dict[str, LeasedCall] = field(default_factory=dict)

    async def run_calls(self) -> None:
        """One call after the other, until the worker is stopped or the trial has no more."""
        failures = 0
        while not self.stop.is_set():
            try:
                call = await self._lease()
                if call is None and self.trial_id is not None:
                    if await self._has_trial_ended(self.trial_id):
                        return
                    await async_tools.sleep(TRIAL_POLL_SECONDS)
            except TouchstoneError as error:
                if not is_transient(error):
                    raise
                log.warning("No calls can be leased at the moment: %s", error)
                failures += 1
                await async_tools.sleep(min(PAUSE_SECONDS_MAX, 0.5 * 2.0**failures))
            else:
                failures = 0
                if call is not None:
                    self.held[call["lease"]] = call
                    # The response may come after the end of the worker.
                    stopped = self.stop.is_set()
                    self._end(call, await (self._give_back(call) if stopped else self._run_call(call)))

    async def return_calls(self) -> None:
        """Others get the calls that run at once, and not after the end of their leases."""
        for call in list(self.held.values()):
            self._end(call, await self._give_back(call))

    def _end(self, call: LeasedCall, end: CallEnd) -> None:
        if self.held.pop(call["lease"], None) is not None:
            self.report(call, end)

    async def _lease(self) -> LeasedCall | None:
        if self.trial_id is None:
            body = {"queue": self.queue, "max": 1, "waitSeconds": WAIT_SECONDS}
            path, params = _LEASE, {"componentId": self.component_id}
        else:
            # The trial may end while one would wait.
            body = {"queue": self.queue, "max": 1}
            path, params = f"{_TRIAL}/calls/lease", _of(self.component_id, self.trial_id)
        leased = await self.connection.request("POST", path, params=params, body=body)
        calls: list[LeasedCall] = leased["calls"]
        return calls[0] if calls else None

    async def _has_trial_ended(self, trial_id: str) -> bool:
        """By its status: right after a retry, its calls are still counted as ended."""
        trial: TrialDetail = await self.connection.request("GET", _TRIAL, params=_of(self.component_id, trial_id))
        return trial["status"] in ("completed", "failed")

    async def _run_call(self, call: LeasedCall) -> CallEnd:
        _, trace_id, span_id, _ = call["traceparent"].split("-")

        async def extend() -> None:
            try:
                await self._post(call, "extend", {})
            except TouchstoneError as error:
                # There are further attempts, and a call that is lost is noticed when it ends.
                log.debug("The lease of a call was not extended: %s", error)

        async with async_tools.repeatedly(EXTEND_SECONDS, extend):
            try:
                with tracing.inside_span(trace_id, span_id):
                    output = await async_tools.call(self.run, call)
                return await self._complete(call, output)
            except Exception as error:
                if isinstance(error, ConfigurationError):
                    await self._give_back(call)
                    raise
                return await self._fail(call, error)
            except BaseException:
                # The program is interrupted: others get the call at once, and not after the end of its lease.
                self._end(call, await async_tools.to_the_end(self._give_back, call))
                raise

    async def _complete(self, call: LeasedCall, output: Any) -> CallEnd:
        done = await self._until_reported(call, "complete", {"output": output})
        return CallEnd("lost") if done is None else CallEnd("done", output)

    async def _fail(self, call: LeasedCall, error: Exception) -> CallEnd:
        text = error_text(error)[:ERROR_LENGTH_MAX]
        body = {"error": text, "transient": isinstance(error, TransientError)}
        try:
            failed = await self._until_reported(call, "fail", body)
        except TouchstoneError as problem:
            log.warning("The failure of a call was not accepted: %s", problem)
            failed = None
        if failed is None:
            return CallEnd("lost")
        return CallEnd("retrying" if failed["state"] == "retrying" else "failed", error=text)

    async def _give_back(self, call: LeasedCall) -> CallEnd:
        try:
            await self._post(call, "release", {})
        except TouchstoneError as error:
            # The lease ends by itself.
            log.debug("A call was not returned: %s", error)
            return CallEnd("lost")
        return CallEnd("returned")

    async def _until_reported(self, call: LeasedCall, action: str, body: Mapping[str, Any]) -> Any:
        """None if the lease is not the current one. A server that is away for a while loses no result."""
        failures = 0
        while True:
            try:
                return await self._post(call, action, body)
            except ApiError as error:
                if isinstance(error, (ConflictError, NotFoundError)):
                    return None
                if not is_transient(error):
                    raise
            except TouchstoneError as error:
                if not is_transient(error):
                    raise
            failures += 1
            await async_tools.sleep(min(8.0, 0.5 * 2.0**failures))

    async def _post(self, call: LeasedCall, action: str, body: Mapping[str, Any]) -> Any:
        params = {**_of(self.component_id, call["trialId"]), "callId": str(call["id"])}
        path = f"{_TRIAL}/calls/{{callId}}/{action}"
        return await self.connection.request("POST", path, params=params, body={"lease": call["lease"], **body})


_TRIALS = "/components/{componentId}/trials"
_TRIAL = f"{_TRIALS}/{{trialId}}"
_LEASE = "/components/{componentId}/calls/lease"


def _of(component_id: str, trial_id: str) -> dict[str, str]:
    return {"componentId": component_id, "trialId": trial_id}

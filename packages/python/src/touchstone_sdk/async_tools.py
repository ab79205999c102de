"""What waits, or runs at the same time. `sync_tools` has the same names without coroutines."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")

# How soon the end of a worker is noticed.
STOP_POLL_SECONDS = 0.25

sleep = asyncio.sleep


async def call(function: Callable[..., Any], *arguments: object) -> Any:
    """Calls a function of the user. A function that is not async runs in a thread, so that it does not block others."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return await function(*arguments)
    result = await asyncio.to_thread(function, *arguments)
    return await result if inspect.isawaitable(result) else result


async def for_each(function: Callable[[Item], Awaitable[None]], items: Iterable[Item], concurrency: int) -> None:
    """Calls the function for all items, at most `concurrency` at a time. The first error ends it."""
    remaining = iter(items)

    async def work() -> None:
        for item in remaining:
            await function(item)

    workers = [asyncio.ensure_future(work()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def run_workers(
    function: Callable[[], Awaitable[None]],
    count: int,
    stop: threading.Event,
    *,
    grace_seconds: float,
    give_up: Callable[[], Awaitable[None]],
) -> None:
    """Calls the function so many times at once. The first error ends the others, `stop` all after a while."""
    workers = [asyncio.ensure_future(function()) for _ in range(count)]
    running = set(workers)
    try:
        while running and not stop.is_set():
            done, running = await asyncio.wait(running, timeout=STOP_POLL_SECONDS, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                worker.result()
        if running:
            await asyncio.wait(running, timeout=grace_seconds)
            await give_up()
    finally:
        stop.set()
        for worker in workers:
            worker.cancel()
        ends = await asyncio.gather(*workers, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end


@contextlib.asynccontextmanager
async def repeatedly(seconds: float, function: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Calls the function in the background, each time after so many seconds."""

    async def work() -> None:
        while True:
            await asyncio.sleep(seconds)
            await function()

    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def to_the_end(function: Callable[..., Awaitable[Item]], *arguments: object) -> Item:
    """Calls a function that a cancellation must not interrupt. The caller raises it afterwards."""
    task = asyncio.ensure_future(function(*arguments))
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    return task.result()


def begin(running: dict[Any, Any], key: object, work: Callable[[], Awaitable[Item]]) -> asyncio.Future[Item]:
    """Starts the work in the background, unless that of this key is running."""
    future = running.get(key)
    if future is None:
        future = running[key] = asyncio.ensure_future(work())

        def finish(done: asyncio.Future[Item]) -> None:
            running.pop(key, None)
            # An error that no caller waits for is no problem of the event loop.
            if not done.cancelled():
                done.exception()

        future.add_done_callback(finish)
    result: asyncio.Future[Item] = future
    return result


async def result(future: asyncio.Future[Item]) -> Item:
    """Canceling one of the callers does not cancel the work for the others."""
    return await asyncio.shield(future)

"""What waits, or runs at the same time. `sync_tools` has the same names without coroutines."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")

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

"""What waits, or runs at the same time. `async_tools` has the same names as coroutines."""

from __future__ import annotations

import contextvars
import inspect
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from .errors import ConfigurationError

Item = TypeVar("Item")

sleep = time.sleep


def call(function: Callable[..., Any], *arguments: object) -> Any:
    """Calls a function of the user."""
    result = function(*arguments)
    if inspect.iscoroutine(result):
        result.close()
        raise ConfigurationError(f"{_name(function)} is an async function: use aevaluate.")
    return result


def for_each(function: Callable[[Item], None], items: Iterable[Item], concurrency: int) -> None:
    """Calls the function for all items, in at most `concurrency` threads. The first error ends it."""
    executor = ThreadPoolExecutor(concurrency, thread_name_prefix="touchstone")
    try:
        # Each item has its own copy of the context: a span that is current in one must not be in another.
        futures = [executor.submit(contextvars.copy_context().run, function, item) for item in items]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)

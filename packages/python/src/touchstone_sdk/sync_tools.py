"""What waits, or runs at the same time. `async_tools` has the same names as coroutines."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from .errors import ConfigurationError

Item = TypeVar("Item")

# How soon the end of a worker is noticed.
STOP_POLL_SECONDS = 0.25

sleep = time.sleep

_lock = threading.Lock()


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


def run_workers(
    function: Callable[[], None],
    count: int,
    stop: threading.Event,
    *,
    grace_seconds: float,
    give_up: Callable[[], None],
) -> None:
    """Calls the function in so many threads. An error or Ctrl-C ends the others, and `stop` all of them after a while.

    A thread cannot be interrupted: it ends with the call that it runs, which other workers may have got meanwhile.
    """
    executor = ThreadPoolExecutor(count, thread_name_prefix="touchstone")
    futures = [executor.submit(contextvars.copy_context().run, function) for _ in range(count)]
    running = set(futures)
    try:
        while running and not stop.is_set():
            done, running = wait(running, timeout=STOP_POLL_SECONDS, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
    finally:
        stop.set()
        executor.shutdown(wait=False, cancel_futures=True)
        if wait(running, timeout=grace_seconds).not_done:
            give_up()
    for future in futures:
        if future.done() and not future.cancelled():
            future.result()


@contextlib.contextmanager
def repeatedly(seconds: float, function: Callable[[], None]) -> Iterator[None]:
    """Calls the function in the background, each time after so many seconds."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(seconds):
            function()

    thread = threading.Thread(target=work, name="touchstone", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()


def to_the_end(function: Callable[..., Item], *arguments: object) -> Item:
    """Calls a function. Without tasks, nothing cancels it."""
    return function(*arguments)


def begin(running: dict[Any, Any], key: object, work: Callable[[], Item]) -> Future[Item]:
    """Starts the work in the background, unless that of this key is running. It does not keep a program from ending."""
    with _lock:
        future: Future[Item] | None = running.get(key)
        if future is not None:
            return future
        future = running[key] = Future()
    started = future

    def run() -> None:
        try:
            value = work()
        except BaseException as error:
            _finish(running, key)
            started.set_exception(error)
        else:
            _finish(running, key)
            started.set_result(value)

    threading.Thread(target=contextvars.copy_context().run, args=(run,), name="touchstone", daemon=True).start()
    return started


def result(future: Future[Item]) -> Item:
    return future.result()


def _finish(running: dict[Any, Any], key: object) -> None:
    with _lock:
        running.pop(key, None)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)

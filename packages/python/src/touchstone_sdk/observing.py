"""The decorator that records calls of a function as spans."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from . import tracing
from .texts import error_text, to_text

if TYPE_CHECKING:
    from opentelemetry.trace import Span

Function = TypeVar("Function", bound=Callable[..., Any])

Kind: TypeAlias = Literal[
    "llm", "embedding", "retriever", "reranker", "tool", "agent", "chain", "guardrail", "evaluator", "prompt", "span"
]


@overload
def observe(function: Function, /) -> Function: ...


@overload
def observe(
    *, name: str | None = None, kind: Kind | None = None, capture_input: bool = True, capture_output: bool = True
) -> Callable[[Function], Function]: ...


def observe(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    kind: Kind | None = None,
    capture_input: bool = True,
    capture_output: bool = True,
) -> Any:
    """Records each call of a function as a span, with its arguments, result and error. Calls inside are its children.

    For functions, coroutines and generators. Without `init` or OpenTelemetry, the function runs as it is.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        recorder = _Recorder(function, name or _name_of(function), kind, capture_input, capture_output)
        return functools.wraps(function)(_wrapper(function)(function, recorder))

    return decorate if function is None else decorate(function)


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _wrapper(function: Callable[..., Any]) -> Callable[[Callable[..., Any], _Recorder], Callable[..., Any]]:
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.isgeneratorfunction(function):
        return _generator
    return _coroutine if inspect.iscoroutinefunction(function) else _function


def _function(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with _Recording(recorder, args, kwargs) as recording, recording.current():
            recording.output = function(*args, **kwargs)
            return recording.output

    return wrapper


def _coroutine(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with _Recording(recorder, args, kwargs) as recording, recording.current():
            recording.output = await function(*args, **kwargs)
            return recording.output

    return wrapper


def _generator(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with _Recording(recorder, args, kwargs) as recording:
            steps = function(*args, **kwargs)
            step = functools.partial(next, steps)
            while True:
                try:
                    # Current only while the function runs: between its steps, the caller has its own spans.
                    with recording.current():
                        chunk = step()
                except StopIteration as end:
                    return end.value
                recording.add(chunk)
                try:
                    step = functools.partial(steps.send, (yield chunk))
                except GeneratorExit:
                    steps.close()
                    raise
                except BaseException as error:
                    step = functools.partial(steps.throw, error)

    return wrapper


def _async_generator(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        with _Recording(recorder, args, kwargs) as recording:
            steps = function(*args, **kwargs)
            step = steps.__anext__
            while True:
                try:
                    with recording.current():
                        chunk = await step()
                except StopAsyncIteration:
                    return
                recording.add(chunk)
                try:
                    step = functools.partial(steps.asend, (yield chunk))
                except GeneratorExit:
                    await steps.aclose()
                    raise
                except BaseException as error:
                    step = functools.partial(steps.athrow, error)

    return wrapper


class _Recorder:
    """What is recorded of a function."""

    def __init__(
        self, function: Callable[..., Any], name: str, kind: Kind | None, captures_input: bool, captures_output: bool
    ) -> None:
        self.name = name
        self.kind = kind
        self.captures_input = captures_input
        self.captures_output = captures_output
        self._function = function

    def start(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Span | None:
        tracer = tracing.tracer()
        if tracer is None:
            return None
        span = tracer.start_span(self.name)
        if self.kind:
            span.set_attribute("touchstone.kind", self.kind)
        if self.captures_input and span.is_recording():
            _set_text(span, "touchstone.input", functools.partial(self._input, args, kwargs))
        return span

    def _input(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """The only argument itself, or all of them by name; without the object of a method."""
        named = dict(inspect.signature(self._function).bind(*args, **kwargs).arguments)
        named.pop("self", None)
        named.pop("cls", None)
        return next(iter(named.values())) if len(named) == 1 else named


def _set_text(span: Span, attribute: str, value: Callable[[], object]) -> None:
    try:
        text = to_text(value())
    except Exception as error:
        # A value that cannot be written must not fail the call that it belongs to.
        text = f"(not recorded: {error_text(error)})"
    if text is not None:
        span.set_attribute(attribute, text)


class _Recording:
    """One call, from its start to its result or error."""

    def __init__(self, recorder: _Recorder, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.output: Any = None
        self._chunks: list[object] = []
        self._recorder = recorder
        self._span = recorder.start(args, kwargs)

    def current(self) -> AbstractContextManager[Any]:
        if self._span is None:
            return nullcontext()
        from opentelemetry import trace

        # The error is recorded once, by __exit__.
        return trace.use_span(self._span, record_exception=False, set_status_on_exception=False)

    def add(self, chunk: object) -> None:
        """Keeps what a generator yields: its output is all of it."""
        if self._recorder.captures_output and self._span is not None and self._span.is_recording():
            self._chunks.append(chunk)

    def __enter__(self) -> _Recording:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        span = self._span
        if span is None:
            return
        if isinstance(error, Exception):
            from opentelemetry.trace import Status, StatusCode

            span.record_exception(error)
            span.set_status(Status(StatusCode.ERROR, error_text(error)))
        elif self._recorder.captures_output and span.is_recording():
            _set_text(span, "touchstone.output", lambda: _joined(self._chunks) if self._chunks else self.output)
        span.end()


def _joined(chunks: list[object]) -> object:
    """The chunks of a streamed text as one text."""
    texts = [chunk for chunk in chunks if isinstance(chunk, str)]
    return "".join(texts) if len(texts) == len(chunks) else chunks

"""Sends the spans of OpenTelemetry to Touchstone. Nothing here raises: traces must not fail a program."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .settings import read_settings
from .version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

log = logging.getLogger("touchstone_sdk")

_lock = threading.Lock()
_provider: TracerProvider | None = None


def init(
    component: str | None = None,
    *,
    service_name: str | None = None,
    api_key: str | None = None,
    base_url: str | None = None,
    instrumentors: Iterable[Any] = (),
) -> bool:
    """Sends spans to Touchstone, as traces of the component with this name. Returns whether it does.

    Registers a tracer provider, unless the program has one: that one stays, and only the spans of `observe` are sent.
    `instrumentors` are instrumentations of OpenTelemetry or OpenInference to activate, such as `OpenAIInstrumentor()`.
    """
    global _provider
    try:
        with _lock:
            if _provider is not None:
                log.warning("touchstone_sdk.init was called twice; the first call counts.")
                return True
            _provider = _create_provider(component, service_name, api_key, base_url)
            _register(_provider)
            provider = _provider
        _activate(instrumentors, provider)
    except ImportError:
        log.warning("Traces are not sent: OpenTelemetry is missing. Run: pip install 'touchstone-sdk[otel]'")
    except Exception as error:
        log.warning("Traces are not sent to Touchstone: %s", error)
    return _provider is not None


def _activate(instrumentors: Iterable[Any], provider: TracerProvider) -> None:
    for instrumentor in instrumentors:
        try:
            instrumentor.instrument(tracer_provider=provider)
        except Exception as error:
            log.warning("%s was not activated: %s", type(instrumentor).__name__, error)


def _create_provider(
    component: str | None, service_name: str | None, api_key: str | None, base_url: str | None
) -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    settings = read_settings(api_key, base_url)
    attributes: dict[str, str] = {}
    if component:
        attributes["touchstone.component"] = component
    name = service_name or os.environ.get("OTEL_SERVICE_NAME") or component
    if name:
        attributes["service.name"] = name
    # Ends with the process: the provider then sends what is pending.
    provider = TracerProvider(resource=Resource.create(attributes))
    exporter = OTLPSpanExporter(endpoint=f"{settings.url}/v1/traces", headers={"Authorization": settings.authorization})
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _register(provider: TracerProvider) -> None:
    from opentelemetry import trace

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(provider)
        return
    log.warning(
        "Another tracer provider is registered and stays. Touchstone gets the spans of `observe` and `evaluate` only; "
        "to send the others, too, configure an OTLP exporter for that provider."
    )


def tracer() -> Tracer | None:
    """The tracer of `observe`: of `init`, or else of the program's own provider. None without OpenTelemetry."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    provider = _provider or trace.get_tracer_provider()
    return provider.get_tracer("touchstone-sdk", VERSION)


def describe_current_span(attributes: Mapping[str, str]) -> None:
    """Sets attributes of the span that the caller is in, if there is one."""
    try:
        from opentelemetry import trace
    except ImportError:
        return
    trace.get_current_span().set_attributes(attributes)


def current_trace_id() -> str | None:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id) if context.is_valid else None


def flush() -> None:
    """Sends pending spans, also those of a provider that the program has registered itself."""
    try:
        from opentelemetry import trace

        for provider in {_provider, trace.get_tracer_provider()}:
            force_flush = getattr(provider, "force_flush", None)
            if force_flush is not None:
                force_flush()
    except ImportError:
        return
    except Exception as error:
        log.warning("Pending spans were not sent: %s", error)


def shutdown() -> None:
    """Sends pending spans and ends what `init` began."""
    global _provider
    with _lock:
        provider, _provider = _provider, None
    if provider is None:
        return
    try:
        provider.shutdown()
    except Exception as error:
        log.warning("Pending spans were not sent: %s", error)


@contextmanager
def inside_span(trace_id: str, span_id: str) -> Iterator[None]:
    """Spans that are started meanwhile are children of this one, which the caller sends without OpenTelemetry."""
    try:
        from opentelemetry import context, trace
    except ImportError:
        yield
        return
    flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
    parent = trace.SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=flags)
    # An empty context, so that a span around the whole evaluation does not become part of each of its traces.
    token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(parent), context.Context()))
    try:
        yield
    finally:
        context.detach(token)

"""The span of one case: what was asked, what came back, and for which item of which run."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field

from .version import VERSION


@dataclass
class CaseSpan:
    """Sent as OTLP in JSON and not by an exporter: an exporter does not report what was lost."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    trace_id: str = field(default_factory=lambda: secrets.token_hex(16))
    span_id: str = field(default_factory=lambda: secrets.token_hex(8))
    started_at: int = field(default_factory=time.time_ns)
    ended_at: int = 0
    output: str | None = None
    error: str | None = None

    def end(self, *, output: str | None = None, error: str | None = None) -> None:
        self.output = output
        self.error = error
        self.ended_at = time.time_ns()

    def otlp(self) -> dict[str, object]:
        """A batch with this span alone."""
        attributes = dict(self.attributes)
        if self.output is not None:
            attributes["touchstone.output"] = self.output
        span = {
            "traceId": self.trace_id,
            "spanId": self.span_id,
            "name": self.name,
            "kind": 1,
            "startTimeUnixNano": str(self.started_at),
            "endTimeUnixNano": str(self.ended_at),
            "attributes": _pairs(attributes),
            "status": {"code": 1} if self.error is None else {"code": 2, "message": self.error},
        }
        scope = {"name": "touchstone-sdk", "version": VERSION}
        return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": scope, "spans": [span]}]}]}


def _pairs(attributes: dict[str, str]) -> list[dict[str, object]]:
    return [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()]


def item_attributes(
    *, component: str, dataset_id: str, run_id: str, item_id: str, input_text: str | None
) -> dict[str, str]:
    """The attributes by which the server links a trace to its item, in the transaction that stores it."""
    attributes = {
        "touchstone.kind": "chain",
        "touchstone.component": component,
        "touchstone.dataset.id": dataset_id,
        # By id: another run may have the same name.
        "touchstone.run": run_id,
        "touchstone.item.id": item_id,
    }
    return attributes if input_text is None else {**attributes, "touchstone.input": input_text}

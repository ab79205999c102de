# Generated from async_prompts.py by `npm run generate`; do not edit.
"""Prompts as their labels serve them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import sync_tools, tracing
from .sync_connection import Connection
from .sync_named import find_named, is_id
from .sync_pages import Pages
from ..errors import ApiError, ConnectionError, NotFoundError, ResponseError, TouchstoneError
from .api_types import Component, ServedPrompt
from ..prompts import LoadedPrompt, Source, choose_split, complete_content
from ..wire import RequestOptions, decode_body

# As long as the server allows.
FRESH_SECONDS = 10.0
REFRESH_TIMEOUT = 10.0


@dataclass(frozen=True)
class _Label:
    component: str
    name: str
    label: str


@dataclass(frozen=True)
class _Entry:
    component_id: str
    served: ServedPrompt
    etag: str | None
    checked_at: float
    is_stale: bool = False


class Prompts:
    """A response is used for ten seconds; after that it is still returned at once, and refreshed in the background.

    It is dropped only when the server responds that the prompt or the label is gone.
    """

    def __init__(self, connection: Connection, clock: Callable[[], float] = time.monotonic) -> None:
        self._connection = connection
        self._clock = clock
        self._entries: dict[_Label, _Entry] = {}
        self._running: dict[Any, Any] = {}

    def get(
        self,
        name: str,
        *,
        component: str,
        label: str = "production",
        key: str | None = None,
        fallback: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> LoadedPrompt:
        """What a label serves. `component` is an id or a name.

        `key` decides between the versions of a label: the user or the session; by default the current trace, or chance.
        `fallback` is the content to use if there is no such prompt or label, or no response; only one attempt is then
        made by default.
        """
        where = _Label(component, name, label)
        entry = self._entries.get(where)
        source: Source = "memory"
        if entry is not None:
            if self._clock() - entry.checked_at >= FRESH_SECONDS:
                # A failure marks the entry, or drops it.
                self._begin(where, REFRESH_TIMEOUT if timeout is None else timeout, 0)
        else:
            source = "network"
            attempts = 0 if max_retries is None and fallback is not None else max_retries
            try:
                entry = sync_tools.result(self._begin(where, timeout, attempts))
            except (ApiError, ConnectionError, ResponseError):
                if fallback is None:
                    raise
        prompt = _loaded(where, entry, source, key, fallback)
        tracing.describe_current_span(prompt.attributes)
        return prompt

    def _begin(self, where: _Label, timeout: float | None, max_retries: int | None) -> Any:
        options: RequestOptions = {}
        if timeout is not None:
            options["timeout"] = timeout
        if max_retries is not None:
            options["max_retries"] = max_retries
        return sync_tools.begin(self._running, where, lambda: self._read(where, options))

    def _read(self, where: _Label, options: RequestOptions) -> _Entry:
        known = self._entries.get(where)
        try:
            entry = self._request(where, known, options)
        except NotFoundError:
            self._entries.pop(where, None)
            raise
        except TouchstoneError:
            if known is not None:
                self._entries[where] = replace(known, checked_at=self._clock(), is_stale=True)
            raise
        self._entries[where] = entry
        return entry

    def _request(self, where: _Label, known: _Entry | None, options: RequestOptions) -> _Entry:
        component_id = known.component_id if known else self._component_id(where.component, options)
        etag = known.etag if known else None
        if etag is not None:
            options = {**options, "headers": {"if-none-match": etag}}
        response = self._connection.send(
            "GET",
            "/components/{componentId}/served-prompts/{name}",
            params={"componentId": component_id, "name": where.name},
            query={"label": where.label},
            **options,
        )
        if known is not None and response.status_code == 304:
            return replace(known, checked_at=self._clock(), is_stale=False)
        served = decode_body(response)
        if not isinstance(served, dict) or not isinstance(served.get("splits"), list):
            raise ResponseError(f"The response of {self._connection.url} is not a prompt.")
        body: ServedPrompt = served  # type: ignore[assignment] # The server checks it against the same description.
        return _Entry(component_id, body, response.headers.get("etag"), self._clock())

    def _component_id(self, component: str, options: RequestOptions) -> str:
        if is_id(component):
            return component
        components: Pages[Component] = Pages(self._connection, "/components", options=options)
        return (find_named(components, "component", component))["id"]


def _loaded(
    where: _Label, entry: _Entry | None, source: Source, key: str | None, fallback: Mapping[str, Any] | None
) -> LoadedPrompt:
    if entry is None:
        return LoadedPrompt(where.name, where.label, None, "fallback", False, complete_content(fallback or {}))
    served = entry.served
    splits = served["splits"]
    if key is None:
        key = tracing.current_trace_id() or uuid.uuid4().hex
    chosen = choose_split(served["promptId"], served["seed"], splits, key)
    if chosen is None:
        raise ResponseError(f"The label {where.label} of the prompt {where.name} serves no version.")
    version = chosen["version"]
    content = complete_content(version["content"])
    return LoadedPrompt(where.name, where.label, version["number"], source, entry.is_stale, content)

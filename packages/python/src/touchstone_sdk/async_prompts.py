"""Prompts as their labels serve them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import async_tools, tracing
from .async_connection import AsyncConnection
from .async_named import find_named, is_id
from .async_pages import AsyncPages
from .errors import ApiError, ConnectionError, NotFoundError, ResponseError, TouchstoneError
from .generated.api_types import Component
from .prompt_folder import PromptFolder, PromptPlace, StoredPrompt, is_served
from .prompts import LoadedPrompt, Source, choose_split, complete_content
from .wire import RequestOptions, decode_body

# As long as the server allows.
FRESH_SECONDS = 10.0
REFRESH_TIMEOUT = 10.0


@dataclass(frozen=True)
class _Entry(StoredPrompt):
    checked_at: float
    is_stale: bool = False
    is_from_disk: bool = False
    """The server has not responded since the program began."""


class AsyncPrompts:
    """A response is used for ten seconds; after that it is still returned at once, and refreshed in the background.

    It is dropped only when the server responds that the prompt or the label is gone. With a folder, the last response
    is a file, too: a new program reads it if the server does not respond.
    """

    def __init__(
        self,
        connection: AsyncConnection,
        folder: PromptFolder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._folder = folder
        self._clock = clock
        self._entries: dict[PromptPlace, _Entry] = {}
        self._running: dict[Any, Any] = {}

    async def get(
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
        `fallback` is the content to use if there is no such prompt or label, or neither a response nor a file; only one
        attempt is then made by default.
        """
        where = PromptPlace(component, name, label)
        entry = self._entries.get(where)
        source: Source = "memory" if entry else "network"
        if entry is not None:
            if self._clock() - entry.checked_at >= FRESH_SECONDS:
                # A failure marks the entry, or drops it.
                self._begin(where, REFRESH_TIMEOUT if timeout is None else timeout, 0)
        else:
            attempts = 0 if max_retries is None and fallback is not None else max_retries
            try:
                entry = await async_tools.result(self._begin(where, timeout, attempts))
            except (ApiError, ConnectionError, ResponseError):
                if fallback is None:
                    raise
        prompt = _loaded(where, entry, source, key, fallback)
        tracing.describe_current_span(prompt.attributes)
        return prompt

    def _begin(self, where: PromptPlace, timeout: float | None, max_retries: int | None) -> Any:
        options: RequestOptions = {}
        if timeout is not None:
            options["timeout"] = timeout
        if max_retries is not None:
            options["max_retries"] = max_retries
        return async_tools.begin(self._running, where, lambda: self._read(where, options))

    async def _read(self, where: PromptPlace, options: RequestOptions) -> _Entry:
        known = self._entries.get(where)
        last = known or await self._stored(where)
        try:
            entry = await self._request(where, known, last, options)
        except NotFoundError:
            self._entries.pop(where, None)
            if self._folder is not None:
                await async_tools.call(self._folder.remove, where)
            raise
        except TouchstoneError:
            if last is None:
                raise
            kept = self._entries[where] = replace(last, checked_at=self._clock(), is_stale=True)
            if kept.is_from_disk:
                return kept
            raise
        self._entries[where] = entry
        if self._folder is not None:
            await async_tools.call(self._folder.write, where, entry)
        return entry

    async def _stored(self, where: PromptPlace) -> _Entry | None:
        stored = await async_tools.call(self._folder.read, where) if self._folder is not None else None
        if stored is None:
            return None
        return _Entry(stored.component_id, stored.etag, stored.served, 0, is_stale=True, is_from_disk=True)

    async def _request(
        self, where: PromptPlace, known: _Entry | None, last: _Entry | None, options: RequestOptions
    ) -> _Entry:
        """A new program asks for the id of a component that was named again: another one may have the name since."""
        if last is not None:
            options = {"timeout": REFRESH_TIMEOUT, "max_retries": 0, **options}
        component_id = known.component_id if known else await self._component_id(where.component, options)
        same = last if last is not None and last.component_id == component_id else None
        if same is not None and same.etag is not None:
            options = {**options, "headers": {"if-none-match": same.etag}}
        response = await self._connection.send(
            "GET",
            "/components/{componentId}/served-prompts/{name}",
            params={"componentId": component_id, "name": where.name},
            query={"label": where.label},
            **options,
        )
        if same is not None and response.status_code == 304:
            return _Entry(component_id, same.etag, same.served, self._clock())
        served = decode_body(response)
        if not is_served(served):
            raise ResponseError(f"The response of {self._connection.url} is not a prompt.")
        return _Entry(component_id, response.headers.get("etag"), served, self._clock())

    async def _component_id(self, component: str, options: RequestOptions) -> str:
        if is_id(component):
            return component
        components: AsyncPages[Component] = AsyncPages(self._connection, "/components", options=options)
        return (await find_named(components, "component", component))["id"]


def _loaded(
    where: PromptPlace, entry: _Entry | None, source: Source, key: str | None, fallback: Mapping[str, Any] | None
) -> LoadedPrompt:
    if entry is None:
        return LoadedPrompt(where.name, where.label, None, "fallback", False, complete_content(fallback or {}))
    if entry.is_from_disk:
        source = "disk"
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

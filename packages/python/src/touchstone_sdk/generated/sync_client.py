# Generated from async_client.py by `npm run generate`; do not edit.
"""The client: a connection to the server, and the resources of the API."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from .sync_connection import Connection
from .sync_pages import Pages
from .sync_prompts import Prompts
from .sync_resources import (
    Annotations,
    Comparisons,
    Components,
    Datasets,
    Evaluations,
    Runs,
    Traces,
)
from .sync_trials import Trials
from ..errors import TouchstoneError
from ..prompt_folder import PromptFolder
from ..settings import read_settings
from ..wire import QueryValue, RequestOptions


class Touchstone:
    """Client of a Touchstone server. Close it with `with`, or with `close`.

    `api_key` and `base_url` default to TOUCHSTONE_API_KEY and TOUCHSTONE_URL. `timeout` are the seconds to wait for a
    connection, and for each part of a response. `max_retries` counts the attempts after the first one. `prompt_folder`
    keeps prompts in files, for programs that start while the server is away; by default they are in memory only.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60,
        max_retries: int = 2,
        headers: Mapping[str, str] | None = None,
        prompt_folder: str | os.PathLike[str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        folder = None if prompt_folder is None else PromptFolder(prompt_folder, read_settings(api_key, base_url))
        self._connection = Connection(
            api_key, base_url, timeout=timeout, max_retries=max_retries, headers=headers, transport=transport
        )
        self.annotations = Annotations(self._connection)
        self.comparisons = Comparisons(self._connection)
        self.components = Components(self._connection)
        self.datasets = Datasets(self._connection)
        self.evaluations = Evaluations(self._connection)
        self.prompts = Prompts(self._connection, folder)
        self.runs = Runs(self._connection)
        self.traces = Traces(self._connection)
        self.trials = Trials(self._connection)

    @property
    def url(self) -> str:
        """Address of the server, without `/api/v1`."""
        return self._connection.url

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        body: object = None,
        **options: Unpack[RequestOptions],
    ) -> Any:
        """Sends any request of the API, such as `("GET", "/components/{componentId}/trends", params={…})`."""
        return self._connection.request(method, path, params=params, query=query, body=body, **options)

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        body: object = None,
        **options: Unpack[RequestOptions],
    ) -> httpx.Response:
        """Like `request`, and returns the response with its headers."""
        return self._connection.send(method, path, params=params, query=query, body=body, **options)

    def pages(
        self,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Pages[Any]:
        """Any list of the API, page by page."""
        return Pages(self._connection, path, params=params, query=query, options=options)

    def send_spans(self, batch: object) -> None:
        """Sends spans as OTLP in JSON. Repeating it is safe: a span that is stored already stays as it is."""
        accepted = self.request("POST", "/traces", body=batch)
        partial = accepted.get("partialSuccess") if isinstance(accepted, dict) else None
        if partial and int(partial.get("rejectedSpans", 0)) > 0:
            raise TouchstoneError(f"The server rejected spans: {partial.get('errorMessage')}")

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Touchstone({self.url!r})"

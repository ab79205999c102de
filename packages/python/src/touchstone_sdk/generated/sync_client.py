# Generated from async_client.py by `npm run generate`; do not edit.
"""The client: one connection pool, retries, and the resources of the API."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from types import TracebackType
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from .. import sync_tools
from .sync_pages import Pages
from .sync_resources import (
    Annotations,
    Comparisons,
    Components,
    Datasets,
    Evaluations,
    Runs,
    Traces,
)
from ..errors import TouchstoneError
from ..retries import retry_delay
from ..settings import read_settings
from ..version import VERSION
from ..wire import (
    QueryValue,
    RequestOptions,
    decode_body,
    encode_body,
    fill_path,
    query_values,
    request_headers,
    response_error,
    transport_error,
)


class Touchstone:
    """Client of a Touchstone server. Close it with `with`, or with `close`.

    `api_key` and `base_url` default to TOUCHSTONE_API_KEY and TOUCHSTONE_URL. `timeout` are the seconds to wait for a
    connection, and for each part of a response. `max_retries` counts the attempts after the first one.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60,
        max_retries: int = 2,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._settings = read_settings(api_key, base_url)
        self._max_retries = max_retries
        self._http = httpx.Client(
            base_url=f"{self._settings.url}/api/v1",
            headers={
                "accept": "application/json",
                "user-agent": f"touchstone-sdk-python/{VERSION}",
                **(headers or {}),
                "authorization": self._settings.authorization,
            },
            timeout=timeout,
            transport=transport,
        )
        self.annotations = Annotations(self)
        self.comparisons = Comparisons(self)
        self.components = Components(self)
        self.datasets = Datasets(self)
        self.evaluations = Evaluations(self)
        self.runs = Runs(self)
        self.traces = Traces(self)

    @property
    def url(self) -> str:
        """Address of the server, without `/api/v1`."""
        return self._settings.url

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
        response = self.send(method, path, params=params, query=query, body=body, **options)
        return decode_body(response)

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
        address = fill_path(path, params or {})
        headers = request_headers(method, path, options)
        content = None
        if body is not None:
            content = encode_body(body)
            headers["content-type"] = "application/json"
        request = self._http.build_request(
            method,
            address,
            params=query_values(query),
            content=content,
            headers=headers,
            timeout=options.get("timeout", self._http.timeout),
        )
        retries = options.get("max_retries", self._max_retries)
        # A repeated POST without a key could do its work twice.
        is_repeatable = method != "POST" or "idempotency-key" in headers
        for attempt in range(retries + 1):
            error = None
            try:
                response = self._http.send(request)
            except (httpx.HTTPError, httpx.InvalidURL) as cause:
                error = transport_error(cause, method, f"{self.url}/api/v1{address}")
            else:
                if response.is_success:
                    return response
                error = response_error(response)
            delay = retry_delay(error, attempt, is_repeatable=is_repeatable)
            if attempt == retries or delay is None:
                raise error
            sync_tools.sleep(delay)
        raise AssertionError("the last attempt returns or raises")

    def pages(
        self,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Pages[Any]:
        """Any list of the API, page by page."""
        return Pages(self, path, params=params or {}, query=query or {}, options=options)

    def lines(self, path: str, *, params: Mapping[str, str], silence: float) -> Generator[str, None]:
        """Yields the lines of a stream. Ends with a TimeoutError after `silence` seconds without any."""
        address = fill_path(path, params)
        try:
            with self._http.stream("GET", address, timeout=httpx.Timeout(silence)) as response:
                if not response.is_success:
                    response.read()
                    raise response_error(response)
                for line in response.iter_lines():
                    yield line
        except (httpx.HTTPError, httpx.InvalidURL) as cause:
            error: TouchstoneError = transport_error(cause, "GET", f"{self.url}/api/v1{address}")
            raise error from None

    def send_spans(self, batch: object) -> None:
        """Sends spans as OTLP in JSON. Repeating it is safe: a span that is stored already stays as it is."""
        accepted = self.request("POST", "/traces", body=batch)
        partial = accepted.get("partialSuccess") if isinstance(accepted, dict) else None
        if partial and int(partial.get("rejectedSpans", 0)) > 0:
            raise TouchstoneError(f"The server rejected spans: {partial.get('errorMessage')}")

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Touchstone({self.url!r})"

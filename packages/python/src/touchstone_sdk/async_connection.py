"""Requests to the server: one pool of HTTP connections, its headers, and retries."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx
from typing_extensions import Unpack

from . import async_tools
from .errors import TouchstoneError
from .retries import retry_delay
from .settings import read_settings
from .version import VERSION
from .wire import (
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


class AsyncConnection:
    """What the resources of the client share. It knows none of them, so that no module imports itself."""

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        *,
        timeout: float,
        max_retries: int,
        headers: Mapping[str, str] | None,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        settings = read_settings(api_key, base_url)
        self.url = settings.url
        self._max_retries = max_retries
        self._http = httpx.AsyncClient(
            base_url=f"{self.url}/api/v1",
            headers={
                "accept": "application/json",
                "user-agent": f"touchstone-sdk-python/{VERSION}",
                **(headers or {}),
                "authorization": settings.authorization,
            },
            timeout=timeout,
            transport=transport,
        )

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        body: object = None,
        **options: Unpack[RequestOptions],
    ) -> Any:
        response = await self.send(method, path, params=params, query=query, body=body, **options)
        return decode_body(response)

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        body: object = None,
        **options: Unpack[RequestOptions],
    ) -> httpx.Response:
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
                response = await self._http.send(request)
            except (httpx.HTTPError, httpx.InvalidURL) as cause:
                error = transport_error(cause, method, f"{self.url}/api/v1{address}")
            else:
                # Only a request with If-None-Match gets 304, and expects it.
                if response.is_success or response.status_code == 304:
                    return response
                error = response_error(response)
            delay = retry_delay(error, attempt, is_repeatable=is_repeatable)
            if attempt == retries or delay is None:
                raise error
            await async_tools.sleep(delay)
        raise AssertionError("the last attempt returns or raises")

    async def lines(self, path: str, *, params: Mapping[str, str], silence: float) -> AsyncGenerator[str, None]:
        """Yields the lines of a stream. Ends with a TimeoutError after `silence` seconds without any."""
        address = fill_path(path, params)
        try:
            async with self._http.stream("GET", address, timeout=httpx.Timeout(silence)) as response:
                if not response.is_success:
                    await response.aread()
                    raise response_error(response)
                async for line in response.aiter_lines():
                    yield line
        except (httpx.HTTPError, httpx.InvalidURL) as cause:
            error: TouchstoneError = transport_error(cause, "GET", f"{self.url}/api/v1{address}")
            raise error from None

    async def aclose(self) -> None:
        await self._http.aclose()

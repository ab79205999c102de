"""Requests and responses as bytes: paths, queries, bodies, and the errors of responses."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import quote

import httpx
from typing_extensions import TypedDict

from .errors import (
    ApiError,
    ConfigurationError,
    ConnectionError,
    ResponseError,
    TimeoutError,
    TouchstoneError,
    error_class,
)
from .generated.posts_without_key import POSTS_WITHOUT_KEY
from .retries import parse_retry_after

QueryValue: TypeAlias = str | int | float | bool | None


class RequestOptions(TypedDict, total=False):
    """Options of one call."""

    timeout: float
    max_retries: int
    idempotency_key: str
    headers: Mapping[str, str]


def request_headers(method: str, path: str, options: RequestOptions) -> dict[str, str]:
    """`path` is the template, with the names of its parameters."""
    headers = {name.lower(): value for name, value in options.get("headers", {}).items()}
    key = options.get("idempotency_key")
    if key is None and method == "POST" and path not in POSTS_WITHOUT_KEY:
        key = str(uuid.uuid4())
    if key is not None:
        headers["idempotency-key"] = key
    return headers


def fill_path(path: str, params: Mapping[str, str]) -> str:
    """Replaces `{name}` by the parameter of that name."""

    def value_of(match: re.Match[str]) -> str:
        value = params.get(match[1])
        # An empty or relative segment would address another resource.
        if not value or value in (".", ".."):
            raise ConfigurationError(f"The path {path} needs a value for {match[1]}.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", value_of, path)


def query_values(query: Mapping[str, QueryValue] | None) -> dict[str, str]:
    values = (query or {}).items()
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values
        if value is not None
    }


def encode_body(body: object) -> bytes:
    try:
        return json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"The body of the request is not JSON: {error}") from None


def decode_body(response: httpx.Response) -> Any:
    if not response.content:
        return None
    if "json" not in response.headers.get("content-type", ""):
        return response.text
    try:
        return response.json()
    except ValueError:
        raise ResponseError(f"The response of {_address(response.request)} is not JSON.") from None


def response_error(response: httpx.Response) -> ApiError:
    status = response.status_code
    return error_class(status)(
        _message(response),
        status=status,
        request_id=response.headers.get("x-request-id"),
        retry_after=parse_retry_after(response.headers.get("retry-after")),
    )


def _message(response: httpx.Response) -> str:
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, dict) and isinstance(body.get("error"), str):
        return str(body["error"])
    if response.is_redirect:
        return f"{_address(response.request)} redirects to another address. Is the URL of the server correct?"
    return f"{_address(response.request)} responded with {response.status_code} and no error message."


def transport_error(error: httpx.HTTPError | httpx.InvalidURL, method: str, url: str) -> TouchstoneError:
    request = f"{method} {url}"
    if isinstance(error, httpx.TimeoutException):
        return TimeoutError(f"{request} got no response in time.")
    if isinstance(error, httpx.TransportError):
        return ConnectionError(f"{request} failed: {error or type(error).__name__}")
    return ConnectionError(f"{request} failed: {type(error).__name__}")


def _address(request: httpx.Request) -> str:
    return f"{request.method} {request.url.copy_with(query=None)}"

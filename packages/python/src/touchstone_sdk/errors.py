"""The errors of this package. All of them are a TouchstoneError."""

from __future__ import annotations

from collections.abc import Mapping


class TouchstoneError(Exception):
    """Base of all errors of this package."""


class ConfigurationError(TouchstoneError):
    """A setting is missing or invalid, such as the API key."""


class TransientError(TouchstoneError):
    """Raised by a function of yours that runs a call of a trial: another attempt may succeed."""


class ConnectionError(TouchstoneError):  # noqa: A001 - always used as touchstone_sdk.ConnectionError
    """No response arrived."""


class TimeoutError(ConnectionError):  # noqa: A001 - always used as touchstone_sdk.TimeoutError
    """No response arrived in time."""


class ResponseError(TouchstoneError):
    """A response of success that cannot be read: not JSON, for example the page of a proxy."""


class EvaluationFailedError(TouchstoneError):
    """An evaluation ended without results. `evaluation` has the reason, as the API returns it."""

    def __init__(self, message: str, evaluation: Mapping[str, object]) -> None:
        super().__init__(message)
        self.evaluation = evaluation


class ApiError(TouchstoneError):
    """The server responded with an error. `request_id` finds the request in the server's log."""

    def __init__(
        self, message: str, *, status: int, request_id: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message} ({self.status}{request})"

    def __reduce__(self) -> tuple[object, ...]:
        # Processes of xdist and multiprocessing exchange errors; without this, unpickling one fails.
        return (_restore, (type(self), self.message, self.status, self.request_id, self.retry_after))


class ValidationError(ApiError):
    """400 or 422: the request is invalid."""


class AuthenticationError(ApiError):
    """401: the API key is missing or invalid."""


class PermissionError(ApiError):  # noqa: A001 - always used as touchstone_sdk.PermissionError
    """403: the key may not do this."""


class NotFoundError(ApiError):
    """404: there is no such resource in this application."""


class ConflictError(ApiError):
    """409: the request conflicts with the state of the resource."""


class RateLimitError(ApiError):
    """429: too many requests, or a quota is used up."""


class ServerError(ApiError):
    """5xx: the server failed or is overloaded."""


def error_class(status: int) -> type[ApiError]:
    if status >= 500:
        return ServerError
    return _CLASSES.get(status, ApiError)


_CLASSES: dict[int, type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    422: ValidationError,
    429: RateLimitError,
}


def _restore(
    cls: type[ApiError], message: str, status: int, request_id: str | None, retry_after: float | None
) -> ApiError:
    return cls(message, status=status, request_id=request_id, retry_after=retry_after)

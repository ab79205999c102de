"""Client of Touchstone: traces, datasets, runs, evaluations and verdicts."""

from .async_client import AsyncTouchstone
from .errors import (
    ApiError,
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    ConnectionError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServerError,
    TimeoutError,
    TouchstoneError,
    ValidationError,
)
from .generated.sync_client import Touchstone
from .version import VERSION as __version__

__all__ = [
    "ApiError",
    "AsyncTouchstone",
    "AuthenticationError",
    "ConfigurationError",
    "ConflictError",
    "ConnectionError",
    "NotFoundError",
    "PermissionError",
    "RateLimitError",
    "ServerError",
    "TimeoutError",
    "Touchstone",
    "TouchstoneError",
    "ValidationError",
    "__version__",
]

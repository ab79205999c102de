"""Client of Touchstone: traces, datasets, runs, evaluations and verdicts."""

from .async_client import AsyncTouchstone
from .async_evaluate import aevaluate
from .errors import (
    ApiError,
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    ConnectionError,
    EvaluationFailedError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ResponseError,
    ServerError,
    TimeoutError,
    TouchstoneError,
    TransientError,
    ValidationError,
)
from .evaluation_result import EvaluationResult, Progress
from .generated.sync_client import Touchstone
from .generated.sync_evaluate import evaluate
from .observing import observe
from .prompts import LoadedPrompt
from .scoring import Case, scorer
from .tracing import flush, init, shutdown
from .version import VERSION as __version__

__all__ = [
    "ApiError",
    "AsyncTouchstone",
    "AuthenticationError",
    "Case",
    "ConfigurationError",
    "ConflictError",
    "ConnectionError",
    "EvaluationFailedError",
    "EvaluationResult",
    "LoadedPrompt",
    "NotFoundError",
    "PermissionError",
    "Progress",
    "RateLimitError",
    "ResponseError",
    "ServerError",
    "TimeoutError",
    "Touchstone",
    "TouchstoneError",
    "TransientError",
    "ValidationError",
    "__version__",
    "aevaluate",
    "evaluate",
    "flush",
    "init",
    "observe",
    "scorer",
    "shutdown",
]

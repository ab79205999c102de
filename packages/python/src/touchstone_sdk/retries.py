"""Which requests are repeated, and after what time."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from .errors import ApiError, ConnectionError, TouchstoneError

DELAY_MIN = 0.5
DELAY_MAX = 8.0
# A longer Retry-After (such as that of a daily quota) is reported to the caller at once.
RETRY_AFTER_MAX = 60.0


def retry_delay(error: TouchstoneError, attempt: int, *, is_repeatable: bool) -> float | None:
    """Seconds until the next attempt, or None if there must be none. `attempt` counts from 0."""
    if not is_repeatable or not is_transient(error):
        return None
    wanted = error.retry_after if isinstance(error, ApiError) else None
    if wanted is not None:
        return wanted if wanted <= RETRY_AFTER_MAX else None
    delay = min(DELAY_MAX, DELAY_MIN * float(2**attempt))
    # Up to a half less, so that clients that failed together do not come back together.
    return delay * random.uniform(0.5, 1)  # noqa: S311 - no cryptography


def is_transient(error: TouchstoneError) -> bool:
    if isinstance(error, ConnectionError):
        return True
    if not isinstance(error, ApiError):
        return False
    # The first request with the same key is still running; its response is stored when it ends.
    is_in_flight = error.status == 409 and "Idempotency-Key" in error.message
    return error.status in (408, 429) or error.status >= 500 or is_in_flight


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds of a Retry-After header, which has seconds or a date. None if there is none, or it is invalid."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - (now or datetime.now(timezone.utc))).total_seconds())

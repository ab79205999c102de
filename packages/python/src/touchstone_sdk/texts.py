"""Values as texts, as traces and items have them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

# A batch of spans has at most 20 MiB, and a character up to 4 bytes.
OUTPUT_LENGTH_MAX = 4_000_000


def to_text(value: object) -> str | None:
    """A text as it is, None as None, anything else as JSON."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain)
    # Half of a surrogate pair cannot be sent as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def output_text(output: object) -> str | None:
    """The output of a case. Raises a ValueError if the server would reject it, or if it is no text and no JSON."""
    text = to_text(output)
    if text is not None and len(text) > OUTPUT_LENGTH_MAX:
        raise ValueError(f"The output has {len(text)} characters, {OUTPUT_LENGTH_MAX} at most.")
    return text


def _plain(value: Any) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        # Not `asdict`, which copies every value and fails where one cannot be copied.
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    # Models of Pydantic, without importing it.
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return str(value)


def error_text(error: BaseException) -> str:
    """The name and the message of an error."""
    message = str(error)
    name = type(error).__name__
    return f"{name}: {message}" if message else name

"""What a label serves, as a program uses it: the choice of a version, and its messages with values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .errors import TouchstoneError

Message: TypeAlias = Mapping[str, Any]
Source: TypeAlias = Literal["network", "memory", "disk", "fallback"]

_VARIABLE = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}")
_DEFAULTS: Mapping[str, Any] = {"provider": None, "model": None, "parameters": {}, "tools": [], "responseFormat": None}


@dataclass(frozen=True)
class LoadedPrompt:
    """A version of a prompt. `content` has the messages as they were written, the model and its parameters."""

    name: str
    label: str
    version: int | None
    """The number of the version; None for a fallback."""
    source: Source
    """Where the content comes from; `disk` until the server has responded for the first time."""
    is_stale: bool
    """The server could not be asked whether the label has moved."""
    content: Mapping[str, Any]

    @property
    def attributes(self) -> dict[str, str]:
        """For the span of the call. The current span of OpenTelemetry has them already."""
        return {
            "touchstone.prompt": self.name if self.version is None else f"{self.name}@{self.version}",
            "touchstone.prompt.label": self.label,
            "touchstone.prompt.source": self.source,
        }

    def render(self, variables: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The messages with texts for variables, and lists of messages for placeholders."""
        return render_messages(self.content["messages"], variables or {})


def complete_content(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**_DEFAULTS, **content}


def choose_split(prompt_id: str, seed: int, splits: Sequence[Mapping[str, Any]], key: str) -> Mapping[str, Any] | None:
    """The split that a key belongs to: the same key always gets the same version, in every language."""
    # Other languages replace half of a surrogate pair, which UTF-8 cannot encode.
    text = f"{prompt_id}:{seed}:{key}".encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    bucket = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    weights = 0
    for split in splits:
        weights += split["weight"]
        # bucket / 2^64 < weights / 100, in whole numbers, so that every language rounds alike.
        if bucket * 100 < weights << 64:
            return split
    return None


def render_messages(messages: Sequence[Message], values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Replaces variables and placeholders. Values are inserted as they are: a variable in a value is text.

    Texts that the prompt does not use are ignored, because another version of it may use them; messages for an unknown
    placeholder are not, because a conversation would be lost.
    """
    texts = [message["content"] for message in messages if "placeholder" not in message]
    variables = _unique(name for text in texts for name in _VARIABLE.findall(text))
    placeholders = _unique(message["placeholder"] for message in messages if "placeholder" in message)
    missing = [name for name in [*variables, *placeholders] if name not in values]
    if missing:
        raise TouchstoneError(f"These variables of the prompt have no value: {', '.join(missing)}.")
    for name in variables:
        if not isinstance(values[name], str):
            raise TouchstoneError(f"The variable {name} must be a string.")
    for name, value in values.items():
        if isinstance(value, list | tuple) and name not in placeholders:
            known = f"it has {', '.join(placeholders)}" if placeholders else "it has none"
            raise TouchstoneError(f"The prompt has no placeholder {name}; {known}.")
    rendered: list[dict[str, Any]] = []
    for message in messages:
        if "placeholder" in message:
            rendered += _messages_of(message["placeholder"], values)
        else:
            content = _VARIABLE.sub(lambda match: str(values[match[1]]), message["content"])
            rendered.append({**message, "content": content})
    return rendered


def _messages_of(name: str, values: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    value = values[name]
    if isinstance(value, list | tuple) and all(_is_text_message(message) for message in value):
        return value
    raise TouchstoneError(f"The placeholder {name} must be a list of messages with role and content.")


def _is_text_message(message: object) -> bool:
    return isinstance(message, Mapping) and all(isinstance(message.get(name), str) for name in ("role", "content"))


def _unique(names: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(names)]

"""Address and key of the server, from arguments or the environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .errors import ConfigurationError

DEFAULT_URL = "http://127.0.0.1:3000"


@dataclass(frozen=True)
class Settings:
    """`url` is the origin of the server and an optional path, without `/api/v1`."""

    url: str
    # Excluded from repr, so that logs and error reports never contain it.
    api_key: str = field(repr=False)

    @property
    def authorization(self) -> str:
        return f"Bearer {self.api_key}"


def read_settings(api_key: str | None = None, base_url: str | None = None) -> Settings:
    """Arguments take precedence over TOUCHSTONE_API_KEY and TOUCHSTONE_URL (or TOUCHSTONE, as the server prints it)."""
    key = api_key or os.environ.get("TOUCHSTONE_API_KEY")
    if not key:
        raise ConfigurationError("No API key: pass api_key, or set TOUCHSTONE_API_KEY.")
    key = key.strip()
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        # The HTTP library would repeat the key in its own message.
        raise ConfigurationError("The API key must have printable ASCII characters only.")
    url = base_url or os.environ.get("TOUCHSTONE_URL") or os.environ.get("TOUCHSTONE") or DEFAULT_URL
    return Settings(url=_checked_url(url), api_key=key)


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        has_password = parts.username is not None
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        has_password, is_valid = False, False
    if has_password:
        raise ConfigurationError("The URL of the server must not contain a user name or a password.")
    if not is_valid or parts.query or parts.fragment:
        raise ConfigurationError(f"The URL of the server must be like {DEFAULT_URL}, without a query.")
    return re.sub(r"(/api/v1)?/*$", "", f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/"))

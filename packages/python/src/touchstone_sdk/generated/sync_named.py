# Generated from async_named.py by `npm run generate`; do not edit.
"""Entries of a list by their name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from ..errors import NotFoundError
from .api_types import Component, Dataset, Run

Named = TypeVar("Named", Component, Dataset, Run)

_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_id(name_or_id: str) -> bool:
    return _ID.fullmatch(name_or_id) is not None


def find_named(entries: Iterable[Named], kind: str, name: str) -> Named:
    """The newest of this name."""
    for entry in entries:
        if entry["name"] == name:
            return entry
    raise NotFoundError(f"There is no {kind} with the name {name!r}.", status=404)

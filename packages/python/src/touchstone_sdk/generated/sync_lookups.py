# Generated from async_lookups.py by `npm run generate`; do not edit.
"""Resources by id or by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from .sync_client import Touchstone
from ..errors import NotFoundError
from .api_types import Component, Dataset, Run

Named = TypeVar("Named", Component, Dataset, Run)

_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def find_component(client: Touchstone, name_or_id: str) -> Component:
    if _ID.fullmatch(name_or_id):
        return client.components.get(name_or_id)
    return _find(client.components.list(), "component", name_or_id)


def find_dataset(client: Touchstone, component_id: str, name_or_id: str) -> Dataset:
    if _ID.fullmatch(name_or_id):
        return client.datasets.get(component_id, name_or_id)
    return _find(client.datasets.list(component_id), "dataset", name_or_id)


def find_run(client: Touchstone, component_id: str, name_or_id: str) -> Run:
    if _ID.fullmatch(name_or_id):
        return client.runs.get(component_id, name_or_id)
    return _find(client.runs.list(component_id), "run", name_or_id)


def _find(entries: Iterable[Named], kind: str, name: str) -> Named:
    """The newest of this name."""
    for entry in entries:
        if entry["name"] == name:
            return entry
    raise NotFoundError(f"There is no {kind} with the name {name!r}.", status=404)

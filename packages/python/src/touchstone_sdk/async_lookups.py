"""Resources by id or by name."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable
from typing import TypeVar

from .async_client import AsyncTouchstone
from .errors import NotFoundError
from .generated.api_types import Component, Dataset, Run

Named = TypeVar("Named", Component, Dataset, Run)

_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


async def find_component(client: AsyncTouchstone, name_or_id: str) -> Component:
    if _ID.fullmatch(name_or_id):
        return await client.components.get(name_or_id)
    return await _find(client.components.list(), "component", name_or_id)


async def find_dataset(client: AsyncTouchstone, component_id: str, name_or_id: str) -> Dataset:
    if _ID.fullmatch(name_or_id):
        return await client.datasets.get(component_id, name_or_id)
    return await _find(client.datasets.list(component_id), "dataset", name_or_id)


async def find_run(client: AsyncTouchstone, component_id: str, name_or_id: str) -> Run:
    if _ID.fullmatch(name_or_id):
        return await client.runs.get(component_id, name_or_id)
    return await _find(client.runs.list(component_id), "run", name_or_id)


async def _find(entries: AsyncIterable[Named], kind: str, name: str) -> Named:
    """The newest of this name."""
    async for entry in entries:
        if entry["name"] == name:
            return entry
    raise NotFoundError(f"There is no {kind} with the name {name!r}.", status=404)

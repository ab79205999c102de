"""Resources by id or by name."""

from __future__ import annotations

from .async_client import AsyncTouchstone
from .async_named import find_named, is_id
from .generated.api_types import Component, Dataset, Run


async def find_component(client: AsyncTouchstone, name_or_id: str) -> Component:
    if is_id(name_or_id):
        return await client.components.get(name_or_id)
    return await find_named(client.components.list(), "component", name_or_id)


async def find_dataset(client: AsyncTouchstone, component_id: str, name_or_id: str) -> Dataset:
    if is_id(name_or_id):
        return await client.datasets.get(component_id, name_or_id)
    return await find_named(client.datasets.list(component_id), "dataset", name_or_id)


async def find_run(client: AsyncTouchstone, component_id: str, name_or_id: str) -> Run:
    if is_id(name_or_id):
        return await client.runs.get(component_id, name_or_id)
    return await find_named(client.runs.list(component_id), "run", name_or_id)

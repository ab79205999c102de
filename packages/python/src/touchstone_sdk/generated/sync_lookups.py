# Generated from async_lookups.py by `npm run generate`; do not edit.
"""Resources by id or by name."""

from __future__ import annotations

from .sync_client import Touchstone
from .sync_named import find_named, is_id
from .api_types import Component, Dataset, Run


def find_component(client: Touchstone, name_or_id: str) -> Component:
    if is_id(name_or_id):
        return client.components.get(name_or_id)
    return find_named(client.components.list(), "component", name_or_id)


def find_dataset(client: Touchstone, component_id: str, name_or_id: str) -> Dataset:
    if is_id(name_or_id):
        return client.datasets.get(component_id, name_or_id)
    return find_named(client.datasets.list(component_id), "dataset", name_or_id)


def find_run(client: Touchstone, component_id: str, name_or_id: str) -> Run:
    if is_id(name_or_id):
        return client.runs.get(component_id, name_or_id)
    return find_named(client.runs.list(component_id), "run", name_or_id)

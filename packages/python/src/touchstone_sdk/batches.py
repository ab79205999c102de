"""Large requests in parts that the server accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from .wire import encode_body

Entry = TypeVar("Entry")

# The default of TOUCHSTONE_BODY_BYTES_MAX is 1 MiB; the rest is for what surrounds the entries.
BYTES_MAX = 900_000


def batches_of(entries: Sequence[Entry], count_max: int) -> Iterator[list[Entry]]:
    """Splits entries by number and size. An entry that is too large by itself is alone: the server rejects it."""
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        entry_size = len(encode_body(entry)) + 1
        if batch and (len(batch) == count_max or size + entry_size > BYTES_MAX):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += entry_size
    if batch:
        yield batch

"""Lists of the API, which come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .async_connection import AsyncConnection
from .wire import QueryValue, RequestOptions, decode_body

Entry = TypeVar("Entry")

PAGE_SIZE = 100


@dataclass(frozen=True)
class AsyncPage(Generic[Entry]):
    """One page. `total` is None where the server does not count; `next_cursor` is None in lists with offsets."""

    data: list[Entry]
    total: int | None
    next_cursor: str | None
    has_more: bool
    searched_since: str | None = None
    """Of a search of traces that was limited to those that started at this time or later."""


class AsyncPages(Generic[Entry]):
    """A list. Iterating it reads page after page; `page` reads only one.

    Lists with offsets shift when entries are added meanwhile. An entry is then still returned only once; entries that
    are added after the first page are not returned.
    """

    def __init__(
        self,
        connection: AsyncConnection,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        options: RequestOptions,
    ) -> None:
        self._connection = connection
        self._path = path
        self._params = params
        self._query = query or {}
        self._options = options

    async def page(
        self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None
    ) -> AsyncPage[Entry]:
        """One page: of `limit` entries, from `offset` on, or after the `next_cursor` of another page."""
        query = {**self._query, "limit": limit, "offset": offset, "cursor": cursor}
        response = await self._connection.send("GET", self._path, params=self._params, query=query, **self._options)
        body = decode_body(response)
        total = response.headers.get("x-total-count")
        next_cursor = body.get("nextCursor")
        has_more = next_cursor is not None if "nextCursor" in body else 'rel="next"' in response.headers.get("link", "")
        counted = None if total is None else int(total)
        return AsyncPage(body["data"], counted, next_cursor, has_more, body.get("searchedSince"))

    async def __aiter__(self) -> AsyncIterator[Entry]:
        seen: set[Any] = set()
        offset = 0
        cursor: str | None = None
        while True:
            page = await self.page(limit=PAGE_SIZE, offset=None if cursor else offset or None, cursor=cursor)
            for entry in page.data:
                name = entry.get("id") if isinstance(entry, dict) else None
                if name is not None and name in seen:
                    continue
                seen.add(name)
                yield entry
            offset += len(page.data)
            cursor = page.next_cursor
            if not page.has_more:
                return

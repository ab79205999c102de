"""The resources of the API by name. Everything else is reached by `client.request` and `client.pages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from typing_extensions import Unpack

from .async_connection import AsyncConnection
from .async_evaluations import AsyncEvaluations
from .async_pages import AsyncPages
from .batches import batches_of
from .generated.api_types import (
    Annotation,
    Comparison,
    Component,
    CreatedComponent,
    CreatedTrace,
    Dataset,
    DatasetItem,
    NewDatasetItem,
    NewTrace,
    Run,
    RunTrace,
    Trace,
    TraceRow,
)
from .wire import QueryValue, RequestOptions

__all__ = [
    "AsyncAnnotations",
    "AsyncComparisons",
    "AsyncComponents",
    "AsyncDatasets",
    "AsyncEvaluations",
    "AsyncRuns",
    "AsyncTraces",
]

# `list` is a method of the classes below.
Items: TypeAlias = list[DatasetItem]
Fields: TypeAlias = dict[str, Any]

ITEMS_PER_REQUEST = 1000
TRACES_PER_REQUEST = 10_000


def _without_none(**fields: object) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}


class AsyncComponents:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(self, **options: Unpack[RequestOptions]) -> AsyncPages[Component]:
        """All components, newest first."""
        return AsyncPages(self._connection, "/components", options=options)

    async def get(self, component_id: str, **options: Unpack[RequestOptions]) -> Component:
        path = "/components/{componentId}"
        component: Component = await self._connection.request(
            "GET", path, params={"componentId": component_id}, **options
        )
        return component

    async def create(
        self, name: str, *, description: str | None = None, **options: Unpack[RequestOptions]
    ) -> CreatedComponent:
        body = _without_none(name=name, description=description)
        created: CreatedComponent = await self._connection.request("POST", "/components", body=body, **options)
        return created

    async def delete(self, component_id: str, **options: Unpack[RequestOptions]) -> None:
        await self._connection.request(
            "DELETE", "/components/{componentId}", params={"componentId": component_id}, **options
        )


class AsyncDatasets:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self.items = AsyncDatasetItems(connection)

    def list(self, component_id: str, **options: Unpack[RequestOptions]) -> AsyncPages[Dataset]:
        """The datasets of a component, newest first."""
        return AsyncPages(
            self._connection,
            "/components/{componentId}/datasets",
            params={"componentId": component_id},
            options=options,
        )

    async def get(self, component_id: str, dataset_id: str, **options: Unpack[RequestOptions]) -> Dataset:
        dataset: Dataset = await self._connection.request(
            "GET", _DATASET, params=_of(component_id, dataset_id), **options
        )
        return dataset

    async def create(
        self,
        component_id: str,
        name: str,
        *,
        description: str | None = None,
        trace_ids: Sequence[str] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Dataset:
        traces = None if trace_ids is None else [*trace_ids]
        dataset: Dataset = await self._connection.request(
            "POST",
            "/components/{componentId}/datasets",
            params={"componentId": component_id},
            body=_without_none(name=name, description=description, traceIds=traces),
            **options,
        )
        return dataset

    async def delete(self, component_id: str, dataset_id: str, **options: Unpack[RequestOptions]) -> None:
        await self._connection.request("DELETE", _DATASET, params=_of(component_id, dataset_id), **options)


class AsyncDatasetItems:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        component_id: str,
        dataset_id: str,
        *,
        split: Literal["train", "validation", "test"] | None = None,
        **options: Unpack[RequestOptions],
    ) -> AsyncPages[DatasetItem]:
        """The items of a dataset, newest first."""
        query: dict[str, QueryValue] = {"split": split}
        return AsyncPages(
            self._connection, f"{_DATASET}/items", params=_of(component_id, dataset_id), query=query, options=options
        )

    async def create(
        self,
        component_id: str,
        dataset_id: str,
        items: Sequence[NewDatasetItem],
        **options: Unpack[RequestOptions],
    ) -> Items:
        """Adds items and returns them in the same order. Many items need several requests."""
        added: Items = []
        for batch in batches_of(items, ITEMS_PER_REQUEST):
            body = await self._connection.request(
                "POST", f"{_DATASET}/items", params=_of(component_id, dataset_id), body=batch, **options
            )
            added += body["data"]
        return added

    async def update(
        self,
        component_id: str,
        dataset_id: str,
        item_id: str,
        changes: Mapping[str, object],
        **options: Unpack[RequestOptions],
    ) -> DatasetItem:
        params = {**_of(component_id, dataset_id), "itemId": item_id}
        item: DatasetItem = await self._connection.request(
            "PATCH", f"{_DATASET}/items/{{itemId}}", params=params, body=changes, **options
        )
        return item

    async def delete(self, component_id: str, dataset_id: str, item_id: str, **options: Unpack[RequestOptions]) -> None:
        params = {**_of(component_id, dataset_id), "itemId": item_id}
        await self._connection.request("DELETE", f"{_DATASET}/items/{{itemId}}", params=params, **options)


_DATASET = "/components/{componentId}/datasets/{datasetId}"


def _of(component_id: str, dataset_id: str) -> dict[str, str]:
    return {"componentId": component_id, "datasetId": dataset_id}


class AsyncRuns:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(self, component_id: str, **options: Unpack[RequestOptions]) -> AsyncPages[Run]:
        """The runs of a component, newest first."""
        return AsyncPages(
            self._connection, "/components/{componentId}/runs", params={"componentId": component_id}, options=options
        )

    async def get(self, component_id: str, run_id: str, **options: Unpack[RequestOptions]) -> Run:
        run: Run = await self._connection.request("GET", _RUN, params=_of_run(component_id, run_id), **options)
        return run

    async def create(
        self,
        component_id: str,
        dataset_id: str,
        *,
        name: str | None = None,
        trace_ids: Sequence[str] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Run:
        traces = None if trace_ids is None else [*trace_ids]
        run: Run = await self._connection.request(
            "POST",
            "/components/{componentId}/runs",
            params={"componentId": component_id},
            body=_without_none(datasetId=dataset_id, name=name, traceIds=traces),
            **options,
        )
        return run

    async def delete(self, component_id: str, run_id: str, **options: Unpack[RequestOptions]) -> None:
        await self._connection.request("DELETE", _RUN, params=_of_run(component_id, run_id), **options)

    def traces(self, component_id: str, run_id: str, **options: Unpack[RequestOptions]) -> AsyncPages[RunTrace]:
        """The traces of a run that have arrived, each with its item."""
        return AsyncPages(self._connection, f"{_RUN}/traces", params=_of_run(component_id, run_id), options=options)

    async def add_traces(
        self, component_id: str, run_id: str, trace_ids: Sequence[str], **options: Unpack[RequestOptions]
    ) -> Run:
        """Links traces to a run. Their items are those with the same input."""
        params = _of_run(component_id, run_id)
        path = f"{_RUN}/traces"
        for batch in batches_of(trace_ids, TRACES_PER_REQUEST):
            await self._connection.request("POST", path, params=params, body={"traceIds": batch}, **options)
        return await self.get(component_id, run_id)


_RUN = "/components/{componentId}/runs/{runId}"


def _of_run(component_id: str, run_id: str) -> dict[str, str]:
    return {"componentId": component_id, "runId": run_id}


class AsyncTraces:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        component_id: str | None = None,
        q: str | None = None,
        include: str | None = None,
        sort: str = "-time",
        **options: Unpack[RequestOptions],
    ) -> AsyncPages[TraceRow]:
        """Traces, the latest start first; `sort="-arrival"` has the newest first.

        `q` is a query of the query language, `include` may be "previews,ratings,scores".
        """
        query: dict[str, QueryValue] = {"component_id": component_id, "q": q, "include": include, "sort": sort}
        return AsyncPages(self._connection, "/traces", query=query, options=options)

    async def get(self, trace_id: str, *, spans: bool = True, **options: Unpack[RequestOptions]) -> Trace:
        """A trace, by its id or that of its sender; without its spans if `spans` is False."""
        query = None if spans else {"spans": "none"}
        trace: Trace = await self._connection.request(
            "GET", "/traces/{traceId}", params={"traceId": trace_id}, query=query, **options
        )
        return trace

    async def create(self, component_id: str, trace: NewTrace, **options: Unpack[RequestOptions]) -> CreatedTrace:
        created: CreatedTrace = await self._connection.request(
            "POST", "/components/{componentId}/traces", params={"componentId": component_id}, body=trace, **options
        )
        return created

    async def delete(self, trace_id: str, **options: Unpack[RequestOptions]) -> None:
        await self._connection.request("DELETE", "/traces/{traceId}", params={"traceId": trace_id}, **options)


class AsyncAnnotations:
    """Annotations of the traces of a run."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(self, component_id: str, run_id: str, **options: Unpack[RequestOptions]) -> AsyncPages[Annotation]:
        return AsyncPages(
            self._connection, f"{_RUN}/annotations", params=_of_run(component_id, run_id), options=options
        )

    def list_of_dataset(
        self, component_id: str, dataset_id: str, **options: Unpack[RequestOptions]
    ) -> AsyncPages[Annotation]:
        return AsyncPages(
            self._connection, f"{_DATASET}/annotations", params=_of(component_id, dataset_id), options=options
        )

    async def create(
        self,
        component_id: str,
        run_id: str,
        trace_id: str,
        *,
        rating: str | None = None,
        comment: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Annotation:
        """Creates or updates the annotation of the caller."""
        annotation: Annotation = await self._connection.request(
            "POST",
            f"{_RUN}/annotations",
            params=_of_run(component_id, run_id),
            body=_without_none(traceDbId=trace_id, rating=rating, comment=comment),
            **options,
        )
        return annotation

    async def delete(
        self, component_id: str, run_id: str, annotation_id: str, **options: Unpack[RequestOptions]
    ) -> None:
        params = {**_of_run(component_id, run_id), "annotationId": annotation_id}
        await self._connection.request("DELETE", f"{_RUN}/annotations/{{annotationId}}", params=params, **options)


class AsyncComparisons:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(
        self,
        component_id: str,
        *,
        baseline: str,
        candidate: str,
        margin: float | None = None,
        query: Mapping[str, QueryValue] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Comparison:
        """Compares two runs. `query` has further parameters, such as `split`, `metric` or `limit` of the rows."""
        values = {**(query or {}), "baseline": baseline, "candidate": candidate, "margin": margin}
        comparison: Comparison = await self._connection.request(
            "GET",
            "/components/{componentId}/comparisons",
            params={"componentId": component_id},
            query=values,
            **options,
        )
        return comparison

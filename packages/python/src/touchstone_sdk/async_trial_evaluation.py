"""The trial of an evaluation that is resumable."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .async_client import AsyncTouchstone
from .async_lookups import find_run
from .errors import ConfigurationError, ConflictError, NotFoundError, TouchstoneError
from .generated.api_types import Run, TrialDetail

# Only the calls of one trial are leased, so evaluations do not share it.
QUEUE = "evaluate"


async def open_trial(
    client: AsyncTouchstone, component_id: str, dataset_id: str, name: str, settings: Mapping[str, Any]
) -> TrialDetail:
    """The newest trial with the name, or a new one. One that ended too early goes on."""
    split = settings.get("split")
    variants = [{"name": name, "target": {"type": "worker", "queue": QUEUE}}]
    # Programs that begin at the same time get the same trial.
    body = {"datasetId": dataset_id, "name": name, "variants": variants, "resume": True}
    opened = await client.trials.create(component_id, body if split is None else {**body, "split": split})
    is_new = not opened["resumed"]
    trial = await client.trials.get(component_id, opened["id"])
    is_same = trial["datasetId"] == dataset_id and trial["plan"]["split"] == split
    if not is_same or len(trial["variants"]) > 1 or trial["variants"][0]["target"].get("queue") != QUEUE:
        raise ConfigurationError(
            f"The trial {name!r} is not one of this evaluation: it has another dataset, split or targets."
        )
    run_id = trial["variants"][0]["runId"]
    try:
        # Before the first task is run, which may be expensive: an invalid config is rejected here.
        await client.evaluations.estimate(component_id, dataset_id, run_id=run_id, config=settings)
    except TouchstoneError:
        if is_new:
            await client.trials.delete(component_id, trial["id"])
            await client.runs.delete(component_id, run_id)
        raise
    if has_ended(trial) and trial["progress"]["done"] < trial["progress"]["total"]:
        # If no call can succeed that has not, they are failed cases, as without a trial.
        with contextlib.suppress(ConflictError):
            return await client.trials.retry(component_id, trial["id"])
    return trial


async def find_baseline(client: AsyncTouchstone, component_id: str, name_or_id: str) -> Run:
    """A run, also of an evaluation that is resumable: the server names it after trial and variant."""
    try:
        return await find_run(client, component_id, name_or_id)
    except NotFoundError:
        name = f"{name_or_id}: {name_or_id}"
        async for run in client.runs.list(component_id):
            if run["name"] == name:
                return run
        raise


def has_ended(trial: TrialDetail) -> bool:
    return trial["status"] in ("completed", "failed")


async def shared_key(client: AsyncTouchstone, trial: TrialDetail | None, evaluation: Mapping[str, Any]) -> str | None:
    """Programs that have run the items together evaluate them once: the same key for the same end of the trial.

    None if all items had ended before this program began: what it asks for then is another evaluation.
    """
    if trial is None or has_ended(trial):
        return None
    trial = await client.trials.get(trial["aiComponentId"], trial["id"])
    text = json.dumps([trial["id"], trial["completedAt"], evaluation], sort_keys=True)
    return f"evaluate {hashlib.sha256(text.encode()).hexdigest()}"


async def require_end(client: AsyncTouchstone, trial: TrialDetail) -> None:
    """Raises an error if items were not run, for example because the trial was canceled."""
    trial = await client.trials.get(trial["aiComponentId"], trial["id"])
    progress = trial["progress"]
    if progress["done"] + progress["failed"] < progress["total"]:
        reason = trial["variants"][0]["reason"] or trial["error"] or "the trial has ended"
        raise TouchstoneError(
            f"{progress['skipped']} of {progress['total']} items were not run: {reason}. Repeat with the same name."
        )

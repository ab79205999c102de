"""One real server for all tests, with its data in a temporary folder."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from touchstone_sdk import Touchstone

pytest_plugins = ["pytester"]

# The tests of the source distribution need a checkout of the server.
REPOSITORY = Path(os.environ.get("TOUCHSTONE_REPOSITORY") or Path(__file__).resolve().parents[3])


@dataclass(frozen=True)
class Server:
    url: str
    api_key: str


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as (server, _process):
        yield server


@contextmanager
def running_server() -> Iterator[tuple[Server, subprocess.Popen[str]]]:
    node = REPOSITORY / "node_modules/.bin/node"
    api_key = f"tsk_{secrets.token_urlsafe(32)}"
    with tempfile.TemporaryDirectory(prefix="touchstone-python-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [node if node.exists() else "node", REPOSITORY / "touchstone.mjs"],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "PORT": "0",
                "DATABASE_URL": f"file:{folder}/touchstone.db",
                "TOUCHSTONE_API_KEY": api_key,
                "TOUCHSTONE_LOG_LEVEL": "error",
                "TOUCHSTONE_OTLP_GRPC_PORT": "off",
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            yield Server(_address_in(iter(process.stdout.readline, "")), api_key), process
        finally:
            process.terminate()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def _address_in(lines: Iterator[str]) -> str:
    printed = ""
    for line in lines:
        printed += line
        if match := re.search(r"Open {6}(\S+)", line):
            return match[1]
    raise RuntimeError(f"The server ended: {printed}")


@pytest.fixture(autouse=True)
def environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test uses the server as a user does: by the environment."""
    monkeypatch.setenv("TOUCHSTONE_URL", server.url)
    monkeypatch.setenv("TOUCHSTONE_API_KEY", server.api_key)


@pytest.fixture
def client() -> Iterator[Touchstone]:
    with Touchstone() as client:
        yield client


@dataclass(frozen=True)
class Seeded:
    """A component with a dataset of three items."""

    component_id: str
    component_name: str
    dataset_id: str
    dataset_name: str
    item_ids: list[str]


@pytest.fixture
def seeded(client: Touchstone) -> Seeded:
    name = f"Capitals {uuid.uuid4().hex[:8]}"
    component_id = client.components.create(name)["id"]
    dataset = client.datasets.create(component_id, "Countries")
    # Two items have the same input: only their ids distinguish them.
    items = client.datasets.items.create(
        component_id,
        dataset["id"],
        [
            {"input": "France", "expected": "Paris"},
            {"input": "Italy", "expected": "Rome"},
            {"input": "Italy", "expected": "Roma"},
        ],
    )
    return Seeded(component_id, name, dataset["id"], "Countries", [item["id"] for item in items])

"""The cache of prompts: the rule that all SDKs share, its files, and a server that is killed."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import REPOSITORY, running_server
from touchstone_sdk import ConfigurationError, ConnectionError, NotFoundError, Touchstone
from touchstone_sdk.generated.sync_prompts import Prompts
from touchstone_sdk.prompt_folder import PromptFolder, PromptPlace, StoredPrompt
from touchstone_sdk.settings import Settings

VECTORS = json.loads((REPOSITORY / "test/prompts/vectors.json").read_text(encoding="utf-8"))["cache"]
FILE = VECTORS["file"]
PLACE = PromptPlace(FILE["component"], FILE["name"], FILE["label"])
COMPONENT = "01890a5d-ac96-774b-bcce-b302099a8057"
FALLBACK = {"messages": [{"role": "user", "content": "Hello"}]}
SETTINGS = Settings("http://127.0.0.1:3000", "tsk_key")


def served_version(number: int, text: str | None = None) -> dict[str, Any]:
    content = {"messages": [{"role": "user", "content": text or f"Text {number}"}]}
    splits = [{"weight": 100, "version": {"number": number, "content": content}}]
    return {"name": "answer", "label": "production", "promptId": COMPONENT, "change": 1, "seed": 1, "splits": splits}


class FakeServer:
    """As the test says, and programs that use it one after the other."""

    def __init__(self) -> None:
        self.state: int | str = "away"
        self.requests = 0
        self.unchanged = 0
        self.now = 0.0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if self.state == "away":
            raise httpx.ConnectError("refused")
        if self.state == "busy":
            return httpx.Response(503, json={"error": "Busy."})
        if self.state == "missing":
            return httpx.Response(404, json={"error": "Prompt answer has no label."})
        etag = f'"{self.state}"'
        if request.headers.get("if-none-match") != etag:
            return httpx.Response(200, json=served_version(int(self.state)), headers={"etag": etag})
        self.unchanged += 1
        return httpx.Response(304)


class Program:
    def __init__(self, server: FakeServer, folder: Path | None) -> None:
        self.client = Touchstone(transport=httpx.MockTransport(server), max_retries=0)
        files = None if folder is None else PromptFolder(folder, SETTINGS)
        self.prompts = Prompts(self.client._connection, files, clock=lambda: server.now)

    def get(self, **options: Any) -> Any:
        return self.prompts.get("answer", component=COMPONENT, **options)

    def wait(self) -> None:
        for future in [*self.prompts._running.values()]:
            future.exception(timeout=60)


def damage_file(folder: Path, damage: str) -> None:
    [path] = folder.iterdir()
    text = path.read_text(encoding="utf-8")
    if damage == "remove":
        path.unlink()
    else:
        damaged = {"half": text[: len(text) // 2], "empty": "", "text": text.replace("Text", "Test")}
        path.write_text(damaged[damage], encoding="utf-8")


@pytest.mark.parametrize("scenario", VECTORS["scenarios"], ids=lambda scenario: scenario["name"])
def test_the_cache_does_what_the_vectors_say(scenario: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "prompts" if scenario["hasFolder"] else None
    server = FakeServer()
    program = Program(server, folder)
    for step in scenario["steps"]:
        if "damage" in step:
            assert folder is not None
            damage_file(folder, step["damage"])
        if step.get("isNewProcess"):
            program = Program(server, folder)
        server.state = step["server"]
        server.now = step["at"]
        options = {"fallback": FALLBACK} if step.get("hasFallback") else {}
        if isinstance(step["get"], str):
            with pytest.raises(NotFoundError if step["get"] == "missing" else ConnectionError):
                program.get(**options)
        else:
            prompt = program.get(**options)
            got = {"version": prompt.version, "source": prompt.source, "isStale": prompt.is_stale}
            assert got == step["get"], step
            assert prompt.attributes["touchstone.prompt.source"] == prompt.source
        program.wait()
        assert server.requests == step.get("requests", server.requests), step
        assert server.unchanged == step.get("unchanged", server.unchanged), step
        if folder is not None and "files" in step:
            assert len([*folder.iterdir()]) == step["files"], step


def test_the_folder_has_the_files_of_the_vectors(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    files = PromptFolder(folder, Settings(FILE["baseUrl"], FILE["apiKey"]))
    fields = json.loads(FILE["text"].split("\n")[1])
    prompt = StoredPrompt(fields["componentId"], fields["etag"], fields["served"])
    files.write(PLACE, prompt)
    [path] = folder.iterdir()
    assert (path.name, path.read_text(encoding="utf-8")) == (FILE["fileName"], FILE["text"])
    assert files.read(PLACE) == prompt
    assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    assert PromptFolder(folder, Settings(FILE["baseUrl"], "tsk_other")).read(PLACE) is None
    assert files.read(PromptPlace(FILE["component"], FILE["name"], "staging")) is None


def test_temporary_files_of_processes_that_were_killed_an_hour_ago_are_removed(tmp_path: Path) -> None:
    old, young, own = (
        tmp_path / name for name in (f"a.prompt.{COMPONENT}.tmp", f"b.prompt.{COMPONENT}.tmp", "own.tmp")
    )
    for path in (old, young, own):
        path.touch()
    before = time.time() - 3700
    os.utime(old, (before, before))
    os.utime(own, (before, before))
    served: Any = served_version(1)
    PromptFolder(tmp_path, SETTINGS).write(PLACE, StoredPrompt(COMPONENT, None, served))
    assert {path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"} == {young.name, own.name}


def test_a_folder_that_cannot_be_used_costs_one_line_of_the_log_and_no_prompt(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    server = FakeServer()
    server.state = 1
    with caplog.at_level(logging.WARNING, logger="touchstone_sdk"):
        program = Program(server, tmp_path / "file" / "prompts")
        for server.now in (0.0, 10.0, 20.0, 30.0):
            assert program.get().version == 1
            program.wait()
        server.state = "missing"
        with pytest.raises(NotFoundError):
            Program(server, tmp_path / "file" / "prompts").get()
    messages = [record.getMessage() for record in caplog.records]
    assert any("cannot be written" in message for message in messages)
    assert len([message for message in messages if "written" in message]) == 1
    with pytest.raises(ConfigurationError, match="the path of a folder"):
        Touchstone(prompt_folder="")


WRITER = """
import os, sys
from touchstone_sdk.prompt_folder import PromptFolder, PromptPlace, StoredPrompt
from touchstone_sdk.settings import Settings
files = PromptFolder(sys.argv[1], Settings("http://127.0.0.1:3000", "tsk_key"))
place = PromptPlace("a", "b", "c")
for number in range(200):
    files.write(place, StoredPrompt("a", f"{os.getpid()}.{number}", {"splits": ["x" * number * 500]}))
    assert files.read(place), number
print("done")
"""


def test_processes_share_a_folder_and_every_file_is_whole_at_every_moment(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE) for _ in range(3)]
    assert [writer.communicate()[0] for writer in writers] == [b"done\n"] * 3
    assert len([*folder.iterdir()]) == 1


@pytest.fixture
def killable() -> Iterator[tuple[Any, Any]]:
    with running_server() as started:
        yield started


def test_a_server_that_is_killed_fails_no_read_and_a_new_process_reads_from_disk(
    killable: tuple[Any, Any], tmp_path: Path
) -> None:
    server, process = killable
    options: dict[str, Any] = {"api_key": server.api_key, "base_url": server.url, "prompt_folder": tmp_path / "prompts"}
    with Touchstone(**options) as client:
        component = f"Support {uuid.uuid4().hex[:8]}"
        component_id = client.components.create(component)["id"]
        prompts = "/components/{componentId}/prompts"
        params = {"componentId": component_id}
        params["promptId"] = client.request("POST", prompts, params=params, body={"name": "answer"})["id"]
        content = {"messages": [{"role": "user", "content": "{{question}}"}]}
        body = {"content": content, "labels": ["production", "staging"]}
        client.request("POST", f"{prompts}/{{promptId}}/versions", params=params, body=body)

        now = [0.0]
        settings = Settings(server.url, server.api_key)
        read = Prompts(client._connection, PromptFolder(tmp_path / "prompts", settings), clock=lambda: now[0])

        def get(label: str) -> Any:
            prompt = read.get("answer", component=component, label=label)
            for future in [*read._running.values()]:
                future.exception(timeout=60)
            return prompt

        assert (get("production").source, get("staging").source) == ("network", "network")
        assert len([*(tmp_path / "prompts").iterdir()]) == 2

        client.send("DELETE", f"{prompts}/{{promptId}}/labels/{{label}}", params={**params, "label": "staging"})
        now[0] = 10.0
        assert get("staging").version == 1
        with pytest.raises(NotFoundError, match="no label staging"):
            get("staging")
        assert len([*(tmp_path / "prompts").iterdir()]) == 1

        process.kill()
        process.wait()
        now[0] = 20.0
        get("production")
        for _ in range(10_000):
            now[0] += 0.01
            prompt = get("production")
            assert (prompt.version, prompt.source, prompt.is_stale) == (1, "memory", True)

    with Touchstone(**options) as new_process:
        prompt = new_process.prompts.get("answer", component=component)
        assert (prompt.version, prompt.source, prompt.is_stale) == (1, "disk", True)
        assert prompt.render({"question": "Why?"}) == [{"role": "user", "content": "Why?"}]
        with pytest.raises(ConnectionError):
            new_process.prompts.get("answer", component=component, label="staging", max_retries=0)

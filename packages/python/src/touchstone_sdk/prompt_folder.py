"""Prompts on disk, for programs that start while the server is away.

Each label has a file of its own, which is written under a temporary name and then renamed: processes that share the
folder read whole files, and the last one that writes wins. The first line of a file is the SHA-256 of the rest; a file
where it is not is damaged, and ignored until it is replaced. The TypeScript SDK has the same files.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ConfigurationError
from .generated.api_types import ServedPrompt
from .settings import Settings

log = logging.getLogger("touchstone_sdk")

# Temporary files are older only if the process that wrote them was killed.
ABANDONED_SECONDS = 3600.0
_TEMPORARY = re.compile(r"\.prompt\.[0-9a-f-]{36}\.tmp$")


@dataclass(frozen=True)
class PromptPlace:
    component: str
    name: str
    label: str


@dataclass(frozen=True)
class StoredPrompt:
    component_id: str
    etag: str | None
    served: ServedPrompt


class PromptFolder:
    """None of its methods raises: without its files, a program works as without a folder."""

    def __init__(self, folder: str | os.PathLike[str], settings: Settings) -> None:
        if not os.fspath(folder):
            # The files would be in the folder in which the program happens to start.
            raise ConfigurationError("prompt_folder must be the path of a folder.")
        self._folder = Path(folder)
        # Applications differ by them, and their components can have the same names.
        self._owner = [settings.url, settings.api_key]
        self._is_swept = False
        self._warned: set[str] = set()

    def read(self, place: PromptPlace) -> StoredPrompt | None:
        """None if there is no file, or none that can be used."""
        try:
            return _parse(self._path(place).read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn("read", error)
            return None

    def write(self, place: PromptPlace, prompt: StoredPrompt) -> None:
        """Does nothing if the file has this prompt already."""
        stored = self.read(place)
        if stored and (stored.etag, stored.component_id) == (prompt.etag, prompt.component_id):
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_swept:
                self._remove_abandoned()
            self._is_swept = True
            _replace(self._path(place), _format(prompt))
        except OSError as error:
            self._warn("written", error)

    def remove(self, place: PromptPlace) -> None:
        try:
            self._path(place).unlink(missing_ok=True)
        except OSError as error:
            self._warn("removed", error)

    def _path(self, place: PromptPlace) -> Path:
        names = "\n".join([*self._owner, place.component, place.name, place.label])
        return self._folder / f"{_sha256(_encode(names))}.prompt"

    def _remove_abandoned(self) -> None:
        for path in self._folder.iterdir():
            if not _TEMPORARY.search(path.name):
                continue
            try:
                is_abandoned = time.time() - path.stat().st_mtime > ABANDONED_SECONDS
            except FileNotFoundError:
                # Another process has renamed it at this moment.
                continue
            if is_abandoned:
                path.unlink(missing_ok=True)

    def _warn(self, what: str, error: OSError) -> None:
        # Each once: a refresh must not fill the log.
        message = f"A prompt in {self._folder} cannot be {what}: {error.strerror}"
        if message not in self._warned:
            self._warned.add(message)
            log.warning(message)


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{uuid.uuid4()}.tmp")
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _format(prompt: StoredPrompt) -> bytes:
    fields: dict[str, Any] = {"componentId": prompt.component_id, "served": prompt.served}
    if prompt.etag is not None:
        fields = {"componentId": prompt.component_id, "etag": prompt.etag, "served": prompt.served}
    content = _encode(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
    return f"{_sha256(content)}\n".encode() + content


def _parse(file: bytes) -> StoredPrompt | None:
    digest, _, content = file.partition(b"\n")
    if digest.decode("ascii", "replace") != _sha256(content):
        return None
    fields: dict[str, Any] = json.loads(content)
    component_id, served = fields.get("componentId"), fields.get("served")
    if not isinstance(component_id, str) or served is None or not is_served(served):
        return None
    return StoredPrompt(component_id, fields.get("etag"), served)


def is_served(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("splits"), list)


def _encode(text: str) -> bytes:
    # Other languages replace half of a surrogate pair, which UTF-8 cannot encode.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

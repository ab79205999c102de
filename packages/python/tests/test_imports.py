"""The modules of the package never import each other in a circle, not even for types or inside of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import touchstone_sdk

ROOT = Path(touchstone_sdk.__file__).parent
PACKAGE = ROOT.name


def test_no_module_imports_itself() -> None:
    modules = {_module_name(path): path for path in ROOT.rglob("*.py")}
    assert len(modules) > 20
    try:
        TopologicalSorter({name: _imports(name, path, modules) for name, path in modules.items()}).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def _module_name(path: Path) -> str:
    parts = [PACKAGE, *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """All statements of the module count: also those below `if TYPE_CHECKING` and in functions."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {found for node in nodes for found in _imported(node, package) if found in modules}


def _imported(node: ast.AST, package: list[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) + 1 - node.level] if node.level else []
        module = ".".join([*base, *([node.module] if node.module else [])])
        # `from . import tracing` imports the module `tracing`, `from .errors import ApiError` the module `errors`.
        yield from (f"{module}.{alias.name}" for alias in node.names)
        if node.module:
            yield module

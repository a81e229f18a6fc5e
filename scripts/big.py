"""Shows what is large: not limits, questions. When something grows, look for the idea in it that wants its own name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("src", "tests", "benchmarks", "scripts")
SHOWN = 10


class Sized(NamedTuple):
    lines: int
    name: str


def functions_of(tree: ast.Module, path: str) -> Iterator[Sized]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.end_lineno or node.lineno
            yield Sized(last - node.lineno + 1, f"{path}:{node.lineno} {node.name}")


def broad_excepts(tree: ast.Module, path: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        kinds = [None] if node.type is None else [kind for kind in ast.walk(node.type) if isinstance(kind, ast.Name)]
        if any(kind is None or kind.id in ("Exception", "BaseException") for kind in kinds):
            yield f"{path}:{node.lineno}"


def show(title: str, unit: int, sizes: list[Sized]) -> None:
    large = sum(size.lines > unit for size in sizes)
    print(f"\n{title}: {len(sizes)}, of which {large} have more than {unit} lines; the largest:")
    for size in sorted(sizes, reverse=True)[:SHOWN]:
        print(f"  {size.lines:5} {size.name}")


def main() -> None:
    files: list[Sized] = []
    functions: list[Sized] = []
    broad: list[str] = []
    for path in sorted(path for source in SOURCES for path in (ROOT / source).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        text = path.read_text()
        tree = ast.parse(text, name)
        files.append(Sized(len(text.splitlines()), name))
        functions += functions_of(tree, name)
        broad += broad_excepts(tree, name)
    show("files", 350, files)
    show("functions", 35, functions)
    thousands = sum(file.lines for file in files) / 1000
    print(f"\nbroad except: {len(broad)}, {len(broad) / max(1.0, thousands):.1f} a thousand lines")
    for place in broad:
        print(f"        {place}")


if __name__ == "__main__":
    main()

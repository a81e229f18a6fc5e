"""The lock of the console's packages: it names no registry, and it serves every platform, not the one it was made on.

npm drops the programs of other platforms without a word when the registry lacks them at that moment.
"""

import json
from pathlib import Path
from typing import Any

import pytest

LOCK: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[2] / "web" / "package-lock.json").read_text())[
    "packages"
]
# As npm says it: os, cpu, and on Linux the C library.
PLATFORMS = [
    ("linux", "x64", "glibc"),
    ("linux", "x64", "musl"),
    ("linux", "arm64", "glibc"),
    ("linux", "arm64", "musl"),
    ("darwin", "arm64", None),
    ("darwin", "x64", None),
    ("win32", "x64", None),
]


def _is_native(entry: dict[str, Any]) -> bool:
    return "cpu" in entry and "os" in entry


def _native_families() -> dict[str, set[str]]:
    """Each package that has programs, with the packages that hold them, one for a platform."""
    native = {path.rpartition("node_modules/")[2] for path, entry in LOCK.items() if _is_native(entry)}
    families = {
        path: native.intersection(entry.get("optionalDependencies", {}))
        for path, entry in LOCK.items()
        if native.intersection(entry.get("optionalDependencies", {}))
    }
    assert native <= {name for family in families.values() for name in family}, "a program that nobody asks for"
    # Of what serves one platform alone, like fsevents, there is nothing to compare.
    return {path: family for path, family in families.items() if len(family) > 1}


def _serves(name: str, platform: tuple[str, str, str | None]) -> bool:
    entry = LOCK[f"node_modules/{name}"]
    system, cpu, libc = platform
    # A package that names no C library brings its own, or needs none.
    return system in entry["os"] and cpu in entry["cpu"] and (libc is None or libc in entry.get("libc", [libc]))


def test_it_names_no_address() -> None:
    assert [path for path, entry in LOCK.items() if "resolved" in entry] == []
    assert "://" not in json.dumps([{**entry, "funding": None} for entry in LOCK.values()])


def test_every_package_has_a_hash() -> None:
    assert [path for path, entry in LOCK.items() if path and "integrity" not in entry] == []


@pytest.mark.parametrize("path", sorted(_native_families()))
def test_every_package_with_programs_has_them_for_all_platforms(path: str) -> None:
    programs = _native_families()[path]

    missing = [platform for platform in PLATFORMS if not any(_serves(name, platform) for name in programs)]

    assert missing == []


@pytest.mark.parametrize("path", sorted(_native_families()))
def test_every_program_that_a_package_may_ask_for_is_locked(path: str) -> None:
    asked = LOCK[path]["optionalDependencies"]

    assert [name for name in asked if f"node_modules/{name}" not in LOCK] == []

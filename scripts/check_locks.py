"""Do the locks still answer pyproject.toml? Offline: names, versions, hashes, no trace of where they came from."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
ENTRY = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?P<rest>.*(?:\n[ ].*)*)", re.MULTILINE)
TRACE = re.compile(r"://|--(?:extra-)?index-url|--find-links|(?<![\w.])/(?:home|root|tmp|work|usr|opt)/")


def locked(path: Path, problems: list[str]) -> dict[str, list[str]]:
    """The versions that a lock holds, by name; one name may stand there for several platforms."""
    text = path.read_text()
    versions: dict[str, list[str]] = {}
    for entry in ENTRY.finditer(text):
        versions.setdefault(canonicalize_name(entry["name"]), []).append(entry["version"])
        if "--hash=sha256:" not in entry["rest"]:
            problems.append(f"{path.name}: {entry['name']} has no hash")
    problems += [f"{path.name}: names a host or a path: {found.group()}" for found in TRACE.finditer(text)]
    return versions


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    run: list[str] = project["project"]["dependencies"]
    asked = {
        "run.txt": run,
        "test.txt": run + project["dependency-groups"]["dev"],
        "build.txt": project["build-system"]["requires"],
        "uv.txt": ["uv"],
        "node.txt": [(ROOT / "requirements" / "node.in").read_text().strip()],
    }
    problems: list[str] = []
    locks = {name: locked(ROOT / "requirements" / name, problems) for name in asked}
    for name, requirements in asked.items():
        for requirement in map(Requirement, requirements):
            versions = locks[name].get(canonicalize_name(requirement.name))
            if versions is None:
                problems.append(f"{name}: {requirement.name} is missing")
            elif not all(requirement.specifier.contains(version, prereleases=True) for version in versions):
                found = ", ".join(versions)
                problems.append(f"{name}: {requirement.name} is {found}, asked for {requirement.specifier}")
    for package, versions in locks["run.txt"].items():
        if locks["test.txt"].get(package) != versions:
            problems.append(f"test.txt: {package} is not what run.txt has")
    for problem in problems:
        print(problem)
    print("the locks need scripts/lock" if problems else "the locks answer pyproject.toml")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

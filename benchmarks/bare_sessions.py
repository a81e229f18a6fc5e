"""A program that does with transcripts what can be done without an index, and says how many milliseconds it took.

Each line of its input is one of `parse` (orjson over every line), `list` (the SDK's list) or a word to be searched.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import orjson
from claude_agent_sdk import list_sessions


def main() -> None:
    projects = Path(sys.argv[1])
    for line in sys.stdin:
        begun = perf_counter()
        match line.strip():
            case "parse":
                _parse(projects)
            case "list":
                list_sessions()
            case word:
                _search(projects, word)
        print((perf_counter() - begun) * 1000, flush=True)


def _parse(projects: Path) -> None:
    for path in projects.glob("*/*.jsonl"):
        with path.open("rb") as file:
            for line in file:
                orjson.loads(line)


def _search(projects: Path, word: str) -> None:
    program = shutil.which("rg") or "grep"
    options = ["--no-ignore", "--files-with-matches"] if program.endswith("rg") else ["-rl"]
    subprocess.run([program, *options, "-F", "-e", word, str(projects)], stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()

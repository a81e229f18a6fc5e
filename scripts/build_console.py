"""Builds the console into the package, with a Node that is given. Standard library only: the build hook runs it, too.

python scripts/build_console.py NODE install | build     what scripts/web calls
python scripts/build_console.py size                     what a browser loads first, compressed
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
CONSOLE = ROOT / "src" / "glasshouse" / "entrypoints" / "http" / "console"
NODE = ROOT / "requirements" / "node.in"

_SOURCES = ("index.html", "package.json", "package-lock.json", ".npmrc", "tsconfig.json", "vite.config.ts")
_SOURCE_FOLDERS = ("public", "src", "vite")
_INSTALLED_FROM = ("package.json", "package-lock.json", ".npmrc")
_STAMP = ".made-from"
_COMPRESSED = {".css", ".html", ".js", ".json", ".svg"}
_BUDGET = 250 * 1024


class BuildFailed(Exception):
    """The text is a sentence for people."""


def is_current(console: Path = CONSOLE) -> bool:
    try:
        return (console / _STAMP).read_text() == sources_digest() and (console / "index.html").is_file()
    except FileNotFoundError:
        return False


def sources_digest() -> str:
    """Over all that the build is made from, this file included."""
    files = [WEB / name for name in _SOURCES]
    for folder in _SOURCE_FOLDERS:
        files += sorted(path for path in (WEB / folder).rglob("*") if path.is_file())
    return _digest(ROOT, [Path(__file__).resolve(), NODE, *files])


def install(node: Path, web: Path = WEB) -> None:
    """The locked packages, unless they are there."""
    stamp = web / "node_modules" / _STAMP
    wanted = _digest(web, [web / name for name in _INSTALLED_FROM])
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    options = ("--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--no-update-notifier")
    # npm's own patience with a registry that cannot be reached is more than a minute.
    patience = ("--fetch-retries=3", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
    _run(node, "fetching the console's packages", web, npm(node), "ci", *options, *patience, "--loglevel=error")
    stamp.write_text(wanted)


@contextmanager
def built(node: Path, web: Path = WEB) -> Iterator[Path]:
    """A folder with the finished console, on the file system of `web`, until the caller is done."""
    # Before, not after: a source that changes meanwhile is not in the build.
    wanted = sources_digest()
    install(node, web)
    (web / "dist").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="console-", dir=web / "dist") as workshop:
        made = Path(workshop) / "new"
        vite = web / "node_modules" / "vite" / "bin" / "vite.js"
        _run(node, "building the console", web, vite, "build", "--outDir", made, "--logLevel", "warn")
        for path in [path for path in made.rglob("*") if path.suffix in _COMPRESSED]:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        (made / _STAMP).write_text(wanted)
        yield made


def put_in_place(made: Path) -> None:
    """What was there before stays until the new one is complete, and goes with the folder that `made` is in."""
    if CONSOLE.exists():
        CONSOLE.rename(made.with_name("old"))
    made.rename(CONSOLE)


def copy_sources(to: Path) -> Path:
    """For a checkout that cannot be written."""
    web = to / "web"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules", "dist", "tests"))
    return web


def npm(node: Path) -> Path:
    # The wheel's own `npm` is a link that installers do not keep.
    home = node.parent if os.name == "nt" else node.parent.parent / "lib"
    return home / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _digest(base: Path, files: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in files:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(base).as_posix()} {content}\n".encode())
    return total.hexdigest()


def _run(node: Path, what: str, web: Path, *command: str | Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "CI": "true",
        "NO_COLOR": "1",
        # The machine's certificates also know the proxy that a network may put between.
        "NODE_USE_SYSTEM_CA": os.environ.get("NODE_USE_SYSTEM_CA", "1"),
    }
    if not os.access(Path.home(), os.W_OK):
        environment.setdefault("npm_config_cache", str(web / "dist" / "npm"))
    ran = subprocess.run(
        [node, *command],
        cwd=web,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        print(ran.stdout, ran.stderr, sep="\n", file=sys.stderr)
        raise BuildFailed(f"{what} failed (exit {ran.returncode}), see above.")


def first_load(console: Path = CONSOLE) -> dict[str, int]:
    """The files that the page names, with what each of them costs on the wire."""
    page = (console / "index.html").read_text()
    names = ["index.html", *re.findall(r'(?:src|href)="/(assets/[^"]+)"', page)]
    return {name: (console / f"{name}.gz").stat().st_size for name in dict.fromkeys(names)}


def _print_size() -> int:
    sizes = first_load()
    for name, size in sizes.items():
        print(f"{size / 1024:8.1f} KB  {name}")
    total = sum(sizes.values())
    print(f"{total / 1024:8.1f} KB  first load, gzip; at most {_BUDGET // 1024}")
    return int(total > _BUDGET)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["size"]:
            return _print_size()
        case [node, "install"]:
            install(Path(node))
        case [node, "build"]:
            with built(Path(node)) as made:
                put_in_place(made)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BuildFailed as failure:
        sys.exit(f"glasshouse: {failure}")

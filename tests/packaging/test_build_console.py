"""How the console is built: only when its sources changed, whole or not at all, and one sentence when it fails."""

import gzip
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
# Stands in for Node: "installs" a folder, and "builds" a page that names how often it was asked to.
NODE = """#!/bin/sh
echo "$*" >>"$0.calls"
[ ! -f "$0.fails" ] || { echo 'no such module'; exit 3; }
case $2 in
    ci) rm -rf node_modules && mkdir node_modules ;;
    build) mkdir -p "$4/assets" && wc -l <"$0.calls" >"$4/index.html" && echo 'let a = 1' >"$4/assets/a.js" ;;
esac
"""


class Checkout:
    """A small one, with the real script in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("scripts", "requirements", "web/src", "src/glasshouse/entrypoints/http"):
            (root / folder).mkdir(parents=True)
        shutil.copy(SCRIPTS / "build_console.py", root / "scripts")
        (root / "requirements" / "node.in").write_text("node")
        self.script = _load(root / "scripts" / "build_console.py")
        for name in self.script._SOURCES:
            (root / "web" / name).write_text(name)
        self.source = root / "web" / "src" / "main.tsx"
        self.source.write_text("main")
        self.node = root / "bin" / "node"
        self.node.parent.mkdir()
        self.node.write_text(NODE)
        self.node.chmod(0o755)

    def build(self) -> None:
        with self.script.built(self.node) as made:
            self.script.put_in_place(made)

    @property
    def calls(self) -> list[str]:
        """What Node was asked to do."""
        return [line.split()[1] for line in self.node.with_name("node.calls").read_text().splitlines()]

    def fail_from_now_on(self) -> None:
        self.node.with_name("node.fails").touch()


def _load(path: Path) -> ModuleType:
    spec = spec_from_file_location("build_console", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_build_is_current_until_a_source_changes(checkout: Checkout) -> None:
    assert not checkout.script.is_current()
    checkout.build()
    assert checkout.script.is_current()

    checkout.source.write_text("something else")

    assert not checkout.script.is_current()


def test_a_source_that_was_renamed_is_a_change(checkout: Checkout) -> None:
    checkout.build()

    checkout.source.rename(checkout.source.with_name("other.tsx"))

    assert not checkout.script.is_current()


def test_a_build_that_was_deleted_is_not_current(checkout: Checkout) -> None:
    checkout.build()

    (checkout.script.CONSOLE / "index.html").unlink()

    assert not checkout.script.is_current()


def test_tests_and_packages_are_no_sources(checkout: Checkout) -> None:
    checkout.build()

    (checkout.root / "web" / "tests").mkdir()
    (checkout.root / "web" / "tests" / "a.test.ts").touch()

    assert checkout.script.is_current()


def test_packages_are_fetched_again_only_when_their_lock_changed(checkout: Checkout) -> None:
    checkout.build()
    checkout.build()
    assert checkout.calls == ["ci", "build", "build"]

    (checkout.root / "web" / "package-lock.json").write_text("another")
    checkout.build()

    assert checkout.calls[3:] == ["ci", "build"]


def test_every_text_is_there_compressed_too(checkout: Checkout) -> None:
    checkout.build()

    script = checkout.script.CONSOLE / "assets" / "a.js"

    assert gzip.decompress(script.with_name("a.js.gz").read_bytes()) == script.read_bytes()
    assert (checkout.script.CONSOLE / "index.html.gz").exists()


def test_a_new_build_replaces_the_old_one_whole_and_leaves_nothing_behind(checkout: Checkout) -> None:
    checkout.build()
    (checkout.script.CONSOLE / "assets" / "old.js").touch()

    checkout.build()

    assert not (checkout.script.CONSOLE / "assets" / "old.js").exists()
    assert list((checkout.root / "web" / "dist").iterdir()) == []


def test_a_build_that_fails_leaves_the_old_one_and_says_so_in_one_sentence(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout.build()
    before = (checkout.script.CONSOLE / "index.html").read_text()
    checkout.fail_from_now_on()

    with pytest.raises(checkout.script.BuildFailed, match=r"^building the console failed \(exit 3\), see above\.$"):
        checkout.build()

    assert "no such module" in capsys.readouterr().err
    assert (checkout.script.CONSOLE / "index.html").read_text() == before
    assert list((checkout.root / "web" / "dist").iterdir()) == []


def test_a_source_that_changes_during_the_build_is_seen_at_the_next(checkout: Checkout) -> None:
    node = checkout.node.read_text()
    checkout.node.write_text(node + f'[ "$2" = ci ] || echo changed >{checkout.source}\n')

    checkout.build()

    assert not checkout.script.is_current()


def test_the_lock_of_node_is_the_one_that_the_build_uses() -> None:
    requirements = SCRIPTS.parent / "requirements"
    locked = [line for line in (requirements / "node.txt").read_text().splitlines() if line.startswith("nodejs")]

    assert locked[0] in (requirements / "build.txt").read_text().splitlines()


def test_the_first_load_is_what_the_page_names(checkout: Checkout) -> None:
    checkout.build()
    (checkout.script.CONSOLE / "index.html").write_text('<script src="/assets/a.js"></script>')

    assert list(checkout.script.first_load()) == ["index.html", "assets/a.js"]

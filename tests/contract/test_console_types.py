"""The console's types are those that the API describes."""

from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).parents[2]


def test_the_consoles_types_are_current() -> None:
    script = run_path(str(ROOT / "scripts" / "generate_types.py"))

    assert script["TARGET"].read_text() == script["generate"](), "scripts/dev python scripts/generate_types.py"

"""What the engine is before there is any process."""

import subprocess
import sys


def test_importing_the_engine_does_not_import_the_sdk() -> None:
    check = "import sys, glasshouse.engines.claude; sys.exit('claude_agent_sdk' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", check], check=False, timeout=30).returncode == 0

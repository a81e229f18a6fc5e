"""The data directory: one server's own place on disk, with its identity, its key, and its one-time sign-in codes.

Everything in it belongs to the user alone (0700, 0600), whatever the umask. A lock says that a server is at home.
"""

import fcntl
import hashlib
import json
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from glasshouse.contract.self_check import SelfCheck

CODE_LIFETIME_S = 600


class DataDirectoryUnusable(Exception):
    """The data directory cannot be used; the sentence says why."""


class DataDirectoryInUse(Exception):
    """Another server works on this data directory."""


class DataDirectory:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def prepare(self) -> None:
        """Make what is missing. Raises DataDirectoryUnusable."""
        try:
            for directory in (self.path, self._codes, self.path / "workspace", self.path / "offline"):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                directory.chmod(0o700)
        except OSError as problem:
            raise self._unusable(problem) from problem

    def lock(self) -> None:
        """Hold the directory until this process ends. Raises DataDirectoryInUse or DataDirectoryUnusable."""
        try:
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            raise self._unusable(problem) from problem
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise DataDirectoryInUse(f"another Glasshouse works on {self.path}") from None
        self._lock = descriptor

    def _unusable(self, problem: OSError) -> DataDirectoryUnusable:
        return DataDirectoryUnusable(
            f"the data directory {self.path} cannot be used ({problem.strerror}); "
            "set GLASSHOUSE_DATA_DIR to a directory that can be written"
        )

    def identity(self) -> str:
        """Tells this directory's cookies and processes from those of every other."""
        return self._once("id", lambda: secrets.token_hex(6))

    def api_key(self) -> str:
        return self._once("api-key", lambda: secrets.token_urlsafe(32))

    # --- where the server is

    def announce(self, address: Mapping[str, Any]) -> None:
        self._write("server.json", json.dumps(dict(address)) + "\n")

    def withdraw(self) -> None:
        (self.path / "server.json").unlink(missing_ok=True)

    def announced(self) -> dict[str, Any] | None:
        """Where the server that is at home can be reached; None if none is."""
        if not self._is_locked():
            return None
        try:
            found: dict[str, Any] = json.loads((self.path / "server.json").read_text())
        except (OSError, ValueError):
            return None
        return found

    def _is_locked(self) -> bool:
        try:
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    # --- what was found out about the agent's program

    def self_check(self) -> SelfCheck | None:
        try:
            return SelfCheck.model_validate_json((self.path / "self-check.json").read_bytes())
        except (OSError, ValueError):
            return None

    def remember_self_check(self, report: SelfCheck) -> None:
        self._write("self-check.json", report.model_dump_json(indent=1) + "\n")

    # --- one-time codes: a file each, so that `glasshouse link` needs no word with the server, and a code that was
    # used stays used over a restart

    def new_code(self, front: str = "") -> str:
        """`front`: what it begins with."""
        self._forget_old_codes()
        code = front + secrets.token_urlsafe(24)
        self._write(f"codes/{_hash(code)}", "")
        return code

    def spend_code(self, code: str) -> bool:
        """Whether the code was good; it is not good again."""
        path = self._codes / _hash(code)
        try:
            made_at = path.stat().st_mtime
            path.unlink()  # of two that spend it at once, one succeeds
        except FileNotFoundError:
            return False
        return 0 <= time.time() - made_at + 1 <= CODE_LIFETIME_S

    def _forget_old_codes(self) -> None:
        for path in self._codes.iterdir():
            with suppress(FileNotFoundError):  # spent meanwhile
                if time.time() - path.stat().st_mtime > CODE_LIFETIME_S:
                    path.unlink()

    # --- files

    @property
    def _codes(self) -> Path:
        return self.path / "codes"

    def _once(self, name: str, make: Any) -> str:
        """The content of a file that is made with its first reader. Called under the lock.

        Raises DataDirectoryUnusable."""
        path = self.path / name
        try:
            content = path.read_text().strip()
        except FileNotFoundError:
            content = ""
        except UnicodeDecodeError:
            raise DataDirectoryUnusable(f"{path} is damaged; remove it to have a new one made") from None
        if not content:
            content = make()
            self._write(name, content + "\n")
        path.chmod(0o600)
        return content

    def _write(self, name: str, content: str) -> None:
        path = self.path / name
        partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()

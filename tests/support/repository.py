"""Repositories of real git, made as people make them."""

import os
import subprocess
from pathlib import Path


def everywhere(directory: Path) -> bool:
    """All directories may be looked at."""
    return True


class Repo:
    def __init__(self, root: Path, *, init: bool = True) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if init:
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        who = ("-c", "user.email=t@example.org", "-c", "user.name=T", "-c", "protocol.file.allow=always")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.root, env=environment, capture_output=True, check=True
        )
        return done.stdout.decode(errors="surrogateescape")

    def write(self, name: str | bytes, content: str | bytes = "", *, commit: bool = False) -> Path:
        path = Path(os.fsdecode(os.path.join(os.fsencode(self.root), os.fsencode(name))))  # noqa: PTH118 - of bytes
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if commit:
            self.commit()
        return path

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")

    def everything(self) -> dict[str, bytes]:
        """Every file of the repository's own directory: what must not change by being looked at."""
        files = (path for path in (self.root / ".git").rglob("*") if path.is_file())
        return {str(path): path.read_bytes() for path in files}

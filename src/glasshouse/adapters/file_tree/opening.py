"""A file below a directory, opened so that no link leads out of it, not even one that is put there meanwhile."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without NONBLOCK the opening of a FIFO would wait for its writer.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def open_below(directory: Path, path: Path) -> BinaryIO | None:
    """A regular file of that resolved path below the resolved directory; None for whatever else is there.

    What has a second name somewhere else is somebody else's, too.
    """
    *folders, name = path.relative_to(directory).parts or ("",)
    try:
        descriptor = os.open(directory, _FOLDER)
        try:
            for folder in folders:
                below = os.open(folder, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            opened = os.open(name, _FILE, dir_fd=descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return None
    facts = os.fstat(opened)
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
        os.close(opened)
        return None
    return os.fdopen(opened, "rb")

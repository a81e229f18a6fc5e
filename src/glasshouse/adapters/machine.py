"""What this machine has."""

import os
from pathlib import Path

# Of the container that this runs in, where it does: version 2, then 1.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def memory_bytes() -> int:
    """That the server and all that it starts may use together."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in _LIMITS:
        try:
            found.append(int(path.read_text()))
        except (OSError, ValueError):
            # No container, or no limit (`max`).
            continue
    return min(found)

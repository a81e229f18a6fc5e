"""What goes wrong with git, as the reason why there is no tree."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from glasshouse.adapters.git.program import GitFailed, GitMissing, TooMuch
from glasshouse.core.ports import NoTree, TreeUnavailable

log = logging.getLogger(__name__)


class TooManyFiles(Exception):
    """The directory holds more files than are looked at."""


@contextmanager
def told_why() -> Iterator[None]:
    """Raises TreeUnavailable."""
    try:
        yield
    except GitMissing:
        raise TreeUnavailable(NoTree.NO_GIT) from None
    except TimeoutError:
        raise TreeUnavailable(NoTree.TOO_SLOW) from None
    except (TooManyFiles, TooMuch):
        raise TreeUnavailable(NoTree.TOO_MANY_FILES) from None
    except (GitFailed, OSError) as problem:
        log.warning("git cannot tell what a directory holds: %s", problem)
        raise TreeUnavailable(NoTree.UNREADABLE) from None

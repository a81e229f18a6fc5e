"""What sessions change in their directories, told by real git: the port `WorkingTrees`.

trees       the port: what is remembered of each session, and where it is kept
repository  where a directory's repository keeps its things, read without believing it
snapshot    the state of a directory as a tree, uncommitted and untracked files included
comparison  that tree and the directory as it is now: what differs
restore     one file as it was, written so that nothing else is touched
reasons     what goes wrong with git, as the reason why there is nothing to tell
program     git itself: with a clean environment, nothing of the repository's configuration, and bounded

A repository may be anybody's. Its configuration, hooks, filters and attributes are never read: git works with a
directory of ours in the place of `.git`, and writes nothing but there.
"""

from glasshouse.adapters.git.trees import GitTrees

__all__ = ["GitTrees"]

"""The port FileTree on a local disk: what is in a working directory, read and never written.

tree     the port: names by git or by walking, and one file's beginning
git      the names that git knows or would add, with nothing of the repository's run
walk     the names where there is no repository, by a bounded walk that follows no link
opening  a file below a directory, opened so that no link leads out of it
"""

from glasshouse.adapters.file_tree.tree import LocalFileTree

__all__ = ["LocalFileTree"]

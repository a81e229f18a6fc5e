"""The port `WorkingTrees` where nothing is a repository."""

from contextlib import AbstractAsyncContextManager

from glasshouse.core.ports import Comparison, NoTree, TreeUnavailable


class NoTrees:
    async def remember(self, session_id: str, working_dir: str) -> None:
        pass

    async def forget(self, session_id: str) -> None:
        pass

    def compare(self, session_id: str, working_dir: str) -> AbstractAsyncContextManager[Comparison]:
        raise TreeUnavailable(NoTree.NOT_A_REPOSITORY)

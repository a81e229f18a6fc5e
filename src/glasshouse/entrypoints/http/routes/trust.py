"""What people decided about directories, and their changes of mind."""

from typing import Annotated

from fastapi import APIRouter, Query

from glasshouse.contract.trust import Forgotten, TrustReport, Trusts
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api/trust", tags=["questions"])


@router.get("")
async def trusts(services: Of) -> Trusts:
    """What was decided, by directory; of one directory, the newest first."""
    found = await services.store.trusts()
    return Trusts(
        directories=[
            TrustReport(
                directory=record.directory,
                decision=record.decision.value,
                digest=record.digest,
                decided_at=record.decided_at,
                session_id=record.session_id,
                question_id=record.question_id,
            )
            for record in found
        ]
    )


@router.delete("")
async def forget(services: Of, directory: Annotated[str, Query(max_length=4096)]) -> Forgotten:
    """Forget all that was decided about a directory: the next task there asks again. What runs is left to run."""
    return Forgotten(forgotten=await services.store.forget_trust(directory))

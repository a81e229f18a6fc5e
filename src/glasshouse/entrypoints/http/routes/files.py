"""Files of a working directory: completed while typing, and looked at."""

from typing import Annotated

from fastapi import APIRouter, Query

from glasshouse.contract.file import FileNames, FilePreview
from glasshouse.core.files import COMPLETIONS
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api", tags=["files"])

WorkingDir = Annotated[str, Query(max_length=4096, description="Where a task may work.")]


@router.get("/files")
async def files(
    working_dir: WorkingDir,
    services: Of,
    q: Annotated[str, Query(max_length=500, description="What has been typed behind the `@`.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = COMPLETIONS,
) -> FileNames:
    """Files and folders that the letters may mean; what .gitignore names is left out."""
    return await services.files.complete(working_dir, q, limit)


@router.get("/file")
async def file(
    working_dir: WorkingDir,
    path: Annotated[str, Query(description="Relative to the working directory, or absolute inside it.")],
    services: Of,
) -> FilePreview:
    """The first megabyte of a file, to be read and not to be run."""
    return await services.files.preview(working_dir, path)

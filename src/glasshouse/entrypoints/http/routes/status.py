"""What the console must know of the server before it does anything."""

from fastapi import APIRouter
from pydantic import BaseModel

from glasshouse.bootstrap import Services
from glasshouse.contract.phrase import Language
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api", tags=["operation"])


class Status(BaseModel):
    version: str
    state: str
    offline: bool
    default_directory: str
    allowed_directories: list[str]
    bypass: bool
    language: Language


@router.get("/status")
async def status(services: Of) -> Status:
    return status_of(services)


def status_of(services: Services) -> Status:
    return Status(
        version=services.version,
        state=services.state,
        offline=services.engines["claude"].offline(),
        default_directory=str(services.directories.default),
        allowed_directories=[str(path) for path in services.directories.allowed],
        bypass=services.settings.allow_bypass,
        language=services.settings.language,
    )

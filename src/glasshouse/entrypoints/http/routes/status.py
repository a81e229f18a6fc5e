"""What the console must know of the server before it does anything."""

from fastapi import APIRouter, Request
from pydantic import BaseModel

from glasshouse.bootstrap import Services
from glasshouse.contract.phrase import Language
from glasshouse.contract.self_check import Behaviour, SelfCheck, SelfCheckState
from glasshouse.core.rehearsal import SAYS
from glasshouse.entrypoints.http.errors import language_of
from glasshouse.entrypoints.http.services import Of

router = APIRouter(prefix="/api", tags=["operation"])


class SelfCheckStatus(BaseModel):
    """Whether the Claude Code in use was seen to do what is relied on; the report is at `/api/self-check`."""

    state: SelfCheckState
    version: str | None = None
    holds: bool | None = None
    failing: list[Behaviour] = []


class SelfCheckReport(BaseModel):
    state: SelfCheckState
    report: SelfCheck | None
    sentences: dict[Behaviour, str]


class Status(BaseModel):
    version: str
    state: str
    offline: bool
    default_directory: str
    allowed_directories: list[str]
    bypass: bool
    language: Language
    self_check: SelfCheckStatus


@router.get("/status")
async def status(services: Of) -> Status:
    return status_of(services)


@router.get("/self-check")
async def self_check(request: Request, services: Of) -> SelfCheckReport:
    """What Glasshouse relies on, and whether this Claude Code does it. `glasshouse doctor` looks again."""
    language = language_of(request.headers)
    return SelfCheckReport(
        state=services.self_checks.state,
        report=services.self_checks.report,
        sentences={behaviour: says.say(language) for behaviour, says in SAYS.items()},
    )


def status_of(services: Services) -> Status:
    return Status(
        version=services.version,
        state=services.state,
        offline=services.engines["claude"].offline(),
        default_directory=str(services.directories.default),
        allowed_directories=[str(path) for path in services.directories.allowed],
        bypass=services.settings.allow_bypass,
        language=services.settings.language,
        self_check=_self_check(services),
    )


def _self_check(services: Services) -> SelfCheckStatus:
    report = services.self_checks.report
    if report is None:
        return SelfCheckStatus(state=services.self_checks.state)
    return SelfCheckStatus(
        state=services.self_checks.state,
        version=report.version,
        holds=report.holds,
        failing=[finding.behaviour for finding in report.findings if not finding.holds],
    )

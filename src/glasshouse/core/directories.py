"""Where tasks work when nothing is said, and what is allowed: from the settings and where we were started."""

from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from glasshouse.contract.errors import WorkingDirInvalid
from glasshouse.core.paths import DirectoryGuard
from glasshouse.core.settings import BadSettings, Settings


@dataclass(frozen=True)
class Surroundings:
    """The place that a server is started in. `checkout` is the clone that its own code runs from, if it does."""

    started_in: Path
    home: Path
    is_root: bool
    checkout: Path | None


_COMPLETIONS = 50


@dataclass(frozen=True)
class Directories:
    default: Path
    allowed: tuple[Path, ...]
    guard: DirectoryGuard
    warnings: tuple[str, ...]

    def complete(self, prefix: str) -> list[str]:
        """Directories to work in whose path begins so. Hidden ones only if their dot has been typed."""
        tops = [str(path) for path in dict.fromkeys((self.default, *self.allowed)) if str(path).startswith(prefix)]
        if not prefix.startswith("/"):
            return sorted(tops)
        parent, _, begun = prefix.rpartition("/")
        try:
            names = sorted(entry.name for entry in self.guard.check(parent or "/").iterdir())
        except (OSError, WorkingDirInvalid):
            names = []
        below = (f"{parent}/{name}" for name in names if name.startswith(begun) and (begun or name[0] != "."))
        usable = (path for path in below if self._is_usable(path))
        return list(islice(dict.fromkeys(chain(sorted(tops), usable)), _COMPLETIONS))

    def _is_usable(self, path: str) -> bool:
        try:
            self.guard.check(path)
        except WorkingDirInvalid:
            return False
        return path.isprintable()


def directories(settings: Settings, around: Surroundings, *, data_dir: Path, claude_dir: Path) -> Directories:
    workspace = data_dir / "workspace"
    given = None if settings.allowed_dirs is None else tuple(map(Path, settings.allowed_dirs))
    default = _default(settings, around, given, workspace)
    allowed = given
    if allowed is None:
        allowed = (default,) if around.is_root else tuple(dict.fromkeys((default, around.home)))
    guard = DirectoryGuard(
        allowed=allowed,
        named=(default, *(given or ())),
        shut=(claude_dir, data_dir),
        open=(workspace,),
    )
    real_default = default.resolve()
    if settings.working_dir is not None and not guard.covers(real_default):
        raise BadSettings(f"WORKING_DIR is outside the allowed directories: {default}")
    warnings = [f"allowed directory does not exist: {path}" for path in given or () if not path.is_dir()]
    if settings.working_dir is not None and not default.is_dir():
        warnings.append(f"WORKING_DIR does not exist: {default}")
    return Directories(real_default, allowed, guard, tuple(warnings))


def _default(settings: Settings, around: Surroundings, given: tuple[Path, ...] | None, workspace: Path) -> Path:
    if settings.working_dir is not None:
        return Path(settings.working_dir)
    here = around.started_in.resolve()
    unfit = here == Path("/") or (around.checkout is not None and here.is_relative_to(around.checkout.resolve()))
    if given is None:
        return workspace if unfit else here
    if not unfit and any(here.is_relative_to(path.resolve()) for path in given):
        return here
    return given[0]

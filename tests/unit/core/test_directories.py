"""Where tasks work when nothing is said, and what is allowed: every rule of the default."""

from pathlib import Path

import pytest

from glasshouse.core.directories import Directories, Surroundings, directories
from glasshouse.core.settings import BadSettings, Settings


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("home/project", "home/clone/src", "home/.claude", "data/workspace", "elsewhere/below"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path.resolve()


def placed(
    root: Path, started_in: Path | str, *, is_root: bool = False, checkout: Path | None = None, **settings: object
) -> Directories:
    around = Surroundings(started_in=Path(started_in), home=root / "home", is_root=is_root, checkout=checkout)
    return directories(
        Settings(**settings),  # type: ignore[arg-type]
        around,
        data_dir=root / "data",
        claude_dir=root / "home" / ".claude",
    )


class TestTheDefault:
    def test_it_is_where_the_server_was_started(self, root: Path) -> None:
        assert placed(root, root / "home/project").default == root / "home/project"

    def test_working_dir_wins(self, root: Path) -> None:
        found = placed(root, root / "home", working_dir=str(root / "elsewhere"))

        assert found.default == root / "elsewhere"

    def test_links_are_resolved(self, root: Path) -> None:
        (root / "link").symlink_to(root / "elsewhere")

        assert placed(root, root / "home", working_dir=str(root / "link")).default == root / "elsewhere"

    @pytest.mark.parametrize("inside", ["", "src"])
    def test_started_in_its_own_clone_it_is_the_workspace(self, root: Path, inside: str) -> None:
        clone = root / "home/clone"

        assert placed(root, clone / inside, checkout=clone).default == root / "data/workspace"

    def test_started_in_the_root_it_is_the_workspace(self, root: Path) -> None:
        assert placed(root, "/").default == root / "data/workspace"

    def test_where_the_allowed_ones_hold_the_place_of_the_start_it_is_that(self, root: Path) -> None:
        found = placed(root, root / "home/project", allowed_dirs=(str(root / "elsewhere"), str(root / "home")))

        assert found.default == root / "home/project"

    def test_where_they_do_not_it_is_the_first_of_them(self, root: Path) -> None:
        found = placed(root, root / "home", allowed_dirs=(str(root / "elsewhere"), str(root / "data/workspace")))

        assert found.default == root / "elsewhere"

    # faults: B1
    def test_a_sibling_that_begins_so_does_not_hold_it(self, root: Path) -> None:
        (root / "elsewhere-2").mkdir()

        found = placed(root, root / "elsewhere-2", allowed_dirs=(str(root / "elsewhere"),))

        assert found.default == root / "elsewhere"

    def test_it_counts_as_named(self, root: Path) -> None:
        assert placed(root, "/etc", is_root=True).guard.covers(Path("/etc"))
        assert not placed(root, root / "home").guard.covers(Path("/etc"))


class TestTheAllowedOnes:
    def test_for_a_normal_user_they_are_the_default_and_the_home(self, root: Path) -> None:
        assert placed(root, root / "elsewhere").allowed == (root / "elsewhere", root / "home")

    def test_for_root_the_default_alone(self, root: Path) -> None:
        found = placed(root, root / "elsewhere", is_root=True)

        assert found.allowed == (root / "elsewhere",)
        assert not found.guard.covers(root / "home")

    def test_those_given_are_taken_as_they_are(self, root: Path) -> None:
        found = placed(root, root / "elsewhere", allowed_dirs=(str(root / "home"),))

        assert found.allowed == (root / "home",)
        assert not found.guard.covers(root / "elsewhere")

    def test_one_that_does_not_exist_is_warned_of_and_not_refused(self, root: Path) -> None:
        found = placed(root, root / "home", allowed_dirs=(str(root / "home"), str(root / "none")))

        assert found.warnings == (f"allowed directory does not exist: {root}/none",)

    def test_a_working_dir_outside_them_refuses_to_start(self, root: Path) -> None:
        with pytest.raises(BadSettings, match="WORKING_DIR is outside the allowed directories"):
            placed(root, root / "home", working_dir=str(root / "elsewhere"), allowed_dirs=(str(root / "home"),))

    def test_a_working_dir_that_leads_out_by_a_link_refuses_to_start(self, root: Path) -> None:
        (root / "home/out").symlink_to(root / "elsewhere")

        with pytest.raises(BadSettings, match="WORKING_DIR"):
            placed(root, root / "home", working_dir=str(root / "home/out"), allowed_dirs=(str(root / "home"),))

    def test_claude_codes_directory_and_ours_are_shut(self, root: Path) -> None:
        found = placed(root, root / "home", allowed_dirs=(str(root),))

        assert not found.guard.covers(root / "home/.claude")
        assert not found.guard.covers(root / "data")
        assert found.guard.covers(root / "data/workspace")


class TestCompletion:
    def test_with_nothing_typed_it_offers_where_one_may_work(self, root: Path) -> None:
        assert placed(root, root / "elsewhere").complete("") == [str(root / "elsewhere"), str(root / "home")]

    def test_it_goes_on_from_what_is_typed(self, root: Path) -> None:
        found = placed(root, root / "elsewhere").complete(f"{root}/home/")

        assert found == [f"{root}/home/clone", f"{root}/home/project"]

    def test_a_begun_name_narrows_it(self, root: Path) -> None:
        assert placed(root, root / "elsewhere").complete(f"{root}/home/pro") == [f"{root}/home/project"]

    def test_hidden_ones_want_their_dot_typed(self, root: Path) -> None:
        (root / "home/.config").mkdir()

        assert placed(root, root / "elsewhere").complete(f"{root}/home/.c") == [f"{root}/home/.config"]

    def test_it_names_nothing_that_is_shut_or_outside(self, root: Path) -> None:
        (root / "home/.ssh").mkdir()
        (root / "home/out").symlink_to("/etc")
        (root / "home/file").write_text("")
        found = placed(root, root / "elsewhere")

        assert found.complete(f"{root}/home/.") == []
        assert found.complete(f"{root}/home/out") == []
        assert found.complete(f"{root}/home/file") == []
        assert found.complete("/et") == []
        assert found.complete("/etc/") == []
        assert found.complete(f"{root}/home/../../etc/") == []
        assert found.complete(f"{root}/da") == []

    def test_it_leads_down_to_what_is_allowed(self, root: Path) -> None:
        assert placed(root, root / "elsewhere").complete(f"{root}/el") == [f"{root}/elsewhere"]

    @pytest.mark.parametrize("prefix", ["relative", "~", "\0", "/\0/", "/" * 5000, "\ud800", "*"])
    def test_odd_input_completes_to_nothing(self, root: Path, prefix: str) -> None:
        assert placed(root, root / "elsewhere").complete(prefix) == []

    def test_names_that_cannot_be_shown_are_left_out(self, root: Path) -> None:
        (root / "elsewhere" / "a\nb").mkdir()
        (root / "elsewhere" / "a\udcff").mkdir()

        assert placed(root, root / "elsewhere").complete(f"{root}/elsewhere/a") == []

    def test_there_are_never_more_than_fifty(self, root: Path) -> None:
        for n in range(80):
            (root / "elsewhere" / f"d{n:02}").mkdir()

        assert len(placed(root, root / "elsewhere").complete(f"{root}/elsewhere/d")) == 50

"""Where tasks may work: inside what is allowed, whatever way a path is written, and never in what is sensitive."""

import os
from pathlib import Path

import pytest

from glasshouse.contract.errors import WorkingDirInvalid
from glasshouse.core.paths import DirectoryGuard


def guard(*allowed: Path | str, **lists: tuple[Path | str, ...]) -> DirectoryGuard:
    return DirectoryGuard(
        allowed=tuple(map(Path, allowed)), **{name: tuple(map(Path, paths)) for name, paths in lists.items()}
    )


def opens(guard: DirectoryGuard, path: Path | str) -> bool:
    try:
        guard.check(str(path))
    except WorkingDirInvalid:
        return False
    return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data" / "below").mkdir(parents=True)
    (tmp_path / "data-secret" / "x").mkdir(parents=True)
    return tmp_path.resolve()


class TestInside:
    def test_the_directory_itself_and_what_is_below_it_are_open(self, root: Path) -> None:
        assert opens(guard(root / "data"), root / "data")
        assert opens(guard(root / "data"), root / "data" / "below")

    def test_what_is_above_or_beside_it_is_shut(self, root: Path) -> None:
        assert not opens(guard(root / "data"), root)
        assert not opens(guard(root / "data"), "/")

    # faults: B1
    @pytest.mark.parametrize("sibling", ["data-secret", "data-secret/x"])
    def test_a_sibling_whose_name_begins_so_is_shut(self, root: Path, sibling: str) -> None:
        assert not opens(guard(root / "data"), root / sibling)
        assert opens(guard(root), root / sibling)

    def test_an_allowed_directory_may_be_given_as_a_link(self, root: Path) -> None:
        (root / "link").symlink_to(root / "data")

        assert opens(guard(root / "link"), root / "data" / "below")

    # faults: B2
    @pytest.mark.parametrize(
        "written",
        [
            "{root}/data/../data-secret",
            "{root}/data/below/../../data-secret",
            "{root}/data/%2e%2e/data-secret",
            "{root}/data/..%2fdata-secret",
            "{root}/data\\..\\data-secret",
            "{root}/data/\0/../data-secret",
            "//etc",
            "/etc",
            "~",
            "~root",
            "data",
            "./data",
            "",
            " ",
            "C:\\",
            "file:///etc",
            "\ud800",
            "{root}/data/\udcff",
        ],
    )
    def test_no_way_of_writing_leads_out(self, root: Path, written: str) -> None:
        assert not opens(guard(root / "data"), written.format(root=root))

    @pytest.mark.parametrize("length", [300, 5000, 100_000])
    def test_a_name_of_any_length_is_refused_and_no_fault(self, root: Path, length: int) -> None:
        assert not opens(guard(root), f"{root}/" + "a" * length)

    def test_what_is_written_in_a_roundabout_way_and_stays_inside_is_open(self, root: Path) -> None:
        for written in ("{}//data/./below/", "{}/data/below/../below", "/{}/data/below"):
            assert guard(root / "data").check(written.format(root)) == root / "data" / "below"


# faults: B3
class TestLinks:
    def test_one_that_leads_out_is_shut(self, root: Path) -> None:
        (root / "data" / "out").symlink_to(root / "data-secret")

        assert not opens(guard(root / "data"), root / "data" / "out")
        assert not opens(guard(root / "data"), root / "data" / "out" / "x")

    def test_one_on_the_way_is_resolved_before_the_dots_after_it(self, root: Path) -> None:
        (root / "data" / "out").symlink_to(root / "data-secret" / "x")

        assert not opens(guard(root / "data"), f"{root}/data/out/../../data-secret")
        assert not opens(guard(root / "data"), f"{root}/data/out/..")

    def test_one_that_stays_inside_is_open_under_its_real_name(self, root: Path) -> None:
        (root / "data" / "in").symlink_to("below")

        assert guard(root / "data").check(f"{root}/data/in") == root / "data" / "below"

    @pytest.mark.parametrize("target", ["nowhere", "loop", "/proc/self/root", "/proc/self/cwd/../../../etc", "/"])
    def test_dangling_looping_and_absolute_ones_are_shut(self, root: Path, target: str) -> None:
        (root / "data" / "loop").symlink_to(target)

        assert not opens(guard(root / "data"), root / "data" / "loop")


# faults: B5
class TestOtherThanDirectories:
    def test_a_file_a_pipe_and_a_device_are_no_directories(self, root: Path) -> None:
        (root / "data" / "file").write_text("")
        os.mkfifo(root / "data" / "pipe")

        assert not opens(guard(root / "data"), root / "data" / "file")
        assert not opens(guard(root / "data"), root / "data" / "pipe")
        assert not opens(guard("/dev", named=("/dev",)), "/dev/null")

    def test_one_that_is_not_there_is_shut(self, root: Path) -> None:
        assert not opens(guard(root), root / "none")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_one_that_cannot_be_read_is_shut(self, root: Path) -> None:
        (root / "data").chmod(0)
        try:
            assert not opens(guard(root), root / "data")
        finally:
            (root / "data").chmod(0o700)


SENSITIVE = [
    "/etc",
    "/root",
    "/proc",
    "/sys",
    "/boot",
    "/dev",
    "/run",
    "/var/run",
    "/var/lib",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
]


class TestSensitive:
    @pytest.mark.parametrize("directory", SENSITIVE)
    def test_it_is_shut_with_all_below_it_though_the_root_is_allowed(self, directory: str) -> None:
        everything = guard("/", named=("/",))

        assert not everything.covers(Path(directory))
        assert not everything.covers(Path(directory) / "below" / "deep")

    @pytest.mark.parametrize("directory", ["/opt", "/home/u", "/srv/x", "/var/www", "/var", "/etcetera", "/usrlocal"])
    def test_what_is_beside_it_is_open(self, directory: str) -> None:
        assert guard("/", named=("/",)).covers(Path(directory))

    def test_the_root_bars_only_itself(self) -> None:
        assert not guard("/").covers(Path("/"))
        assert guard("/").covers(Path("/srv"))
        assert guard("/", named=("/",)).covers(Path("/"))

    @pytest.mark.parametrize("directory", SENSITIVE)
    def test_one_that_the_operator_named_is_open_with_what_is_below(self, directory: str) -> None:
        named = guard(directory, named=(directory,))

        assert named.covers(Path(directory).resolve())
        assert named.covers(Path(directory).resolve() / "below")

    def test_naming_one_below_it_opens_that_one_only(self) -> None:
        named = guard("/", named=("/", "/usr/local/src"))

        assert named.covers(Path("/usr/local/src/project"))
        assert not named.covers(Path("/usr/local"))
        assert not named.covers(Path("/usr/share"))

    def test_naming_one_above_it_does_not_open_it(self) -> None:
        assert not guard("/var", named=("/var",)).covers(Path("/var/lib/docker"))

    def test_naming_one_never_opens_another_sensitive_one_below_it(self) -> None:
        named = guard("/root", named=("/root",))

        assert named.covers(Path("/root/project"))
        assert not named.covers(Path("/root/.ssh"))
        assert not named.covers(Path("/root/project/.aws/cache"))

    def test_allowed_is_not_named(self) -> None:
        assert not guard("/etc/app").covers(Path("/etc/app"))

    def test_a_link_to_it_is_the_thing_itself(self, root: Path) -> None:
        (root / "data" / "link").symlink_to("/etc")

        assert not opens(guard("/", named=("/",)), root / "data" / "link")


class TestShutBelowWhatIsAllowed:
    @pytest.mark.parametrize("name", [".ssh", ".gnupg", ".aws", ".kube", ".docker"])
    def test_secrets_of_a_home_are_shut_with_all_below(self, root: Path, name: str) -> None:
        (root / "home" / name / "deep").mkdir(parents=True)

        home = guard(root / "home", named=(root / "home",))

        assert not opens(home, root / "home" / name)
        assert not opens(home, root / "home" / name / "deep")

    @pytest.mark.parametrize("name", [".sshd", "ssh", ".aws-sam", ".claude", ".git"])
    def test_names_that_only_look_alike_are_open(self, root: Path, name: str) -> None:
        (root / "home" / name).mkdir(parents=True)

        assert opens(guard(root / "home"), root / "home" / name)

    def test_claude_codes_own_directory_is_shut_and_a_projects_is_not(self, root: Path) -> None:
        own, of_a_project = root / "home" / ".claude", root / "home" / "project" / ".claude"
        for directory in (own, of_a_project):
            directory.mkdir(parents=True)

        home = guard(root / "home", named=(root / "home",), shut=(own,))

        assert not opens(home, own)
        assert opens(home, of_a_project)

    def test_our_data_directory_is_shut_but_for_its_workspace(self, root: Path) -> None:
        data = root / "home" / "glasshouse"
        for name in ("workspace/project", "offline", "codes"):
            (data / name).mkdir(parents=True)

        home = guard(root / "home", named=(root / "home",), shut=(data,), open=(data / "workspace",))

        assert opens(home, data / "workspace")
        assert opens(home, data / "workspace" / "project")
        for shut in (data, data / "offline", data / "codes"):
            assert not opens(home, shut)

    def test_one_that_is_reached_by_a_link_is_shut_under_both_names(self, root: Path) -> None:
        (root / "real").mkdir()
        (root / "alias").symlink_to(root / "real")

        home = guard(root, shut=(root / "alias",))

        assert not opens(home, root / "real")
        assert not opens(home, root / "alias")

    def test_open_is_no_way_out_of_what_is_allowed(self, root: Path) -> None:
        (root / "workspace").mkdir()

        assert not opens(guard(root / "data", open=(root / "workspace",)), root / "workspace")


def test_a_refusal_does_not_say_why(root: Path) -> None:
    for path in ("/etc", str(root / "none"), str(root / "data-secret"), "relative"):
        with pytest.raises(WorkingDirInvalid) as refusal:
            guard(root / "data").check(path)
        assert str(refusal.value) == "working_dir_invalid"

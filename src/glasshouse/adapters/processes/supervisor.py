"""The first process of a run: starts the real program, and lets nothing that it started outlive it or the server.

A program of its own, which imports nothing of ours: `launcher` writes a copy of it with a first line that runs it. As
a sub-reaper it becomes the parent of all that the program leaves behind, whatever session or environment that is in.
"""

# Every run waits for these imports: no pathlib, no contextlib, and neither `signal`, whose enum is a third of the
# start, nor `ctypes`, whose types are a fifth.
# ruff: noqa: PTH123, PTH208, SIM105

import _ctypes
import _signal as signal  # type: ignore[import-not-found]
import _thread
import os
import stat
import sys
import time

PROGRAM = "GLASSHOUSE_RUN_PROGRAM"
SERVER = "GLASSHOUSE_RUN_SERVER"
# What the system calls this process; at most 15 bytes.
NAME = "glasshouse-run"

SERVER_DIED = signal.SIGRTMIN
FORWARDED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36
PF_EXITING = 0x4
CANNOT_START = 127
LEAVE_S = 1.0

_this_process = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
_prctl_address = _ctypes.dlsym(_this_process, "prctl")


def main() -> None:
    environment = _given_environment()
    try:
        program = environment.pop(PROGRAM.encode())
        server = int(environment.pop(SERVER.encode()))
    except KeyError:
        sys.exit("glasshouse: only a Glasshouse server can use this file, to start what it watches")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for changed_by_python in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(changed_by_python, signal.SIG_DFL)
    _take_charge(server)

    # With a pipe of its own the program sees the end of its input when the server means it, not when the server dies.
    theirs, ours = os.pipe() if _is_stream(0) else (0, None)
    child = _start(program, environment, theirs, mask)
    if ours is not None:
        os.close(theirs)
        _thread.start_new_thread(_pass_input_on, (ours, server))
    _let_go_of_output()

    status = _watch(child, server)
    _end_all_below()
    _leave_like(status)


def _given_environment() -> dict[bytes, bytes]:
    """Not os.environ: that has what Python adds in the C locale."""
    with open("/proc/self/environ", "rb") as file:
        return dict(line.split(b"=", 1) for line in file.read().split(b"\0") if b"=" in line)


def _take_charge(server: int) -> None:
    _prctl(PR_SET_NAME, NAME.encode())
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_PDEATHSIG, SERVER_DIED)
    if os.getppid() != server:
        sys.exit("glasshouse: the server is gone")
    if os.getpid() != os.getpgrp():
        os.setsid()
    # uvloop leaves in its children what is inheritable, the other names of their own pipes for one.
    os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))


def _let_go_of_output() -> None:
    """So that the server sees its end when the program closes it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _start(program: bytes, environment: dict[bytes, bytes], stdin: int, mask: set[int]) -> int:
    supervisor = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        # Not in our session: a program that signals its own process group shall not hit us.
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == supervisor:
            os.dup2(stdin, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execve(program, [program, *map(os.fsencode, sys.argv[1:])], environment)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        os.write(2, b"glasshouse: cannot start %s: %s\n" % (program, reason.encode()))
    finally:
        os._exit(CANNOT_START)


def _watch(program: int, server: int) -> int:
    """Returns when the program or the server has ended, with the program's wait status (0 if unknown)."""
    while True:
        number = signal.sigwaitinfo({signal.SIGCHLD, SERVER_DIED, *FORWARDED}).si_signo
        if number in FORWARDED:
            os.kill(program, number)
        elif number == signal.SIGCHLD:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == program:
                    return ended[1]
        # The kernel also sends this when only the thread ended that had started us.
        elif os.getppid() != server:
            return _ask_to_leave(program)


def _ask_to_leave(program: int) -> int:
    """It may write down where it stands; for as long as nobody would notice."""
    os.kill(program, signal.SIGTERM)
    until = time.monotonic() + LEAVE_S
    while (left := until - time.monotonic()) > 0:
        signal.sigtimedwait({signal.SIGCHLD}, left)
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                return ended[1]
    os.kill(program, signal.SIGKILL)
    return 0


def _pass_input_on(sink: int, server: int) -> None:
    try:
        while data := os.read(0, 1 << 16):
            os.write(sink, data)
    except OSError:
        # The program closed its input: so do we, and the server sees it.
        os.close(0)
    if not _is_dying(server):
        os.close(sink)


def _is_dying(server: int) -> bool:
    """The kernel closes the files of a process that dies before it tells the children."""
    try:
        flags = int(_fields_of(server)[6])
    except OSError:
        return True
    return bool(flags & PF_EXITING) or os.getppid() != server


def _end_all_below() -> None:
    """Whatever loses its parent becomes our child, and a child's number is not given away before we wait for it."""
    while True:
        for child in _children():
            # Denied for a program of another user (sudo): then only its own end is waited for.
            try:
                os.kill(child, signal.SIGKILL)
            except PermissionError:
                pass
        try:
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return


def _children() -> list[int]:
    us = os.getpid()
    try:
        with open(f"/proc/self/task/{us}/children", "rb") as file:
            return list(map(int, file.read().split()))
    except FileNotFoundError:
        # A kernel built without that file.
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _parent_of(pid) == us]


def _parent_of(pid: int) -> int | None:
    try:
        return int(_fields_of(pid)[1])
    except OSError:
        return None


def _fields_of(pid: int) -> list[bytes]:
    """Of /proc/PID/stat, from the state on: 1 is the parent, 6 the flags."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b") ")[2].split()


def _leave_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # No core of ours in the program's directory.
        _prctl(PR_SET_DUMPABLE, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def _is_stream(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _prctl(option: int, value: int | bytes) -> None:
    if _ctypes.call_cdeclfunction(_prctl_address, (option, value, 0, 0, 0)):
        raise OSError(f"prctl {option} was refused")


if __name__ == "__main__":
    main()

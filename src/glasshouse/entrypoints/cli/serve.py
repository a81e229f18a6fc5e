"""`glasshouse serve`: reads the settings, takes the port and the data directory, says what runs, and serves."""

import errno
import io
import os
import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from glasshouse.adapters.data_directory import DataDirectory, DataDirectoryInUse, DataDirectoryUnusable
from glasshouse.bootstrap.sources import data_directory_of, read_settings
from glasshouse.contract.phrase import Phrase
from glasshouse.core.environment import passed_on
from glasshouse.core.settings import BadSettings, Settings
from glasshouse.entrypoints.cli.link import link_to
from glasshouse.entrypoints.cli.logs import log_to_stderr

BAD_SETTINGS, IN_USE = 2, 3
_SECRET_NAME = re.compile(r".*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL).*", re.IGNORECASE)

RUNNING = Phrase("Glasshouse {version} 正在运行：{url}", "Glasshouse {version} is running: {url}")
SIGN_IN = Phrase("打开并登录（10 分钟内有效，一次）：", "Open and sign in (once, within 10 minutes):")
NEXT_LINK = Phrase("新的登录链接：{command} link", "Another sign-in link: {command} link")
WORKS_IN = Phrase("工作目录：{directory}", "Works in: {directory}")
KEY_IN = Phrase("API 密钥：{where}", "API key: {where}")
KEY_GIVEN = Phrase("由 GLASSHOUSE_API_KEY 指定", "as given by GLASSHOUSE_API_KEY")
OFFLINE = Phrase(
    "离线演示模型：没有找到凭据，或已指定 --offline。Claude Code 是真的，回答来自脚本。\n"
    "  使用真实模型：运行 {command} claude 登录，或设置 ANTHROPIC_API_KEY，然后重启。",
    "OFFLINE DEMO MODEL: no credentials were found, or --offline was given. Claude Code is real, its model scripted.\n"
    "  For a real model: log in with `{command} claude`, or set ANTHROPIC_API_KEY, and start again.",
)
AS_ROOT = Phrase(
    "以 root 身份运行：任务拥有 root 权限；建议使用普通用户。",
    "Running as root: so do its tasks. A normal user is safer.",
)


def serve(flags: Mapping[str, Any], command: str) -> int:
    """`command` is what the person calls us by."""
    _open_standard_descriptors()
    try:
        settings = read_settings(flags, os.environ)
        _refuse_open_door(settings)
        data = DataDirectory(data_directory_of(settings, os.environ))
        data.prepare()
        data.lock()
    except (BadSettings, DataDirectoryUnusable) as wrong:
        return _fail(str(wrong), BAD_SETTINGS)
    except DataDirectoryInUse as wrong:
        return _fail(f"{wrong}; a sign-in link for it: {command} link", IN_USE)
    try:
        listener = _listen(settings)
    except OSError as problem:
        return _fail(
            _why_not_listening(problem, settings), IN_USE if problem.errno == errno.EADDRINUSE else BAD_SETTINGS
        )
    with listener:
        return _serve(settings, data, listener, command)


def _open_standard_descriptors() -> None:
    """Who starts us may have closed them; then the next file that we open would be a child's input or output."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _serve(settings: Settings, data: DataDirectory, listener: socket.socket, command: str) -> int:
    # What is slow to import comes after all that may refuse.
    from glasshouse.adapters.processes import LauncherUnusable  # noqa: PLC0415
    from glasshouse.bootstrap import build  # noqa: PLC0415
    from glasshouse.entrypoints.http.server import Server  # noqa: PLC0415

    # From here on all that runs below us inherits the reduced environment; the SDK can add to it but not take away.
    reduced = passed_on(os.environ, settings.pass_env)
    os.environ.clear()
    os.environ.update(reduced)
    try:
        key = settings.api_key or data.api_key()
        log_to_stderr([key, *(value for name, value in os.environ.items() if _SECRET_NAME.fullmatch(name))])
        services = build(settings, data, os.environ)
    except (BadSettings, DataDirectoryUnusable, LauncherUnusable) as wrong:
        return _fail(str(wrong), BAD_SETTINGS)
    for warning in services.directories.warnings:
        print(f"glasshouse: {warning}", file=sys.stderr)
    url = _url(settings.host, listener)
    server = Server(services, on_ready=lambda: _announce(services, data, url, command))
    try:
        server.run(sockets=[listener])
    finally:
        data.withdraw()
    if server.start_failure is not None:
        return _fail(f"cannot start: {server.start_failure}", BAD_SETTINGS)
    return 0


def _announce(services: Any, data: DataDirectory, url: str, command: str) -> None:
    settings: Settings = services.settings
    data.announce({"url": url, "pid": os.getpid()})
    say = settings.language
    lines = [
        RUNNING.say(say, version=services.version, url=url),
        f"  {SIGN_IN.say(say)}",
        f"  {link_to(url, data.new_code())}",
        f"  {WORKS_IN.say(say, directory=services.directories.default)}",
        f"  {KEY_IN.say(say, where=KEY_GIVEN.say(say) if settings.api_key else data.path / 'api-key')}",
        f"  {NEXT_LINK.say(say, command=command)}",
    ]
    if services.engines["claude"].offline():
        lines.append(f"  {OFFLINE.say(say, command=command)}")
    if os.geteuid() == 0:
        lines.append(f"  {AS_ROOT.say(say)}")
    # Whether anybody reads our standard output, or it can say Chinese: the server runs all the same.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    with suppress(OSError):
        print("\n".join(lines), flush=True)


def _refuse_open_door(settings: Settings) -> None:
    if not _is_loopback(settings.host) and settings.api_key is None:
        raise BadSettings(
            f"--host {settings.host} is open to other machines: set GLASSHOUSE_API_KEY to a key of your own first"
        )


def _is_loopback(host: str) -> bool:
    import ipaddress  # noqa: PLC0415

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(2048)
    except BaseException:
        listener.close()
        raise
    listener.set_inheritable(False)
    return listener


def _why_not_listening(problem: OSError, settings: Settings) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"port {settings.port} on {settings.host} is in use; choose another with --port, or --port 0 for a free one"
        )
    return f"cannot listen on {settings.host} port {settings.port}: {problem.strerror or problem}"


def _url(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def _fail(sentence: str, code: int) -> int:
    print(f"glasshouse: {sentence}", file=sys.stderr)
    return code

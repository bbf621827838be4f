"""Start JupyterLab on the course, protected by a token and reachable from this machine only."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.errors import HpmlError
from hpml.base.files import COPY, PACKAGED, CourseFileError, course_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = "127.0.0.1"
_FIRST_PORT = 8888
_FIRST_LAB = "notebooks/00_start_here.ipynb"
# This extension contacts the network for news and asks the student for permission.
_QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


class PortTakenError(HpmlError):
    """Another program uses the requested port."""


class MissingLabError(HpmlError):
    """JupyterLab is not installed."""


@dataclass(frozen=True)
class Launch:
    """How to start the server."""

    command: tuple[str, ...]
    environment: dict[str, str]
    url: str


def plan(*, browser: bool, port: int, token: str, course: Path, settings: Path) -> Launch:
    """Return how to start JupyterLab."""
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        str(course / _FIRST_LAB),
        f"--ServerApp.root_dir={course}",
        f"--ServerApp.ip={_ADDRESS}",
        f"--ServerApp.port={port}",
        # The server must use the port that we print.
        "--ServerApp.port_retries=0",
        # Without this Jupyter asks for confirmation after Ctrl-C.
        "--ServerApp.answer_yes=True",
        "--LabApp.news_url=None",
        # The extension manager contacts the network and loads slowly.
        "--LabApp.extension_manager=readonly",
        "--log-level=WARN",
        "--LabApp.log_level=WARN",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # In a container the user is often root, as whom Jupyter refuses to start.
        command.append("--allow-root")
    if not browser:
        command.append("--no-browser")
    paths = [str(settings), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    programs = [str(Path(sys.executable).parent), *filter(None, [os.environ.get("PATH")])]
    environment = {
        "JUPYTER_TOKEN": token,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(paths),
        # `!hpml` and `!python` in a notebook mean this environment, activated or not.
        "PATH": os.pathsep.join(programs),
    }
    url = f"http://{_ADDRESS}:{port}/lab/tree/{_FIRST_LAB}?token={token}"
    return Launch(tuple(command), environment, url)


def own_course() -> Path:
    """Return the course folder; outside a clone, copy it into the working directory first.

    An existing copy is used unchanged.
    """
    course = course_folder()
    if course != PACKAGED:
        return course
    copy = Path.cwd() / COPY
    if copy.exists():
        raise CourseFileError(
            f"{copy} exists and is not a course folder, expected none or one with notebooks/ and "
            "data/; move it away, or start in another folder."
        )
    part = Path(tempfile.mkdtemp(prefix=f".{COPY}.", dir=copy.parent))
    try:
        shutil.copytree(course, part, dirs_exist_ok=True)
        part.chmod(0o755)
        part.rename(copy)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    print(f"The course is now in {copy}.", flush=True)
    return copy


def serve(*, browser: bool = True, port: int | None = None) -> int:
    """Run JupyterLab until it is stopped; print its address first."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingLabError(
            "JupyterLab is not installed. Install it with: pip install 'hpml[lab]'"
        )
    course = own_course()
    chosen = _free_port(port)
    browser = browser and _has_a_browser()
    with _settings() as settings, _terminated_as_interrupted():
        launch = plan(
            browser=browser,
            port=chosen,
            token=secrets.token_urlsafe(24),
            course=course,
            settings=settings,
        )
        # flush: the user needs it now, also through a pipe.
        print(f"JupyterLab: {launch.url}\nIt starts, which takes some seconds.", flush=True)
        start = time.perf_counter()
        server = subprocess.Popen(launch.command, env={**os.environ, **launch.environment})
        try:
            _wait_until_it_listens(server, chosen)
            if server.poll() is None:
                opens = "opens in your browser" if browser else "can be opened at this address"
                took = time.perf_counter() - start
                print(f"It runs after {took:.0f} s and {opens}. Ctrl-C stops it.", flush=True)
            return server.wait()
        except KeyboardInterrupt:
            # A terminal sends the signal to the server too; otherwise `_end` ends the server.
            return 0
        finally:
            _end(server)


def _wait_until_it_listens(server: subprocess.Popen[bytes], port: int) -> None:
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((_ADDRESS, port), 1):
            return
        time.sleep(0.1)


def _end(server: subprocess.Popen[bytes]) -> None:
    """Wait for the server to end, then terminate it, then kill it."""
    for ask in (server.terminate, server.kill):
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(5)
            return
        ask()
    server.wait()


def _has_a_browser() -> bool:
    """Return whether a browser can be opened; over SSH or in a container it usually cannot."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _free_port(wanted: int | None) -> int:
    if wanted is None:
        return next(filter(_is_free, range(_FIRST_PORT, 65536)))
    if _is_free(wanted):
        return wanted
    raise PortTakenError(
        f"Port {wanted} is in use; choose another one, or leave out --port for a free one."
    )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server does: ignore closing connections of an earlier server.
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_ADDRESS, port))
        except OSError:
            return False
    return True


@contextlib.contextmanager
def _settings() -> Iterator[Path]:
    """Yield a temporary settings folder that switches off the announcements."""
    with tempfile.TemporaryDirectory(prefix="hpml-lab-") as name:
        folder = Path(name, "labconfig")
        folder.mkdir()
        (folder / "page_config.json").write_text(json.dumps(_QUIET), encoding="utf-8")
        yield Path(name)


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C, so that the server never outlives this command."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

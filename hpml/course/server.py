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
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.errors import HpmlError
from hpml.base.files import can_write
from hpml.course.files import COPY, PACKAGED, CourseFileError, course_folder, results_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = "127.0.0.1"
_FIRST_LAB = "notebooks/00_start_here.ipynb"
# This extension contacts the network for news and asks the student for permission.
_QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


class PortTakenError(HpmlError):
    """Another program uses the requested port."""


class MissingLabError(HpmlError):
    """JupyterLab is not installed."""


def plan(
    *, browser: bool, port: int, token: str, course: Path, settings: Path
) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts JupyterLab, and the variables to add to its environment."""
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
    return command, {
        "JUPYTER_TOKEN": token,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(paths),
        # `!hpml` and `!python` in a notebook mean this environment, activated or not.
        "PATH": os.pathsep.join(programs),
        **_folders(settings),
    }


def _folders(settings: Path) -> dict[str, str]:
    """Return the variables that keep Jupyter out of a home that cannot be written to."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_data_dir, jupyter_runtime_dir

    own = (jupyter_config_dir(), jupyter_data_dir(), jupyter_runtime_dir())
    if all(can_write(Path(folder)) for folder in own):
        return {}
    names = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "IPYTHONDIR": "ipython",
    }
    return {variable: str(settings / name) for variable, name in names.items()}


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
            object=str(copy),
            expected="no such folder, or one with notebooks/ and data/",
            received="another one",
            remedy="Move it away, or start in another folder.",
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
            object="JupyterLab",
            expected="an installed package",
            received="none",
            remedy=f"Run {sys.executable} -m pip install jupyterlab.",
        )
    course = own_course()
    results_folder()  # raises now, not in a lab, where no result can be written
    port, token = _free_port(port), secrets.token_urlsafe(24)
    with _settings() as settings, _terminated_as_interrupted():
        command, variables = plan(
            browser=browser, port=port, token=token, course=course, settings=settings
        )
        url = f"http://{_ADDRESS}:{port}/lab/tree/{_FIRST_LAB}?token={token}"
        # flush: the user needs it now, also through a pipe.
        print(f"JupyterLab: {url}\nIt starts, which takes some seconds.", flush=True)
        start = time.perf_counter()
        server = subprocess.Popen(command, env={**os.environ, **variables})
        try:
            _wait_until_it_listens(server, port)
            if server.poll() is None:
                took = time.perf_counter() - start
                print(f"It runs after {took:.0f} s at this address. Ctrl-C stops it.", flush=True)
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


def _free_port(wanted: int | None) -> int:
    """Return the wanted port if it is free, or any free one."""
    try:
        with socket.create_server((_ADDRESS, wanted or 0)) as probe:
            return int(probe.getsockname()[1])
    except OSError:
        raise PortTakenError(
            object="--port",
            expected="a free port",
            received=f"{wanted}, which is in use",
            remedy="Choose another one, or leave out --port for a free one.",
        ) from None


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

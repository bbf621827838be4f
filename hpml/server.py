"""Start JupyterLab on the course: on this machine only, behind a token, without a network."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from hpml.base.errors import HpmlError
from hpml.base.files import COPY, PACKAGED, CourseFileError, course_folder

_FIRST_LAB = "notebooks/00_start_here.ipynb"
# Jupyter's settings of the course: JupyterLab does not ask whether it may fetch news.
_SETTINGS = Path(__file__).with_name("jupyter")


class MissingLabError(HpmlError):
    """JupyterLab is not installed."""


def command(course: Path, *, browser: bool, port: int | None) -> list[str]:
    """Return the command that starts JupyterLab; it makes a token and prints its address."""
    words = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={course}",
        f"--LabApp.default_url=/lab/tree/{_FIRST_LAB}",
        "--ServerApp.ip=127.0.0.1",
        # A token even where the student's own server has a password: the address needs no other.
        "--PasswordIdentityProvider.hashed_password=",
        # One Ctrl-C ends it; without this Jupyter asks back.
        "--ServerApp.answer_yes=True",
        "--LabApp.news_url=None",
        # It asks the network for extensions, and takes time to load.
        "--LabApp.extension_manager=readonly",
        "--log-level=WARN",
        "--LabApp.log_level=WARN",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # In a container everyone is root, and Jupyter would refuse to start.
        words.append("--allow-root")
    if not browser:
        words.append("--no-browser")
    if port is not None:
        # Another port than the one asked for would be no help.
        words += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    return words


def environment() -> dict[str, str]:
    """Return this process's environment with what JupyterLab and its kernels need besides."""
    # Jupyter prints only a token that it made itself.
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_TOKEN")
    }
    paths = {
        "JUPYTER_CONFIG_PATH": _SETTINGS,
        # `!hpml` and `!python` in a notebook mean this environment, activated or not.
        "PATH": Path(sys.executable).parent,
    }
    for name, first in paths.items():
        kept[name] = os.pathsep.join([str(first), *filter(None, [os.environ.get(name)])])
    return kept


def own_course() -> Path:
    """Return a course folder to work in; outside of a clone a copy in the working directory.

    Nothing is overwritten: a copy that is there already is used as it is.
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
    """Run JupyterLab until it is stopped; on Linux and macOS it takes this process's place."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingLabError(
            "JupyterLab is not installed. Install it with: pip install 'hpml[lab]'"
        )
    words = command(own_course(), browser=browser, port=port)
    # flush: a person reads it now, also through a pipe.
    print("JupyterLab starts, which takes some seconds. Ctrl-C stops it; in another terminal, "
          "`jupyter server list` shows its address again.", flush=True)  # fmt: skip
    if os.name == "posix":
        os.execve(words[0], words, environment())
    # Windows cannot replace a process. Ctrl-C reaches the server too, which ends by it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.call(words, env=environment())

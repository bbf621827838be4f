from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from hpml.course import server
from hpml.course.files import CourseFileError, course_folder
from hpml.course.server import MissingLabError, PortTakenError, plan
from tests.parts import raises


def test_the_server_listens_here_only_and_its_token_is_no_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "mine")
    command, variables = plan(
        browser=False, port=9000, token="secret", course=Path("course"), settings=Path("s")
    )
    assert {"--ServerApp.ip=127.0.0.1", "--no-browser"} <= set(command)
    assert command[0] == sys.executable
    assert not any("secret" in word for word in command)
    assert variables["JUPYTER_TOKEN"] == "secret"
    assert variables["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert variables["JUPYTER_CONFIG_PATH"] == os.pathsep.join(["s", "mine"])


@pytest.mark.parametrize("writable", [True, False])
def test_where_the_home_cannot_be_written_jupyter_keeps_its_files_with_the_settings(
    writable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.touch() if not writable else home.mkdir()
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, str(home))
    for name in [name for name in os.environ if name.startswith(("JUPYTER", "XDG"))]:
        monkeypatch.delenv(name)
    _, variables = plan(
        browser=False, port=9000, token="secret", course=Path("course"), settings=Path("s")
    )
    folders = {"JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"}
    assert {name for name in folders if variables.get(name, "").startswith("s")} == (
        set() if writable else folders
    )


def test_the_announcements_are_switched_off_while_the_server_runs() -> None:
    with server._settings() as folder:
        settings = json.loads((folder / "labconfig" / "page_config.json").read_text())
        assert settings["disabledExtensions"]["@jupyterlab/apputils-extension:announcements"]
    assert not folder.exists()


def test_a_taken_port_is_refused_and_another_one_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with raises(PortTakenError, object="--port", received=str(port), remedy="--port"):
            server._free_port(port)
        assert server._free_port(None) != port


def test_a_missing_jupyterlab_is_named_with_the_way_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server.importlib.util, "find_spec", lambda name: None)
    with raises(
        MissingLabError, object="JupyterLab", remedy=f"{sys.executable} -m pip install jupyterlab"
    ):
        server.serve()


def test_a_folder_in_the_place_of_the_copy_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(server, "course_folder", lambda: server.PACKAGED)
    copy = tmp_path / server.COPY
    copy.mkdir()
    with raises(CourseFileError, object=str(copy), expected="notebooks/", remedy="Move it"):
        server.own_course()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals (Linux, macOS)")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_course_is_served_behind_its_token_until_the_command_is_stopped(
    number: signal.Signals,
) -> None:
    command = [sys.executable, "-m", "hpml", "lab", "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=course_folder()
    )
    assert process.stdout is not None
    with process.stdout:
        try:
            address = re.search(
                r"http://127\.0\.0\.1:(\d+)/\S+token=(\S+)", process.stdout.readline()
            )
            assert address is not None
            port, token = address.groups()
            api = f"http://127.0.0.1:{port}/api/contents"
            assert "notebooks" in answer(process, f"{api}?token={token}")
            assert "It starts" in process.stdout.readline()
            assert re.match(r"It runs after \d+ s at this address", process.stdout.readline())
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(api, timeout=30)
            with refused.value:
                assert refused.value.code == 403
            children = psutil.Process(process.pid).children(recursive=True)
            assert children != []
        finally:
            process.send_signal(number)
            code = process.wait(60)
    assert code == 0
    assert psutil.wait_procs(children, timeout=30)[1] == []


def answer(process: subprocess.Popen[str], url: str) -> str:
    """Return what the server answers, asking again until it is up or its process has ended."""
    while process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=30) as page:
                return str(page.read().decode())
        except urllib.error.HTTPError:
            raise
        except OSError:  # it does not listen yet
            with pytest.raises(psutil.TimeoutExpired):
                psutil.Process(process.pid).wait(0.2)
    pytest.fail(f"the server ended with {process.returncode} before it answered")

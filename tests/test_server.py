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
import webbrowser
from pathlib import Path

import psutil
import pytest

from hpml import server
from hpml.base import course_folder
from hpml.server import PortTakenError, plan


def test_the_server_listens_here_only_and_its_token_is_no_argument() -> None:
    launch = plan(
        browser=False, port=9000, token="secret", course=Path("course"), settings=Path("s")
    )
    assert "--ServerApp.ip=127.0.0.1" in launch.command
    assert "--no-browser" in launch.command
    assert launch.command[0] == sys.executable
    assert not any("secret" in word for word in launch.command)
    assert launch.environment["JUPYTER_TOKEN"] == "secret"
    assert launch.url == (
        "http://127.0.0.1:9000/lab/tree/notebooks/00_start_here.ipynb?token=secret"
    )


def test_the_browser_is_opened_unless_told_otherwise() -> None:
    launch = plan(browser=True, port=9000, token="t", course=Path("c"), settings=Path("s"))
    assert "--no-browser" not in launch.command


def test_the_environments_programs_come_first_and_jupyters_own_settings_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "mine")
    launch = plan(browser=True, port=9000, token="t", course=Path("c"), settings=Path("s"))
    assert launch.environment["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert launch.environment["JUPYTER_CONFIG_PATH"] == os.pathsep.join(["s", "mine"])


def test_where_there_is_no_browser_none_is_said_to_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(*_: object) -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    monkeypatch.setattr(subprocess, "Popen", lambda command, env: Listening(command))
    assert server.serve() == 0
    said = capsys.readouterr().out
    assert "opens in your browser" not in said
    assert "can be opened at this address" in said


class Listening:
    """A server that listens at once and ends when it is waited for."""

    def __init__(self, command: tuple[str, ...]) -> None:
        assert "--no-browser" in command
        port = next(word for word in command if word.startswith("--ServerApp.port="))
        self.socket = socket.create_server(("127.0.0.1", int(port.partition("=")[2])))

    def poll(self) -> None:
        return None

    def wait(self, timeout: float | None = None) -> int:
        self.socket.close()
        return 0

    terminate = kill = poll


def test_the_announcements_are_switched_off_while_the_server_runs() -> None:
    with server._settings() as folder:
        settings = json.loads((folder / "labconfig" / "page_config.json").read_text())
        assert settings["disabledExtensions"]["@jupyterlab/apputils-extension:announcements"]
    assert not folder.exists()


def test_a_taken_port_is_refused_and_another_one_is_found() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"Port {port} is in use; choose another one"):
            server._free_port(port)
        assert server._free_port(None) != port


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
            assert re.match(
                r"It runs after \d+ s and can be opened at this address", process.stdout.readline()
            )
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

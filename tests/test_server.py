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
from typing import Any

import psutil
import pytest

from hpml.base import course_folder
from hpml.server import command, environment

# What a student may have set for another server: a password, and an address for all to see.
OWN_SETTINGS = {
    "PasswordIdentityProvider": {"hashed_password": "argon2:x"},
    "ServerApp": {"ip": "0.0.0.0"},
}


def test_the_browser_opens_at_the_first_lab_unless_told_otherwise() -> None:
    words = command(Path("course"), browser=True, port=None)
    assert words[0] == sys.executable
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in words
    assert "--no-browser" not in words
    assert "--no-browser" in command(Path("course"), browser=False, port=None)


def test_the_environments_programs_come_first_and_jupyters_own_settings_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "mine")
    programs, settings = (environment()[name] for name in ("PATH", "JUPYTER_CONFIG_PATH"))
    assert programs.split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert settings.split(os.pathsep)[1:] == ["mine"]


def test_jupyterlab_does_not_ask_whether_it_may_fetch_news() -> None:
    folder = environment()["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0]
    page = json.loads(Path(folder, "labconfig", "page_config.json").read_text())
    assert page["disabledExtensions"]["@jupyterlab/apputils-extension:announcements"]


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    (folder / "jupyter_server_config.json").write_text(json.dumps(OWN_SETTINGS), encoding="utf-8")
    own = {"JUPYTER_CONFIG_DIR": str(folder), "JUPYTER_TOKEN": "mine"}
    return subprocess.Popen(
        [sys.executable, "-m", "hpml", "lab", "--no-browser", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=course_folder(),
        env={**os.environ, **own},
    )  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals (Linux, macOS)")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_course_is_served_here_only_behind_a_token_until_the_command_is_stopped(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = started(tmp_path)
    assert process.stderr is not None
    with process.stderr:
        try:
            pattern = (
                r"http://127\.0\.0\.1:(\d+)/lab/tree/notebooks/00_start_here\.ipynb\?token=(\S+)"
            )
            found = (re.search(pattern, line) for line in process.stderr)
            address = next(filter(None, found), None)
            assert address is not None, "the server ended without an address"
            port, token = address.groups()
            api = f"http://127.0.0.1:{port}/api"
            assert "notebooks" in str(answer(f"{api}/contents", token))
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"{api}/contents", timeout=30)
            with refused.value:
                assert refused.value.code == 403
            answer(f"{api}/kernels", token, b"{}")
            server = psutil.Process(process.pid)
            listening = [each.laddr for each in server.net_connections() if each.status == "LISTEN"]
            assert {place.ip for place in listening} == {"127.0.0.1"}
            kernels = server.children(recursive=True)
            assert kernels != []
        finally:
            process.send_signal(number)
            code = process.wait(60)
    assert code == 0
    assert psutil.wait_procs(kernels, timeout=30)[1] == []
    assert json.loads((tmp_path / "jupyter_server_config.json").read_text()) == OWN_SETTINGS


def answer(url: str, token: str, data: bytes | None = None) -> Any:
    request = urllib.request.Request(url, data, {"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=30) as page:
        return json.load(page)


def test_a_taken_port_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = started(tmp_path, "--port", str(port))
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert f"port {port} is not available" in said

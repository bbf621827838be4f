"""What a submission sees: Python, and nothing of the course, the machine and the others."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hpml.base.system import process_tree
from hpml.course.files import course_folder
from hpml.course.grading import CannotIsolate, sandbox
from hpml.course.grading.sandbox import Limits
from hpml.course.grading.worker_client import Printed, WorkerClient
from hpml.course.lesson.exercises.outcomes import NoAnswer
from hpml.course.sandbox.harness import by_name, harness_source, the_result
from hpml.course.sandbox.plain import decode, encode
from tests.course.grading.handed_in import LIMITS
from tests.parts import raises

ORACLE = course_folder() / "hpml" / "course" / "labs" / "catalogue.py"
SOLUTION = course_folder() / "tests" / "solutions" / "lab_06" / "count_calls" / "right.py"


@contextmanager
def worker(**options: tuple[str, ...]) -> Iterator[WorkerClient]:
    command = sandbox.sandboxed_command(LIMITS, **options)
    client = WorkerClient(command, sandbox.environment(sandbox.HOME), LIMITS, Printed(4000))
    try:
        yield client
    finally:
        client.close()


def asked(client: WorkerClient, source: str, **data: object) -> object:
    """Return what a function `tell` of the source returns in a worker, or how it failed."""
    question = {"cells": {"1": source}, "name": "tell", "choice": "", "forbids": {}}
    harness = harness_source(by_name, the_result)
    call = {"do": "call", "data": encode(data), "harness": harness}
    for each in ({"do": "prepare", **question}, {"do": "load"}, call):
        answer = (client.load if each["do"] == "load" else client.ask)(each, 30)
        if isinstance(answer, NoAnswer):
            return answer.reason
    outcome = answer["outcome"]
    return decode(outcome["value"]) if "value" in outcome else outcome["message"]


def told(source: str, **options: tuple[str, ...]) -> object:
    """Return what a function `tell()` in a sandbox of its own returns, or how it failed."""
    with worker(**options) as client:
        return asked(client, source)


READS = {
    "open": "open(path).read()",
    "openat": "os.read(os.open(os.path.basename(path), 0, dir_fd=os.open(folder, 0)), 99)",
    "ctypes": (
        "(lambda libc: 1 / (libc.open(path.encode(), 0) + 1))(__import__('ctypes').CDLL(None))"
    ),
    "cat": "subprocess.run(['cat', path], check=True)",
    "another Python": "subprocess.run(['python3', '-c', f'open({path!r})'], check=True)",
    "its own Python": "subprocess.run([sys.executable, '-c', f'open({path!r})'], check=True)",
    "a patched realpath": "(setattr(os.path, 'realpath', lambda p, **_: '/usr'), open(path))",
    "the root of its parent": "open('/proc/1/root' + path)",
    "listing": "os.listdir(folder)",
}


@pytest.mark.parametrize("path", [ORACLE, SOLUTION], ids=lambda path: path.name)
@pytest.mark.parametrize("how", READS)
@pytest.mark.needs("bubblewrap")
def test_the_courses_files_are_not_there_however_they_are_asked_for(how: str, path: Path) -> None:
    assert path.is_file()
    source = f"""
import os, subprocess, sys

def tell():
    path, folder = {str(path)!r}, {str(path.parent)!r}
    try:
        {READS[how]}
    except (OSError, ZeroDivisionError, subprocess.CalledProcessError):
        return "not there"
    return "read"
"""
    assert told(source) == "not there"


@pytest.mark.needs("bubblewrap")
def test_nothing_of_the_grader_can_be_imported() -> None:
    source = """
import importlib

def tell():
    found = []
    for name in ("course.labs", "course.lesson", "course.grading", "cli", "base", "symbolic"):
        try:
            importlib.import_module("hpml." + name)
            found.append(name)
        except ImportError:
            pass
    return found
"""
    assert told(source) == []


FORBIDDEN = """
import glob, importlib, marshal, sys

def tell():
    found = []
    for name in ("graph" + "lib", "symp" + "y", "fontTo" + "ols", "network" + "x", "tor" + "ch"):
        try:
            importlib.import_module(name)
            found.append(name)
        except ImportError:
            pass
    for path in sys.path + [p + "/__pycache__" for p in sys.path] + ["/usr/lib/python3*"]:
        for file in glob.glob(path + "/graph" + "lib*"):
            try:
                if b"static_order" in open(file, "rb").read():
                    found.append(file)
            except OSError:
                pass
    return found
"""


@pytest.mark.needs("bubblewrap")
def test_a_forbidden_module_is_nowhere_neither_as_text_nor_in_another_package() -> None:
    assert told(FORBIDDEN, forbidden=("graphlib",), packages=("numpy",)) == []
    assert told(FORBIDDEN) == ["graphlib", *told(FORBIDDEN)[1:]]  # type: ignore[index]


@pytest.mark.needs("bubblewrap")
def test_an_allowed_package_is_there_and_others_are_not() -> None:
    source = "def tell():\n    import numpy\n    return int(numpy.arange(3).sum())"
    assert told(source, packages=("numpy",)) == 3
    assert "No module named" in str(told(source))


@pytest.mark.needs("bubblewrap")
def test_what_an_allowed_package_needs_is_there_too() -> None:
    source = "def tell():\n    import numba\n    return numba.njit(lambda n: n + 1)(2)"
    assert told(source, packages=("numba",)) == 3


WORLD = """
import os, pathlib, socket

SERVE = "/course/hpml/course/sandbox/serve.py"

def tell():
    def fails(action):
        try:
            action()
        except OSError:
            return True
        return False
    return {
        "processes": len([name for name in os.listdir("/proc") if name.isdigit()]) < 5,
        "network": fails(lambda: socket.create_connection(("127.0.0.1", 22), 1)),
        "name": socket.gethostname(),
        "root": fails(lambda: pathlib.Path("/new").touch()),
        "usr": fails(lambda: pathlib.Path("/usr/new").touch()),
        "device": fails(lambda: pathlib.Path("/dev/shm/new").touch()),
        "python": fails(lambda: pathlib.Path(os.__file__).write_text("")),
        "sandbox": fails(lambda: pathlib.Path(SERVE).write_text("")),
        "site": [p for p in pathlib.Path(os.__file__).parent.glob("site-packages/*")],
        "home": fails(lambda: pathlib.Path("own").write_text("mine")),
        "privileges": fails(lambda: os.sethostname("mine")) if hasattr(os, "sethostname") else True,
        "user": os.getuid(),
        "first to go": pathlib.Path("/proc/self/oom_score_adj").read_text(),
        "environment": sorted(set(os.environ) & {"USER", "LOGNAME", "PYTHONPATH", "HPML_CI"}),
    }
"""


@pytest.mark.needs("bubblewrap")
def test_it_sees_no_process_no_network_and_writes_only_to_its_home() -> None:
    fails = ("network", "root", "usr", "device", "python", "sandbox", "privileges")
    assert told(WORLD) == dict.fromkeys(fails, True) | {
        "processes": True, "name": "sandbox", "site": [], "home": False, "user": 1000,
        "first to go": "1000\n", "environment": [],
    }  # fmt: skip


@pytest.mark.needs("bubblewrap")
def test_its_home_is_small() -> None:
    source = """
def tell():
    with open("large", "wb") as stream:
        for _ in range(200):
            stream.write(bytes(2**20))
"""
    assert "space" in str(told(source)) or "large" in str(told(source))


@pytest.mark.needs("bubblewrap")
def test_it_makes_no_namespace_and_opens_few_files() -> None:
    if not sandbox._no_more_namespaces():
        pytest.skip("needs bubblewrap 0.8 or newer")
    source = """
import ctypes, resource

def tell():
    new_user = 0x10000000
    return ctypes.CDLL(None).unshare(new_user), resource.getrlimit(resource.RLIMIT_NOFILE)[1]
"""
    with worker() as client:
        assert asked(client, source) == (-1, sandbox.Limits().files)


@pytest.mark.needs("bubblewrap")
def test_when_the_first_process_ends_all_end() -> None:
    source = """
import os, time

def tell():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            while True:
                time.sleep(0.01)
        os._exit(0)
    return "started"
"""
    with worker() as client:
        assert asked(client, source) == "started"
        there = {pid for pid, _ in process_tree(client.pid)}
        assert len(there) >= 4, "bubblewrap twice, the worker, the orphan"
    while any(Path(f"/proc/{pid}").exists() for pid in there):
        os.sched_yield()


REACHES = {
    "appending to a file of the grader through a folder's descriptor": """
for folder in (*folders, "/", ".", "/course/hpml/course/sandbox", "/proc/self/cwd", "/proc/1/root"):
    for name in ("serve.py", "judge.py", "../sandbox/serve.py", folders[0][1:] + "/judge.py"):
        with contextlib.suppress(OSError):
            there = os.open(folder, os.O_RDONLY)
            os.write(os.open(name, os.O_WRONLY | os.O_APPEND, dir_fd=there), b"#")
            reached.append((folder, name))
""",
    "a .pth in site-packages": """
import site, sysconfig
own = pathlib.Path(site.getusersitepackages())
own.mkdir(parents=True)
(own / "evil.pth").write_text("import os; os._exit(0)")
python = os.path.dirname(os.__file__)
for folder in (*site.getsitepackages(), *folders, python, "/course", "/packages"):
    with contextlib.suppress(OSError):
        pathlib.Path(folder, "evil.pth").write_text("import os; os._exit(0)")
        reached.append(folder)
""",
    "a classmate's notebook in /proc": """
places = [f"/proc/{pid}" for pid in [*pids, *filter(str.isdigit, os.listdir("/proc"))]]
places = [place for place in places if place != f"/proc/{os.getpid()}"]
for place in places:
    files = [f"{place}/{name}" for name in ("cmdline", "environ", "mem", "stat")]
    with contextlib.suppress(OSError):
        files += [f"{place}/fd/{name}" for name in os.listdir(f"{place}/fd")]
    for file in files:
        with contextlib.suppress(OSError):
            text = os.read(os.open(file, os.O_RDONLY | os.O_NONBLOCK), 2**20)
            if b"classmate"[::-1] in text[::-1] or int(place[6:]) in pids:
                reached.append(file)
""",
    "priorities and cores": """
for pid in pids:
    for call in (
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: os.setpriority(os.PRIO_PGRP, pid, 19),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.kill(pid, 0),
    ):
        with contextlib.suppress(OSError):
            call()
            reached.append(pid)
for user in (0, 1000, 65534):
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_USER, user, 19)
""",
    "the descriptors of a neighbour": """
for pid in pids:
    with contextlib.suppress(OSError):
        os.pidfd_open(pid)
        reached.append(pid)
    for number in range(300):
        with contextlib.suppress(OSError):
            os.open(f"/proc/{pid}/fd/{number}", os.O_RDWR)
            reached.append((pid, number))
held = []
with contextlib.suppress(OSError):
    while len(held) < 100_000:
        held.append(os.open("/dev/null", os.O_RDWR))
for each in held:
    os.close(each)
""",
}
RIGHT_ONE = "def tell(n):\n    classmate = 2\n    return classmate * n"


@pytest.mark.parametrize("what", REACHES)
@pytest.mark.needs("bubblewrap")
def test_what_belongs_to_others_is_out_of_reach(what: str) -> None:
    lines = "\n    ".join(REACHES[what].splitlines())
    attack = (
        "import contextlib, os, pathlib\n\n"
        f"def tell(folders, pids):\n    reached = []\n    {lines}\n    return reached"
    )
    folders = [str(Path(sandbox.__file__).parent), sysconfig.get_path("purelib")]
    with worker() as neighbour:
        assert asked(neighbour, RIGHT_ONE, n=2) == 4
        pids = [os.getpid(), *(pid for pid, _ in process_tree(neighbour.pid))]
        before = [(os.getpriority(os.PRIO_PROCESS, p), os.sched_getaffinity(p)) for p in pids]
        with worker() as client:
            assert asked(client, attack, folders=folders, pids=pids) == []
        after = [(os.getpriority(os.PRIO_PROCESS, p), os.sched_getaffinity(p)) for p in pids]
        assert after == before
        assert asked(neighbour, RIGHT_ONE, n=3) == 6
    with worker() as client:
        assert asked(client, RIGHT_ONE, n=4) == 8


@pytest.mark.needs("root")
@pytest.mark.needs("bubblewrap")
def test_an_ordinary_user_can_run_the_sandbox() -> None:
    # Its own Python may lie in root's home; the namespaces are what is tried.
    command = sandbox.sandboxed_command(Limits())
    start = command[: command.index("--") + 1]
    kept = [*start]
    for index, word in enumerate(start):
        if word == "--ro-bind" and not os.path.realpath(start[index + 1]).startswith("/usr"):
            kept[index : index + 3] = [""] * 3
        if word in ("--tmpfs", "--remount-ro") and start[index + 1].startswith(sys.base_prefix):
            kept[index : index + 2] = [""] * 2
    words = [word for word in kept if word]
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    ran = subprocess.run(
        [*user, *words, "/usr/bin/id", "-u"], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("1000\n", "")


@pytest.mark.needs("root")  # as in Gradescope's container
def test_a_worker_that_is_another_user_reads_nothing_of_the_course(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("answers")
    secret.chmod(0o600)
    home = tmp_path / "home"
    home.mkdir()
    command = sandbox.plain_command(LIMITS, home, forbidden=("graphlib",), another_user=True)
    assert command[command.index("--clear-groups") - 2] == "--reuid=65534"
    ran = subprocess.run(
        [*command[: command.index("--inh-caps=-all") + 1], "cat", str(secret)],
        capture_output=True,
        check=False,
    )
    assert ran.returncode != 0
    assert (home / "course" / "hpml" / "course" / "sandbox" / "serve.py").is_file()
    assert "not allowed" in (home / "course" / "graphlib.py").read_text()


# The second is where Debian's Python keeps packages.
@pytest.mark.parametrize(("folder", "alone"), [("/usr/share", True), ("/usr/local/lib", False)])
def test_what_lies_in_a_covered_folder_is_not_covered_again(
    folder: str, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {name: sysconfig.get_path(name) for name in ("stdlib", "purelib")}
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sysconfig, "get_path", lambda name, **_: {**known, "purelib": folder}[name])
    covered = set(sandbox._covered())
    assert "/usr/local" in covered
    assert (folder in covered) == alone


@pytest.mark.parametrize(("code", "named"), [(0, "a cgroup"), (1, "polling")])
@pytest.mark.needs("bubblewrap")
def test_where_systemd_can_a_cgroup_limits_the_memory_and_the_report_says_so(
    code: int, named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "systemd-run"
    fake.write_text(f"#!/bin/sh\nexit {code}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sandbox.cgroup.cache_clear()
    try:
        command = sandbox.sandboxed_command(Limits(memory=7))
        assert ("MemoryMax=7" in command[: command.index("bwrap")]) == (code == 0)
        assert sandbox.described("bubblewrap").endswith(named)
    finally:
        sandbox.cgroup.cache_clear()


def test_where_bubblewrap_is_missing_or_fails_it_is_said_with_what_fixes_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sandbox, "environment", lambda home: {"PATH": os.environ["PATH"]})

    ask = sandbox._trouble.__wrapped__  # without the answer for this machine
    monkeypatch.setattr(sandbox, "_trouble", ask)
    name = "--sandbox bubblewrap"
    with raises(CannotIsolate, object=name, received="No permissions", remedy="sysctl") as caught:
        sandbox.require_isolation("bubblewrap")
    assert "No permissions" in str(caught.value)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with raises(CannotIsolate, object=name, received="bwrap", remedy="install bubblewrap"):
        sandbox.require_isolation("bubblewrap")


def test_only_root_can_run_a_worker_as_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.os, "geteuid", lambda: 1000)
    with raises(CannotIsolate, object="--sandbox user", expected="root", remedy="bubblewrap"):
        sandbox.require_isolation("user")

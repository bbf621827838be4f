"""Build the command that starts a worker: in bubblewrap, or plain for one's own notebook.

In bubblewrap the worker sees Python with its standard library, the packages that the exercise
allows, and ``hpml.course.sandbox``, all read-only; an empty home; no network and no other process.
When its first process ends, all end.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import hpml
from hpml.course.files import CourseFileError, course_folder
from hpml.course.grading import CannotIsolate
from hpml.course.lesson.exercises.allowed_packages import files_of

Isolation = Literal["none", "bubblewrap", "user"]
"""What keeps a worker apart: nothing, bubblewrap, or another user where root is alone."""

HOME = "/home/student"
_NOBODY = 65534
_ALLOW = (
    "On Debian and Ubuntu, `sudo apt-get install bubblewrap` installs it and `sudo sysctl "
    "kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0` allows "
    "it. If a container forbids namespaces, grade outside it."
)
_RUNTIME = "XDG_RUNTIME_DIR"  # systemd-run needs it to find the user's manager
_COURSE, _PACKAGES = "/course", "/packages"
# The worker and torch use these: only the source is searched for them.
_NOT_MASKED = ("concurrent", "linecache", "multiprocessing", "threading")


@dataclass(frozen=True)
class Limits:
    """Limits of a submission."""

    memory: int = 2 * 2**30  # resident bytes of all its processes together
    processes: int = 64  # at a time
    file_size: int = 2**26  # bytes per file
    files: int = 256  # open at a time per process
    home: int = 2**26  # bytes of the writable folder
    printed: int = 4000  # bytes of output kept
    answer: int = 8 * 2**20  # bytes of all answers to one exercise
    cells: int = 5000
    start: float = 30.0  # seconds until the worker has read the notebook
    load: float = 30.0  # seconds for the imports and definitions of an exercise
    submission: float = 300.0  # seconds for all exercises together
    poll: float = 0.1  # seconds between checks of its processes


def environment(home: str, *, hash_seed: int = 0) -> dict[str, str]:
    """Return the environment of a worker; it has nothing of the grader's."""
    own = {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",  # on Windows, where LC_ALL does not decide what can be printed
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": str(hash_seed % 2**32),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }
    # One thread each, because submissions are graded in parallel.
    threads = ("OMP", "MKL", "OPENBLAS", "NUMBA")
    own |= {f"{library}_NUM_THREADS": "1" for library in threads}
    if cgroup() and _RUNTIME in os.environ:  # for systemd-run only; the sandbox clears it
        own[_RUNTIME] = os.environ[_RUNTIME]
    if os.name == "nt":  # without them Windows starts no Python
        own |= {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
        own["PATH"] = os.environ.get("PATH", "")
    return own


def plain_command(
    limits: Limits,
    home: Path,
    packages: tuple[str, ...] = (),
    forbidden: Sequence[str] = (),
    another_user: bool = False,
) -> list[str]:
    """Return the command of a worker without a sandbox, for one's own notebook."""
    course, work = home / "course", home / "work"
    own = Path(hpml.__file__).resolve().parent / "course" / "sandbox"
    shutil.copytree(
        own, course / "hpml" / "course" / "sandbox", ignore=shutil.ignore_patterns("__pycache__")
    )
    mask = (own / "not_allowed.py").read_text(encoding="utf-8")
    for name in set(forbidden).difference(_NOT_MASKED, ("hpml",)):
        (course / f"{name}.py").write_text(mask, encoding="utf-8")
    paths = [str(course)]
    for place in files_of(packages):
        if os.name == "nt":  # links need a privilege: the worker sees all packages
            paths.append(str(place.parent))
        elif not (course / f"{place.name}.py").exists():
            (course / place.name).symlink_to(place)
    work.mkdir()
    # First on the path, so that a mask hides the forbidden module.
    command = _python(
        limits,
        f"import os, sys; os.chdir({str(work)!r}); os.environ['HOME'] = os.getcwd(); "
        f"sys.path[:0] = {list(dict.fromkeys(paths))!r}; sys.path.append(os.getcwd())",
    )
    if another_user:
        for folder in (home, work):
            os.chmod(folder, 0o711)
        os.chown(work, _NOBODY, _NOBODY)
        drop = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        command = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", *drop, *command]
    return command


def sandboxed_command(
    limits: Limits, *, packages: tuple[str, ...] = (), forbidden: Sequence[str] = ()
) -> list[str]:
    """Return the command of a worker in bubblewrap."""
    kinds = ("user", "pid", "ipc", "uts", "net", "cgroup-try")
    command = ["bwrap", *(f"--unshare-{kind}" for kind in kinds)]
    if group := cgroup():
        most = [f"MemoryMax={limits.memory}", "MemorySwapMax=0", f"TasksMax={limits.processes + 2}"]
        own = [word for each in most for word in ("-p", each)]
        command = [*group, *own, "--", *command, "--unsetenv", _RUNTIME]
    command += ["--die-with-parent", "--new-session", *_no_more_namespaces()]
    command += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for place, target in _view(packages):
        command += ["--ro-bind", place, target]
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        path = Path("/", name)
        if path.is_symlink():
            command += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            command += ["--ro-bind", str(path), str(path)]
    for folder in _covered():
        command += ["--tmpfs", folder, "--remount-ro", folder]
    for place, target in _masked(forbidden):
        command += ["--ro-bind", place, target]
    command += ["--size", str(limits.home), "--tmpfs", HOME, "--chdir", HOME]
    command += ["--remount-ro", "/dev", "--remount-ro", "/"]
    search = f"import sys; sys.path += [{_COURSE!r}, {_PACKAGES!r}, {HOME!r}]"
    return [*command, "--", *_python(limits, search)]


@functools.cache
def cgroup() -> tuple[str, ...]:
    """Return the command that gives a worker its own cgroup, where systemd can make one."""
    who = () if hasattr(os, "geteuid") and os.geteuid() == 0 else ("--user",)
    command = ("systemd-run", *who, "--scope", "--quiet", "--collect")
    try:
        ran = subprocess.run([*command, "true"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return command if ran.returncode == 0 else ()


def described(isolation: Isolation) -> str:
    """Describe the isolation and the memory limit for a report."""
    if isolation != "bubblewrap":
        return isolation
    return f"bubblewrap, memory limited by {'a cgroup' if cgroup() else 'polling'}"


def require_isolation(isolation: Isolation) -> None:
    """Raise unless this isolation works here."""
    if isolation == "bubblewrap" and (trouble := _trouble()):
        raise CannotIsolate(
            f"Grading the work of others needs bubblewrap, and so Linux. It does not work here: "
            f"{trouble}\n",
            object="--sandbox bubblewrap",
            expected="bubblewrap, and so Linux",
            received=trouble,
            remedy=_ALLOW,
        )
    if isolation == "user" and (not hasattr(os, "geteuid") or os.geteuid() != 0):
        raise CannotIsolate(
            object="--sandbox user",
            expected="root, who can run a worker as another user",
            received="another user",
            remedy="Use --sandbox bubblewrap.",
        )


@functools.cache
def _trouble() -> str:
    """Return why no worker can run in bubblewrap here, or an empty text."""
    try:
        ran = subprocess.run(  # a worker that gets no question ends at once
            sandboxed_command(Limits()),
            env=environment(HOME),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return ran.stderr.strip()[-300:] or f"exit code {ran.returncode}" if ran.returncode else ""


@functools.cache
def _no_more_namespaces() -> tuple[str, ...]:
    """Return the option that forbids nested namespaces, if bubblewrap has it (0.8 or later)."""
    ran = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False)
    return ("--disable-userns",) if "--disable-userns" in ran.stdout else ()


def _python(limits: Limits, before: str) -> list[str]:
    """Return the command that runs the worker with the base Python of the virtual environment."""
    known = {"processes": limits.processes, "file_size": limits.file_size, "files": limits.files}
    code = f"{before}; from hpml.course.sandbox.serve import main; main({json.dumps(known)!r})"
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    # -S: no site-packages; -P: not the current folder. Not -I, which ignores PYTHONHASHSEED.
    return [str(python), "-P", "-s", "-S", "-B", "-c", code]


@functools.cache
def _view(packages: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the bind mounts: source and destination."""
    view = [("/usr", "/usr")]
    if Path("/etc/ld.so.cache").is_file():
        view.append(("/etc/ld.so.cache", "/etc/ld.so.cache"))
    prefix = Path(sys.base_prefix).resolve()
    if not prefix.is_relative_to("/usr"):
        view.append((str(prefix), str(prefix)))
    own = Path(hpml.__file__).resolve().parent / "course" / "sandbox"
    view.append((str(own), f"{_COURSE}/hpml/course/sandbox"))
    for place in files_of(packages):
        view.append((str(place), f"{_PACKAGES}/{place.name}"))
    return view


def _covered() -> list[str]:
    """Return the folders inside the mounts that must be hidden."""
    prefix = Path(sys.base_prefix).resolve()
    purelib = sysconfig.get_path("purelib", vars={"base": str(prefix)})
    folders = {Path("/usr/local"), Path("/usr/src"), Path("/usr/lib/python3"), Path(purelib)}
    standard = Path(sysconfig.get_path("stdlib")).resolve()
    folders |= set(Path("/usr/lib").glob("python3.*")) - {standard}  # another Python's
    try:
        folders.add(course_folder().resolve())
    except CourseFileError:
        folders.add(Path(hpml.__file__).resolve().parents[1])
    roots = [Path("/usr"), prefix]
    found = [
        folder
        for folder in folders
        if folder.is_dir()
        and any(folder != root and folder.is_relative_to(root) for root in roots)
        and not prefix.is_relative_to(folder)
    ]
    # A hidden folder needs no hidden folder inside it: Debian has packages below /usr/local.
    return sorted(str(each) for each in found if not set(found) & set(each.parents))


def _masked(forbidden: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield mounts that mask forbidden modules of the standard library."""
    standard = Path(sysconfig.get_path("stdlib")).resolve()
    mask = Path(hpml.__file__).resolve().parent / "course" / "sandbox" / "not_allowed.py"
    for name in forbidden:
        if name not in sys.stdlib_module_names or name in _NOT_MASKED:
            continue
        package = standard / name
        if package.is_dir():
            yield str(mask), str(package / "__init__.py")
        for place in (standard / f"{name}.py", *standard.glob(f"__pycache__/{name}.*.pyc")):
            if place.is_file():
                yield (str(mask) if place.suffix == ".py" else os.devnull), str(place)

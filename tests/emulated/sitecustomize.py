"""Make `hpml` believe that it runs on Windows or on a Mac, in this process and those it starts.

    HPML_EMULATE=windows PYTHONPATH=tests/emulated python -m pytest tests/base

Python imports this file when it starts. From then on a module of `hpml` or a notebook that imports
`os`, `sys`, `signal` and others gets a copy without what only Linux has; other packages get the
originals. Compilers, git and make are stubs that fail, as on a new Mac; the home folder has a space
and umlauts; replacing a file on Windows fails twice before it works.

What it cannot show: other file systems and consoles, and PyTorch's own behaviour there.
"""

from __future__ import annotations

import atexit
import builtins
import io
import os
import shutil
import signal
import sys
import tempfile
import types

_SYSTEM = os.environ.get("HPML_EMULATE", "")
_HERE = globals().get("__file__", "")
_SOURCE = globals().get("SOURCE", "")  # of this file, in a worker that cannot read it

_POSIX_SIGNALS = {
    name for name in dir(signal) if name.startswith("SIG") and name not in ("SIGINT", "SIGTERM")
} - {"SIGABRT", "SIGFPE", "SIGILL", "SIGSEGV", "SIG_DFL", "SIG_IGN", "SIGNAL"}
_GONE = {
    "windows": {
        "os": {
            *("fork", "forkpty", "killpg", "getpgid", "getpgrp", "setpgid", "setsid", "getsid"),
            *("geteuid", "getuid", "getegid", "getgid", "getgroups", "chown", "lchown", "mkfifo"),
            *("sched_getaffinity", "sched_setaffinity", "getloadavg", "sysconf", "confstr", "nice"),
            *("uname", "pread", "pwrite", "posix_spawn", "wait3", "wait4", "getpriority", "sync"),
            *("setpriority", "openpty", "statvfs"),
        },
        "signal": _POSIX_SIGNALS | {"setitimer", "getitimer", "alarm", "pause", "pthread_kill"},
        "time": {"clock_gettime", "pthread_getcpuclockid"},
    },
    "macos": {"os": {"sched_getaffinity", "sched_setaffinity", "posix_fadvise"}},
}
_NO_MODULE = {
    "windows": {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix"},
    "macos": set(),
}
_OTHERWISE = {
    "windows": {
        "os": {"name": "nt"},
        "sys": {"platform": "win32"},
        "platform": {"system": lambda: "Windows", "release": lambda: "11"},
    },
    "macos": {
        "sys": {"platform": "darwin"},
        "platform": {
            "system": lambda: "Darwin",
            "release": lambda: "24.0.0",
            "machine": lambda: "arm64",
        },
        "mmap": {"PAGESIZE": 16384},
    },
}
_STUB = """#!/bin/sh
echo "xcode-select: note: No developer tools were found, requesting install." >&2
exit 1
"""
_SYSCTL = """#!/bin/sh
case "$2" in
hw.perflevel0.physicalcpu) echo 4 ;;
hw.perflevel1.physicalcpu) echo 6 ;;
machdep.cpu.brand_string) echo "Apple M4" ;;
*) exit 1 ;;
esac
"""


class _Copy(types.ModuleType):
    """A module without some names, with other values of some; other writes go to the original."""

    def __init__(self, original: types.ModuleType, gone: set[str], other: dict[str, object]):
        super().__init__(original.__name__, original.__doc__)
        self.__dict__.update(_original=original, _gone=gone, _before={}, **other)

    def __getattr__(self, name: str) -> object:
        if name in self._gone:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} ({_SYSTEM})")
        return getattr(self._original, name)

    # As if written in C: whoever lists the functions of a program does not list this one.
    __getattr__.__code__ = __getattr__.__code__.replace(co_filename="<emulation>")

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__:
            self.__dict__[name] = value
            return
        if name not in self._before and hasattr(self._original, name):
            self._before[name] = getattr(self._original, name)
        setattr(self._original, name, value)

    def __delattr__(self, name: str) -> None:
        # `unittest.mock` deletes what it set, because it does not find it in this `__dict__`.
        if name in self._before:
            setattr(self._original, name, self._before[name])
        else:
            delattr(self._original, name)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._original) if name not in self._gone]


def _is_ours(name: str, namespace: dict[str, object]) -> bool:
    """Return whether a module is `hpml`'s, or a notebook."""
    return name.partition(".")[0] == "hpml" or "get_ipython" in namespace


def _asked_by_us() -> bool:
    """Return whether the nearest caller outside the standard library is `hpml`'s."""
    frame = sys._getframe(2)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if _is_ours(name, frame.f_globals):
            return True
        if name.partition(".")[0] not in sys.stdlib_module_names:
            return False
        frame = frame.f_back
    return False


def _hide_proc() -> None:
    """Let files below /proc and /sys be missing for `hpml`."""

    def hidden(path: object) -> bool:
        return isinstance(path, str | os.PathLike) and os.fspath(path).startswith(
            ("/proc/", "/sys/")
        )

    def hiding(function):
        def wrapper(path=".", *args, **kwargs):
            if hidden(path) and _asked_by_us():
                raise FileNotFoundError(2, f"No such file or directory ({_SYSTEM})", str(path))
            return function(path, *args, **kwargs)

        return wrapper

    for module, name in ((os, "stat"), (os, "listdir"), (os, "scandir"), (io, "open")):
        setattr(module, name, hiding(getattr(module, name)))
    builtins.open = io.open


def _copies() -> dict[str, _Copy]:
    gone, other = _GONE[_SYSTEM], _OTHERWISE[_SYSTEM]
    made = {}
    for name in {*gone, *other}:
        made[name] = _Copy(__import__(name), gone.get(name, set()), dict(other.get(name, {})))
    if _SYSTEM == "windows":
        made["os"].__dict__.update(replace=_scanned_replace(), symlink=_no_symlink)
        made["msvcrt"] = _msvcrt()
        made["winreg"] = _winreg()
        import ctypes

        class CDLL(ctypes.CDLL):
            def __init__(self, name, *args, **kwargs):
                if name is None:
                    raise TypeError("LoadLibrary() argument 1 must be str, not None")
                super().__init__(None if name == "msvcrt" else name, *args, **kwargs)

        made["ctypes"] = _Copy(ctypes, set(), {"CDLL": CDLL})
        import subprocess

        class Popen(subprocess.Popen):
            def __init__(self, *args, start_new_session=False, **kwargs):
                super().__init__(*args, **kwargs)  # Windows has no sessions

        made["subprocess"] = _Copy(subprocess, set(), {"Popen": Popen})
    return made


def _scanned_replace():
    """Return an `os.replace` that fails twice for each source, as while a scanner reads it."""
    attempts: dict[str, int] = {}

    def replace(source, target, **options):
        key = os.fspath(source)
        attempts[key] = attempts.get(key, 0) + 1
        if attempts[key] < 3:
            raise PermissionError(13, "The process cannot access the file", str(source))
        del attempts[key]
        return os.replace(source, target, **options)

    return replace


def _no_symlink(source, target, *_, **__):
    raise OSError(22, "A required privilege is not held by the client", str(target))


def _msvcrt() -> types.ModuleType:
    """Return a stand-in of `msvcrt.locking`: one byte at the position, by `flock`."""
    import fcntl

    module = types.ModuleType("msvcrt")
    module.LK_UNLCK, module.LK_LOCK, module.LK_NBLCK = 0, 1, 2

    def locking(descriptor: int, mode: int, count: int) -> None:
        # Windows refuses reading a locked byte, and positions from 2**31 on.
        assert os.fstat(descriptor).st_size < os.lseek(descriptor, 0, os.SEEK_CUR) < 2**31
        assert count == 1
        if mode == module.LK_UNLCK:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(13, "Permission denied") from None

    module.locking = locking
    return module


def _winreg() -> types.ModuleType:
    """Return a stand-in of `winreg`, whose registry has the name of the processor."""
    module = types.ModuleType("winreg")
    module.HKEY_LOCAL_MACHINE = 0
    module.OpenKey = lambda key, place: io.BytesIO()
    module.QueryValueEx = lambda key, name: ("Intel(R) Core(TM) i7-1185G7 @ 3.00GHz  ", 1)
    return module


def _install() -> None:
    copies, missing, original = _copies(), _NO_MODULE[_SYSTEM], builtins.__import__

    def importing(name, globals=None, locals=None, fromlist=(), level=0):
        ours = globals is not None and _is_ours(str(globals.get("__name__", "")), globals)
        if not ours or level:
            found = original(name, globals, locals, fromlist, level)
        elif name in missing:
            raise ModuleNotFoundError(f"No module named {name!r} ({_SYSTEM})", name=name)
        else:
            found = copies.get(name)
            if found is None:
                found = original(name, globals, locals, fromlist, level)
        if "hpml.course.grading.sandbox" in sys.modules:
            _emulate_in_workers(sys.modules["hpml.course.grading.sandbox"])
        return found

    builtins.__import__ = importing
    _hide_proc()


def _emulate_in_workers(sandbox: types.ModuleType) -> None:
    """Let a worker, which imports no sitecustomize, run this file first."""
    python = getattr(sandbox, "_python", None)
    if python is None or hasattr(python, "emulated"):
        return

    def with_emulation(limits, before):
        start = (
            f"import os; os.environ.update(HPML_EMULATE={_SYSTEM!r}, HPML_NO_HOME='1'); "
            f"exec({source!r}, {{'SOURCE': {source!r}, '__name__': 'emulation'}})"
        )
        return python(limits, f"{start}; {before}")

    source = _SOURCE
    if not source:
        with open(_HERE, encoding="utf-8") as stream:
            source = stream.read()
    with_emulation.emulated = True
    sandbox._python = with_emulation


def _make_home() -> None:
    """Make the home folder, with stubs of the developer's tools, in the first process."""
    if "HPML_NO_HOME" in os.environ:
        return
    root = tempfile.mkdtemp(prefix="hpml-emulated-")
    owner = os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(root, ignore_errors=True))
    home, tools = os.path.join(root, "Jörg Müller"), os.path.join(root, "tools")
    scratch = os.path.join(home, "Temp")
    os.makedirs(scratch)
    os.mkdir(tools)
    programs = dict.fromkeys(("cc", "gcc", "clang", "c++", "g++", "clang++", "git", "make"), _STUB)
    if _SYSTEM == "macos":
        programs["sysctl"] = _SYSCTL
    for name, text in programs.items():
        with open(os.path.join(tools, name), "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(stream.name, 0o755)
    os.environ.update(
        HPML_NO_HOME="1", HOME=home, TMPDIR=scratch, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}"
    )
    for name in ("CC", "CXX"):
        os.environ.pop(name, None)
    tempfile.tempdir = None


if _SYSTEM in _GONE:
    _make_home()
    _install()
elif _SYSTEM:
    sys.exit(f"HPML_EMULATE is {_SYSTEM!r}, expected one of {', '.join(_GONE)}")

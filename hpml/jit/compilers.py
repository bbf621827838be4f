"""Find compilers that work, and run them.

A program of the right name may only ask to install the compiler, as ``/usr/bin/cc`` on a new Mac,
or lack the headers. So each is tried once: it compiles a small file.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Literal

from hpml.base.environment import installed_version
from hpml.base.files import cache_folder, write_atomically

_SMALL = {
    "c": "#include <math.h>\nint hpml_probe(int x) { return x; }\n",
    "cpp": "#include <cmath>\nint hpml_probe(int x) { return x; }\n",
}
"""A file in each language that needs the standard library's headers."""

_INDUCTOR = """\
import torch
x = torch.ones(8)
compiled = torch.compile(lambda x: x * FACTOR + 1)
assert torch.allclose(compiled(x), x * FACTOR + 1)
print("compiled")
"""
_INDUCTOR_SECONDS = 300.0
_KNOWN = "inductor.json"  # in the cache: with what Inductor has worked


def find_compiler() -> str | None:
    """Return the command of a C compiler that works, or None.

    It is the one in ``CC`` if that variable is set, or else the first of cc, gcc and clang that
    compiles a small file.
    """
    return next((each for each in _c_commands() if not _refusal(each, "c")), None)


def why_no_compiler() -> str:
    """Return why the first C compiler does not work, or an empty text if one works."""
    return "" if find_compiler() else _refusal(_c_commands()[0], "c")


def _c_commands() -> list[str]:
    # A path of Windows has backslashes, which are no escapes there.
    windows = sys.platform == "win32"
    words = [each.strip("'\"") for each in shlex.split(os.environ.get("CC", ""), posix=not windows)]
    named = [word for word in words if word not in ("ccache", "distcc")][:1]
    return named or ["cc", "gcc", "clang"]


def find_cpp_compiler() -> str | None:
    """Return the command of the C++ compiler that `torch.compile` uses, or None if none works.

    `torch.compile` uses ``CXX`` or the default of the system, and searches for no other. It cannot
    use any of them if there is an `unlinkable_path`. See also `why_not_inductor`.
    """
    command = _cpp_command()
    return None if unlinkable_path() or _refusal(command, "cpp") else command


def why_not_inductor() -> str:
    """Return why `torch.compile` cannot compile for the CPU here, or an empty text if it can.

    The first call on a machine compiles a small function in another process, which takes some
    seconds. The cache keeps that it worked.

    >>> isinstance(why_not_inductor(), str)
    True
    """
    if path := unlinkable_path():
        return f"of the space in {path}: use an environment in a folder without one"
    command = _cpp_command()
    if refusal := _refusal(command, "cpp"):
        return refusal
    # What decides whether it works, besides the program itself.
    parts = [
        *_identity(command),
        sys.executable,
        installed_version("torch"),
        os.environ.get("TORCHINDUCTOR_CACHE_DIR"),
        tempfile.gettempdir(),
    ]
    return _inductor_refusal(json.dumps(parts))


def unlinkable_path() -> str:
    """Return the path of a library that `torch.compile` needs and cannot link, or an empty text.

    PyTorch 2.13 quotes no path for the linker, so that a space divides it in two.
    """
    spec = importlib.util.find_spec("torch")
    paths = (spec and spec.origin, sysconfig.get_config_var("LIBDIR"))
    unquoted = [path for path in paths if path and " " in path and sys.platform != "win32"]
    return unquoted[0] if unquoted else ""


def compiler_version(compiler: str) -> str:
    """Return the first line of a compiler's version output, or else its command."""
    lines = ask([compiler, "--version"]).stdout.splitlines()
    return lines[0] if lines else compiler


def ask(
    command: list[str], folder: str | Path | None = None, *, seconds: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a command for at most `seconds` and capture its output, in English (the C locale)."""
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=seconds,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
    )


def _cpp_command() -> str:
    default = {"darwin": "clang++", "win32": "cl"}.get(sys.platform, "g++")
    return os.environ.get("CXX", default)


def _refusal(command: str, language: Literal["c", "cpp"]) -> str:
    """Return why a compiler does not work, or an empty text if it does."""
    if shutil.which(command) is None:
        return f"there is no {command} here"
    return _tried(*_identity(command), language)


def _identity(command: str) -> tuple[str, str, int]:
    """Return a command, its file and the time of its last change: a new one is tried again."""
    path = shutil.which(command) or ""
    return command, path, os.stat(path).st_mtime_ns


@functools.lru_cache(maxsize=32)
def _tried(command: str, path: str, changed: int, language: Literal["c", "cpp"]) -> str:
    """Return why a compiler cannot compile and link a small file, or an empty text if it can."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source = f"probe.{language}"
        Path(folder, source).write_text(_SMALL[language], encoding="ascii")
        link = ["-c"] if sys.platform == "win32" else ["-shared", "-fPIC", "-o", "probe.so"]
        try:
            done = ask([path, source, *link], folder)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{command} does not run: {error}"
        made = [each for each in Path(folder).iterdir() if each.name != source]
    if done.returncode == 0 and made:
        return ""
    return f"{command} does not compile: {_first_line(done)}"


@functools.lru_cache(maxsize=8)
def _inductor_refusal(key: str) -> str:
    """Return why Inductor cannot compile, or an empty text; `key` is all that it depends on."""
    if key in _known():
        return ""
    # A number of its own: PyTorch's cache has no result for it.
    factor = f"{int.from_bytes(os.urandom(4), 'big') / 2**32 + 1:.12f}"
    try:
        done = ask(
            [sys.executable, "-P", "-c", _INDUCTOR.replace("FACTOR", factor)],
            seconds=_INDUCTOR_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"it did not compile a small function within {_INDUCTOR_SECONDS:g} s"
    if done.returncode or "compiled" not in done.stdout.split():
        hint = ""
        if " " in tempfile.gettempdir():
            hint = "; set TMPDIR to a folder without a space in its path"
        return f"PyTorch's compiler fails: {_telling_line(done.stderr)}{hint}"
    with contextlib.suppress(ImportError, OSError):  # then the next process tries again
        write_atomically(cache_folder("compilers") / _KNOWN, json.dumps([*_known(), key]))
    return ""


def _known() -> list[str]:
    """Return the keys with which Inductor has worked."""
    try:
        found = json.loads((cache_folder("compilers") / _KNOWN).read_text(encoding="utf-8"))
    except (ImportError, OSError, ValueError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _first_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else f"exit code {done.returncode}"


def _telling_line(text: str) -> str:
    """Return the line of a traceback and of compiler output that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "error:" in line or "Error:" in line]
    return (telling or lines or ["it wrote nothing"])[-1][:200].rstrip(".")

"""Find and run the system's compilers."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


def find_compiler() -> str | None:
    """Return the command of a C compiler: that of ``CC``, or without it cc, gcc or clang."""
    words = shlex.split(os.environ.get("CC", ""))
    named = [word for word in words if word not in ("ccache", "distcc")][:1]
    return next(filter(shutil.which, named or ("cc", "gcc", "clang")), None)


def find_cpp_compiler() -> str | None:
    """Return the command of the C++ compiler that `torch.compile` would use, or None.

    `torch.compile` uses ``CXX`` or the default of the system, and searches for no other. It cannot
    use any of them if there is an `unlinkable_path`.
    """
    if unlinkable_path():
        return None
    default = {"darwin": "clang++", "win32": "cl"}.get(sys.platform, "g++")
    command = os.environ.get("CXX", default)
    return command if shutil.which(command) else None


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


def ask(command: list[str], folder: str | Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command for at most 120 s and capture its output, in English (the C locale)."""
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
        env={**os.environ, "LC_ALL": "C"},
    )

"""Finding the system's compiler, and asking it something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def find_compiler() -> str | None:
    """Return the command of a C compiler: that of ``CC``, or of cc, gcc or clang; or None."""
    named = os.environ.get("CC", "").split(" ")[0]
    return next((c for c in (named, "cc", "gcc", "clang") if c and shutil.which(c)), None)


def find_cpp_compiler() -> str | None:
    """Return the command of the C++ compiler that `torch.compile` would use; or None.

    It takes that of ``CXX``, or the usual one of the system, and no other that may be there.
    """
    usual = {"darwin": "clang++", "win32": "cl"}.get(sys.platform, "g++")
    command = os.environ.get("CXX", usual)
    return command if shutil.which(command) else None


def compiler_version(compiler: str) -> str:
    """Return the first line in which a compiler names itself, or its command."""
    lines = ask([compiler, "--version"]).stdout.splitlines()
    return lines[0] if lines else compiler


def ask(
    command: list[str], folder: str | Path | None = None, seconds: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it says, in English, whatever the machine speaks."""
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=seconds,
        env={**os.environ, "LC_ALL": "C"},
    )

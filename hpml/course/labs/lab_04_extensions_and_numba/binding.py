"""The lab's C and C++ sources, and the module that nanobind makes from one of them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import sysconfig
import tempfile
import uuid
from pathlib import Path
from types import ModuleType
from typing import Any

from hpml.base.files import cache_folder
from hpml.base.optional import import_optional, why_unavailable
from hpml.base.page import put, say
from hpml.base.system import is_windows, replace
from hpml.base.tables import Table, format_seconds
from hpml.course.files import recorded
from hpml.course.packages import install_command
from hpml.jit import find_cpp_compiler
from hpml.jit.compilers import ask, compiler_version
from hpml.jit.extension import import_library

_NANO = "sum2d_nano"
_INCLUDE = ("include", "ext/robin_map/include")
_FLAGS = ("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-DNDEBUG", "-w")
# On macOS Python's functions are found when the library is loaded, as they are elsewhere.
_SHARED = ("-shared", *(["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []))


def source(file: str, *parts: str) -> str:
    """Return one of the lab's source files, or only the paragraphs that contain one of `parts`."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8").rstrip("\n")
    paragraphs = text.split("\n\n")
    return "\n\n".join(p for p in paragraphs if not parts or any(part in p for part in parts))


def with_nanobind() -> ModuleType | None:
    """Build and import the module of ``sum2d_nano.cpp``; if that fails, report why."""
    reason, compiler = why_unavailable("nanobind"), find_cpp_compiler()
    if reason:
        reason += f". To get it, run `{install_command('nanobind')}`, then this cell again"
    elif compiler is None or is_windows():
        reason = "it needs g++ or clang++"
    else:
        try:
            return import_library(_NANO, nanobind_library(compiler, cache_folder("extensions")))
        except (OSError, subprocess.SubprocessError, ImportError) as error:
            reason = f"{error}"[:1000]
    put(say(f"**No module is built with nanobind here**: {reason}."), uuid.uuid4().hex)
    return None


def nanobind_library(compiler: str, folder: Path) -> Path:
    """Build the module in a folder, from what was compiled there before if nothing changed.

    Compiled are the lab's file and nanobind's own library, which is one file of C++.
    """
    found: Any = import_optional("nanobind")
    package = Path(found.__file__).parent
    include = (sysconfig.get_paths()["include"], *(package / each for each in _INCLUDE))
    command = [compiler, *_FLAGS, *(f"-I{each}" for each in include)]
    of_module = Path(__file__).with_name(f"{_NANO}.cpp")
    of_nanobind = package / "src" / "nb_combined.cpp"
    objects = [_made(folder, ".o", [*command, "-c"], each) for each in (of_module, of_nanobind)]
    return _made(folder, sysconfig.get_config_var("EXT_SUFFIX"), [*command, *_SHARED], *objects)


def _made(folder: Path, suffix: str, command: list[str], *sources: Path) -> Path:
    """Return the file that a command of the compiler makes, from the folder if it is there."""
    key = hashlib.sha256("\0".join([sys.version, compiler_version(command[0]), *command]).encode())
    for each in sources:
        key.update(each.read_bytes())
    target = folder / f"{sources[0].stem.partition('-')[0]}-{key.hexdigest()[:16]}{suffix}"
    if not target.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            made = Path(temporary, target.name)
            done = ask([*command, *map(str, sources), "-o", str(made)])
            if done.returncode:
                raise OSError(done.stderr[-1000:] or "the compiler failed")
            replace(made, target)
    return target


def building_times() -> Table:
    """Return the recorded seconds of each way to build `sum2d`."""
    found = recorded("extensions")
    caption = (
        f"Recorded, not measured here: {found['machine']}, {found['compiler']}, "
        f"{found['versions']}. Seconds of the processor, median of three builds."
    )
    columns = ["recorded: building sum2d", "first time", "after a change", "needs"]
    rows = [[name, *row] for name, row in found["building"].items()]
    return Table(
        columns, rows, caption=caption, formats=dict.fromkeys(columns[1:3], format_seconds)
    )

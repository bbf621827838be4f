"""Compile C source from a notebook to an extension module and import it."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from hpml.base.errors import describe
from hpml.base.files import cache_folder
from hpml.base.system import is_windows, replace

from .compilers import ask, compiler_version, find_compiler, why_no_compiler
from .errors import CompileError, JitError, NoCompilerError

_READ_BY_SETUPTOOLS = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LDSHARED")

# Runs in a separate process, because setuptools changes its process and the compiler writes to file
# descriptors directly. Sets the compiler, because Python may have been built with another one.
_BUILD = """\
import os, sys
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
name, file, compiler, *flags = sys.argv[1:]
os.environ.setdefault("CC", compiler)
extension = Extension(name, [file], extra_compile_args=flags, extra_link_args=flags)
command = build_ext(Distribution({"name": name, "ext_modules": [extension]}))
command.build_lib, command.build_temp = "built", "objects"
command.ensure_finalized()
try:
    command.run()
except Exception as error:  # of setuptools on Windows, which searches for a compiler of its own
    if type(error).__name__ in ("DistutilsPlatformError", "PlatformError"):
        sys.exit(f"NO COMPILER: {error}")
    raise
"""


def build_extension(
    source: str,
    name: str,
    *,
    flags: Sequence[str] = ("-O3",),
    folder: str | os.PathLike[str] | None = None,
) -> ModuleType:
    """Compile an extension module from its source and import it.

    Args:
        source: the text of one file, which defines ``PyInit_<name>``.
        name: the module's name, an identifier.
        flags: flags for the compiler and the linker (``-fopenmp`` is for both), after those with
            which Python was built.
        folder: where compiled libraries are kept; by default in the folder that ``HPML_CACHE``
            names, else in the user's cache folder.

    Returns:
        The imported module; ``module.__file__`` is the compiled library. The same source, flags and
        versions are compiled once. Included headers are not compared, so change the source when a
        header changes. The module is not entered in `sys.modules`, so several versions of one name
        can be used together.

    Raises:
        NoCompilerError: there is no C compiler, or Python's headers are missing.
        CompileError: the compiler rejected the source. The message contains its output.
        JitError: the folder or `flags` are invalid, or the module cannot be imported.

    >>> module = build_extension('''
    ... #include <Python.h>
    ... static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "empty", "Nothing.", -1};
    ... PyMODINIT_FUNC PyInit_empty(void) { return PyModule_Create(&definition); }
    ... ''', "empty")
    >>> module.__doc__
    'Nothing.'

    Source: https://docs.python.org/3/extending/extending.html
    """
    given = flags if isinstance(flags, Sequence) and not isinstance(flags, str) else [None]
    if not all(isinstance(flag, str) for flag in given):
        raise JitError(
            object="flags",
            expected="a list of flags",
            received=describe(flags),
            remedy="Write flags=['-O3'].",
        )
    compiler = _require_compiler()
    cache = cache_folder("extensions") if folder is None else Path(folder)
    target = cache / f"{name}-{_key(source, name, flags, compiler)}"
    if _library_in(target) is None:
        _build(source, name, flags, target, compiler)
    library = _library_in(target)
    if library is None:
        raise CompileError(
            object=name,
            expected=f"a library in {target.name}",
            received="none after the build",
            remedy="Build it again.",
        )
    return _imported(name, library)


def _require_compiler() -> str:
    compiler = find_compiler()
    if compiler is None:
        raise NoCompilerError(
            object="build_extension",
            expected="a working C compiler (cc, gcc or clang on the path, or the one in CC)",
            received=why_no_compiler(),
            remedy="Install one: apt-get install gcc (Debian, Ubuntu), xcode-select --install "
            "(macOS) or conda install c-compiler (conda).",
        )
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        raise NoCompilerError(
            object="build_extension",
            expected="Python's headers",
            received="a Python without Python.h",
            remedy=f"Install them: apt-get install python{sys.version_info[0]}."
            f"{sys.version_info[1]}-dev (Debian, Ubuntu). A Python of conda or pyenv has them.",
        )
    return compiler


def _key(source: str, name: str, flags: Sequence[str], compiler: str) -> str:
    settings = [f"{variable}={os.environ.get(variable)}" for variable in _READ_BY_SETUPTOOLS]
    parts = (source, name, *flags, *settings, sys.version, compiler_version(compiler))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _library_in(folder: Path) -> Path | None:
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    found = (path for path in folder.glob("*") if path.name.endswith(suffixes))
    return next(found, None)


def _build(source: str, name: str, flags: Sequence[str], folder: Path, compiler: str) -> None:
    """Build in a temporary folder, then rename it, so an interrupted build leaves no library."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JitError(
            object="folder of build_extension",
            expected="a folder to write to",
            received=f"{folder.parent}: {error}",
            remedy="Pass another folder, or set HPML_CACHE to one.",
        ) from error
    # C assumes that an undeclared function returns an int.
    strict = "-Werror=implicit-function-declaration"
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as temporary:
        file = f"{name}.c"
        Path(temporary, file).write_text(source, encoding="utf-8")
        command = [sys.executable, "-c", _BUILD, name, file, compiler, strict, *flags]
        try:
            done = ask(command, temporary)
        except subprocess.TimeoutExpired as error:
            raise CompileError(
                f"Compiling {file} took longer than the limit of {error.timeout:.0f} s.",
                object=file,
                expected=f"a build within {error.timeout:.0f} s",
                received="none",
                remedy="Use a smaller source or less optimisation in flags.",
            ) from error
        # Microsoft's compiler writes its messages to standard output.
        output = f"{done.stdout}\n{done.stderr}" if is_windows() else done.stderr
        if "NO COMPILER: " in done.stderr:
            reason = done.stderr.partition("NO COMPILER: ")[2].strip()
            raise NoCompilerError(
                object="build_extension",
                expected="a compiler for this Python",
                received=reason,
                remedy="Install the compiler that the message names.",
            )
        if done.returncode:
            message = _compiler_message(output)
            raise CompileError(
                f"The compiler rejected {file}:\n{message}\n",
                object=file,
                expected="C that compiles and links",
                received=message,
                remedy="Correct the line that the compiler names, or the flags.",
            )
        if "warning:" in done.stderr:
            warnings.warn(f"compiling {file}:\n{_compiler_message(done.stderr)}", stacklevel=3)
        built = Path(temporary, "built")
        shutil.copy(Path(temporary, file), built)
        try:
            if _library_in(folder) is None:  # otherwise another process was faster
                shutil.rmtree(folder, ignore_errors=True)  # an incomplete folder
                replace(built, folder)
        except OSError:
            if _library_in(folder) is None:
                raise


def _compiler_message(text: str) -> str:
    message = text.partition("Traceback (most recent call last)")[0].strip()
    lines = [
        line for line in (message or text.strip()).splitlines() if not line.startswith("running")
    ]
    return "\n".join(lines[:40])


def import_library(name: str, library: Path) -> ModuleType:
    """Import a compiled module from its file, without entering it in `sys.modules`."""
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    assert spec is not None
    before = sys.modules.get(name)
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    finally:  # a module with single-phase initialisation enters itself
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before
    return module


def _imported(name: str, library: Path) -> ModuleType:
    try:
        return import_library(name, library)
    except (ImportError, SystemError) as error:
        shutil.rmtree(library.parent, ignore_errors=True)  # remove it from the cache
        raise JitError(
            f"{name} was compiled but cannot be imported: {error}.",
            object=name,
            expected="a module that can be imported",
            received=str(error),
            remedy="Check that it defines every function that it calls, and that "
            f"PyInit_{name} is not static and returns the module.",
        ) from error

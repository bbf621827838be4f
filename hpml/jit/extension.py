"""Extension modules: C source from a notebook, compiled and imported."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import keyword
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
from hpml.base.files import results_folder

from .compilers import ask, compiler_version, find_compiler
from .errors import CompileError, JitError, NoCompilerError

_READ_BY_SETUPTOOLS = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LDSHARED")

# In a process of its own: setuptools changes the process that it runs in, and its compiler writes
# past Python. Errors stand in the output; the exit code says whether there is a module. It takes
# the compiler that was found: Python may have been built with another, elsewhere.
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
command.run()
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
        flags: given to the compiler and, as ``-fopenmp`` is for both, to the linker, behind those
            that Python itself was built with.
        folder: where what was built is kept; by default ``results/extensions``.

    Returns:
        The module, imported; ``module.__file__`` is the compiled library. The same source, flags
        and versions are compiled once, and kept in ``folder``; headers of your own are not looked
        at, so change the source, too, when one of them changes. It is not entered in
        `sys.modules`, so that another version of the same name can be built and called beside it.

    Raises:
        NoCompilerError: there is no C compiler, or no headers of Python.
        CompileError: the compiler rejected the source. The message holds what it says.
        JitError: the arguments are no source, name or flags; or the library has no
            ``PyInit_<name>``.

    >>> module = build_extension('''
    ... #include <Python.h>
    ... static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "empty", "Nothing.", -1};
    ... PyMODINIT_FUNC PyInit_empty(void) { return PyModule_Create(&definition); }
    ... ''', "empty")
    >>> module.__doc__
    'Nothing.'

    Source: https://docs.python.org/3/extending/extending.html
    """
    _check(source, name, flags)
    compiler = _require_compiler()
    kept = results_folder() / "extensions" if folder is None else Path(folder)
    place = kept / f"{name}-{_key(source, name, flags, compiler)}"
    if _library_in(place) is None:
        _build(source, name, flags, place, compiler)
    library = _library_in(place)
    if library is None:
        raise CompileError(f"building {name} left no library in {place.name}: build it again")
    return _imported(name, library)


def _check(source: str, name: str, flags: Sequence[str]) -> None:
    if not isinstance(source, str) or not source.strip():
        raise JitError(f"source: expected the text of a C file, got {describe(source)}")
    is_name = isinstance(name, str) and name.isidentifier() and name.isascii()
    if not is_name or keyword.iskeyword(name):
        raise JitError(f"name: expected an ASCII identifier as 'hello', got {describe(name)}")
    if not isinstance(flags, (list, tuple)) or not all(isinstance(flag, str) for flag in flags):
        raise JitError(f"flags: expected a list of texts such as ['-O3'], got {describe(flags)}")
    if f"PyInit_{name}" not in source:
        raise JitError(
            f"source: expected a function PyInit_{name}, which Python calls to make the module, "
            f"and found none. The name behind PyInit_ is the module's name, {name!r}"
        )


def _require_compiler() -> str:
    compiler = find_compiler()
    if compiler is None:
        raise NoCompilerError(
            "build_extension needs a C compiler, and there is none on the path (cc, gcc or clang, "
            "or the one that CC names). Debian, Ubuntu: apt-get install gcc; macOS: xcode-select "
            "--install; conda: conda install c-compiler"
        )
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        raise NoCompilerError(
            "build_extension needs Python's headers, and Python.h is not where this Python keeps "
            f"it. Debian, Ubuntu: apt-get install python{sys.version_info[0]}."
            f"{sys.version_info[1]}-dev; a Python of conda or pyenv brings them"
        )
    return compiler


def _key(source: str, name: str, flags: Sequence[str], compiler: str) -> str:
    settings = [f"{variable}={os.environ.get(variable)}" for variable in _READ_BY_SETUPTOOLS]
    what = (source, name, *flags, *settings, sys.version, compiler_version(compiler))
    return hashlib.sha256("\0".join(what).encode()).hexdigest()[:16]


def _library_in(folder: Path) -> Path | None:
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    found = (path for path in folder.glob("*") if path.name.endswith(suffixes))
    return next(found, None)


def _build(source: str, name: str, flags: Sequence[str], folder: Path, compiler: str) -> None:
    """Build beside, then rename: an interrupted build leaves nothing that looks finished."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JitError(
            f"folder: expected a folder to write to, received {folder.parent}: {error}"
        ) from error
    # A function that is not declared would be taken to return an int.
    strict = "-Werror=implicit-function-declaration"
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as place:
        file = f"{name}.c"
        Path(place, file).write_text(source, encoding="utf-8")
        building = [sys.executable, "-c", _BUILD, name, file, compiler, strict, *flags]
        try:
            done = ask(building, place)
        except subprocess.TimeoutExpired as error:
            raise CompileError(
                f"compiling {file} expected to take {error.timeout:.0f} s at most, took longer: "
                "give a smaller source or lower optimisation in flags"
            ) from error
        if done.returncode:
            raise CompileError(f"the compiler rejected {file}:\n{_words(done.stderr)}")
        if "warning:" in done.stderr:
            warnings.warn(f"compiling {file}:\n{_words(done.stderr)}", stacklevel=3)
        built = Path(place, "built")
        shutil.copy(Path(place, file), built)
        try:
            if _library_in(folder) is None:  # else another process was faster
                shutil.rmtree(folder, ignore_errors=True)  # the rest of a deleted one
                os.replace(built, folder)
        except OSError:
            if _library_in(folder) is None:
                raise


def _words(text: str) -> str:
    message = text.partition("Traceback (most recent call last)")[0].strip()
    lines = [
        line for line in (message or text.strip()).splitlines() if not line.startswith("running")
    ]
    return "\n".join(lines[:40])


def _imported(name: str, library: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    assert spec is not None
    before = sys.modules.get(name)
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (ImportError, SystemError) as error:
        shutil.rmtree(library.parent, ignore_errors=True)  # it cannot be found again
        raise JitError(
            f"{name} was compiled but cannot be imported: {error}. Does it call a function that "
            f"it does not define? Does PyInit_{name} return the module, without static before it?"
        ) from error
    finally:  # a module that is made in one step enters itself
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before
    return module

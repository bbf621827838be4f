"""Tell the user's code from that of installed packages, and from that of `hpml.bytecode`."""

from __future__ import annotations

import functools
import linecache
import os
import site
import sys
import sysconfig
from types import CodeType

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_PACKAGE = os.path.dirname(os.path.dirname(_FOLDER))


def is_our_code(code: CodeType) -> bool:
    """Return whether `code` belongs to `hpml.bytecode`."""
    return code.co_filename.startswith(_FOLDER)


def is_user_code(code: CodeType) -> bool:
    """Return whether `code` belongs to no installed package.

    Packages are those of the standard library, those in ``site-packages``, and `hpml`. Code without
    a file, such as a cell or a generated function, is the user's if `linecache` has its source.
    """
    file = code.co_filename
    if file.startswith("<"):
        return file != "<string>" and not file.startswith("<frozen ") and file in linecache.cache
    return not _is_installed(file)


@functools.cache
def _is_installed(file: str) -> bool:
    places = (os.path.abspath(file), os.path.realpath(file))
    return any(os.path.normcase(place).startswith(_folders()) for place in places)


@functools.cache
def _folders() -> tuple[str, ...]:
    """Return the folders of installed packages, and the archives with the standard library."""
    paths = sysconfig.get_paths()
    folders = {_PACKAGE, site.getusersitepackages()}
    folders |= {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site.getsitepackages() if hasattr(site, "getsitepackages") else ())
    archive = f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    folders |= {path for path in sys.path if os.path.basename(path) == archive}
    folders |= {os.path.realpath(folder) for folder in folders}
    return tuple(os.path.join(os.path.normcase(folder), "") for folder in folders if folder)

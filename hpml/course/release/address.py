"""Write the address of the repository into the texts from which students install the course.

The course's own address is in ``pyproject.toml`` alone, and `make tidy` writes it into the README
and the notebooks. `hpml release --address` writes an instructor's address into the students' copy.
"""

from __future__ import annotations

import re
import tomllib
from urllib.parse import urlsplit

from hpml.base.errors import UsageError, describe

DISTRIBUTION = "hpml-labs"
"""The name for pip. `hpml` is another project there, so only the import is called that."""
WHEELS = f"{DISTRIBUTION.replace('-', '_')}-*-none-any.whl"
"""The wheel of the course. pip refuses a second download, named ``… (1).whl``."""

_FIRST_LAB = "notebooks/00_start_here.ipynb"
_FIRST_CELL = """\
import importlib.util
import pathlib

_source = {source}
_spec = importlib.util.find_spec("hpml")
_file = pathlib.Path(_spec.origin) if _spec and _spec.origin else None
if not (_file and (_file.parent / "base").is_dir() and b"__version__" in _file.read_bytes()):
    _wheels = [str(each) for each in pathlib.Path().glob("{wheels}")]
    _steps = ["%pip uninstall --yes hpml {distribution}"] if _spec else []
    _steps += [f"%pip install ./{{max(_wheels)}}" if _wheels else _source]
    _what = f"{{_file}} is another project" if _file else "hpml is not installed"
    _text = f"{{_what}}. Do this, then restart the kernel and run this cell again:"
    _kind = type("Missing", (Exception,), {{"_render_traceback_": lambda self: [str(self)]}})
    raise _kind("\\n".join([_text, *_steps]))"""
_ASK = '"Ask your instructor for {wheels} and put it beside this notebook."'
_PART = re.compile(r"<!-- address -->\n.*?<!-- /address -->\n", re.DOTALL)
_URLS = re.compile(r'^(?:# )?\[project\.urls\]\n(?:# )?Repository = ".*"$', re.MULTILINE)


def checked(address: str) -> str:
    """Return the address if pip can install from it with git; UsageError otherwise.

    >>> checked("https://github.com/OWNER/REPOSITORY")
    'https://github.com/OWNER/REPOSITORY'
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if (parts.scheme in {"https", "http"} and parts.username) or parts.password:
        raise UsageError(
            object="--address",
            expected="an address without user name and password, which every student would read",
            received=f"one with them for {parts.hostname}",
            remedy="Leave out what is before the @.",
        )
    named = parts.hostname if parts.scheme in {"https", "http", "ssh"} else parts.scheme == "file"
    if not named or re.search(r"[\s\"'\\`${}?#]", address) or "@" in parts.path:
        raise UsageError(
            object="--address",
            expected="the address of a git repository",
            received=describe(address, limit=500),
            remedy="Pass one such as https://github.com/OWNER/REPOSITORY, ssh://git@HOST/PATH, or "
            "file:///PATH for a folder.",
        )
    return address


def address_of(pyproject: str) -> str:
    """Return the address in the text of a ``pyproject.toml``, or "" if it has none.

    >>> address_of("[project]\\nname = 'hpml-labs'")
    ''
    """
    urls: dict[str, str] = tomllib.loads(pyproject)["project"].get("urls", {})
    return urls.get("Repository", "")


def first_cell(address: str) -> str:
    """Return the first cell of every notebook, which tells how to install a missing `hpml`.

    A wheel beside the notebook comes before the address. Without either, students are told what to
    ask for. An `hpml` without `hpml.base` is another project, and is replaced.
    """
    source = (
        f"'%pip install \"{_requirement(address)}\"'" if address else _ASK.format(wheels=WHEELS)
    )
    return _FIRST_CELL.format(distribution=DISTRIBUTION, wheels=WHEELS, source=source)


def with_readme_address(readme: str, address: str) -> str:
    """Return the README with the install command, and with the badges that the address allows."""
    return _PART.sub(
        lambda _: f"<!-- address -->\n\n{_readme_part(address)}\n<!-- /address -->\n", readme
    )


def with_project_address(pyproject: str, address: str) -> str:
    """Return a ``pyproject.toml`` with the address; without one, as a comment that shows how."""
    mark, value = ("", address) if address else ("# ", "https://github.com/OWNER/REPOSITORY")
    return _URLS.sub(
        lambda _: f'{mark}[project.urls]\n{mark}Repository = "{value}"', pyproject, count=1
    )


def _requirement(address: str) -> str:
    # Before version 24, pip takes an address without a host, as in file:///PATH, only without name.
    name = "" if address.startswith("file:") else f"{DISTRIBUTION} @ "
    return f"{name}git+{address}"


def _readme_part(address: str) -> str:
    command = f'    pip install "{_requirement(address or "ADDRESS")}"\n'
    if not address:
        return (
            f"{command}\n"
            "ADDRESS is the address of the repository. Nobody has published the course yet.\n"
            "`hpml release OUT --address URL` writes an address here and into the notebooks.\n"
        )
    github = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    if github is None:
        return command
    colab = f"https://colab.research.google.com/github/{github[1]}/blob/main/{_FIRST_LAB}"
    binder = f"https://mybinder.org/v2/gh/{github[1]}/main?urlpath=lab/tree/{_FIRST_LAB}"
    return (
        f"{command}\n"
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})\n"
        f"[![Launch on Binder](https://mybinder.org/badge_logo.svg)]({binder})\n"
    )

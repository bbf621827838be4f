"""The cell magic `%%hpml_profile`: a cell under `cProfile`, with the result below it."""

from __future__ import annotations

import argparse
import ast
from inspect import CO_COROUTINE
from pathlib import Path
from typing import Any, NoReturn

from hpml.profiling.errors import ProfilingError
from hpml.profiling.functions import FunctionProfile, profile


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ProfilingError(f"%%hpml_profile: {message}. It is used as %%hpml_profile [-o FILE].")


def register(shell: Any) -> None:
    """Give a shell the magic."""

    def hpml_profile(line: str, cell: str) -> FunctionProfile:
        parser = _Parser(add_help=False)
        parser.add_argument("-o", "--output")
        options = parser.parse_args(line.split())
        if options.output and not Path(options.output).parent.is_dir():
            raise ProfilingError(
                f"%%hpml_profile: -o expected a file in a folder that exists, got {options.output}."
            )
        source = shell.transform_cell(cell)
        if _awaits(source):
            raise ProfilingError(
                "%%hpml_profile: expected a cell without await outside a function, which runs in "
                "the notebook's own event loop; put it into a function and call asyncio.run there."
            )
        code = shell.compile(source, shell.compile.cache(cell, shell.execution_count), "exec")
        found = profile(exec, code, shell.user_ns)
        if options.output:
            found.save(options.output)
        return found

    shell.register_magic_function(hpml_profile, "cell")


def _awaits(source: str) -> bool:
    code = compile(source, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return bool(code.co_flags & CO_COROUTINE)

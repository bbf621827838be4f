"""The cell magic `%%hpml_profile`: a cell under `cProfile`, with the result below it."""

from __future__ import annotations

import argparse
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
        code = shell.compile(
            shell.transform_cell(cell), shell.compile.cache(cell, shell.execution_count), "exec"
        )
        found = profile(exec, code, shell.user_ns)
        if options.output:
            found.save(options.output)
        return found

    shell.register_magic_function(hpml_profile, "cell")

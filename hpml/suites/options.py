"""The command-line options that all suites share, and the exit codes of their commands."""

from __future__ import annotations

import argparse
import inspect
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hpml.base.arguments import whole
from hpml.base.errors import HpmlError
from hpml.base.files import results_folder, write_atomically
from hpml.suites.settings import SuiteError, option_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PICTURES = (".png", ".svg", ".pdf")


class SuiteResult(Protocol):
    """The result of a suite's ``run``, as its command uses it."""

    def plot(self) -> Figure:
        """Draw the result."""


positive = whole(1, 10**9)
"""Parse a whole number of at least 1 for argparse."""


def add_shared_arguments(
    parser: argparse.ArgumentParser, suite: str, run: Callable[..., SuiteResult], sizes_help: str
) -> None:
    """Declare the options of every suite: the first argument of `run`, and the settings."""
    sizes, settings, *_ = inspect.signature(run).parameters.values()
    parser.add_argument(
        f"--{sizes.name}",
        type=positive,
        nargs="+",
        default=list(sizes.default),
        metavar="N",
        help=f"{sizes_help} (default: {' '.join(map(str, sizes.default))})",
    )
    parser.add_argument(
        "--rounds",
        type=positive,
        default=settings.default.rounds,
        metavar="N",
        help="interleaved rounds, each with one sample of every contender (default: %(default)s)",
    )
    parser.add_argument(
        "--threads",
        type=positive,
        default=1,
        metavar="N",
        help="size of torch's thread pool (default: %(default)s)",
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 (default: %(default)s)")
    parser.add_argument(
        "--contenders",
        nargs="+",
        metavar="NAME",
        help="contenders to measure; an unknown name prints the list",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"file of results, one line of JSON per case (default: results/{suite}.jsonl)",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="file of the picture: .png, .svg, .pdf"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue an interrupted run: skip the cases that are already in FILE",
    )

    def main(arguments: argparse.Namespace) -> int:
        names = (sizes.name, *option_names(run))
        chosen = {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}
        return run_command(arguments, lambda out: run(**{**chosen, "out": out, "progress": True}))

    parser.set_defaults(main=main, suite_name=suite)


def run_command(arguments: argparse.Namespace, run: Callable[[Path], SuiteResult]) -> int:
    """Run a suite, print its result or error, save its picture, and return the exit code."""
    picture: Path | None = arguments.plot
    # Check before measuring for minutes.
    if picture is not None and picture.suffix not in _PICTURES:
        print(f"--plot: expected a file ending in {', '.join(_PICTURES)}, got {picture.name!r}.",
              file=sys.stderr)  # fmt: skip
        return 2
    out: Path = arguments.out or results_folder() / f"{arguments.suite_name}.jsonl"
    try:
        result = run(out)
        print(result)
        print(f"\nResults: {out}")
        if picture is not None:
            stream = io.BytesIO()
            result.plot().savefig(stream, format=picture.suffix[1:])
            write_atomically(picture, stream.getvalue())
            print(f"Picture: {picture}")
    except KeyboardInterrupt:
        advice = f"Finished cases are in {out}; --resume continues." if out.exists() else ""
        print(f"\nInterrupted. {advice}", file=sys.stderr)
        return 130
    except OSError as error:
        file = error.filename or out
        print(f"{file}: the file cannot be written ({error.strerror or error}). Free disk space, "
              "or name another file with --out or --plot.", file=sys.stderr)  # fmt: skip
        return 1
    except SuiteError as error:
        print(error, file=sys.stderr)
        return 2
    except HpmlError as error:
        print(error, file=sys.stderr)
        return 1
    return 0

"""The options that all suites share, and how their commands end."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hpml.base.arguments import whole
from hpml.base.errors import HpmlError
from hpml.base.files import results_folder
from hpml.suites.settings import SuiteError, option_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_PICTURES = (".png", ".svg", ".pdf")


class SuiteResult(Protocol):
    """What a suite's ``run`` returns, as far as its command needs to know."""

    def plot(self) -> Figure:
        """Draw the result."""


positive = whole(1, 10**9)
"""A whole number of at least 1, for argparse."""


def add_shared_arguments(
    parser: argparse.ArgumentParser, suite: str, run: Callable[..., SuiteResult], what: str
) -> None:
    """Declare the options that every suite has: the first that `run` takes, and its settings."""
    sizes, settings, *_ = inspect.signature(run).parameters.values()
    parser.add_argument(
        f"--{sizes.name}",
        type=positive,
        nargs="+",
        default=list(sizes.default),
        metavar="N",
        help=f"{what} (default: {' '.join(map(str, sizes.default))})",
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
        help="threads that torch may use (default: %(default)s)",
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 (default: %(default)s)")
    parser.add_argument(
        "--contenders",
        nargs="+",
        metavar="NAME",
        help="only these, by name; a wrong name lists them all",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"where results go, one line of JSON a case (default: results/{suite}.jsonl)",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw a picture: .png, .svg, .pdf"
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
    """Run a suite for the command line: print its result, save its picture, explain its errors."""
    picture: Path | None = arguments.plot
    # Before measuring for minutes, not after.
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
            picture.parent.mkdir(parents=True, exist_ok=True)
            result.plot().savefig(picture)
            print(f"Picture: {picture}")
    except KeyboardInterrupt:
        left = f"Finished cases are in {out}; --resume continues." if out.exists() else ""
        print(f"\nInterrupted. {left}", file=sys.stderr)
        return 130
    except OSError as error:
        place = error.filename or out
        print(f"{place}: the file cannot be written ({error.strerror or error}). Make room, or "
              "name another with --out or --plot.", file=sys.stderr)  # fmt: skip
        return 1
    except SuiteError as error:
        print(error, file=sys.stderr)
        return 2
    except HpmlError as error:
        print(error, file=sys.stderr)
        return 1
    return 0

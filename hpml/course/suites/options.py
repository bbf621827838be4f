"""The command-line options that all suites share, and their command."""

from __future__ import annotations

import argparse
import inspect
import io
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hpml.base.files import write_atomically
from hpml.course.arguments import whole
from hpml.course.files import results_folder
from hpml.course.suites.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PICTURES = (".png", ".svg", ".pdf")


class SuiteResult(Protocol):
    """The result of a suite's ``run``, as its command uses it."""

    def plot(self) -> Figure:
        """Draw the result."""


positive = whole(1, 10**9)
"""Parse a whole number of at least 1 for argparse."""


def _picture(text: str) -> Path:
    """Parse the file of a picture, whose ending is checked before minutes of measuring."""
    if not text.endswith(_PICTURES):
        raise argparse.ArgumentTypeError(
            f"expected a file ending in {', '.join(_PICTURES)}, received {text!r}"
        )
    return Path(text)


def add_shared_arguments(
    parser: argparse.ArgumentParser,
    suite: str,
    run: Callable[..., SuiteResult],
    settings: Settings,
    sizes_help: str,
) -> None:
    """Declare the options of every suite: the first argument of `run`, and the settings."""
    sizes = next(iter(inspect.signature(run).parameters.values()))
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
        default=settings.rounds,
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
    parser.add_argument(
        "--device", default="cpu", help="cpu, cuda, cuda:1, mps, xpu (default: %(default)s)"
    )
    parser.add_argument(
        "--contenders",
        nargs="+",
        metavar="NAME",
        help="contenders to measure; an unknown name prints the list",
    )
    parser.add_argument(
        "--also",
        nargs="+",
        default=(),
        metavar="NAME",
        help="contenders to measure besides the usual ones",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"file of results, one line of JSON per case (default: results/{suite}.jsonl)",
    )
    parser.add_argument(
        "--plot", type=_picture, metavar="FILE", help="file of the picture: .png, .svg, .pdf"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="skip cases that are already in FILE; of cases in the same rounds, all or none",
    )

    def main(arguments: argparse.Namespace) -> int:
        names = (sizes.name, *(field.name for field in fields(settings)))
        chosen = {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}
        out: Path = arguments.out or results_folder() / f"{suite}.jsonl"
        try:
            result = run(**{**chosen, "out": out, "progress": True})
        except KeyboardInterrupt:
            advice = f"Finished cases are in {out}; --resume continues." if out.exists() else ""
            print(f"\nInterrupted. {advice}", file=sys.stderr)
            return 130
        print(f"{result}\n\nResults: {out}")
        if arguments.plot is not None:
            stream = io.BytesIO()
            result.plot().savefig(stream, format=arguments.plot.suffix[1:])
            write_atomically(arguments.plot, stream.getvalue())
            print(f"Picture: {arguments.plot}")
        return 0

    parser.set_defaults(main=main)

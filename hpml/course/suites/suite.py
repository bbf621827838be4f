"""A suite as its command ``hpml bench NAME`` knows it: a name, a function and its settings."""

from __future__ import annotations

import argparse
import inspect
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hpml.base.files import write_atomically
from hpml.course.arguments import positive
from hpml.course.files import results_folder
from hpml.course.suites.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class SuiteResult(Protocol):
    """The result of a suite's ``run``, as its command uses it."""

    def plot(self) -> Figure:
        """Draw the result."""


@dataclass(frozen=True)
class Suite:
    """What `Suite.main` runs.

    Attributes:
        name: the name of the command and of the file of results.
        run: measures a case per size, its first argument; the settings are keyword arguments.
        settings: the default settings.
        sizes: what the sizes are.
    """

    name: str
    run: Callable[..., SuiteResult]
    settings: Settings
    sizes: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options: the sizes, the settings that are options, and the files."""
        sizes = self._sizes.default
        parser.add_argument(
            f"--{self._sizes.name}",
            type=positive,
            nargs="+",
            default=list(sizes),
            metavar="N",
            help=f"{self.sizes} (default: {' '.join(map(str, sizes))})",
        )
        for setting in fields(self.settings):
            how, default = dict(setting.metadata), getattr(self.settings, setting.name)
            if not how:
                continue
            if isinstance(default, bool):
                how["action"] = "store_true"
            elif default:
                how["help"] += " (default: %(default)s)"
            parser.add_argument(f"--{setting.name}", default=default, **how)
        parser.add_argument(
            "--out",
            type=Path,
            metavar="FILE",
            help=f"file of results, one line of JSON per case (default: results/{self.name}.jsonl)",
        )
        parser.add_argument(
            "--plot", type=_picture, metavar="FILE", help="file of the picture: .png, .svg, .pdf"
        )

    def main(self, arguments: argparse.Namespace) -> int:
        """Run the suite with these options, print its tables and return the exit code."""
        names = (self._sizes.name, *(setting.name for setting in fields(self.settings)))
        chosen = {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}
        out: Path = arguments.out or results_folder() / f"{self.name}.jsonl"
        try:
            result = self.run(**{**chosen, "out": out, "progress": True})
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

    @property
    def _sizes(self) -> inspect.Parameter:
        return next(iter(inspect.signature(self.run).parameters.values()))


_PICTURES = (".png", ".svg", ".pdf")


def _picture(text: str) -> Path:
    """Parse the file of a picture, whose ending is checked before minutes of measuring."""
    if not text.endswith(_PICTURES):
        raise argparse.ArgumentTypeError(
            f"expected a file ending in {', '.join(_PICTURES)}, received {text!r}"
        )
    return Path(text)

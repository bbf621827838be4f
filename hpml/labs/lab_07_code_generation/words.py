"""Program text, errors and ratios as the page shows them."""

from __future__ import annotations

import linecache
import statistics
import traceback
from collections.abc import Callable

from hpml.base.page import Page, say, show_code
from hpml.benchmark import Comparison
from hpml.benchmark.advising import kinds, some_names, unstable
from hpml.benchmark.ratio import Ratio
from hpml.course.errors import LabError

__all__ = ["error_page", "how_quiet", "in_words", "listing", "what_fits"]

WIDE = 0.10
"""Interquartile range over median from which on a machine is called busy."""


def in_words(name: str, ratio: Ratio, other: str) -> str:
    """Say what a ratio allows to be said.

    >>> in_words("lazy", Ratio(1.3, 1.25, 1.35, "slower"), "hand-written")
    '**lazy** took 30 % more time than hand-written'
    >>> in_words("ordered", Ratio(1.01, 0.97, 1.04, "cannot tell"), "lazy")
    '**ordered** and lazy cannot be told apart (a difference above 4 % would have shown)'
    """
    if ratio.answer == "cannot tell":
        most = 100 * max(abs(ratio.low - 1), abs(ratio.high - 1))
        bound = f"a difference above {most:.0f} % would have shown" if most < 100 else "too noisy"
        return f"**{name}** and {other} cannot be told apart ({bound})"
    change = f"{100 * abs(ratio.value - 1):.0f} % {'more' if ratio.value > 1 else 'less'}"
    return f"**{name}** took {change} time than {other}"


def how_quiet(measured: Comparison) -> Page:
    """Say how far the samples of a measurement spread, and warn where that is wide.

    The spread is the width of the middle half as a share of the median, of the contender that is
    in the middle: one that was disturbed by chance says nothing about the machine.

    >>> from hpml.benchmark import Measurement
    >>> still = Measurement("one", (1.00, 1.01, 1.02, 1.01, 1.00, 1.01), number=1)
    >>> how_quiet(Comparison((still,), "one", 6))
    The middle half of the samples spans 1 % of the median: quiet enough.
    """
    spread = statistics.median(m.interquartile_range / m.median for m in measured)
    seen = f"The middle half of the samples spans {spread:.0%} of the median".replace("%", " %")
    if spread <= WIDE:
        shaky = unstable(kinds(measured.advice))
        but = f", if not for {some_names(f'`{name}`' for name in shaky)}" if shaky else ""
        return say(f"{seen}: quiet enough{but}.")
    return say(
        f"**This machine is busy.** {seen}. Expect “cannot tell” below where a quiet machine "
        f"would answer, and pictures with wide bands. Close other programs, put a laptop on mains "
        "power, set `ROUNDS = 75` above and run from there. If it stays so, read on: the "
        "counts of instructions, of lines and of bytes do not depend on it."
    )


def what_fits(few: Ratio, many: Ratio) -> str:
    """Say which of lab 07's three explanations fits two ratios, the second at ten times the layers.

    A fixed cost for every layer leaves the ratio as it is; one that is paid once a forward makes
    what is above 1 shrink to a tenth; one that grows with the number of layers makes it grow. The
    intervals decide, not the medians.

    >>> what_fits(Ratio(1.14, 1.12, 1.16, "slower"), Ratio(1.15, 1.13, 1.17, "slower"))[:43]
    'What `self.` adds to a layer became 0.8 to '
    """
    if few.answer != "slower" or many.answer != "slower":
        return (
            "At one of the depths this run cannot tell that `self.` is slower at all, and so "
            "nothing can be explained by it. Run the experiment again on a quieter machine."
        )
    low, high = (many.low - 1) / (few.high - 1), (many.high - 1) / (few.low - 1)
    seen = f"What `self.` adds to a layer became {low:.1f} to {high:.1f} times as much (95 %): "
    if low > 1 / 3 and high < 3:
        return seen + "about the same at both depths. **A fits**, a fixed cost for every look-up."
    if high < 1 / 3:
        return seen + "it shrank. **C fits**, a cost that is paid once a forward."
    if low > 3:
        return seen + "it grew with the number of submodules. **B fits**."
    return seen + "too wide a range to tell A, B and C apart. Run it again on a quieter machine."


def listing(text: str, title: str = "") -> Page:
    """Return program text as a page, in a fixed-width block.

    >>> listing("h = l[0](x)")
    h = l[0](x)
    """
    return show_code(text, title)


def error_page(run: Callable[[], object]) -> Page:
    """Run something that fails, and show the part of its traceback that is about generated code.

    Frames of files are left out: what is kept is where no file exists, the error and its notes.

    Raises:
        LabError: if nothing failed.
    """
    try:
        run()
    except Exception as error:  # noqa: BLE001 - any failure is what we are here for
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.startswith("<") and not frame.filename.startswith("<ipython")
        ]
        lines = []
        for frame in frames:
            lines.append(f'File "{frame.filename}", line {frame.lineno}, in {frame.name}')
            lines.append(f"    {linecache.getline(frame.filename, frame.lineno or 0).strip()}")
        lines += [line.rstrip() for line in traceback.format_exception_only(error)]
        return listing("\n".join(line for line in lines if line.strip()))
    raise LabError("error_page expects something that fails, but nothing did: change its input.")

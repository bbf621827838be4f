"""Draw the README's picture of the suite `deep-linear` from its recorded ratios.

``python -m tests.course.suites.readme_picture`` writes ``data/images/deep_linear.png`` again; with
``--record`` it measures them first (a minute, on a quiet machine).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.files import write_atomically
from hpml.benchmark import Ratio
from hpml.course.suites import deep_linear
from hpml.course.suites.pictures import draw_ratios
from hpml.course.suites.published import DEEP_LINEAR, published_times, ratios_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATA = Path(__file__).parents[3] / "data"
LAYERS = (50, 250, 1000)
ROUNDS = 250  # a long forward is slower in some processes and moments
ABOUT = (
    "Ratios of times to the hand-written module's: low end of the 95 % interval, estimate, high "
    "end, by execution and number of layers. Measured by "
    "python -m tests.course.suites.readme_picture --record"
)


def recorded_ratios() -> dict[str, dict[int, Ratio]]:
    """Return the recorded ratios by execution and number of layers."""
    found = json.loads((DATA / "recorded/deep_linear.json").read_text())["ratios"]
    return {
        name: {int(size): _ratio(*ends) for size, ends in by_size.items()}
        for name, by_size in found.items()
    }


def record() -> None:
    """Measure the ratios, and write them with the machine."""
    cases = deep_linear.run(LAYERS, also=deep_linear.KERNELS, rounds=ROUNDS).cases
    ratios: dict[str, dict[str, list[float]]] = {}
    for layers, case in zip(LAYERS, cases, strict=True):
        for name in case.comparison.names[1:]:
            found = case.comparison.ratio(name)
            ends = [float(f"{end:.4g}") for end in (found.low, found.value, found.high)]
            ratios.setdefault(name, {})[str(layers)] = ends
    with_ = cases[0].comparison["handwritten"].environment
    machine = f"{with_['cpu']}, 1 thread; Python {with_['python']}, PyTorch {with_['torch']}"
    data = {"_about": ABOUT, "machine": machine, "ratios": ratios}
    write_atomically(DATA / "recorded/deep_linear.json", json.dumps(data, indent=1) + "\n")


def draw() -> Figure:
    """Return the picture."""
    recorded = json.loads((DATA / "recorded/deep_linear.json").read_text())
    published = ratios_to("handwritten", published_times(DEEP_LINEAR))
    caption = (
        f"Bars: 95 % intervals. Crosses: published ({DEEP_LINEAR.hardware}). {recorded['machine']}."
    )
    return draw_ratios(recorded_ratios(), published, "layers", caption)


def _ratio(low: float, value: float, high: float) -> Ratio:
    answer = "slower" if low > 1 else "faster" if high < 1 else "cannot tell"
    return Ratio(value, low, high, answer)


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    draw().savefig(DATA / "images/deep_linear.png", dpi=160)

from __future__ import annotations

import dis
import random
import statistics

from hpml.benchmark.ratio import paired_ratio
from tests.causes.shown import DESIGN, RANGES, NoCause, Shown, python

QUOTED = NoCause("it is a wrong answer that the text quotes and then rejects")


def a_module_is_imported_once() -> None:
    """The same statement, in a process that has imported the module and in one that has not."""
    code = (
        "import sys; before = 'json' in sys.modules; {}import json; print(before, len(sys.modules))"
    )
    fresh, again = python(code.format("")), python("import json; " + code.format(""))
    assert fresh.stdout.split()[0] == "False"
    assert again.stdout.split()[0] == "True"


def a_fixed_order_is_fooled_by_a_speed_that_changes_in_step() -> None:
    """Two equal programs on a machine that is slow in every second turn, with two orders."""

    def ratio(shuffled: bool) -> float:
        rng, turn, ratios = random.Random(0), 0, []
        for _ in range(400):
            took = {}
            for name in rng.sample("ab", 2) if shuffled else "ab":
                took[name] = 1.5 if turn % 2 else 1.0
                turn += 1
            ratios.append(took["a"] / took["b"])
        return statistics.geometric_mean(ratios)

    assert ratio(shuffled=False) < 0.7
    assert abs(ratio(shuffled=True) - 1) < 0.1


def a_small_result_is_no_new_object() -> None:
    """The same operator with a result up to 256 and above it."""

    def and_with(value: int, mask: int) -> int:
        return value & mask

    assert and_with(1000, 255) is and_with(1000, 255)
    assert and_with(1001, 1023) is not and_with(1001, 1023)


def a_sum_of_constants_is_computed_when_it_is_compiled() -> None:
    """The instructions of a function with `1 + 2`, and of one that uses a name."""

    def constants() -> None:
        1 + 2  # noqa: B018

    def with_name() -> None:
        n = 1
        n + 2

    operators = [
        [step.opname for step in dis.get_instructions(function)].count("BINARY_OP")
        for function in (constants, with_name)
    ]
    assert operators == [0, 1]


def more_rounds_narrow_an_interval_down_to_two_percent() -> None:
    """The interval of one ratio from 25, 100 and 1,600 rounds, with little and with much noise."""

    def width(rounds: int, noise: float) -> float:
        rng = random.Random(0)
        a, b = (tuple(rng.gauss(1, noise) for _ in range(rounds)) for _ in range(2))
        ratio = paired_ratio(a, b)
        return ratio.high - ratio.low

    quiet = [width(rounds, 0.01) for rounds in (25, 100, 1600)]
    assert quiet == sorted(quiet, reverse=True)
    assert quiet[1] > 0.8 * quiet[0]
    assert 0.0199 < quiet[2] < 0.0205
    assert 0.4 < width(400, 0.3) / width(100, 0.3) < 0.65


SHOWN: dict[str, Shown] = {
    "So `measure` calls the function many times, divides the total by the number of calls, and "
    "records the quotient as **one sample**.": DESIGN,
    "The cell starts a new Python process, because PyTorch may already be imported in this "
    "one.": a_module_is_imported_once,
    '*"Faster, because it saves memory.': QUOTED,
    '*"Faster, because it makes one pass instead of two.': QUOTED,
    "That is why the order within a round is shuffled.": (
        a_fixed_order_is_fooled_by_a_speed_that_changes_in_step
    ),
    "This wrong answer is a common one, so the check also says what is wrong with it.": DESIGN,
    "Its result here is one of the small ints that Python made when it started, so no new object "
    "is made.": a_small_result_is_no_new_object,
    "A and B both predict that it stays, so it does not separate them.": RANGES,
    "It only repeats the measurement, since the order within the rounds is shuffled "
    "already.": DESIGN,
}
ALSO: dict[str, Shown] = {
    "`1 + 2` adds nothing: Python computes it when it compiles the line.": (
        a_sum_of_constants_is_computed_when_it_is_compiled
    ),
    "four times as many at best halve its width, and it is never narrower than two percent.": (
        more_rounds_narrow_an_interval_down_to_two_percent
    ),
}

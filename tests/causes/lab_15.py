from __future__ import annotations

import weakref
from collections.abc import Callable, Collection

import pytest
import torch

from tests.causes.shown import DESIGN, RANGES, NoCause, Shown, Source
from tests.counted_words import CountedWord
from tests.questions.answers import ratio_of_times


def a_fix_can_make_another_part_faster() -> None:
    """A part that makes a list of known words, or a set: the comparisons that looking up takes."""
    words = [CountedWord(number) for number in range(60)]

    def looking_up(load: Callable[[list[CountedWord]], Collection[CountedWord]]) -> int:
        known = load(words)
        CountedWord.compared = 0
        assert all(CountedWord(number) in known for number in range(60))
        return CountedWord.compared

    assert looking_up(list) > 10 * looking_up(set), "the other part takes less time than before"


def a_tensor_refers_to_operations_and_to_what_they_saved() -> None:
    """What lives on after a name is deleted: a result that an operation saved, or none."""
    weight = torch.randn(3, requires_grad=True)
    for last, saved in ((lambda y: y + 1, False), (lambda y: y * y, True)):
        y = weight * 2
        alive = weakref.ref(y)
        operation = y.grad_fn
        z = last(y)
        assert z.grad_fn.next_functions[0][0] is operation
        del y
        if not saved:
            assert alive() is None
        else:
            kept = z.grad_fn._saved_self
            assert torch.equal(kept, weight * 2)


@pytest.mark.thorough
def one_operator_for_a_batch_costs_less_if_signals_are_short() -> None:
    """64 signals at once and one by one: of 320 numbers, and of 100,000."""
    ratios = {}
    for length in (320, 100_000):
        batch = torch.rand(64, length)
        ratios[length] = ratio_of_times(
            lambda batch=batch: [row.exp() for row in batch], batch.exp, rounds=30
        )
    assert ratios[320][0] > 3
    assert ratios[100_000][1] < 2


SHOWN: dict[str, Shown] = {
    "The code at its end generates a data set, so the script also runs on its own: `python "
    "slow_....py` takes seconds.": DESIGN,
    "So the profile says where to look; the measurement decides.": NoCause("it is advice"),
    "The next cell profiles your version; it finds the helpers by their names, so keep "
    "these.": DESIGN,
    "The first entry already contains the fix of the table, so begin your version with that "
    "fix.": DESIGN,
    "On a GPU the reason is known: each call waits for the device.": Source(
        "https://docs.pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html and "
        "notes/cuda.html#asynchronous-execution"
    ),
    "B and C both predict none, so they cannot be told apart.": RANGES,
}
ALSO: dict[str, Shown] = {
    "Nothing that you do in that part can gain more, as long as the other parts take as long as "
    "before.": a_fix_can_make_another_part_faster,
    "A tensor that was computed from weights refers to all operations that made it, and to what "
    "these saved.": a_tensor_refers_to_operations_and_to_what_they_saved,
    "One operator for a whole batch costs far less than one for each short signal.": (
        one_operator_for_a_batch_costs_less_if_signals_are_short
    ),
}

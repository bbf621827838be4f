from __future__ import annotations

import random
import statistics
import sys

from hpml.profiling import profile
from tests.causes.shown import DESIGN, RANGES, NoCause, OwnedBy, Shown
from tests.course.labs.lab_09.notebook import cells_by_hand


def the_trace_leaves_setprofile_out() -> None:
    """A hook that keeps all events, and the notebook's."""
    names: list[str] = []
    sys.setprofile(lambda frame, event, argument: names.append(getattr(argument, "__name__", "")))
    sys.setprofile(None)
    assert names[-1] == "setprofile"
    traced = cells_by_hand()["trace_calls"](lambda: None)
    assert "setprofile" not in {name for _, name, _ in traced}


def a_profile_keeps_pairs_only() -> None:
    """Two callers of one function, one of which makes it call much: the profile cannot tell."""

    def leaf() -> None: ...

    def shared(often: bool) -> None:
        for _ in range(50 if often else 1):
            leaf()

    def one() -> None:
        shared(True)

    def other() -> None:
        shared(False)

    found = profile(lambda: (one(), other()))
    (entry,) = [value for (_, _, name), value in found.stats.items() if name == "leaf"]
    assert {name for _, _, name in entry[4]} == {"shared"}


SENTENCES = "tests/course/labs/lab_09/test_sentences.py"
a_handler_has_to_wait = OwnedBy(SENTENCES, "test_a_handler_has_to_wait_for_a_call_or_a_jump_back")
the_hooks_own_time_counts_for_functions_with_many_events = OwnedBy(
    SENTENCES, "test_a_part_of_the_hooks_own_time_counts_for_functions_with_many_events"
)
the_sampler_lacks_built_in_functions = OwnedBy(
    SENTENCES, "test_the_update_is_in_the_own_time_of_learn_and_the_sampler_lacks_built_ins"
)
cprofile_adds_its_cost_to_each_call = OwnedBy(
    SENTENCES, "test_cprofile_adds_its_cost_to_each_call_and_deepcopy_makes_thousands"
)


def a_share_scatters_as_computed_if_samples_come_at_random_times() -> None:
    """Every second half millisecond is `short`'s; samples at random times, or each tenth ms."""
    rng, n = random.Random(9), 100

    def share(times: list[float]) -> float:
        return statistics.fmean(time % 1.0 < 0.5 for time in times)

    drawn = [share([rng.uniform(0, 1000) for _ in range(n)]) for _ in range(400)]
    regular = [
        share([start + 10 * k for k in range(n)])
        for start in map(rng.uniform, [0] * 400, [1] * 400)
    ]
    computed = (0.25 / n) ** 0.5
    assert abs(statistics.stdev(drawn) / computed - 1) < 0.15
    assert statistics.stdev(regular) > 5 * computed


SHOWN: dict[str, Shown] = {
    "The last call of a trace would be `setprofile` itself, so it is left out.": (
        the_trace_leaves_setprofile_out
    ),
    "So it finds the program there, and not in the operator that took the time.": (
        a_handler_has_to_wait
    ),
    "A part of the hook's own time falls between two events, so it is attributed to a function.": (
        the_hooks_own_time_counts_for_functions_with_many_events
    ),
    "A function with many events therefore looks larger than it is.": (
        the_hooks_own_time_counts_for_functions_with_many_events
    ),
    "Importing is not part of training, so we now profile `learn` alone, in the notebook.": DESIGN,
    "So `clean` gets the blame. cProfile and the sampler outside name `known`.": (
        a_handler_has_to_wait
    ),
    "The sampler lacks `linear` and `run_backward`, because they are built in.": (
        the_sampler_lacks_built_in_functions
    ),
    "So the picture divides a function's total among its callers: hatched, an estimate.": (
        a_profile_keeps_pairs_only
    ),
    "And `cProfile` adds its cost to each call, so functions with many short calls, such as "
    "`named_parameters`, appear wider.": cprofile_adds_its_cost_to_each_call,
    "That is slow, so it gets fifty words.": DESIGN,
    "Where the last column is near 1, fixing the next best function gains next to nothing: that is "
    "why you profile before you fix.": NoCause(
        "it is advice from the table above it, which the lab measures"
    ),
    "**So a profile says where to look, and a benchmark says how fast the program is.**": NoCause(
        "it is the conclusion of the lab"
    ),
    "A and B both predict that it shrinks, since there are fewer events.": RANGES,
}
ALSO: dict[str, Shown] = {
    "Suppose that its calls are much shorter than the time between two samples, which come at "
    "random times. Then that is like the toss of a coin.": (
        a_share_scatters_as_computed_if_samples_come_at_random_times
    ),
    "However long one runs, its caller usually gets one sample.": OwnedBy(
        SENTENCES,
        "test_however_long_a_built_in_function_runs_its_caller_usually_gets_one_sample",
    ),
    "(A few long operations give it turns too: products of huge integers, regular expressions.)": (
        OwnedBy(SENTENCES, "test_a_product_of_huge_integers_gives_a_handler_turns")
    ),
    "No fix that returns the same values can be faster.": OwnedBy(
        SENTENCES, "test_a_fix_that_returns_other_values_can_gain_more_than_a_free_function"
    ),
}

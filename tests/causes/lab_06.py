from __future__ import annotations

import operator
import statistics
import sys
from collections.abc import Callable
from typing import Any

from hpml.course.labs.lab_06_forward_order import networks
from hpml.profiling.calls import profile_calls
from tests.causes.lab_05 import CLAIM
from tests.causes.shown import DEFINITION, DESIGN, RANGES, Shown, python


def _pull(
    parents: dict, operations: dict, memory: dict, name: str, asked: list | None = None
) -> Any:
    if asked is not None:
        asked.append(name)
    if name not in memory:
        values = [_pull(parents, operations, memory, each, asked) for each in parents[name]]
        memory[name] = operations[name](*values)
    return memory[name]


TINY = {"left": ["x"], "right": ["x"], "sum": ["left", "right"]}
STEPS = {"left": lambda x: x + 1, "right": lambda x: x * 2, "sum": operator.add}


def the_output_is_asked_first_and_executed_last() -> None:
    """The order of the requests and the order of the executions in one run."""
    asked: list[str] = []
    memory: dict[str, Any] = {"x": 3}
    _pull(TINY, STEPS, memory, "sum", asked)
    assert asked[0] == list(memory)[-1] == "sum"


def the_requests_of_a_chain_wait_for_each_other() -> None:
    """The number of open requests in a chain and in a graph without edges between its values."""
    open_requests = [0, 0]

    def count(parents: dict, name: str) -> None:
        open_requests[0] += 1
        open_requests[1] = max(open_requests)
        for each in parents.get(name, []):
            count(parents, each)
        open_requests[0] -= 1

    count({f"n{k}": [f"n{k - 1}"] for k in range(1, 50)}, "n49")
    assert open_requests[1] == 50
    open_requests[:] = [0, 0]
    count({"out": [f"n{k}" for k in range(49)]}, "out")
    assert open_requests[1] == 2


def the_memory_of_a_lazy_run_is_an_order() -> None:
    """Every value comes after its parents, whichever parent is asked first."""
    for turn in (TINY["sum"], TINY["sum"][::-1]):
        memory: dict[str, Any] = {"x": 3}
        parents = TINY | {"sum": turn}
        _pull(parents, STEPS, memory, "sum")
        order = list(memory)
        assert all(order.index(p) < order.index(n) for n in parents for p in parents[n])


def a_count_is_the_same_in_each_run() -> None:
    """The calls of one forward, counted three times."""
    import torch

    data = torch.rand(4, 4)
    with torch.no_grad():
        models = networks.forwards_of(5)
        models["lazy"](data)
        assert len({profile_calls(lambda: models["lazy"](data)).total for _ in range(3)}) == 1


def a_comprehension_was_a_call_up_to_python_3_11() -> None:
    """The calls of a function with a list comprehension; the version decides."""

    def squares() -> list[int]:
        return [n * n for n in range(3)]

    names = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: names.append((event, frame.f_code.co_name)))
    try:
        squares()
    finally:
        sys.setprofile(before)
    assert (("call", "<listcomp>") in names) == (sys.version_info < (3, 12))


def a_median_of_ratios_is_not_a_ratio_of_medians() -> None:
    """Times of two contenders whose noise is different."""
    a, b = [1.0, 2.0, 3.0] * 5, [3.0, 1.0, 2.0] * 5
    of_medians = statistics.median(a) / statistics.median(b)
    from hpml.benchmark.ratio import paired_ratio

    assert abs(paired_ratio(tuple(a), tuple(b)).value / of_medians - 1) > 0.01


def twice_and_once_more_is_four_times() -> None:
    """The network of section 7, for two inputs."""
    for value in (1, 100):
        doubled = 2 * value
        assert operator.add(doubled, doubled) == 4 * value


RECURSION = """
import sys
sys.setrecursionlimit(10**7)
def down(n):
    return list(map(down, [n + 1]))
try:
    down(0)
except RecursionError:
    print("RecursionError")
"""


def calls_through_c_end_the_process_up_to_python_3_11() -> None:
    """An endless recursion through a function in C, with the limit raised."""
    done = python(RECURSION)
    if sys.version_info < (3, 12):
        assert done.returncode != 0
        assert "RecursionError" not in done.stdout + done.stderr
    else:
        assert (done.returncode, done.stdout.strip()) == (0, "RecursionError")


def calls_through_c_usually_raise_from_python_3_12_on() -> None:
    """Another function in C, whose frames are larger: the process may end all the same."""
    done = python(RECURSION.replace("list(map(down, [n + 1]))", "sorted([n + 1], key=down)"))
    if sys.version_info < (3, 12):
        assert done.returncode != 0
    else:
        raised = (done.returncode, done.stdout.strip()) == (0, "RecursionError")
        assert raised or done.returncode not in (0, 1), "an exception, or the system's signal"


def random_numbers_depend_on_the_order() -> None:
    """Two branches that meet, with layers that draw random numbers and without."""
    import torch
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    def same(layer: type[nn.Module]) -> bool:
        x = Input(shape=(8,))
        second, first = layer()(x), layer()(x)
        results = []
        for execution in ("lazy", "ordered"):
            model = SymbolicModel(x, first - 2 * second, execution=execution)
            torch.manual_seed(0)
            results.append(model(torch.ones(1, 8)))
        return torch.equal(*results)

    assert same(nn.Tanh)
    assert not same(nn.Dropout)


def the_hook_sees_calls_of_python_functions() -> None:
    """The same sum, by a function in Python and by an operator that calls C."""

    def add(a: int, b: int) -> int:
        return a + b

    def calls(run: Callable[[], object]) -> int:
        return profile_calls(run).total

    assert calls(lambda: add(1, 2)) == calls(lambda: 1 + 2) + 1
    assert calls(lambda: "a".upper()) == calls(lambda: 1 + 2)


def a_linear_layer_makes_five_calls() -> None:
    """The Python functions that one call of a linear layer calls, and one without parameters."""
    import torch

    layer, x = torch.nn.Linear(4, 4), torch.rand(2, 4)
    with torch.no_grad():
        names = []
        before = sys.getprofile()
        sys.setprofile(lambda frame, event, arg: names.append((event, frame.f_code.co_name)))
        try:
            layer(x)
        finally:
            sys.setprofile(before)
    called = [name for event, name in names if event == "call"]
    assert called == ["_wrapped_call_impl", "_call_impl", "forward", "__getattr__", "__getattr__"]


SHOWN: dict[str, Shown] = {
    "So `sum` is *asked for* first and *executed* last.": (
        the_output_is_asked_first_and_executed_last
    ),
    "In the chain every value waits for the one before it, so the list contains the whole "
    "chain.": the_requests_of_a_chain_wait_for_each_other,
    "A dictionary keeps the order in which its keys were inserted, so the memory of one lazy run "
    "*is* a topological order.": the_memory_of_a_lazy_run_is_an_order,
    "Times vary from machine to machine, so we first count something that does not: calls of "
    "functions written in Python.": a_count_is_the_same_in_each_run,
    "So for this code the last column counts bytecode instructions.": (
        a_comprehension_was_a_call_up_to_python_3_11
    ),
    "Each ratio's interval extends by a factor of at least 1.1 in both directions, because smaller "
    "differences can change when Python is restarted.": DESIGN,
    "A ratio is the Hodges-Lehmann estimate of the rounds' ratios (lab 10), so it may differ from "
    "the ratio of two medians.": a_median_of_ratios_is_not_a_ratio_of_medians,
    "So the answer is four times the input: `careless(1)` is 4.": twice_and_once_more_is_four_times,
    "Counts follow from rules, so they can be predicted exactly.": DEFINITION,
    "Memory: values are kept alive longer, so memory for new ones must be fetched from the "
    "system.": CLAIM,
    "A and C both predict that it stays the same, so the experiment cannot separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "that counts a layer's answer as one call, but each layer makes five.": (
        a_linear_layer_makes_five_calls
    ),
    "Up to Python 3.11, when that is full, the operating system ends the process, and with it this "
    "notebook's kernel, without an exception.": calls_through_c_end_the_process_up_to_python_3_11,
    "From 3.12 on Python has a limit for these calls too, and usually raises a "
    "`RecursionError`.": calls_through_c_usually_raise_from_python_3_12_on,
    "Both execute the same layers and return the same numbers, unless layers draw random "
    "ones;": random_numbers_depend_on_the_order,
    "`profile_calls` sets Python's profiling hook, which is called for every call of a Python "
    "function,": the_hook_sees_calls_of_python_functions,
}

from __future__ import annotations

import functools
import sys

import pytest

from hpml.profiling import ProfilingError, instructions_outside, profile, profile_calls
from tests.parts import raises

WAYS = ("lazy", "ordered", "codegen")


def test_every_python_call_is_counted_once() -> None:
    def leaf() -> int:
        return len([1])

    def tree() -> int:
        return leaf() + leaf()

    counts = profile_calls(tree)
    assert {name: count for (_, name), count in counts.python.items()} == {"tree": 1, "leaf": 2}
    assert counts.total == 3


def test_a_second_profiler_is_refused_and_the_hook_is_off_after_an_error() -> None:
    with raises(ProfilingError, object="profile_calls", received="cProfile"):
        profile(lambda: profile_calls(len))
    with pytest.raises(ZeroDivisionError):
        profile_calls(lambda: 1 // 0)
    assert sys.getprofile() is None


def test_what_an_execution_does_between_layers_grows_with_the_depth_only_where_it_asks() -> None:
    import torch

    from hpml.course.models import linear_layers, symbolic_deep_linear

    data = torch.rand(4, 4)

    def own(depth: int, way: str) -> tuple[int, int]:
        run = functools.partial(symbolic_deep_linear(linear_layers(depth), 4, way), data)
        run()
        return profile_calls(run).of("hpml"), instructions_outside("torch", run)

    grown = {}
    for way in WAYS:
        (calls, few), (more_calls, many) = own(10, way), own(40, way)
        # A comprehension is a call up to Python 3.11; no other call is made for each layer.
        assert (more_calls > calls) is (way == "lazy" and sys.version_info < (3, 12))
        grown[way] = (many - few) / 30
    assert grown["lazy"] > grown["ordered"] > grown["codegen"] > 2

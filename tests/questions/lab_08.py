from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from tests.questions.answers import ratio_of_times, solution


def question_1() -> object:
    ops = [("a", ["x"]), ("b", ["a"]), ("y", ["b"])]
    shapes = dict.fromkeys("xaby", (2_000_000,))
    apart, together = (
        solution("lab_08/bytes_moved")(ops, shapes, fused) for fused in (False, True)
    )
    return f"{apart / 1e6:.0f} MB, factor {apart / together:g}"


def question_2() -> None:
    """Operations per byte: the product of a layer, and the bias with ReLU after it."""
    n = 1024
    product = 2 * n**3 / (3 * 4 * n * n)
    after = 2 * n * n / (2 * 4 * n * n)
    assert product > 500 * after
    traffic = 4 * n * n
    assert (3 * traffic + 4 * traffic) / (3 * traffic) < 3, "fusion saves bytes"
    assert (2 * n**3 + 2 * n * n) / (2 * n**3) < 1.01, "and hardly any operation"


def question_3() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(4, 5))
    out = np.empty((3, 5))
    for i in range(3):
        out[i] = 10
        for k in range(4):
            a = x[i, k] * 100
            for j in range(5):
                out[i, j] += a * y[k, j]
    np.testing.assert_allclose(out, x @ y * 100 + 10)


@pytest.mark.thorough
def question_3_timed() -> None:
    pytest.importorskip("numba")
    from hpml.course.labs.lab_08_fusion_and_compilers.rungs import compiled, fused, loops

    x, y = np.random.default_rng(0).random((2, 200, 200), dtype=np.float32)
    out = np.empty_like(x)
    slow, fast = (partial(compiled(rung), x, y, out) for rung in (loops, fused))
    assert ratio_of_times(slow, fast)[0] > 1.5


@contextmanager
def _compiled(function: Callable[..., Any]) -> Iterator[tuple[Callable[..., Any], list[Any]]]:
    graphs: list[Any] = []

    def count(graph: Any, _: object) -> Any:
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield torch.compile(function, backend=count), graphs
    finally:
        torch.compiler.reset()


def question_4() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        if y.sum() > 0:
            return y * 2
        return y * 3

    up, down = torch.ones(3), -2 * torch.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(function, up)
    assert "if" not in traced.code.split()
    assert torch.equal(traced(down), (down + 1) * 2), "the other branch, without an error"
    with _compiled(function) as (compiled, graphs):
        assert torch.equal(compiled(up), function(up))
        assert len(graphs) == 2, "before the break and after it"
        assert torch.equal(compiled(down), function(down))
        assert len(graphs) == 3, "the other branch"
        assert torch.equal(compiled(up), function(up))
        assert len(graphs) == 3


def question_5() -> None:
    with _compiled(lambda x: x * 2 + 1) as (compiled, graphs):
        made = []
        for length in (5, 5, 7, 9, 100, 2, 1, 0):
            compiled(torch.ones(length))
            made.append(len(graphs))
    assert made == [1, 1, 2, 2, 2, 2, 3, 4]


@pytest.mark.thorough
def question_6_timed() -> None:
    numba = pytest.importorskip("numba")

    @numba.njit
    def three(x, out):  # type: ignore[no-untyped-def]
        for i in range(x.size):
            out[i] = x[i] * x[i]
        for i in range(x.size):
            out[i] = out[i] * 100
        for i in range(x.size):
            out[i] = out[i] + 10

    @numba.njit
    def one(x, out):  # type: ignore[no-untyped-def]
        for i in range(x.size):
            out[i] = x[i] * x[i] * 100 + 10

    ends = {}
    for size in (2_000, 20_000_000):
        x = np.ones(size, np.float32)
        out = np.empty_like(x)
        three(x, out), one(x, out)
        ends[size] = ratio_of_times(lambda x=x, o=out: three(x, o), lambda x=x, o=out: one(x, o))
    assert ends[2_000][1] < ends[20_000_000][0]

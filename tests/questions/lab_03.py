from __future__ import annotations

import gc
import platform
import subprocess
import sys
import time
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hpml.course.labs.lab_03_memory import memory_map

MIB = 2**20


def _mapping(address: int) -> str | None:
    """Return the line of the process's map that has an address, or None."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if begin <= address < end:
            return line
    return None


def question_1() -> None:
    """In a new process: the heap of this one may have a free part that is large enough."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs Linux with glibc")
    program = "from tests.questions.lab_03 import a_large_tensor; a_large_tensor()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def a_large_tensor() -> None:
    """Where the numbers and the object are, three times."""
    for _ in range(3):  # also after glibc has raised its threshold
        t = torch.zeros(10_000_000)
        where = t.data_ptr()
        assert t.nbytes == 40_000_000 > 32 * MIB
        line = _mapping(where)
        assert line is not None
        assert "[heap]" not in line
        assert memory_map.kind_at(id(t)) in ("heap", "mapped memory")
        assert type(t).__basicsize__ <= 512, "small enough for CPython's own blocks"
        del t
        assert _mapping(where) is None


def _new_bytes(function: Callable[[Any], object], x: np.ndarray) -> int:
    tracemalloc.start()
    try:
        result = function(x)
        peak = tracemalloc.get_traced_memory()[1]
        del result
    finally:
        tracemalloc.stop()
    return peak


def question_2() -> None:
    def normalise(x: np.ndarray) -> np.ndarray:
        x = x - x.mean()
        x = x / x.std()
        return x

    def in_place(x: np.ndarray) -> np.ndarray:
        x -= x.mean()
        x /= (x.dot(x) / x.size) ** 0.5
        return x

    def with_std(x: np.ndarray) -> np.ndarray:
        x -= x.mean()
        x /= x.std()
        return x

    data = np.random.default_rng(0).normal(3, 2, size=2**18)
    assert _new_bytes(normalise, data) >= 2 * data.nbytes
    assert _new_bytes(with_std, data.copy()) >= data.nbytes
    assert _new_bytes(in_place, data.copy()) < data.nbytes / 10
    changed = data.copy()
    assert in_place(changed) is changed
    np.testing.assert_allclose(changed, normalise(data), rtol=1e-9, atol=1e-9)


def _saved(model: torch.nn.Module, x: torch.Tensor) -> dict[int, int]:
    """Return the bytes of what is saved for backward, by address, parameters left out."""
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        y = model(x)
    y.sum().backward()
    parameters = {each.data_ptr() for each in model.parameters()}
    return {at: each.nbytes for at, each in kept.items() if at not in parameters}


def question_3() -> object:
    x = torch.rand(64, 1000, requires_grad=True)
    layer = torch.nn.Linear(1000, 500)
    kept = _saved(layer, x)
    assert list(kept) == [x.data_ptr()]
    return kept[x.data_ptr()]


def question_4() -> object:
    def network() -> torch.nn.Sequential:
        return torch.nn.Sequential(
            torch.nn.Linear(20, 30), torch.nn.GELU(), torch.nn.Linear(30, 10)
        )

    x, trained, frozen = torch.rand(8, 20), network(), network()
    frozen[0].requires_grad_(False)
    more, less = _saved(trained, x), _saved(frozen, x)
    values = sum(more.values()) > sum(less.values())
    gradients = trained[0].weight.grad is not None and frozen[0].weight.grad is None
    if values and gradients:
        return "the gradients of these layers, and the values kept only for their backward pass"
    return "only the gradients of these layers" if gradients else "none"


def question_5() -> None:
    def collection(make: Callable[[], object]) -> tuple[int, float]:
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            kept = make()
            containers = len(gc.get_objects())
            begin = time.perf_counter()
            gc.collect()
            seconds = time.perf_counter() - begin
            del kept
        finally:
            gc.enable()
            gc.unfreeze()
        return containers, seconds

    lists, one, references = (
        collection(lambda: [[] for _ in range(100_000)]),
        collection(lambda: np.zeros(100_000 * 64, np.uint8)),
        collection(lambda: [None] * 800_000),
    )
    assert lists[0] > 100_000 > 100 * max(one[0], references[0])
    assert lists[1] > 5 * one[1]
    assert references[1] > 5 * one[1], "one container with as many bytes, but of references"


def question_6() -> None:
    class Node:
        def refresh(self) -> None: ...

    def alive(callbacks: list | None) -> list[bool]:
        a: Any = Node()
        b: Any = Node()
        a.next = b
        b.prev = a
        if callbacks is not None:
            callbacks.append(b.refresh)
        seen = weakref.ref(a), weakref.ref(b)
        del a, b
        gc.collect()
        return [each() is not None for each in seen]

    callbacks: list = []
    assert alive(callbacks) == [True, True]
    assert alive(None) == [False, False]

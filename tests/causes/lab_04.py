from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numba
import numpy as np
import pytest
import torch

from hpml.course.labs.lab_04_extensions_and_numba import binding, compiling
from tests.causes.lab_01 import the_order_of_a_sum_is_part_of_its_result
from tests.causes.shown import DESIGN, RANGES, OwnedBy, Shown, Source


def c_must_check_what_it_gets() -> None:
    """A C function of the standard library, given what it can read and what it cannot."""
    assert bytes(memoryview(b"abc")) == b"abc"
    for wrong in (object(), 1.5):
        with pytest.raises(TypeError):
            memoryview(wrong)  # type: ignore[arg-type]


def a_variable_has_one_type() -> None:
    """One loop over integers, begun with 0.0 and with 0."""

    def total(a, zero):  # type: ignore[no-untyped-def]
        result = zero
        for i in range(a.size):
            result += a[i]
        return result

    compiled, numbers = numba.njit(total), np.arange(9)
    assert repr(compiled(numbers, 0.0)) == "36.0"
    assert repr(compiled(numbers, 0)) == "36"
    assert float(2**53 + 1) == float(2**53)


def debug_alone_still_optimises() -> None:
    """One loop, compiled for debugging with and without the option that ends optimisation."""

    def triple(a):  # type: ignore[no-untyped-def]
        result = 0
        for i in range(10):
            result += i
        return result * a

    lengths = {}
    for option in (False, True):
        function = numba.njit(debug=True, _dbg_optnone=option)(triple)
        function(2)
        code = function.inspect_asm(function.signatures[0])
        lengths[option] = len(re.findall(r"(?m)^\s+[a-z]\w+\s", code))
    assert lengths[False] < lengths[True]


def a_signature_accepts_what_converts_to_its_types() -> None:
    """One function with a signature and one without, called with types that were not named."""
    eager = numba.njit("float64(float64)")(lambda x: x + 1)
    assert (eager(3), eager(np.float32(1.5)), eager(True)) == (4.0, 2.5, 2.0)
    with pytest.raises(TypeError):
        eager("text")
    assert len(eager.signatures) == 1
    lazy = numba.njit(lambda x: x + 1)
    assert (lazy(1.0), lazy(1)) == (2.0, 2)
    assert len(lazy.signatures) == 2


def signs_decide_the_relative_error() -> None:
    """The same sizes, all positive and with both signs."""

    def total(numbers):  # type: ignore[no-untyped-def]
        result = 0.0
        for number in numbers:
            result += number
        return result

    compiled, sizes = numba.njit(total), np.random.default_rng(0).random(1000) + 1
    positive, both = sizes, np.concatenate([sizes, -sizes, [1e-12]])
    errors = [abs(compiled(each) / math.fsum(each) - 1) for each in (positive, both)]
    assert errors[0] < 1e-13
    assert errors[1] > 1e-3


def a_buffer_that_was_taken_keeps_its_memory() -> None:
    """The same array with and without a buffer that was taken from it."""
    for taken in (True, False):
        a = bytearray(b"12345678")
        view = memoryview(a) if taken else None
        if view is None:
            a.clear()
            continue
        with pytest.raises(BufferError):
            a.clear()
        a[0] = ord("9")  # another may still write
        assert view[0] == ord("9")
        view.release()
        a.clear()


@pytest.mark.thorough
def a_graph_contains_a_custom_operator_and_no_function_of_an_extension() -> None:
    """A function of the lab's extension under `torch.compile`, as it is and as an operator."""
    extension: Any = compiling.built(binding.source("sum2d.c"), "sum2d")
    if extension is None:
        pytest.skip("needs a C compiler")

    def as_it_is(t: torch.Tensor) -> torch.Tensor:
        return 2 * t + extension.sum2d(t.numpy())

    @torch.library.custom_op("hpml_causes::sum2d", mutates_args=())
    def operator(t: torch.Tensor) -> torch.Tensor:
        return torch.tensor(extension.sum2d(t.numpy()), dtype=t.dtype)

    @operator.register_fake
    def _(t: torch.Tensor) -> torch.Tensor:
        return t.new_empty(())

    def as_operator(t: torch.Tensor) -> torch.Tensor:
        return 2 * t + operator(t)

    x = torch.rand(3, 4, dtype=torch.float64)
    torch.compiler.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler warns before it raises the error
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(as_it_is, backend="eager", fullgraph=True)(x)
    found = torch.compile(as_operator, backend="eager", fullgraph=True)(x)
    assert torch.allclose(found, as_it_is(x))


SHOWN: dict[str, Shown] = {
    "The argument can be any object, so C has to check it before it reads numbers.": (
        c_must_check_what_it_gets
    ),
    "So the sum is 36.0, where NumPy says 36.": a_variable_has_one_type,
    "A compiler may not change that order, because floats would round differently.": (
        the_order_of_a_sum_is_part_of_its_result
    ),
    "Numba's debug mode `debug=True` still optimises, so a second option switches that off.": (
        debug_alone_still_optimises
    ),
    "Each compile time is from one run, so the marks are rough.": DESIGN,
    "A and C both predict that it stays, so it does not separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "`torch.compile` breaks its graph where it meets such a function.": (
        a_graph_contains_a_custom_operator_and_no_function_of_an_extension
    ),
    "With an **eager signature** Numba compiles when the function is defined, and accepts later "
    "only what converts to these types.": a_signature_accepts_what_converts_to_its_types,
    "For positive numbers of similar size all errors are tiny.": signs_decide_the_relative_error,
    "`sum2d_nogil` gives it up for the loops, between two macros, and is otherwise the same "
    "function.": OwnedBy(
        "tests/course/labs/lab_04/test_helpers.py",
        "test_two_threads_are_in_the_loops_at_once_only_without_the_lock",
    ),
    "No call that uses a Python object, not even to count a reference.": Source(
        "https://docs.python.org/3/c-api/init.html#releasing-the-gil-from-extension-code"
    ),
    "The numbers may be read: the array keeps its memory until `PyBuffer_Release`.": (
        a_buffer_that_was_taken_keeps_its_memory
    ),
}

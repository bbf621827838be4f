from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from hpml.jit import JitError, inferred_types, instructions, signatures


def sum2d(a: Any) -> Any:
    total = 0.0
    for row in range(a.shape[0]):
        for column in range(a.shape[1]):
            total += a[row, column]
    return total


def test_each_signature_has_its_own_time() -> None:
    function = numba.njit(sum2d)
    assert signatures(function).rows == ()
    function(np.ones((2, 3)))
    function(np.ones((2, 3), np.float32))
    function(np.ones((4, 4)))
    table = signatures(function)
    assert table.column("signature") == ("(array(float64, 2d, C))", "(array(float32, 2d, C))")
    assert all(seconds > 0 for seconds in table.column("compiled in s"))
    assert set(table.column("from")) == {"source"}


def test_types_that_were_inferred() -> None:
    function = numba.njit(sum2d)
    table = inferred_types(function, np.ones((2, 3), np.float32))
    types = dict(zip(table.column("variable"), table.column("type"), strict=True))
    assert types["total"] == "float64"
    assert types["row"] in ("int64", "uint64")
    assert types["a"].lower().startswith("array(float32, 2d, c")
    assert inferred_types(function).rows == table.rows


def test_instructions_are_those_of_the_function_alone() -> None:
    function = numba.njit(sum2d)
    llvm = instructions(function, np.ones((2, 3)), kind="llvm")
    assert llvm.startswith("define ")
    assert "fadd" in llvm
    assert llvm.count("\ndefine") == 0
    assembler = instructions(function)
    assert "ret" in assembler
    assert len(assembler.splitlines()) < 400


@pytest.mark.parametrize("view", [signatures, inferred_types, instructions])
def test_what_numba_does_not_compile_is_refused(view: Any) -> None:
    with pytest.raises(JitError):
        view(sum2d)


def test_what_was_compiled_for_nothing_yet() -> None:
    function = numba.njit(sum2d)
    with pytest.raises(JitError):
        inferred_types(function)


def test_wrong_calls_are_explained() -> None:
    function = numba.njit(sum2d)
    for wrong in (("a text",), (object(),), (np.ones((2, 2)), 3), (np.ones(3),)):
        with pytest.raises(JitError):
            inferred_types(function, *wrong)
        with pytest.raises(JitError):
            instructions(function, *wrong)
    for kind in ("x86", "", None):
        with pytest.raises(JitError):
            instructions(function, np.ones((2, 2)), kind=kind)  # type: ignore[arg-type]

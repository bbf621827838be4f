from __future__ import annotations

import re
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite import binding

from hpml.jit import JitError, inferred_types, instructions, numba_views, signatures
from tests.parts import raises


def sum2d(a: Any) -> Any:
    total = 0.0
    for row in range(a.shape[0]):
        for column in range(a.shape[1]):
            total += a[row, column]
    return total


def halves(n: int) -> float:
    total = 0.0
    for number in range(n):
        total += number * 0.5
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


@pytest.mark.parametrize(
    "target",
    [
        "x86_64-pc-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "arm64-apple-macosx14.0.0",
        "x86_64-apple-macosx",
        "x86_64-pc-windows-msvc",
    ],
)
def test_the_function_is_found_in_the_assembler_of_each_system(target: str) -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    # For arrays Numba's intermediate code has instructions of x86 alone.
    function = numba.njit(halves)
    function(10)
    module = binding.parse_assembly(function.inspect_llvm(function.signatures[0]))
    module.triple = target
    machine = binding.Target.from_triple(target).create_target_machine()
    module.data_layout = str(machine.target_data)
    whole = machine.emit_assembly(module)
    lines = numba_views._body(whole).splitlines()
    assert any(re.match(r"\s+ret", line) for line in lines)
    assert any("fadd" in line or "addsd" in line for line in lines)
    assert any("LBB0_" in line for line in lines)  # the labels of its loop
    assert not any(re.match(r"\s*\.(?!L)|_*ZN|Lloh", line) for line in lines)
    # The wrapper that Python calls is left out.
    assert "cpython" in whole
    assert not any("PyArg_UnpackTuple" in line for line in lines)


@pytest.mark.parametrize("view", [signatures, inferred_types, instructions])
def test_what_numba_does_not_compile_is_refused(view: Any) -> None:
    with raises(JitError, object="function", received="sum2d", remedy="numba.njit"):
        view(sum2d)


def test_what_was_compiled_for_nothing_yet() -> None:
    function = numba.njit(sum2d)
    with raises(JitError, object="sum2d", received="not called", remedy="arguments"):
        inferred_types(function)


def test_types_that_are_not_stored_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    function = numba.njit(sum2d)
    function(np.ones((2, 2)))
    for compiled in function.overloads.values():  # as Numba's cache restores it
        monkeypatch.delattr(compiled.type_annotation, "typemap")
    with raises(JitError, object="sum2d", received="cache", remedy="cache=True"):
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

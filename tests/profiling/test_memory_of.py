from __future__ import annotations

import sys

import pytest

from hpml.profiling import ProfilingError, memory_of
from hpml.profiling import memory_of as exported
from hpml.profiling.memory.memory_of import KINDS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000, 10_001])
def test_the_parts_are_the_whole(kind: str, n: int) -> None:
    memory = memory_of(n, kind)
    assert memory.total == sum(part.bytes for part in memory.parts)
    assert memory.table.rows[-1][-1] == memory.total
    elements = next(part for part in memory.parts if part.name == "elements")
    assert elements.count == n
    assert memory.per_number == memory.total / n


def test_a_list_is_as_large_as_python_says() -> None:
    numbers = [float(number) for number in range(1001)]
    exact = list(numbers)
    assert memory_of(1001, "list").total == sys.getsizeof(exact) + 1001 * sys.getsizeof(1.0)


def test_compact_kinds_take_eight_bytes_a_number_and_little_more() -> None:
    for kind in ("array", "numpy", "tensor"):
        assert 0 < memory_of(1000, kind).total - 8000 < 200


def test_a_list_takes_four_times_as_much() -> None:
    assert memory_of(100_000, "list").total > 3.9 * memory_of(100_000, "array").total


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "3", 10**12])
def test_an_impossible_number_is_refused(n: object) -> None:
    with pytest.raises(ProfilingError):
        memory_of(n, "list")  # type: ignore[arg-type]


def test_an_unknown_kind_is_refused_by_the_names_there_are() -> None:
    with pytest.raises(ProfilingError):
        memory_of(3, "tuple")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ProfilingError):
        exported(3, "numpy")

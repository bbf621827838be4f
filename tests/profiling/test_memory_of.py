from __future__ import annotations

import sys

import pytest

from hpml.profiling import ProfilingError, memory_of
from hpml.profiling.memory.memory_of import KINDS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000, 10_001])
def test_the_parts_are_the_whole(kind: str, n: int) -> None:
    memory = memory_of(n, kind)
    assert memory.total == sum(part.bytes for part in memory.parts)
    assert memory.table.rows[-1][-1] == memory.total
    numbers = next(part for part in memory.parts if part.name == "numbers")
    assert numbers.count == n
    assert memory.per_number == memory.total / n


def test_a_list_is_as_large_as_python_says() -> None:
    numbers = [float(number) for number in range(1001)]
    exact = list(numbers)
    assert memory_of(1001, "list").total == sys.getsizeof(exact) + 1001 * sys.getsizeof(1.0)


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "3", 10**12])
def test_an_impossible_number_is_refused(n: object) -> None:
    with pytest.raises(ProfilingError):
        memory_of(n, "list")  # type: ignore[arg-type]

from __future__ import annotations

import pytest
import torch

from hpml.course.runtimes import (
    RuntimesError,
    available_levels,
    compare_vector_instructions,
    vector_instructions,
)
from tests.parts import raises


def test_each_level_of_vector_instructions_is_measured_in_a_process_of_its_own() -> None:
    before = torch.backends.cpu.get_cpu_capability()
    measured = compare_vector_instructions("gelu", 1000)
    assert tuple(measured.names) == available_levels()
    assert torch.backends.cpu.get_cpu_capability() == before


def test_a_build_without_a_level_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_instructions, "available_levels", lambda: ("avx1024",))
    used = torch.backends.cpu.get_cpu_capability()
    name = "PyTorch with ATEN_CPU_CAPABILITY=avx1024"
    with raises(RuntimesError, object=name, expected="avx1024", received=used, remedy="build"):
        compare_vector_instructions("gelu", 10)

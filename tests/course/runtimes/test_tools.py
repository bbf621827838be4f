from __future__ import annotations

import torch

from hpml.course.runtimes import available_levels, compare_vector_instructions


def test_each_level_of_vector_instructions_is_measured_in_a_process_of_its_own() -> None:
    before = torch.backends.cpu.get_cpu_capability()
    measured = compare_vector_instructions("gelu", 1000)
    assert tuple(measured.names) == available_levels()
    assert torch.backends.cpu.get_cpu_capability() == before

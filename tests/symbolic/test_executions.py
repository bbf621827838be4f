from __future__ import annotations

import pytest
import torch

from hpml.base.style import CONTENDERS
from hpml.symbolic import EXECUTIONS
from hpml.symbolic.execution import BY_NAME
from tests.symbolic.models import PROGRAMS
from tests.symbolic.programs import assert_observations_equal, observe


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_model_equals_plain_pytorch_bit_for_bit(
    name: str, execution: str, training: bool
) -> None:
    torch.manual_seed(0)
    program = PROGRAMS[name](execution)
    program.modules.train(training and not (program.random and execution == "lazy"))
    expected = observe(program.plain, program)
    model = program.model(execution)
    assert model.execution == execution
    received = observe(model, program)
    assert_observations_equal(received, expected)


def test_every_execution_has_a_colour() -> None:
    assert set(BY_NAME) <= set(CONTENDERS)

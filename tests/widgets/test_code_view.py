from __future__ import annotations

import math
import re

import pytest
import torch
from torch import nn

from hpml.bytecode import count_instructions
from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, config
from hpml.symbolic.execution.instructions import is_execution
from hpml.widgets import WidgetError, code_view
from hpml.widgets.code_view.view import Code, look, page, variables
from tests.parts import raises
from tests.symbolic.models import chain as chain_of


def chain(length: int, execution: str = "ordered") -> SymbolicModel:
    layers = [nn.Linear(4, 4) for _ in range(length)]
    return chain_of(*layers, nn.ReLU(), execution=execution)


def code_of(model: SymbolicModel, execution: str, length: float = 10) -> Code:
    return look(model, (torch.rand(2, 4),), execution, length)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_it_shows_what_the_model_runs_in_that_state(execution: str) -> None:
    model, x = chain(12), torch.rand(2, 4)
    code = look(model, (x,), execution, 5)
    with config.loop_length(5):
        model.execution = execution
    assert (code.source, code.spans) == (model.source, model.source_spans)
    with torch.no_grad():  # as the view counts
        model(x)
        assert code.executed == count_instructions(model, x, within=is_execution)


def test_looking_changes_neither_the_model_nor_the_setting() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.Dropout()(nn.BatchNorm1d(4)(x)), execution="ordered")
    before = model.source, config.CODEGEN_MIN_LOOP_LENGTH
    tensor = torch.rand(2, 4)
    state = torch.get_rng_state()
    assert look(model, (tensor,), "inlined", 2).executed
    assert (model.source, config.CODEGEN_MIN_LOOP_LENGTH) == before
    assert model.execution == "ordered"
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(int(buffer.sum()) for name, buffer in model.named_buffers() if "num" in name)


def test_a_large_graph_is_shown_undrawn() -> None:
    x = inputs = Input(shape=(1,))
    for _ in range(151):
        x = nn.Identity()(x) + 1
    model = SymbolicModel(inputs, x)
    code = look(model, (torch.rand(1, 1),), "codegen", math.inf)
    assert "at most 150 boxes" in page(code, model.graph).html


def test_the_page_ties_lines_to_the_layers_that_they_call() -> None:
    model = chain(12)
    shown = page(code_of(model, "inlined"), model.graph).html
    lines = re.findall(r'<li data-calls="([\d ]+)"', shown)
    parts = re.findall(r'<g class="(\w+)[^>]* data-calls="([\d ]+)"', shown)
    assert set(lines) == {"0 12", "12 13"}
    # The folded chain, the label of the last layer, and the box of its value.
    assert sorted(parts) == [
        ("label", "12 13"),
        ("shape", "0 12"),
        ("shape", "0 12"),
        ("shape", "12 13"),
    ]
    assert not re.search(r"""(src|href)=["'](?!data:)|https?:|url\(""", shown)


def test_boxes_carry_the_names_that_the_source_gives_their_values() -> None:
    x = Input(batch_shape=(3, 4))
    a, b, c = x
    model = SymbolicModel(x, (nn.ReLU()(a) + b, c * 2))
    code = look(model, (torch.rand(3, 4),), "codegen", 10)
    names = variables(code, model.graph)
    assert names[0] == "i0: "
    (layer,) = [call for call in model.graph.calls if call.name == "ReLU_1"]
    written = next(line for line in code.lines if line.endswith("# ReLU_1"))
    assert written.split(" = ")[0].strip() == names[layer.results[0] or 0].removesuffix(": ")
    assert set(names) == set(range(len(model.graph.values)))
    assert variables(look(model, (torch.rand(3, 4),), "lazy", 10), model.graph) == {}


def test_without_a_notebook_the_first_state_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code_view(chain(3), torch.rand(2, 4))
    printed = capsys.readouterr().out
    assert printed.startswith("codegen, loops from 10 layers: generated source of 7 lines")
    assert "3      h0 = l[0](i0)  # Linear_1" in printed


def test_what_the_model_cannot_run_on_is_refused() -> None:
    with raises(WidgetError, object="inputs of code_view", received="[]", remedy="code_view("):
        code_view(chain(3))
    with raises(WidgetError, object="inputs of code_view", received="shape=(2, 5)"):
        code_view(chain(3), torch.rand(2, 5))
    with raises(WidgetError, object="model of code_view", received="ReLU", remedy="SymbolicModel"):
        code_view(nn.ReLU(), torch.rand(2, 5))  # type: ignore[arg-type]


def test_names_of_layers_are_escaped() -> None:
    class Odd(nn.ReLU):
        def _get_name(self) -> str:
            return "<script>x"

    x = Input(shape=(4,))
    model = SymbolicModel(x, Odd()(x))
    html = page(code_of(model, "codegen"), model.graph).html
    assert "  # _script_x_1" in html
    assert "<script>x" not in html

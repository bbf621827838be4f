"""The code view without a browser: its states, its counts, its times, its page."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, config
from hpml.symbolic.execution.instructions import count_instructions
from hpml.widgets import WidgetError, code_view
from hpml.widgets.code_view.page import _variables, as_text, page
from hpml.widgets.code_view.state import CodeView


def chain(length: int, execution: str = "ordered") -> SymbolicModel:
    x = inputs = Input(shape=(4,))
    for _ in range(length):
        x = nn.Linear(4, 4)(x)
    return SymbolicModel(inputs, nn.ReLU()(x), execution=execution)


def view_of(length: int, **choices: Any) -> CodeView:
    return CodeView(chain(length), (torch.rand(2, 4),), **choices)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_it_shows_what_the_model_runs_in_that_state(execution: str) -> None:
    model, x = chain(12), torch.rand(2, 4)
    view = CodeView(model, (x,))
    view.choose(execution, 5)
    with config.loop_length(5):
        model.execution = execution
    assert view.code.source == model.source
    assert view.code.spans == model.source_spans
    with torch.no_grad():  # as the view counts
        assert view.code.executed == count_instructions(model, x)


def test_looking_changes_neither_the_model_nor_the_setting() -> None:
    model = chain(12)
    before = model.source, config.CODEGEN_MIN_LOOP_LENGTH
    view = CodeView(model, (torch.rand(2, 4),))
    view.choose("inlined", 2)
    _ = view.code
    assert (model.source, config.CODEGEN_MIN_LOOP_LENGTH) == before
    assert model.execution == "ordered"


def test_running_the_model_to_count_leaves_no_trace_in_it() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.Dropout()(nn.BatchNorm1d(4)(x)))
    state = torch.get_rng_state()
    view = CodeView(model, (torch.rand(2, 4),))
    torch.set_rng_state(state)
    view.choose("lazy")
    assert view.code.executed
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(int(buffer.sum()) for name, buffer in model.named_buffers() if "num" in name)


def test_a_large_graph_is_shown_uncounted_and_undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[CodeView.__module__], "MOST_COUNTED", 300)
    x = inputs = Input(shape=(1,))
    for _ in range(151):
        x = nn.Identity()(x) + 1
    view = CodeView(SymbolicModel(inputs, x), (torch.rand(1, 1),), ["codegen"])
    view.choose(loop_length=math.inf)
    assert view.code.executed is None
    assert "were not counted" in as_text(view)
    assert "at most 150 boxes" in page(view).html
    assert page(view).png is None


def test_the_page_ties_lines_to_the_layers_that_they_call() -> None:
    view = view_of(12)
    view.choose("inlined")
    shown = page(view).html
    lines = dict(re.findall(r'<li data-calls="([\d ]+)"><b>(\d+)</b>', shown))
    spots = re.findall(r'<span data-calls="([\d ]+)" title="([^"]+)"', shown)
    assert set(lines) == {"0 12", "12 13"}
    # The folded chain, the label of the last layer, and the values these two make.
    assert [title for _, title in spots] == [
        "Linear_1 to Linear_12", "ReLU_1", "Linear_1 to Linear_12", "ReLU_1",
    ]  # fmt: skip
    assert {calls for calls, _ in spots} == set(lines)


def test_boxes_carry_the_names_that_the_source_gives_their_values() -> None:
    x = Input(batch_shape=(3, 4))
    a, b, c = x
    view = CodeView(SymbolicModel(x, (nn.ReLU()(a) + b, c * 2)), (torch.rand(3, 4),))
    names = _variables(view)
    assert names[0] == "i0: "
    (layer,) = [call for call in view.graph.calls if call.name == "ReLU_1"]
    written = next(line for line in view.code.lines if line.endswith("# ReLU_1"))
    assert written.split(" = ")[0].strip() == names[layer.results[0] or 0].removesuffix(": ")
    assert set(names) == set(range(len(view.graph.values)))
    view.choose("lazy")
    assert _variables(view) == {}


def test_without_a_notebook_the_first_state_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code_view(chain(3), torch.rand(2, 4))
    printed = capsys.readouterr().out
    assert printed.startswith("codegen, loops from 10 layers: generated source of 7 lines")
    assert "Graph: 1 input, 4 layers, 1 output." in printed
    assert "3      h0 = l[0](i0)  # Linear_1" in printed


@pytest.mark.parametrize(
    "change",
    [
        {"executions": ["magic"]},
        {"executions": []},
        {"executions": "lazy"},
        {"lengths": [5]},
        {"lengths": [1, 5]},
        {"lengths": [float("nan"), 5]},
    ],
)
def test_unknown_choices_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(WidgetError):
        view_of(3, **change)


def test_what_the_model_cannot_run_on_is_refused() -> None:
    with pytest.raises(WidgetError):
        code_view(chain(3))
    with pytest.raises(WidgetError):
        code_view(chain(3), torch.rand(2, 5))


def test_names_of_layers_are_escaped() -> None:
    class Odd(nn.ReLU):
        def _get_name(self) -> str:
            return "<script>x"

    x = Input(shape=(4,))
    html = page(CodeView(SymbolicModel(x, Odd()(x)), (torch.rand(1, 4),))).html
    assert "  # _script_x_1" in html
    assert "<script>x" not in html


def test_the_page_asks_the_network_for_nothing() -> None:
    assert not re.search(r"""(src|href)=["'](?!data:)|https?:|url\(""", page(view_of(3)).html)

"""The code view: a model's graph and the source that runs it side by side, under two controls.

Only the controls are widgets. Graph, source and counts are an ordinary output beneath them,
replaced in place: a saved, exported or printed page keeps what was seen last, and a run without a
front-end shows the first state.
"""

from __future__ import annotations

import html
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hpml.base.page import put, put_live
from hpml.widgets.code_view.page import page
from hpml.widgets.code_view.state import LENGTHS, CodeView

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def code_view(
    model: SymbolicModel,
    *inputs: Any,
    executions: Sequence[str] | None = None,
    lengths: Sequence[float] = LENGTHS,
) -> None:
    """Show a model's graph and the source that runs it, for the execution and loop length chosen.

    A chain of layers that the source writes as a loop is one box in the graph. Pointing at a line
    lights up its layers, and the other way round; with the keyboard, Tab into the graph or the
    source and move with the arrow keys. What is counted are bytecode instructions, of the source
    and of one forward.

    Args:
        model: what is looked at; it is not changed.
        *inputs: the tensors a forward is given when its instructions are counted.
        executions: those to choose from; by default all of ``hpml.symbolic.EXECUTIONS``.
        lengths: values of ``config.CODEGEN_MIN_LOOP_LENGTH`` to choose from, at least 2;
            ``float("inf")`` writes no loops.

    Raises:
        WidgetError: if there is nothing to look at, the model cannot run on the inputs, or a choice
            is unknown.

    >>> import torch
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(4,))
    >>> code_view(SymbolicModel(x, torch.nn.ReLU()(x)), torch.rand(1, 4))  # doctest: +ELLIPSIS
    codegen, loops from 10 layers: generated source of 4 lines, ...
    <BLANKLINE>
    Graph: 1 input, 1 layer, 1 output.
    <BLANKLINE>
    1  def forward(self, i0):
    2      l = self._execution_order_layers
    3      h0 = l[0](i0)  # ReLU_1
    4      return h0
    """
    view = CodeView(model, inputs, executions, lengths)
    place = uuid.uuid4().hex
    put_live(lambda widgets: _controls(widgets, view, place), "(here you choose what is shown)")
    put(page(view), place)


def _controls(widgets: Any, view: CodeView, place: str) -> Any:
    execution = widgets.ToggleButtons(
        options=list(view.executions),
        value=view.state.execution,
        description="execution",
        style={"button_width": "7em"},
    )
    length = widgets.SelectionSlider(
        options=[("no loops" if n == float("inf") else f"{n:g}", n) for n in view.lengths],
        value=view.loop_length,
        description="loop length",
        continuous_update=False,
        layout={"width": "26em"},
    )
    message = widgets.HTML(value="")

    def show() -> None:
        length.disabled = view.state.loop_length is None
        message.value = (
            f"<small>{html.escape(view.state.execution)} generates no source, so there are no "
            "loops to write.</small>"
            if length.disabled
            else ""
        )
        put(page(view), place, again=True)

    def choose(_: object) -> None:
        view.choose(execution.value, length.value)
        show()

    length.disabled = view.state.loop_length is None
    execution.observe(choose, names="value")
    length.observe(choose, names="value")
    return widgets.VBox([execution, length, message])

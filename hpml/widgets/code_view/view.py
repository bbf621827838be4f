"""The code view: a model's graph and the source that runs it side by side, under two controls.

Only the controls are widgets. Graph, source, counts and times are an ordinary output beneath them,
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
    and of one forward; the time is measured when the button is pressed, and kept for each state.

    Args:
        model: what is looked at; it is not changed.
        *inputs: the tensors a forward is given when it is counted or timed.
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
    Not measured yet: one forward with codegen, loops from 10 layers.
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
    button = widgets.Button(
        description="Measure one forward",
        tooltip="Times the forward in the state that is shown",
        button_style="primary",
        layout={"width": "13em"},
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

    def measure(_: object) -> None:
        button.disabled, button.description = True, "Measuring …"
        try:
            view.measure()
            show()
        except Exception as error:  # noqa: BLE001 - in a callback it would vanish in a log
            # role=alert: a screen reader says it as soon as it appears.
            message.value = f'<div role="alert">{html.escape(str(error))}</div>'
        finally:
            button.disabled, button.description = False, "Measure one forward"

    length.disabled = view.state.loop_length is None
    execution.observe(choose, names="value")
    length.observe(choose, names="value")
    button.on_click(measure)
    return widgets.VBox(
        [execution, widgets.HBox([length, button], layout={"align_items": "center"}), message]
    )

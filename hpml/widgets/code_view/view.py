"""Show a model's graph next to the source that runs it, by execution and loop length."""

from __future__ import annotations

import copy
import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.base.page import Page, asset
from hpml.bytecode import count_instructions
from hpml.widgets.errors import WidgetError
from hpml.widgets.explore.explore import explore

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel
    from hpml.symbolic.graph import Graph

LENGTHS = (2, 3, 5, 10, 20, 50, math.inf)


@dataclass(frozen=True)
class Code:
    """The code that runs for one choice of execution and loop length.

    `spans` has the range of calls in each line, first and one past the last. Without generated
    source, `spans` is empty and `loop_length` None. `written` is the number of bytecode
    instructions in the source, `executed` that of one forward, outside of the layers.
    """

    execution: str
    loop_length: float | None
    source: str
    spans: tuple[tuple[int, int], ...]
    written: int
    executed: int

    @property
    def lines(self) -> list[str]:
        return self.source.splitlines()

    @property
    def headline(self) -> str:
        """One or two sentences about the size of the code."""
        size = f"{_count(len(self.lines), 'line')}, {self.written:,} bytecode instructions"
        first = f"{self.execution}: no generated source. One function runs every graph: {size}."
        if self.loop_length is not None:
            first = f"{self.execution}, {_length(self.loop_length)}: generated source of {size}."
        return f"{first} One forward executes {self.executed:,} instructions outside of the layers."


def code_view(
    model: SymbolicModel,
    *inputs: Any,
    executions: Sequence[str] | None = None,
    lengths: Sequence[float] = LENGTHS,
) -> None:
    """Show a model's graph and the source that runs it, with controls for execution and loops.

    A chain of layers that the source runs in a loop is one box in the graph. Pointing at a line
    highlights its layers, and vice versa; with the keyboard, Tab into the graph or the source and
    move with the arrow keys. The headline counts bytecode instructions of the source and of one
    forward, also for the previous choice.

    Args:
        model: the model to show; it is not changed.
        *inputs: tensors for the forward whose instructions are counted.
        executions: the executions to choose from; by default all that run every graph.
        lengths: the values of ``config.CODEGEN_MIN_LOOP_LENGTH`` to choose from, at least 2;
            ``float("inf")`` disables loops.

    Raises:
        WidgetError: if `model` is not a ``SymbolicModel`` or cannot run on the inputs.

    >>> import torch
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(4,))
    >>> code_view(SymbolicModel(x, torch.nn.ReLU()(x)), torch.rand(1, 4))  # doctest: +ELLIPSIS
    codegen, loops from 10 layers: generated source of 4 lines, ...
    <BLANKLINE>
    1  def forward(self, i0):
    2      l = self._execution_order_layers
    3      h0 = l[0](i0)  # ReLU_1
    4      return h0
    """
    from hpml.symbolic import EXECUTIONS, SymbolicModel

    if not isinstance(model, SymbolicModel):
        raise WidgetError(
            object="model of code_view",
            expected="a SymbolicModel, which has source to show",
            received=type(model).__name__,
            remedy="Build one with SymbolicModel(inputs, outputs).",
        )
    names = {_length(length): length for length in lengths}

    def show(execution: str = "codegen", loops: str = _length(10)) -> Page:
        return page(look(model, inputs, execution, names[loops]), model.graph)

    explore(show, execution=list(executions or EXECUTIONS), loops=list(names))


def look(model: SymbolicModel, inputs: Sequence[Any], execution: str, length: float) -> Code:
    """Return the code of a copy of the model with this execution and loop length."""
    import torch

    from hpml.symbolic.config import loop_length
    from hpml.symbolic.execution.instructions import is_execution, written_instructions
    from hpml.symbolic.execution.preserved import preserved

    shown = copy.copy(model)
    with loop_length(length):
        shown.execution = execution
    with torch.no_grad(), preserved(shown):
        try:
            shown(*inputs)  # the first forward executes additional checks
            executed = count_instructions(shown, *inputs, within=is_execution)
        except Exception as error:
            raise WidgetError(
                object="inputs of code_view",
                expected="inputs that the model runs on",
                received=f"{describe(list(inputs), limit=200)}, and the forward failed with "
                f"{type(error).__name__}: {str(error).rstrip('.')}",
                remedy="Pass them after the model, as in code_view(model, x).",
            ) from error
    source, spans = shown.source, shown.source_spans
    length_used = length if spans else None
    return Code(execution, length_used, source, spans, written_instructions(source), executed)


def page(code: Code, graph: Graph) -> Page:
    """Return the view as a page."""
    name, _, rest = code.headline.partition(":")
    head = f'<p class="hpml-headline"><b>{html.escape(name)}:</b>{html.escape(rest)}</p>'
    listing = _listing(code)
    if not code.spans:  # the library's function is the same for all graphs
        listing = (
            "<details><summary>The library's function, "
            f"{_count(len(code.lines), 'line')}</summary>{listing}</details>"
        )
    css = asset("hpml.widgets.animation", "animation.css")
    css += asset("hpml.widgets.animation", "graph.css") + asset(__package__, "code_view.css")
    width = len(str(len(code.lines)))
    lines = [f"{number:>{width}}  {line}" for number, line in enumerate(code.lines, 1)]
    return Page(
        f"{code.headline}\n\n" + "\n".join(lines),
        f'<div class="hpml-animation hpml-code-view"><style>{css}</style>{head}'
        f'<div class="sides">{_graph(code, graph)}<div class="listing">{listing}</div></div>'
        f"<script>{asset(__package__, 'code_view.js')}</script></div>",
    )


def _length(length: float) -> str:
    return "no loops" if length == math.inf else f"loops from {length:g} layers"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _listing(code: Code) -> str:
    spans = code.spans or ((0, 0),) * len(code.lines)
    rows = []
    for number, (line, (start, end)) in enumerate(zip(code.lines, spans, strict=True), 1):
        text, mark, comment = line.partition("  # ")
        shown = html.escape(text) + (f"<i>{html.escape(mark + comment)}</i>" if mark else "")
        calls = f' data-calls="{start} {end}"' if start < end else ""
        rows.append(f"<li{calls}><b>{number}</b><span>{shown or ' '}</span></li>")
    label = "Source; arrow keys move along its lines"
    return f"<div {_region('source', label)}><ol>{''.join(rows)}</ol></div>"


def _region(kind: str, label: str) -> str:
    return (
        f'class="side {kind}" tabindex="0" data-lm-suppress-shortcuts="true" role="region" '
        f'aria-label="{label}"'
    )


def variables(code: Code, graph: Graph) -> dict[int, str]:
    """Return the source's first variable for each value, such as ``"h0: "``."""
    if not code.spans:
        return {}
    names = {value: f"i{index}: " for index, value in enumerate(graph.inputs)}
    for line, (start, end) in zip(code.lines, code.spans, strict=True):
        target, assigns, _ = line.strip().partition(" = ")
        if start < end and assigns:
            # A starred call makes several values, each with a variable of its own.
            results = graph.calls[end - 1].results
            for result, name in zip(results, target.split(", "), strict=False):
                if result is not None:
                    names[result] = f"{name.strip('*,() ')}: "
    return names


def _graph(code: Code, graph: Graph) -> str:
    """Return the graph as SVG, with each loop of the source as one box."""
    from hpml.base.drawing import DrawingError, fold_chains
    from hpml.widgets.animation.graph_picture import picture_of

    names = variables(code, graph)
    loops = sorted({span for span in code.spans if span[1] - span[0] > 1})
    single = set(range(len(graph.calls))).difference(*(range(*span) for span in loops))
    groups = sorted([*((i,) for i in single), *(tuple(range(*span)) for span in loops)])
    try:
        picture = picture_of(
            graph,
            f"The graph: {_count(len(graph.calls), 'layer')} as boxes and lines",
            lambda value: names.get(value, "") + graph.values[value].text(),
            lambda call: graph.calls[call].name,
            # Without generated source there are no loops, and long chains are folded as usual.
            groups=groups if code.spans else fold_chains(graph),
        )
    except DrawingError as error:
        return f'<div class="side"><p>{html.escape(str(error))}</p></div>'
    svg, maker = picture.svg, {r: i for i, call in enumerate(graph.calls) for r in call.results}
    parts: dict[str, list[int]] = {}
    for value, call in maker.items():
        if value is not None:
            parts.setdefault(picture.values[value], []).append(call)
    for call, name in picture.calls.items():
        parts.setdefault(name, []).append(call)
    for name, calls in parts.items():
        first = next((start for start, end in loops if start <= min(calls) < end), min(calls))
        mark = f'data-part="{name}"'
        svg = svg.replace(mark, f'{mark} data-calls="{first} {max(calls) + 1}"')
    return f"<div {_region('graph', 'Graph; arrow keys move along its layers')}>{svg}</div>"

"""What runs when a model runs, for each execution and loop length: source and counts.

The view's value, without a page and without a browser. The model that is looked at stays as it is:
each state is a shallow copy of it, over the same layers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.widgets.errors import WidgetError

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel
    from hpml.symbolic.graph import Graph


LENGTHS = (2, 3, 5, 10, 20, 50, math.inf)
MOST_COUNTED = 2000
"""In a larger graph executed instructions are not counted: each is reported one by one."""


@dataclass(frozen=True)
class CodeState:
    """What can be chosen.

    Attributes:
        execution: one of ``hpml.symbolic.EXECUTIONS``.
        loop_length: the least length of a chain that is written as a loop; None where nothing is
            generated, and so nothing is written as a loop.
    """

    execution: str
    loop_length: float | None

    def text(self) -> str:
        """Return the state in words."""
        if self.loop_length is None:
            return self.execution
        return f"{self.execution}, {length_text(self.loop_length)}"


@dataclass(frozen=True)
class Code:
    """What runs in one state.

    Attributes:
        state: the state.
        source: the Python source that runs.
        spans: for each line of it the calls it makes, the first and one past the last; empty where
            nothing is generated.
        written: bytecode instructions in the source.
        executed: bytecode instructions that one forward executes, outside of the layers; None if
            the graph has more than `MOST_COUNTED` calls.
    """

    state: CodeState
    source: str
    spans: tuple[tuple[int, int], ...]
    written: int
    executed: int | None

    @property
    def lines(self) -> list[str]:
        """The lines of the source."""
        return self.source.splitlines()


class CodeView:
    """A model's code in the state that is chosen."""

    def __init__(
        self,
        model: SymbolicModel,
        inputs: Sequence[Any],
        executions: Sequence[str] | None = None,
        lengths: Sequence[float] = LENGTHS,
    ) -> None:
        from hpml.symbolic import EXECUTIONS, SymbolicModel

        if not isinstance(model, SymbolicModel):
            raise WidgetError(
                f"code_view expects a SymbolicModel, got {type(model).__name__}: only those have "
                "source to look at; build one with SymbolicModel(inputs, outputs)."
            )
        self.executions = _chosen(executions, EXECUTIONS)
        self.lengths = _lengths(lengths)
        self.inputs = tuple(inputs)
        self._model = model
        self._models: dict[CodeState, SymbolicModel] = {}
        self._codes: dict[CodeState, Code] = {}
        execution = "codegen" if "codegen" in self.executions else self.executions[0]
        self.loop_length = 10 if 10 in self.lengths else self.lengths[0]
        self.state = self._state(execution, self.loop_length)
        _ = self.code  # what cannot run on the inputs fails now, not at a click

    @property
    def graph(self) -> Graph:
        """The graph of the model."""
        return self._model.graph

    @property
    def code(self) -> Code:
        """What runs in the chosen state."""
        state = self.state
        if state not in self._codes:
            self._codes[state] = self._look(state)
        return self._codes[state]

    def choose(self, execution: str | None = None, loop_length: float | None = None) -> None:
        """Choose another state; what is not given stays.

        The loop length is remembered while an execution is chosen that writes no source.
        """
        execution = self.state.execution if execution is None else execution
        length = self.loop_length if loop_length is None else loop_length
        if execution not in self.executions:
            raise WidgetError(
                f"execution: expected one of {', '.join(self.executions)}, got "
                f"{describe(execution)}."
            )
        if length not in self.lengths:
            raise WidgetError(
                f"loop_length: expected one of {', '.join(f'{n:g}' for n in self.lengths)}, got "
                f"{describe(length)}."
            )
        self.loop_length = length
        self.state = self._state(execution, length)

    def _state(self, execution: str, length: float) -> CodeState:
        generated = bool(self._model_in(CodeState(execution, None)).source_spans)
        return CodeState(execution, length if generated else None)

    def _model_in(self, state: CodeState) -> SymbolicModel:
        """Return the model as it runs in a state: a copy over the very same layers."""
        from hpml.symbolic.config import loop_length

        if state not in self._models:
            model = copy.copy(self._model)
            with loop_length(2 if state.loop_length is None else state.loop_length):
                model.execution = state.execution
            self._models[state] = model
        return self._models[state]

    def _look(self, state: CodeState) -> Code:
        import torch

        from hpml.symbolic.execution.instructions import count_instructions, written_instructions
        from hpml.symbolic.execution.preserved import preserved

        model = self._model_in(state)
        executed = None
        with torch.no_grad(), preserved(model):
            try:
                if len(self.graph.calls) <= MOST_COUNTED:
                    executed = count_instructions(model, *self.inputs)
                else:
                    model(*self.inputs)
            except Exception as error:
                raise WidgetError(
                    f"code_view expects inputs that the model runs on, as in code_view(model, x); "
                    f"got {len(self.inputs)}, and the forward failed with {type(error).__name__}: "
                    f"{error}"
                ) from error
        source = model.source
        return Code(state, source, model.source_spans, written_instructions(source), executed)


def length_text(length: float) -> str:
    """Return a loop length in words."""
    return "no loops" if length == math.inf else f"loops from {length:g} layers"


def _chosen(wanted: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    if wanted is None:
        return tuple(known)
    unknown = [name for name in wanted if name not in known]
    if isinstance(wanted, str) or not wanted or unknown:
        raise WidgetError(
            f"executions: expected a list of some of {', '.join(known)}, got {describe(wanted)}."
        )
    return tuple(dict.fromkeys(wanted))


def _lengths(lengths: Sequence[float]) -> tuple[float, ...]:
    good = not isinstance(lengths, str) and len(lengths) >= 2
    if not good or not all(isinstance(n, (int, float)) and n >= 2 for n in lengths):
        raise WidgetError(
            f"lengths: expected two or more loop lengths of at least 2, got {describe(lengths)}; "
            "float('inf') writes no loops."
        )
    return tuple(sorted(set(lengths)))

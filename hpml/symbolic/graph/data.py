"""The graph of a model: plain, immutable data, from which everything else is made.

Values are numbered: first the inputs, then the results of each call, in the order in which the
user wrote them. The graph contains only names and numbers, no layers or tensors, so it can be
printed, compared, pickled and shared between threads and between copies of a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hpml.symbolic.building.node import Effects


class Value(NamedTuple):
    """One value of a graph."""

    shape: tuple[int | None, ...] | None  # None: not a tensor; a size None: depends on the batch
    kind: str  # the dtype of a tensor, such as "float32", else the name of the type
    name: str = ""  # of an input
    sizes_read: bool = False  # whether the program read sizes of this input as numbers

    def text(self) -> str:
        """Return the shape, or the name of the type."""
        return self.kind if self.shape is None else str(self.shape)


class Call(NamedTuple):
    """One application of a layer."""

    name: str  # unique, for summaries and pictures
    layer_type: str  # the type name of the layer, such as "Linear"
    arguments: tuple[int, ...]  # the numbers of the argument values
    results: tuple[int | None, ...]  # one, or with `unpacks` several; None for an unused result
    unpacks: bool = False  # whether the single argument is spread out, layer(*value)
    origin: tuple[str, int] | None = None  # file and line of the statement that made the call
    module: str = ""  # the name of the layer in the model, which is the name of its first call
    effects: Effects | None = None  # on the memory of an argument
    after: tuple[int, ...] = ()  # earlier calls that read memory which this call changes in place


class Graph(NamedTuple):
    """Inputs, calls and outputs of a model."""

    values: tuple[Value, ...]  # the inputs and all results of calls
    inputs: tuple[int, ...]  # the numbers of the inputs, in the order of the model's arguments
    calls: tuple[Call, ...]  # in topological order
    outputs: tuple[int, ...]  # the numbers of the values that the model returns
    output_names: tuple[str, ...] = ()  # the keys, if the model returns a dictionary

    def named(self, results: Any) -> Any:
        """Return the results of a run as a dictionary, if the outputs have names."""
        if not self.output_names:
            return results
        parts = (results,) if len(self.outputs) == 1 else results
        return dict(zip(self.output_names, parts, strict=True))

    def __str__(self) -> str:
        lines = [
            f"v{i} = input {' '.join(filter(None, (self.values[i].name, self.values[i].text())))}"
            for i in self.inputs
        ]
        for call in self.calls:
            results = ", ".join("_" if r is None else f"v{r}" for r in call.results)
            star = "*" if call.unpacks else ""
            arguments = ", ".join(f"{star}v{a}" for a in call.arguments)
            shapes = ", ".join(self.values[r].text() for r in call.results if r is not None)
            lines.append(f"{results} = {call.name}({arguments})  # {shapes}")
        lines.append("return " + ", ".join(f"v{o}" for o in self.outputs))
        return "\n".join(lines)

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
    """One value of a graph.

    Attributes:
        shape: the size of each dimension, ``None`` for a size that depends on the batch; ``None``
            if the value is not a tensor.
        kind: the dtype of a tensor, such as ``"float32"``, else the name of the type.
        name: the name of an input, or an empty string.
        sizes_read: whether the student's program read the sizes of this input as numbers.
    """

    shape: tuple[int | None, ...] | None
    kind: str
    name: str = ""
    sizes_read: bool = False

    def text(self) -> str:
        """Return the shape, or the name of the type."""
        return self.kind if self.shape is None else str(self.shape)


class Call(NamedTuple):
    """One application of a layer.

    Attributes:
        name: a unique name for summaries and pictures.
        layer_type: the type name of the layer, such as ``"Linear"``.
        arguments: the numbers of the argument values.
        results: the numbers of the results: one, or with ``unpacks`` several, ``None`` for a
            result that is not used.
        unpacks: whether the single argument is spread out, ``layer(*value)``.
        origin: file and line of the statement that made the call.
        module: the name of the layer in the model, which is the name of its first call.
        effects: the effect on the memory of an argument, if any.
        after: positions of earlier calls that read memory which this call changes in place.
    """

    name: str
    layer_type: str
    arguments: tuple[int, ...]
    results: tuple[int | None, ...]
    unpacks: bool = False
    origin: tuple[str, int] | None = None
    module: str = ""
    effects: Effects | None = None
    after: tuple[int, ...] = ()


class Graph(NamedTuple):
    """Inputs, calls and outputs of a model.

    Attributes:
        values: the inputs and all results of calls.
        inputs: the numbers of the inputs, in the order of the model's arguments.
        calls: the calls, in topological order.
        outputs: the numbers of the values that the model returns.
        output_names: the keys of the outputs, if the model returns a dictionary.
    """

    values: tuple[Value, ...]
    inputs: tuple[int, ...]
    calls: tuple[Call, ...]
    outputs: tuple[int, ...]
    output_names: tuple[str, ...] = ()

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

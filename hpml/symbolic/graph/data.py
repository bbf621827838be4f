"""The graph of a model: plain, immutable data, from which everything else is made.

Values are numbered: first the inputs, then the results of each call, in the order in which the
user wrote them. A call says which layer is applied to which values. The graph holds no layer, no
tensor and no handle, only names and numbers, so it can be printed, compared, pickled and shared
between threads and between copies of a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hpml.symbolic.building.node import Effects


class Value(NamedTuple):
    """What is known about one value.

    Attributes:
        shape: the size of each dimension, ``None`` for one that depends on the batch; ``None`` if
            the value is not a tensor.
        kind: the dtype of a tensor, such as ``"float32"``, else the name of the type.
        name: of an input that has one.
        sizes_read: of an input: whether the student's program read its sizes as numbers.
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
        name: what the call is called in summaries and pictures, unique.
        layer_type: what the layer is called by itself, such as ``"Linear"``.
        arguments: the values it is applied to.
        results: the values it makes: one, or with ``unpacks`` as many as there are, ``None`` for
            those that are not used.
        unpacks: whether the single argument is spread out, ``layer(*value)``.
        origin: file and line of the statement that wrote it.
        module: the name of the layer in the model: that of its first call.
        effects: what the call does to the memory of an argument, if anything.
        after: positions of calls that read what this one changes in place, and come before it.
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
        values: everything that is given or computed.
        inputs: which values are given, in the order of the model's arguments.
        calls: what is computed, in an order that works: arguments before results.
        outputs: which values are returned.
        output_names: under which names, if the model returns a dictionary.
    """

    values: tuple[Value, ...]
    inputs: tuple[int, ...]
    calls: tuple[Call, ...]
    outputs: tuple[int, ...]
    output_names: tuple[str, ...] = ()

    def named(self, results: Any) -> Any:
        """Return the results of a run under their names, if they have some."""
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

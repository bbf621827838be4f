"""The model: a graph, the layers of its calls, and a way to run them."""

from __future__ import annotations

import copy
import operator
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from hpml.base.executions import BY_NAME, DEFAULT, KERNEL
from hpml.base.operator_times import Timing, timing_from_environment

from . import config
from .building.handles import SymbolicData, as_handles, handle_of
from .building.interception import Token, handle_token
from .building.node import Node, format_origin, layer_text
from .building.recording import current
from .errors import ArgumentError, GraphError
from .execution import PREPARE, cuda_graph, timed
from .execution.kernel import CompiledInference, compiled_inference
from .execution.source import documented_source
from .graph import Collected, Graph, check_inputs, collect
from .graph.reading import graph_module, summary_text
from .partial_run import PartialRun, partial_run


class SymbolicModel(nn.Module):
    """A PyTorch module that replays the operations between inputs and outputs on real data.

    Args:
        inputs: the symbolic data that the model is given, one or several, in order. Inputs with a
            ``name`` may also be given by name, ``model(name=value)``.
        outputs: the symbolic data that the model returns: one, several as a tuple, or a dictionary
            of names and symbolic data.
        enable_cuda_graphs: record the kernels once and replay them on the GPU.
        enable_forward_codegen: ``True`` means ``execution="codegen"``, ``False`` means
            ``"ordered"``; ``None`` leaves it to ``execution``.
        execution: how the forward runs, one of ``hpml.symbolic.EXECUTIONS``, or ``"numba"``;
            ``None`` means ``"inlined"``, which `execution.guard` says when to call the layers.

    Layers are named by type and number, ``Linear_2``, in the order of the calls: inserting one
    renames the later ones of its type, and no others. A ``custom_name`` stays. A layer that is
    called with further arguments is inside the layer of that call, ``Scaled_1.function``; called in
    several ways it has several names, as a module that stands in two containers has.

    Raises:
        ArgumentError: no symbolic data, or what the chosen execution cannot run.
        ForeignNodeError: an output needs an input that is not given.
        DeviceError: CUDA graphs on a machine without a GPU.

    >>> from hpml.symbolic import Input
    >>> x = inputs = Input(shape=(4,))
    >>> for _ in range(2):
    ...     x = nn.Linear(4, 4)(x)
    >>> model = SymbolicModel(inputs, x, execution="codegen")
    >>> model(torch.rand(8, 4)).shape
    torch.Size([8, 4])
    >>> print(model.source)
    def forward(self, i0):
        l = self._execution_order_layers
        h0 = l[0](i0)  # Linear_1
        h0 = l[1](h0)  # Linear_2
        return h0
    <BLANKLINE>
    """

    def __init__(
        self,
        inputs: SymbolicData | Iterable[SymbolicData],
        outputs: SymbolicData | Iterable[SymbolicData] | Mapping[str, SymbolicData],
        enable_cuda_graphs: bool = False,
        enable_forward_codegen: bool | None = None,
        *,
        execution: str | None = None,
    ) -> None:
        super().__init__()
        execution = _choose_execution(execution, enable_forward_codegen, enable_cuda_graphs)
        input_nodes = [handle._node for handle in as_handles("inputs", inputs)]
        check_inputs(input_nodes)
        names = list(outputs) if isinstance(outputs, Mapping) else []
        values = list(outputs.values()) if isinstance(outputs, Mapping) else outputs
        output_nodes = [current(handle._node) for handle in as_handles("outputs", values)]
        self._execution = execution
        self._cuda_graphs = enable_cuda_graphs
        self._adopt(collect(input_nodes, output_nodes, names))

    def _adopt(self, collected: Collected) -> None:
        """Take over a graph with its layers and nodes, and make it ready to run."""
        self._graph = collected.graph
        self._nodes = collected.nodes
        # Numbers in the graph stand for sizes that were read: data must have them.
        inputs = [self._graph.values[value] for value in self._graph.inputs]
        self._declared = [value.shape if value.sizes_read else None for value in inputs]
        self._checks_sizes = any(self._declared)
        names = [call.module for call in collected.graph.calls]
        taken = _RESERVED.union(self.__dict__).intersection(names)
        if taken:
            raise ArgumentError(
                f"custom_name expected a name that a module does not use itself, received "
                f"{min(taken)!r}: choose another"
            )
        self._modules.update(zip(names, collected.layers, strict=True))
        self._pick_layers = _layer_picker(names)
        self._prepare()

    def _prepare(self) -> None:
        program = PREPARE[self._execution](self._graph, self._execution_order_layers)
        if self._cuda_graphs:
            program = cuda_graph.prepare(program)
        self._untimed = program
        timing = self.__dict__.get("_timing")
        if timing is None and not self._runs_as_one():
            timing = timing_from_environment()
        self._set_timing(timing)

    def _runs_as_one(self) -> bool:
        """Return whether the operators are launched together, so that none can be timed."""
        return self._cuda_graphs or not BY_NAME[self._execution].separate_operators

    def _set_timing(self, timing: Timing | None) -> None:
        """Time the operators of each run from now on, or with ``None`` no longer."""
        if timing is not None and self._runs_as_one():
            what = "enable_cuda_graphs" if self._cuda_graphs else f"execution={self._execution!r}"
            raise ArgumentError(
                "operator timing expected operators that run one by one, received a model that "
                f"runs them as one: build it without {what}"
            )
        program = self._untimed
        if timing is not None:
            layers = self._execution_order_layers
            program = timed.prepare(program, self._graph, layers, self._execution, timing)
        self._timing = timing
        self._program = program
        self._run = program.run

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Run the graph on real data; call the model instead, ``model(x)``."""
        try:
            if named:
                inputs = self._in_order(inputs, named)
            if self._checks_sizes:
                self._check_sizes(inputs)
            results = self._run(self, *inputs)
            return self._graph.named(results) if self._graph.output_names else results
        except Exception as error:
            self._explain(error, inputs)
            raise

    def _in_order(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return the inputs in the order of the graph, some of which were given by name."""
        names = [self._graph.values[value].name for value in self._graph.inputs]
        if set(named) != set(names[len(inputs) :]):
            raise ArgumentError(
                f"the model expected inputs named {', '.join(n or '(no name)' for n in names)}, "
                f"received {len(inputs)} by position and by name {', '.join(named)}: "
                "give each input once; Input(shape, name=...) gives an input a name"
            )
        return (*inputs, *[named[name] for name in names[len(inputs) :]])

    def _check_sizes(self, inputs: tuple[Any, ...]) -> None:
        for number, (value, expected) in enumerate(zip(inputs, self._declared, strict=False)):
            if expected is None or not isinstance(value, torch.Tensor):
                continue
            if len(value.shape) != len(expected) or any(
                size is not None and size != given
                for size, given in zip(expected, value.shape, strict=True)
            ):
                raise ArgumentError(
                    f"input {number} of the model expected shape {expected}, whose sizes the model "
                    f"was built with, received {tuple(value.shape)}: give the Input this shape, or "
                    "build without reading its sizes"
                )

    def _explain(self, error: Exception, inputs: tuple[Any, ...]) -> None:
        """Say in terms of the graph what went wrong: the wrong inputs, or the layer that failed."""
        graph = self._graph
        if not isinstance(inputs, tuple):
            raise ArgumentError(
                "torch.fx.symbolic_trace expected a forward with named arguments, received a "
                "symbolic model, which takes *inputs: use model.to_fx(), the same GraphModule, "
                "made from the graph itself"
            ) from None
        if len(inputs) != len(graph.inputs) and not isinstance(error, ArgumentError):
            expected = ", ".join(graph.values[value].text() for value in graph.inputs)
            raise ArgumentError(
                f"the model expected {len(graph.inputs)} input(s), {expected}; received "
                f"{len(inputs)}: call it with one value for each symbolic input"
            ) from None
        gone = [call.module for call in graph.calls if self._modules.get(call.module) is None]
        if gone and isinstance(error, (KeyError, TypeError)):
            raise ArgumentError(
                f"the model expected a layer {gone[0]!r} among its submodules, which was deleted: "
                "assign another one, or build the model without it"
            ) from None
        for frame, line in traceback.walk_tb(error.__traceback__):
            position = self._program.failed_call(frame, line)
            if position is not None:
                error.add_note(self._describe_call(position))
                return

    def _describe_call(self, position: int) -> str:
        call = self._graph.calls[position]
        layer = self._execution_order_layers[position]
        arguments = " and ".join(self._graph.values[a].text() for a in call.arguments)
        place = "" if call.origin is None else f", written at {format_origin(call.origin)}"
        return (
            f"In layer {call.name} of the symbolic model, {layer_text(layer)}, call "
            f"{position + 1} of {len(self._graph.calls)}{place}. "
            f"When the model was built it received {arguments}."
        )

    @property
    def graph(self) -> Graph:
        """The graph: plain data, immutable."""
        return self._graph

    @property
    def _execution_order_layers(self) -> Sequence[nn.Module]:
        """The layer of each call, in order, as the submodules are now."""
        if torch.compiler.is_compiling():  # a compiler follows the loop, not the itemgetter
            return [self._modules[call.module] for call in self._graph.calls]  # type: ignore[misc]
        return self._pick_layers(self._modules)

    @property
    def ordered_layers(self) -> tuple[nn.Module, ...]:
        """The layer of each call of ``model.graph.calls``, in the order of execution."""
        return tuple(self._execution_order_layers)

    @property
    def source(self) -> str:
        """The Python source that runs."""
        return self._program.source

    @property
    def source_spans(self) -> tuple[tuple[int, int], ...]:
        """For each line of `source` the calls it makes: the first, and one past the last.

        Empty where nothing is generated, for ``"lazy"`` and ``"ordered"``.
        """
        return self._program.spans

    @property
    def _generated_forward_source(self) -> str:
        """The generated source in the form of the documents, a name for each value."""
        return documented_source(self._graph, config.CODEGEN_MIN_LOOP_LENGTH).text

    @property
    def execution(self) -> str:
        """How the forward runs; assign another name to switch."""
        return self._execution

    @execution.setter
    def execution(self, name: str) -> None:
        _check_execution(name)
        before, self._execution = self._execution, name
        try:
            self._prepare()
        except GraphError:
            self._execution = before
            raise

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The symbolic data that the model is given."""
        return self._handles(self._graph.inputs)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The symbolic data that the model returns."""
        return self._handles(self._graph.outputs)

    def _handles(self, values: Sequence[int]) -> tuple[Any, ...]:
        nodes = self._all_nodes()
        token: Token = handle_token()
        return tuple(handle_of(nodes[value], token) for value in values)

    def _all_nodes(self) -> list[Node]:
        """Return the node of each value."""
        if not self._nodes:
            raise ArgumentError(
                "symbolic data expected the model that was built from it, received a copy or a "
                "part of one, whose layers are others: ask the original, or read model.graph"
            )
        return self._nodes

    @property
    def input_shape(self) -> Any:
        """The shape of the input, or of each; ``None`` for an unknown size and for no tensor."""
        return self._shapes(self._graph.inputs)

    @property
    def output_shape(self) -> Any:
        """The shape of the output, or of each; ``None`` as in `input_shape`."""
        return self._shapes(self._graph.outputs)

    def _shapes(self, values: Sequence[int]) -> Any:
        shapes = tuple(self._graph.values[value].shape for value in values)
        return shapes if len(shapes) > 1 else shapes[0]

    def compiled_inference(self) -> CompiledInference:
        """Return a compiled kernel with a copy of the weights, for inference on the CPU.

        It is a separate object: training, hooks or new weights of the model do not reach it.

        Raises:
            ArgumentError: the graph has what no kernel can take, or layers that must be called.

        >>> from hpml.symbolic import Input
        >>> x = Input(shape=(2,))
        >>> infer = SymbolicModel(x, nn.ReLU()(x)).compiled_inference()
        >>> infer(torch.tensor([[-1.0, 2.0]]))
        tensor([[0., 2.]])
        """
        program = self._untimed
        if self._execution != KERNEL:
            program = PREPARE[KERNEL](self._graph, self._execution_order_layers)
        return compiled_inference(self, program)

    def summary(self) -> None:
        """Print a table of the layers, their output shapes and their parameters."""
        print(summary_text(self, self._graph, self._execution_order_layers))

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> SymbolicModel:
        """Convert or move; a buffer that several layers refer to stays one, as parameters do."""
        places: dict[int, list[tuple[nn.Module, str]]] = {}
        for module in self.modules():
            for name, buffer in module._buffers.items():
                places.setdefault(id(buffer), []).append((module, name))
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for (first, its_name), *others in places.values():
            for module, name in others:
                module._buffers[name] = first._buffers[its_name]
        return self

    def add_output(self, node: SymbolicData) -> None:
        """Return one more value of the graph from now on.

        Raises:
            ArgumentError: the node is an input of the model, or the model does not compute it.
        """
        (handle,) = as_handles("add_output", node)
        nodes = self._all_nodes()
        try:
            wanted = current(handle._node)
            value = next(i for i, known in enumerate(nodes) if known is wanted)
        except StopIteration:
            raise ArgumentError(
                f"add_output expected a value that this model computes, received "
                f"{handle._node.describe()}: build a model with it in outputs instead"
            ) from None
        if value in self._graph.inputs or self._graph.output_names:
            raise ArgumentError(
                "add_output expected a value that the model computes, and a model that returns one "
                f"value or a tuple, received the {handle._node.describe()} and outputs of "
                f"{len(self._graph.output_names)} names: build a model with it in outputs instead"
            )
        self._graph = self._graph._replace(outputs=(*self._graph.outputs, value))
        self._prepare()

    def detach_from_graph(self) -> SymbolicModel:
        """Return a copy with weights of its own, which has no symbolic inputs and outputs."""
        return copy.deepcopy(self)

    def __getstate__(self) -> Any:
        # The program is generated again; the nodes belong to the layers of the original.
        state = super().__getstate__()  # type: ignore[no-untyped-call]
        for name in ("_program", "_run", "_pick_layers", "_untimed", "_timing"):
            del state[name]
        state["_nodes"] = []
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._pick_layers = _layer_picker([call.module for call in self._graph.calls])
        self._prepare()

    def to_fx(self) -> torch.fx.GraphModule:
        """Return the same model for ``torch.fx``: a graph that its tools can read and change.

        The layers are shared with this model.
        """
        return graph_module(self, self._graph)

    def partial_run(self, known: Mapping[SymbolicData, Any]) -> PartialRun:
        """Compute once what depends on known inputs alone; return the model of what remains.

        For a loop in which others vary. What may draw or count remains: layers of unknown code, in
        training also dropout and batch normalisation. Weights or a mode changed later show in the
        remaining calls only. Gradients flow for one backward.

        Args:
            known: values by input, ``{model.inputs[1]: value}``.

        Raises:
            ArgumentError: no input is known or none varies, a key is no input of this model, or
                a call changes a value in place.

        >>> from hpml.symbolic import Input
        >>> x, state = Input(shape=(2,)), Input(shape=(2,))
        >>> model = SymbolicModel([x, state], nn.Linear(2, 2)(x) + state)
        >>> step = model.partial_run({x: torch.ones(1, 2)})
        >>> step.evaluated, step(torch.zeros(1, 2)).shape
        (('Linear_1',), torch.Size([1, 2]))
        """

        def build(graph: Graph, layers: list[nn.Module]) -> SymbolicModel:
            model = SymbolicModel.__new__(SymbolicModel)
            nn.Module.__init__(model)
            model._execution, model._cuda_graphs = self._execution, False
            model._adopt(Collected(graph, layers, []))
            return model

        return partial_run(self, known, build)


_RESERVED = frozenset(dir(SymbolicModel))


def _choose_execution(execution: str | None, codegen: bool | None, cuda_graphs: bool) -> str:
    """Return the name of the execution, from the two ways to ask for one."""
    if execution is not None and codegen is not None:
        raise ArgumentError(
            f"expected execution or enable_forward_codegen, received both ({execution!r} and "
            f"{codegen!r}): enable_forward_codegen=True is execution='codegen', False is 'ordered'"
        )
    if execution is None:
        plain = not config.CODEGEN_BY_DEFAULT if codegen is None else not codegen
        execution = "ordered" if plain else DEFAULT if codegen is None else "codegen"
    _check_execution(execution)
    if cuda_graphs and not BY_NAME[execution].separate_operators:
        raise ArgumentError(
            "enable_cuda_graphs expected an execution of PyTorch's kernels, received "
            f"execution={execution!r}, which runs on the CPU: leave one of the two out"
        )
    return execution


def _check_execution(name: Any) -> None:
    if name not in PREPARE:
        raise ArgumentError(
            f"execution expected one of {', '.join(map(repr, PREPARE))}, received {name!r}"
        )


def _layer_picker(names: list[str]) -> Callable[[Any], Sequence[nn.Module]]:
    """Return the function that looks the layers of the calls up among the submodules.

    They are looked up at each forward: a layer that was replaced is used from then on, and a
    replica on another device uses its own.
    """
    if len(names) > 1:
        return operator.itemgetter(*names)  # the whole list in one call, 12 ns a layer
    return lambda modules: [modules[name] for name in names]

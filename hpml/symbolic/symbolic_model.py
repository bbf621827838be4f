"""The symbolic model: a graph, the layers of its calls, and an execution."""

from __future__ import annotations

import copy
import operator
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from hpml.base.errors import describe
from hpml.base.operator_times import Timing, timing_from_environment

from . import config
from .building.handles import SymbolicData, as_handles, handle_of
from .building.interception import Token, handle_token
from .building.node import Node, format_origin
from .building.recording import check_unchanged, current
from .errors import ArgumentError, GraphError
from .execution import BY_NAME, DEFAULT, KERNEL, cuda_graph, timed
from .execution.kernel import CompiledInference
from .execution.source import documented_source
from .graph import Collected, Graph, collect
from .graph.reading import graph_module, summary_text
from .graph.stored import StoredNodes
from .partial_run import PartialRun, partial_run
from .signature import argument_names, new_model, with_signature


class SymbolicModel(nn.Module):
    """A PyTorch module that replays the operations between inputs and outputs on real data.

    Args:
        inputs: the model's arguments as symbolic data, one or several, in order. Their names are
            the parameters of ``forward``, which export, ONNX and ``torch.fx`` see; an input may be
            passed by its name, ``model(image=value)``. Without a name it is ``input_0``.
        outputs: the model's results as symbolic data: one, several for a tuple, or a dictionary
            from names to symbolic data.
        enable_cuda_graphs: record the kernels once and replay them on the GPU.
        enable_forward_codegen: ``True`` means ``execution="codegen"``, ``False`` ``"ordered"``.
        execution: how the forward runs, one of ``hpml.symbolic.EXECUTIONS``, or ``"numba"``;
            ``None`` means ``"inlined"``.

    Layers are named by type and number, ``Linear_2``, in the order of the calls, so inserting a
    layer renames the later layers of its type. A ``custom_name`` does not change. A layer that is
    called with further arguments is a submodule of the layer of that call, ``Scaled_1.function``.

    Raises:
        ArgumentError: no symbolic data, or a graph that the execution cannot run.
        ForeignNodeError: an output needs an input that is not among ``inputs``.
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
        names = list(outputs) if isinstance(outputs, Mapping) else []
        values = list(outputs.values()) if isinstance(outputs, Mapping) else outputs
        output_nodes = [current(handle._node) for handle in as_handles("outputs", values)]
        self._execution = execution
        self._cuda_graphs = enable_cuda_graphs
        collected = collect(input_nodes, output_nodes, names)
        check_unchanged(collected.nodes, collected.layers)
        self._adopt(collected)

    def _adopt(self, collected: Collected) -> None:
        """Set the graph, its layers and its nodes, and prepare the execution."""
        self._graph = collected.graph
        self.__class__ = with_signature(type(self), argument_names(collected.graph))
        self._nodes = collected.nodes
        self._stored: StoredNodes | None = None
        # The user's program may have used the sizes that it read, so inputs must have them.
        inputs = [self._graph.values[value] for value in self._graph.inputs]
        self._declared = [value.shape if value.sizes_read else None for value in inputs]
        self._checks_sizes = any(self._declared)
        names = [call.module for call in collected.graph.calls]
        reserved = _RESERVED.union(self.__dict__)
        dotted = [name for name in names if "." in name]
        taken = reserved.intersection(names)
        taken |= reserved.intersection([name.partition(".")[0] for name in dotted])
        if taken:
            raise ArgumentError(
                object="custom_name",
                expected="a name that is not an attribute of a module",
                received=repr(min(taken)),
                remedy="Choose another name.",
            )
        if dotted:
            for name, layer in zip(names, collected.layers, strict=True):
                self._register(name, layer)
        else:
            self._modules.update(zip(names, collected.layers, strict=True))
        self._pick_layers = _layer_picker(names)
        self._timing = timing_from_environment()
        self._prepare()

    def _register(self, name: str, layer: nn.Module) -> None:
        """Make a layer a submodule; ``"encoder.block"`` is in a module ``encoder``."""
        if "." not in name:
            if type(self._modules.get(name)) is Group:
                raise _both_names(name)
            self._modules[name] = layer
            return
        owner: nn.Module = self
        *path, last = name.split(".")
        for part in path:
            found = owner._modules.setdefault(part, Group())
            if type(found) is not Group:
                raise _both_names(part)
            owner = found
        owner._modules[last] = layer

    def _prepare(self) -> None:
        layers = self._execution_order_layers
        program = BY_NAME[self._execution].prepare(self._graph, layers)
        if self._cuda_graphs:
            program = cuda_graph.prepare(program)
        if self._timing is not None and self._runs_separately():
            program = timed.prepare(program, self._graph, layers, self._execution, self._timing)
        self._program = program
        self._run = program.run

    def _runs_separately(self) -> bool:
        """Return whether the operators run one by one and can be timed."""
        return BY_NAME[self._execution].separate_operators and not self._cuda_graphs

    def _set_timing(self, timing: Timing | None) -> None:
        """Start timing the operators of each run, or stop with ``None``."""
        if timing is not None and not self._runs_separately():
            raise ArgumentError(
                object="operator timing",
                expected="operators that run one by one",
                received="a model that launches them together",
                remedy="Build it without enable_cuda_graphs and execution='numba'.",
            )
        self._timing = timing
        self._prepare()

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
        """Return positional and keyword inputs in the order of the graph."""
        names = argument_names(self._graph)
        if set(named) != set(names[len(inputs) :]):
            raise ArgumentError(
                object="inputs of the model",
                expected=f"inputs named {', '.join(names)}",
                received=f"{len(inputs)} by position and by name {', '.join(named)}",
                remedy="Pass each input once; Input(shape, name=...) names an input.",
            )
        return (*inputs, *[named[name] for name in names[len(inputs) :]])

    def _check_sizes(self, inputs: tuple[Any, ...]) -> None:
        for number, (value, expected) in enumerate(zip(inputs, self._declared, strict=False)):
            if expected is None or not isinstance(value, torch.Tensor):
                continue
            # Not `size not in (None, n)`, in which torch.compile takes a symbolic `n` for another.
            pairs = zip(expected, value.shape, strict=False)
            known = [(size, n) for size, n in pairs if size is not None]
            if value.ndim != len(expected) or any(size != n for size, n in known):
                raise ArgumentError(
                    object=f"input {number} of the model",
                    expected=f"shape {expected}, because the model was built with its sizes",
                    received=f"{tuple(value.shape)}",
                    remedy="Build the model with an Input of that shape, or without reading its "
                    "sizes.",
                )

    def _explain(self, error: Exception, inputs: tuple[Any, ...]) -> None:
        """Raise a clearer error for wrong inputs, or add a note about the layer that failed."""
        graph = self._graph
        if len(inputs) != len(graph.inputs) and not isinstance(error, ArgumentError):
            expected = ", ".join(graph.values[value].text() for value in graph.inputs)
            raise ArgumentError(
                object="inputs of the model",
                expected=f"{len(graph.inputs)} input(s), {expected}",
                received=str(len(inputs)),
                remedy="Call it with one value for each symbolic input.",
            ) from None
        modules = dict(self.named_modules(remove_duplicate=False))
        deleted = [call.module for call in graph.calls if call.module not in modules]
        if deleted and isinstance(error, (KeyError, TypeError)):
            raise ArgumentError(
                object=f"layer {deleted[0]!r} of the model",
                expected="a submodule of this name",
                received="none, because it was deleted",
                remedy="Assign another one, or build the model without it.",
            ) from None
        for frame, line in traceback.walk_tb(error.__traceback__):
            position = self._program.failed_call(frame, line)
            if position is not None:
                error.add_note(self._describe_call(position))
                return

    def _describe_call(self, position: int) -> str:
        call, layer = self._graph.calls[position], self._execution_order_layers[position]
        arguments = " and ".join(self._graph.values[a].text() for a in call.arguments)
        place = "" if call.origin is None else f", written at {format_origin(call.origin)}"
        return (
            f"In layer {call.name} of the symbolic model, {describe(layer, 200)}, call "
            f"{position + 1} of {len(self._graph.calls)}{place}. "
            f"When the model was built it received {arguments}."
        )

    @property
    def graph(self) -> Graph:
        """The graph, as immutable data."""
        return self._graph

    @property
    def _execution_order_layers(self) -> Sequence[nn.Module]:
        """The current layer of each call, in order."""
        if torch.compiler.is_compiling():  # torch.compile supports the loop, not the itemgetter
            return [_find(self._modules, call.module) for call in self._graph.calls]
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
        """For each line of `source` the range of calls, as first and one past the last.

        Empty for ``"lazy"`` and ``"ordered"``, which generate no source.
        """
        return self._program.spans

    @property
    def _generated_forward_source(self) -> str:
        """The generated source in the form of the documentation, a name for each value."""
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
        """The model's inputs as symbolic data."""
        return self._handles(self._graph.inputs)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The model's outputs as symbolic data."""
        return self._handles(self._graph.outputs)

    def _handles(self, values: Sequence[int]) -> tuple[Any, ...]:
        nodes = self._all_nodes()
        token: Token = handle_token()
        return tuple(handle_of(nodes[value], token) for value in values)

    def _all_nodes(self) -> list[Node]:
        """Return the node of each value."""
        if not self._nodes and self._stored is not None:
            self._nodes = self._stored.nodes(self._graph, self._execution_order_layers) or []
        if not self._nodes:
            raise ArgumentError(
                object="symbolic data of the model",
                expected="a model that was built or loaded as a whole",
                received="a part of one, one that was detached, or one with an input that could "
                "not be stored",
                remedy="Use the original, or read model.graph.",
            )
        return self._nodes

    @property
    def input_shape(self) -> Any:
        """The shape of the input, or of each; ``None`` for an unknown size or another type."""
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

        Later changes of the model, such as training or hooks, do not affect it.

        Raises:
            ArgumentError: the kernel does not support the graph, or layers must be called, as with
                hooks or in training.

        >>> from hpml.symbolic import Input
        >>> x = Input(shape=(2,))
        >>> infer = SymbolicModel(x, nn.ReLU()(x)).compiled_inference()
        >>> infer(torch.tensor([[-1.0, 2.0]]))
        tensor([[0., 2.]])
        """
        program = self._program
        if self._execution != KERNEL.name:
            program = KERNEL.prepare(self._graph, self._execution_order_layers)
        assert program.infer is not None  # set by the kernel
        return program.infer(self)  # type: ignore[no-any-return]

    def summary(self) -> None:
        """Print a table of the layers, their output shapes and their parameters."""
        print(summary_text(self, self._graph, self._execution_order_layers))

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> SymbolicModel:
        """Convert or move the model; a buffer that layers share stays shared, as parameters do."""
        places: dict[int, list[tuple[nn.Module, str]]] = {}
        for module in self.modules():
            for name, buffer in module._buffers.items():
                places.setdefault(id(buffer), []).append((module, name))
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for (first, first_name), *others in places.values():
            for module, name in others:
                module._buffers[name] = first._buffers[first_name]
        return self

    def add_output(self, node: SymbolicData) -> None:
        """Add a value of the graph to the outputs.

        Raises:
            ArgumentError: the model does not compute the value, or it returns a dictionary.
        """
        (handle,) = as_handles("add_output", node)
        nodes, output = self._all_nodes(), current(handle._node)
        if self._graph.output_names:
            raise ArgumentError(
                object="model of add_output",
                expected="one that returns a value or a tuple",
                received="one that returns a dictionary",
                remedy="Build a model with the value in outputs instead.",
            )
        if output not in nodes[len(self._graph.inputs) :]:
            raise ArgumentError(
                object="add_output",
                expected="a value that the model computes",
                received=f"the {handle._node.describe()}",
                remedy="Build a model with it in outputs instead.",
            )
        value = nodes.index(output)
        self._graph = self._graph._replace(outputs=(*self._graph.outputs, value))
        self._prepare()

    def detach_from_graph(self) -> SymbolicModel:
        """Return a copy with separate weights and without symbolic inputs and outputs."""
        model = copy.deepcopy(self)
        model._stored = None
        return model

    def __reduce_ex__(self, protocol: Any) -> Any:
        base = getattr(self, "_without_signature", type(self))
        return new_model, (base, argument_names(self._graph)), self.__getstate__()

    def __getstate__(self) -> Any:
        # A copy generates the program again, and makes nodes with its own layers when asked.
        state = super().__getstate__()  # type: ignore[no-untyped-call]
        for name in ("_program", "_run", "_pick_layers", "_timing"):
            del state[name]
        state["_nodes"] = []
        if self._nodes:
            state["_stored"] = StoredNodes(self._nodes)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._pick_layers = _layer_picker([call.module for call in self._graph.calls])
        self._timing = timing_from_environment()
        self._prepare()

    def to_fx(self) -> torch.fx.GraphModule:
        """Return the model as a GraphModule of ``torch.fx``, which shares the layers."""
        return graph_module(self, self._graph, argument_names(self._graph))

    def partial_run(self, known: Mapping[SymbolicData, Any]) -> PartialRun:
        """Run the calls that depend on known inputs alone; return a model of the other calls.

        Calls that may be random or have state are not run in advance: unknown code, and in training
        dropout and batch normalisation. Later changes of weights or mode affect the remaining calls
        only. Gradients work for one backward.

        Args:
            known: values by input, ``{model.inputs[1]: value}``.

        Raises:
            ArgumentError: no input or every input is known, a key is not an input of this model,
                or a call changes a value in place.

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
    """Return the name of the execution for the arguments of the constructor."""
    if execution is not None and codegen is not None:
        raise ArgumentError(
            object="execution",
            expected="execution or enable_forward_codegen",
            received=f"both ({execution!r} and {codegen!r})",
            remedy="Pass execution= alone: enable_forward_codegen=True is 'codegen', False is "
            "'ordered'.",
        )
    if execution is None:
        plain = not config.CODEGEN_BY_DEFAULT if codegen is None else not codegen
        execution = "ordered" if plain else DEFAULT if codegen is None else "codegen"
    _check_execution(execution)
    if cuda_graphs and not BY_NAME[execution].separate_operators:
        raise ArgumentError(
            object="enable_cuda_graphs=True",
            expected="an execution of PyTorch's kernels",
            received=f"execution={execution!r}, which runs on the CPU",
            remedy="Leave one of the two out.",
        )
    return execution


def _check_execution(name: Any) -> None:
    if name not in BY_NAME:
        raise ArgumentError(
            object="execution",
            expected=f"one of {', '.join(map(repr, BY_NAME))}",
            received=describe(name),
            remedy="Pass one of these.",
        )


class Group(nn.Module):
    """The module that contains the layers whose names begin with its name and a point."""


def _both_names(name: str) -> ArgumentError:
    return ArgumentError(
        object="custom_name",
        expected=f"{name!r} as the name of a layer or of a group of layers",
        received=f"both, as {name!r} and {name + '.…'!r}",
        remedy="Choose another name for one of them.",
    )


def _find(modules: Any, name: str) -> Any:
    *path, last = name.split(".")
    for part in path:
        modules = modules[part]._modules
    return modules[last]


def _layer_picker(names: list[str]) -> Callable[[Any], Sequence[nn.Module]]:
    """Return a function that looks up the layers in each forward, so replaced layers are used."""
    if any("." in name for name in names):
        return lambda modules: [_find(modules, name) for name in names]
    if len(names) > 1:
        return operator.itemgetter(*names)  # one call for all layers, 12 ns each
    return lambda modules: [modules[name] for name in names]

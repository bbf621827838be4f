"""Infer the shape and dtype of a layer's result before anything is computed.

The first method that applies is used:

1. a rule of the registry (`layer_rules`), which takes about a microsecond;
2. *meta propagation*: a copy of the layer runs on meta tensors, which have a shape but no data;
3. if meta tensors cannot replace the values (a Python object of the user, a decision about the
   data): a copy of the layer runs on example data.

The copy runs for several example batch sizes; a size that differs between them depends on the
batch or on the data. The runs also show which argument shares memory with the result or was changed
in place. Results are cached for functions of torch and for the stateless layers of `useful_layers`.

A layer with state or unknown code is copied without hooks, and only the copy runs. Changes that its
code makes outside of the layer are not undone; with ``output_shape=`` nothing runs.

Source: meta tensors, https://docs.pytorch.org/docs/stable/meta.html
"""

from __future__ import annotations

import contextlib
import copy
import functools
import operator
import random
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.lazy import LazyModuleMixin
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from hpml.base.errors import describe
from hpml.symbolic import torch_private, useful_layers
from hpml.symbolic.errors import ArgumentError, GraphError, ShapeError

from .arguments import children_of
from .interception import Handle
from .layer_rules import LAYER_RULES
from .node import (
    BATCH,
    DATA_BATCHES,
    EXAMPLE_BATCHES,
    IN_PLACE,
    ITSELF,
    REQUIRED_BATCHES,
    Concrete,
    Effects,
    InputExample,
    Node,
    Spec,
    TensorSpec,
    Unknown,
    describe_spec,
    format_origin,
    layer_name,
    name_of,
    oldest_first,
)

Inferred = tuple[Spec, Effects | None]
no_context = contextlib.nullcontext()


def infer(layer: nn.Module, parents: Sequence[Node]) -> Inferred:
    """Return the spec of ``layer(*parents)`` and the effects of the call on its arguments."""
    rule = LAYER_RULES.get(type(layer))
    if rule is not None and rule.shape is not None and len(parents) == rule.arguments:
        specs: list[Any] = [parent.spec for parent in parents]
        attributes = layer.__dict__
        inplace = attributes.get("inplace", False)
        is_standard = "forward" not in attributes and type(inplace) is bool
        if is_standard and TensorSpec is type(specs[0]) is type(specs[-1]):
            try:
                found = rule.shape(layer, *specs)
            except ShapeError as error:
                raise _misfit(layer, parents, error) from None
            if found is not None:
                return found, IN_PLACE if inplace else rule.effects
    elif type(layer) is useful_layers.CallbackLayer:
        return parents[0].spec, ITSELF
    try:
        return _run_or_remember(layer, parents)
    except ShapeError:
        known = _with_known_batch(parents)
        if known is None:
            raise
        try:
            return _run_or_remember(layer, known)
        except GraphError:
            pass
        raise


def _run_or_remember(layer: nn.Module, parents: Sequence[Node]) -> Inferred:
    key = _cache_key(layer, parents)
    if key is None:
        return _run(layer, parents)
    if key not in _cache:
        if len(_cache) >= _CACHE_SIZE:
            _cache.clear()
        _cache[key] = _run(layer, parents)
    return _cache[key]


def _with_known_batch(parents: Sequence[Node]) -> list[Node] | None:
    """Return the parents with the unknown batch as the known one of another parent, or None."""
    shapes = [parent.spec.shape for parent in parents if type(parent.spec) is TensorSpec]
    known = {shape[0] for shape in shapes if shape and isinstance(shape[0], int)}
    if len(known) != 1 or not any(BATCH in shape for shape in shapes):
        return None
    (batch,) = known
    replaced = []
    for parent in parents:
        spec = parent.spec
        if isinstance(spec, TensorSpec):
            parent = copy.copy(parent)
            shape = tuple([batch if size == BATCH else size for size in spec.shape])
            parent.spec = TensorSpec(shape, spec.dtype)
        replaced.append(parent)
    return replaced


def declared_spec(shape: Any, parents: Sequence[Node]) -> TensorSpec:
    """Return the spec for an ``output_shape`` of the user, with the dtype of the first tensor."""
    dtypes = [parent.spec.dtype for parent in parents if isinstance(parent.spec, TensorSpec)]
    try:
        sizes = tuple([BATCH if size is None else operator.index(size) for size in shape])
    except TypeError:
        sizes = (-1,)
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise ArgumentError(
            object="output_shape",
            expected="a tuple of sizes, the batch dimension first (None if it is not known)",
            received=describe(shape),
            remedy="Write one such as output_shape=(None, 4).",
        )
    return TensorSpec(sizes, dtypes[0] if dtypes else torch.get_default_dtype())


def infer_parts(parent: Node) -> list[Spec]:
    """Return the spec of each item of an unpacked value, ``a, b = value``."""
    spec = parent.spec
    if isinstance(spec, TensorSpec):
        count = spec.shape[0]
        assert isinstance(count, int)  # len() refuses a size that depends on the batch
        return [TensorSpec(spec.shape[1:], spec.dtype)] * count
    count = len(spec.value)  # `chunk` may give fewer parts for another example batch
    values = [value for value in spec.values if len(value) == count]
    return [_merge(parent.layer, items, spec.is_real) for items in zip(*values, strict=True)]


# --- layers without state -------------------------------------------------------------------------

_STATELESS = frozenset(
    kind
    for kind in vars(useful_layers).values()
    if isinstance(kind, type) and issubclass(kind, nn.Module)
).difference(
    (useful_layers.LambdaOpLayer, useful_layers.NamedLambdaOpLayer, useful_layers.AggregateLayer)
)
_MODULE_ATTRIBUTES = frozenset(vars(nn.Module()))
_CACHE_SIZE = 4096
_cache: dict[Hashable, Inferred] = {}


def _cache_key(layer: nn.Module, parents: Sequence[Node]) -> Hashable | None:
    """Return everything that a stateless layer's result depends on; ``None`` for other layers."""
    specs = tuple([parent.spec for parent in parents])
    examples = tuple([parent.example for parent in parents])
    if not is_stateless(layer) or any(type(spec) is not TensorSpec for spec in specs):
        return None
    if any(isinstance(example, Tensor) for example in examples):
        return None
    same = len(parents) > 1 and len({*parents}) < len(parents) and [*map(parents.index, parents)]
    operation: Any = type(layer)
    if isinstance(layer, useful_layers.FunctionLayer):
        operation = layer.function, layer.template.text, layer.as_method
    # As text, because 0 == 0.0 == False.
    settings = repr((_settings(layer), same))
    return operation, settings, specs, examples, torch.get_default_dtype()


def _settings(layer: nn.Module) -> Any:
    if isinstance(layer, useful_layers.FunctionLayer):
        return layer.template.constants
    return [value for name, value in vars(layer).items() if name not in _MODULE_ATTRIBUTES]


def is_stateless(layer: nn.Module) -> bool:
    """Return whether a layer has no state, so that it can run without being copied."""
    if isinstance(layer, useful_layers.FunctionLayer) and not (
        is_stateless_function(layer.function)
        and not layer._modules
        and not layer._tensor_constants
        and layer.captures is None
    ):
        return False
    return type(layer) in _STATELESS and _has_no_tensors(_settings(layer))


def is_stateless_function(value: Any) -> bool:
    """Return whether a value is a function of torch or of C, which are taken to be stateless."""
    if isinstance(value, FunctionType):
        return (value.__module__ or "").partition(".")[0] == "torch"
    if isinstance(value, BuiltinFunctionType):  # a bound method depends on its object
        return isinstance(value.__self__, (type(None), type, ModuleType))
    return type(value).__name__ in {"method_descriptor", "wrapper_descriptor"}


# --- runs of a copy -------------------------------------------------------------------------------


def _run(layer: nn.Module, parents: Sequence[Node]) -> Inferred:
    """Run the layer for each example batch, on meta tensors if possible."""
    needs_data = any(
        type(p.spec) is Concrete and p.spec.is_real and not _has_no_tensors(p.spec.value)
        for p in parents
    )
    for part in layer.modules():
        if isinstance(part, LazyModuleMixin) and part.has_uninitialized_params():
            raise ArgumentError(
                object=type(part).__name__,
                expected="real data, from which it learns its sizes",
                received="symbolic data",
                remedy=_with_sizes(part),
            )
    if torch.is_inference_mode_enabled():  # its tensors do not say whether they were changed
        with torch.inference_mode(False):
            return _run(layer, parents)
    reasons = []
    for meta in (False,) if needs_data else (True, False):
        try:
            return _run_examples(layer, parents, meta)
        except GraphError:
            raise
        except Exception as error:  # a layer may raise anything
            about_shape = isinstance(error, RuntimeError) and not (meta and _is_about_meta(error))
            if about_shape or not meta:
                kind = ShapeError if about_shape else GraphError
                # What fails on meta tensors as well does not depend on the data.
                by_data = not meta and _first_line(error) not in reasons
                raise _failure(kind, layer, parents, error, by_data=by_data) from error
            reasons.append(_first_line(error))
    raise AssertionError("the last attempt returns or raises")


def _with_sizes(part: nn.Module) -> str:
    """Return how to write a lazy layer with its sizes."""
    kind = getattr(part, "cls_to_become", None)
    if kind is None:
        return "Call it once on real data, which gives it its sizes."
    return (
        f"Write nn.{kind.__name__} with the sizes of the symbolic data, as in "
        "nn.Linear(x.features, 4) or nn.Conv2d(x.channels, 8, 3)."
    )


def _is_about_meta(error: RuntimeError) -> bool:
    return isinstance(error, NotImplementedError) or "meta" in str(error).lower()


def _run_examples(layer: nn.Module, parents: Sequence[Node], meta: bool) -> Inferred:
    specs = [parent.spec for parent in parents]
    depends = not meta or any(spec.depends for spec in specs)
    count = min([spec.examples for spec in specs], default=1) if depends else 1
    device = torch.device("meta") if meta else device_of(layer)
    results, effects = [], None
    for example in range(count if meta else min(count, DATA_BATCHES)):
        made = {parent: example_value(parent, example, device) for parent in {*parents}}
        arguments = [made[parent] for parent in parents]  # may be the same object twice
        argument_tensors = [_tensors_in(argument) for argument in arguments]
        versions = [[tensor._version for tensor in tensors] for tensors in argument_tensors]
        watch = no_context if meta else _fixed_sizes()(layer, arguments)
        for evaluating in (False, True):  # normalisation in training refuses the smallest batch
            try:
                result = _call(layer, arguments, meta, watch, evaluating)
                break
            except Exception:
                if example < REQUIRED_BATCHES:
                    raise
        else:
            break  # the model cannot take a batch of this size either
        if example < REQUIRED_BATCHES:
            effects = _effects(arguments, argument_tensors, versions, result)
        results.append(result)
    return _merge(layer, tuple(results), not meta), effects


class _FixedSizes:
    """Refuses operators whose results have a size that depends on the data, as ``x[x > 0]``.

    Meta tensors have no data for them. A size that depends on constants only is known.
    """

    def __init__(self, layer: nn.Module, arguments: list[Any]) -> None:
        super().__init__()
        self.layer = layer
        self.data = WeakIdKeyDictionary(dict.fromkeys(_tensors([arguments, *layer.parameters()])))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        is_data = torch.Tag.nondeterministic_seeded in func.tags
        if is_data or any(tensor in self.data for tensor in _tensors((args, kwargs))):
            selects = torch.Tag.dynamic_output_shape in func.tags
            if func is torch.ops.aten.index.Tensor:  # also for indices of a known number
                selects = any(map(self._is_mask, args[1]))
            if selects:
                raise GraphError(
                    object=describe(self.layer),
                    expected="sizes that do not depend on the data",
                    received=f"{func}, which selects elements by their values",
                    remedy=f"Give the shape by hand, {_selecting(self.layer)} or "
                    "layer(x, output_shape=...).",
                )
            self.data.update(dict.fromkeys(_tensors(result)))
        return result

    def _is_mask(self, index: Any) -> bool:
        return index is not None and index.dtype in (torch.bool, torch.uint8) and index in self.data


def _selecting(layer: nn.Module) -> str:
    """Return how to record a selection as a function with a given shape."""
    name = name_of(getattr(layer, "function", operator.getitem))
    call, shape = f"{'torch.' if hasattr(torch, name) else ''}{name}, x", "(None,)"
    if name in ("getitem", "masked_select"):
        call = "torch.masked_select, x, x > 0"
    elif name in ("nonzero", "argwhere"):
        shape = "(None, x.ndim)"
    return f"add_to_graph({call}, output_shape={shape})"


@functools.cache
def _fixed_sizes() -> Any:
    """Return the mode that refuses those operators; its base class is looked up at first use."""
    return type("FixedSizes", (_FixedSizes, torch_private.TorchDispatchMode), {})


def _tensors(value: Any) -> list[Tensor]:
    return [leaf for leaf in torch_private.tree_leaves(value) if isinstance(leaf, Tensor)]


def _merge(layer: Any, results: tuple[Any, ...], is_real: bool) -> Spec:
    """Combine the results for the example batches into one spec."""
    first = results[0]
    if any(isinstance(result, Handle) for result in results):
        raise ArgumentError(
            object=describe(layer, 200),
            expected="a forward that uses only its arguments",
            received=f"one that also used {first!r}",
            remedy="Pass it as an argument.",
        )
    if all(isinstance(result, Tensor) for result in results[:REQUIRED_BATCHES]):
        kind = first.ndim, first.dtype
        matches = [isinstance(r, Tensor) and (r.ndim, r.dtype) == kind for r in results]
        if not all(matches[:REQUIRED_BATCHES]):
            raise ShapeError(
                object=describe(layer, 200),
                expected="tensors of one dtype and number of dimensions for every batch",
                received=" and ".join(f"{tuple(r.shape)} of {r.dtype}" for r in results[:2])
                + " for two batch sizes",
                remedy="Name the dimensions that it works along.",
            )
        if not all(matches):
            results = results[:REQUIRED_BATCHES]
        sizes = [
            examples[0] if len({*examples}) == 1 else Unknown(*examples)
            for examples in zip(*[result.shape for result in results], strict=True)
        ]
        return TensorSpec(tuple(sizes), first.dtype)
    no_tensors = all(map(_has_no_tensors, results))
    if no_tensors and all(type(r) is type(first) and r == first for r in results):
        results = (first,)
    return Concrete(results, is_real or no_tensors)


def _tensors_in(value: Any) -> list[Tensor]:
    return [part for part in (children_of(value) or (value,)) if isinstance(part, Tensor)]


def _effects(
    arguments: list[Any], parts: list[list[Tensor]], versions: list[list[int]], result: Any
) -> Effects | None:
    """Return which argument was changed in place, or else shares its memory with the result."""
    result_memory = {memory_of(tensor) for tensor in _tensors_in(result)}
    found = None
    for position, (tensors, before) in enumerate(zip(parts, versions, strict=True)):
        changed = [tensor._version for tensor in tensors] != before
        shares = not result_memory.isdisjoint(map(memory_of, tensors))
        if changed or (shares and found is None):
            found = Effects(position, shares, arguments[position] is result, changed)
        if changed:
            break
    return found


def memory_of(tensor: Tensor) -> Any:
    """Return what two tensors have in common if they share memory."""
    try:
        return tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):  # a sparse tensor or a subclass
        return tensor


def example_value(node: Node, example: int, device: torch.device) -> Any:
    """Return an argument for one of the example batches."""
    spec = node.spec
    if isinstance(spec, TensorSpec):
        if device.type == "meta":
            return torch.empty(spec.at(example), dtype=spec.dtype, device=device)
        if not isinstance(node.example, Tensor):
            return _real(spec.at(example), spec.dtype, node, example).to(device)
        value = node.example.detach().clone().to(device)
        is_integer = value.dtype in (torch.int32, torch.int64)
        return value - example % 2 * (value > 1) if is_integer else value  # differs, as in `_real`
    value = spec.at(example)
    if spec.is_real or device.type == "meta":
        return value
    with Copies(lambda tensor: _real(tensor.shape, tensor.dtype, node, example).to(device)):
        return copy.deepcopy(value)


def _real(shape: tuple[int, ...], dtype: torch.dtype, node: Node, example: int) -> Tensor:
    """Return data of which the integers and the numbers of true elements alternate."""
    low, high, _ = drawn = node.example if type(node.example) is InputExample else InputExample()
    if dtype.is_floating_point:
        return random_tensor(shape, dtype, drawn, node.index + example)
    rows = torch.ones(shape, device="cpu").cumsum(-1) <= example % 2 + 1  # one in each row, and two
    if dtype is torch.bool:
        return rows
    number = ((1, 2) if (low, high) == (0, 1) else (low, max(high - 1, low + 1)))[example % 2]
    return torch.where(rows | (len(shape) < 2), number, low).to(dtype)


def _call(layer: nn.Module, arguments: list[Any], meta: bool, watch: Any, evaluating: bool) -> Any:
    stateless = is_stateless(layer)
    with (
        no_context if stateless and meta else generators_restored(layer),
        torch.device("meta") if meta else no_context,
        watch,
        torch.no_grad(),
    ):
        duplicate = layer if stateless else copied(layer, meta=meta)
        return (duplicate.eval() if evaluating and not stateless else duplicate)(*arguments)


# --- the copy -------------------------------------------------------------------------------------

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def copied(layer: nn.Module, *, meta: bool) -> nn.Module:
    """Return a copy without hooks; its tensors are meta tensors or share the layer's memory."""
    memo: dict[int, Any] = {}
    for parameter in layer.parameters():
        memo[id(parameter)] = _meta_of(parameter) if meta else parameter
    try:
        with Copies(_meta_of) if meta else no_context:
            duplicate: nn.Module = copy.deepcopy(layer, memo)
    except Exception as error:
        if meta:  # such as a random generator
            raise NotImplementedError("no copy on meta") from error
        raise GraphError(
            object=type(layer).__name__,
            expected="a layer that can be copied, because a copy runs to find the shape of the "
            "result",
            received=f"{type(error).__name__}: {str(error).rstrip('.')}",
            remedy="Give the shape by hand: layer(x, output_shape=(None, ...)).",
        ) from error
    global_hooks = torch_private.has_any_global_hook()
    for module in duplicate.modules():
        if global_hooks or any(module.__dict__.get(name) for name in HOOKS):
            # torch calls a compiled forward without any hooks.
            module.__dict__["_compiled_call_impl"] = module.forward
    return duplicate


def _meta_of(tensor: Tensor) -> Tensor:
    empty = torch.empty_like(tensor, device="meta", requires_grad=False)
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty


class Copies(TorchFunctionMode):
    """Replace each copy of a tensor by the result of a function."""

    def __init__(self, replacement: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.replacement = replacement

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func is Tensor.__deepcopy__:
            tensor, memo = args
            memo[id(tensor)] = self.replacement(tensor)
            return memo[id(tensor)]
        if func is Tensor.clone:  # called by Parameter.__deepcopy__
            return self.replacement(args[0])
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def generators_restored(layer: nn.Module) -> Iterator[None]:
    """Restore the state of the random generators of Python, NumPy and torch at the end."""
    python_state = random.getstate()
    numpy_random = getattr(sys.modules.get("numpy"), "random", None)
    numpy_state = None if numpy_random is None else numpy_random.get_state()
    devices = sorted({p.device.index or 0 for p in layer.parameters() if p.is_cuda})
    with torch.random.fork_rng(devices=devices):
        try:
            yield
        finally:
            random.setstate(python_state)
            if numpy_random is not None:
                numpy_random.set_state(numpy_state)


_PLAIN = (
    *(int, float, complex, bool, str, bytes, type(None), type(...)),
    *(torch.dtype, torch.layout, torch.memory_format, torch.device),
)


def _has_no_tensors(value: Any) -> bool:
    """Return whether a value consists only of containers and plain values."""
    waiting = [value]
    for item in waiting:
        parts = children_of(item)
        if parts is not None:
            waiting.extend(parts)
        elif not isinstance(item, _PLAIN):
            return False
        if len(waiting) > 1000:
            return False
    return True


def _misfit(layer: nn.Module, parents: Sequence[Node], error: ShapeError) -> ShapeError:
    """Return the error of a shape rule with what the layer received."""
    received = " and ".join(describe_spec(parent.spec) for parent in parents)
    made = _makers(parents)
    return ShapeError(
        object=describe(layer, 200),
        expected=error.expected,
        received=received + (f", made by {made}" if made else ""),
        remedy=error.remedy,
    )


def _failure(
    kind: type[GraphError],
    layer: nn.Module,
    parents: Sequence[Node],
    error: Exception,
    *,
    by_data: bool,
) -> GraphError:
    """Return the error for a layer that raised another; `by_data` says with real data only."""
    received = " and ".join(describe_spec(parent.spec) for parent in parents)
    made, reason = _makers(parents), _first_line(error)
    where = f" The value it received was made by {made}." if made else ""
    tried = ""
    if any(parent.spec.depends for parent in parents):
        batches = " and ".join(map(str, EXAMPLE_BATCHES[:REQUIRED_BATCHES]))
        tried = f" It was tried with batches of {batches}."
    with_data = ", with example data" if by_data else ""
    if by_data:
        remedy = (
            "Choose the data with Input's min_value and max_value, or give the shape by hand, "
            "output_shape=(None, ...)."
        )
    elif kind is ShapeError and type(layer).__module__ == useful_layers.__name__:
        remedy = "Change the shapes or dtypes of the values before the call."
    elif kind is ShapeError:
        remedy = "Make the layer for this shape and dtype, or change the value before the call."
    else:
        remedy = "Change the arguments, or correct the forward that raises this."
    return kind(
        f"{describe(layer, 200)} cannot take a value of {received}: {reason}{with_data}."
        f"{tried}{where}",
        object=describe(layer, 200),
        expected="arguments that its forward takes",
        received=f"{received}, which raises {reason}{with_data}",
        remedy=remedy,
    )


def _makers(parents: Sequence[Node]) -> str:
    """Return what made the values, and in which lines."""
    return " and ".join(
        f"{'the input' if parent.layer is None else layer_name(parent.layer)} "
        f"at {format_origin(parent.origin)}"
        for parent in parents
        if parent.origin is not None
    )


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    line = text.splitlines()[0].rstrip(".") if text else "no message"
    return f"{type(error).__name__}: {line}"


# --- example data: what ``x.v`` shows -------------------------------------------------------------


def device_of(layer: nn.Module) -> torch.device:
    """Return the device of a layer's first parameter or buffer, or else the CPU."""
    for tensor in (*layer.parameters(), *layer.buffers()):
        return tensor.device
    return torch.device("cpu")


def random_tensor(
    shape: tuple[int, ...], dtype: torch.dtype, drawn: InputExample | None, seed: int
) -> Tensor:
    """Return a tensor of uniform random numbers, rounded down for integers and truth values.

    The range is ``[0, 1)`` by default, so integers are zero by default.
    """
    low, high, _ = drawn or InputExample()
    generator = torch.Generator().manual_seed(seed)
    values = torch.rand(shape, generator=generator, device="cpu") * (high - low) + low
    fractions = dtype.is_floating_point or dtype.is_complex
    return (values if fractions else values.floor()).to(dtype)


def evaluate(node: Node) -> Any:
    """Compute a node's value from example data for its inputs; nothing is stored."""
    values: dict[Node, Any] = {}
    for ancestor in oldest_first([node]):
        spec, layer = ancestor.spec, ancestor.layer
        if isinstance(spec, Concrete) and spec.is_real and not spec.depends:
            values[ancestor] = spec.value
        elif layer is None:
            values[ancestor] = _example_input(ancestor)
        else:
            arguments = [values[parent] for parent in ancestor.parents]
            values[ancestor] = _apply(ancestor, layer, arguments)
    return values[node]


def _example_input(node: Node) -> Any:
    if isinstance(node.example, Tensor):
        return node.example.detach().clone()
    spec: Any = node.spec
    batch = 1 if node.example is None else node.example.batch
    shape = tuple([size if isinstance(size, int) else batch for size in spec.shape])
    return random_tensor(shape, spec.dtype, node.example, node.index)


def _apply(node: Node, layer: nn.Module, arguments: list[Any]) -> Any:
    device = device_of(layer)
    moved = [a.to(device) if isinstance(a, Tensor) else a for a in arguments]
    try:
        with generators_restored(layer), torch.no_grad():
            torch.default_generator.manual_seed(node.index)  # dropout gives the same result again
            duplicate = copied(layer, meta=False)
            if node.parts:
                return tuple(duplicate(*moved[0]))[node.position]
            return duplicate(*moved)
    except Exception as error:
        raise GraphError(
            object="example value",
            expected=f"one of the {node.describe()}",
            received=f"{type(error).__name__}: {str(error).rstrip('.')}",
            remedy="Give the inputs a batch_shape, or min_value and max_value, that suit the "
            "layer.",
        ) from error

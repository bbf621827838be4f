"""Would another order of the calls show? Random numbers and changes in place depend on it."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Sequence

from torch import nn
from torch.nn.modules.dropout import _DropoutNd

from hpml.symbolic import useful_layers
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.liveness import use_counts

_OPERATORS = (
    *(useful_layers.AddOpLayer, useful_layers.SubOpLayer, useful_layers.MulOpLayer),
    *(useful_layers.ModOpLayer, useful_layers.MatmulOpLayer, useful_layers.ConcatLayer),
    *(useful_layers.StackLayer, useful_layers.ReshapeLayer, useful_layers.SliceLayer),
    *(useful_layers.SliceLayerSymbolicIdx, useful_layers.UnpackLayer, useful_layers.GetAttr),
)
_MAY_RETURN_IT = frozenset(
    ("dropout", "alpha_dropout", "feature_dropout", "contiguous", "to", "float", "double", "type")
)
_RANDOM = ("rand", "dropout", "bernoulli", "normal", "multinomial", "poisson", "rrelu", "gumbel")


def lazy_order(graph: Graph) -> list[int]:
    """Return the positions of the calls in the order in which the lazy execution makes them."""
    maker = {result: i for i, call in enumerate(graph.calls) for result in call.results}
    known = set(graph.inputs)
    order = []
    waiting = list(reversed(graph.outputs))
    while waiting:
        value = waiting[-1]
        if value in known:
            waiting.pop()
            continue
        call = graph.calls[maker[value]]
        missing = [argument for argument in call.arguments if argument not in known]
        if missing:
            waiting.extend(reversed(missing))
            continue
        order.append(maker[value])
        known.update(result for result in call.results if result is not None)
    return order


def first_difference(
    order: list[int], layers: Sequence[nn.Module], graph: Graph
) -> tuple[int, int] | None:
    """Return two calls that ``order`` swaps where that can show: the older and the younger one.

    A change in place shows to every reader of the value, a random number to the next that is drawn,
    running statistics to the next call that moves them; where three gradients are added up, their
    order shows in the last bit.
    """
    if order == sorted(order):
        return None
    uses = collections.Counter(
        id(parameter)
        for layer in layers
        for parameter in {p for module in modules_in(layer) for p in module.parameters()}
    )
    if max(_readers(graph, layers)) > 2 or max(uses.values(), default=0) > 2:
        younger, older = next((a, b) for a, b in itertools.pairwise(order) if a > b)
        return older, younger
    youngest_drawing = youngest = -1
    changed = -1
    moved: dict[int, int] = {}  # of each buffer, the youngest call that may have moved it
    for position in order:
        modules = modules_in(layers[position])
        for buffer in {id(buffer) for module in modules for buffer in module.buffers()}:
            if position < moved.get(buffer, -1):
                return position, moved[buffer]
            moved[buffer] = position
        draws, changes = effects(layers[position])
        if position < youngest_drawing and draws:
            return position, youngest_drawing
        if (position < youngest and changes) or position < changed:
            return position, max(youngest, changed)
        youngest = max(youngest, position)
        youngest_drawing = max(youngest_drawing, position) if draws else youngest_drawing
        changed = max(changed, position) if changes else changed
    return None


def _readers(graph: Graph, layers: Sequence[nn.Module]) -> list[int]:
    """Return how often each value is read, also under the name of a layer that returns it as it is.

    Dropout does so while evaluating: then its readers add their gradients to those of its argument.
    """
    counts = use_counts(graph)
    for call, layer in zip(reversed(graph.calls), reversed(layers), strict=True):
        name = getattr(getattr(layer, "function", None), "__name__", "")
        if isinstance(layer, (_DropoutNd, nn.Identity)) or name in _MAY_RETURN_IT:
            for argument in call.arguments[:1]:
                counts[argument] += sum(counts[r] for r in call.results if r is not None) - 1
    return counts


def modules_in(layer: nn.Module) -> list[nn.Module]:
    """Return the modules in a layer, also one that it calls and somebody else registers."""
    called = getattr(layer, "function", None)
    return [*layer.modules(), *(called.modules() if isinstance(called, nn.Module) else ())]


def effects(layer: nn.Module) -> tuple[bool, bool]:
    """Return whether a layer may draw random numbers, and whether it may change its argument.

    A layer whose code is not known may do the first; that it changes its argument is only assumed
    where it says so.
    """
    draws = changes = False
    for module in modules_in(layer):
        changes |= bool(getattr(module, "inplace", False))
        if isinstance(module, useful_layers.FunctionLayer):
            name = module.method or getattr(module.function, "__name__", "")
            changes |= name.endswith("_") and not name.endswith("__")
            home = (getattr(module.function, "__module__", None) or "torch").partition(".")[0]
            known = home in ("torch", "_operator") or isinstance(module.function, nn.Module)
            draws |= not known or any(word in name for word in _RANDOM)
        elif not isinstance(module, _OPERATORS):
            known = type(module).__module__.startswith("torch.")
            draws |= not known or isinstance(module, (_DropoutNd, nn.RReLU))
            draws |= bool(getattr(module, "dropout", 0.0))
    return draws, changes

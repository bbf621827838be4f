"""Inlined execution: the generated source computes what the layers compute, without calling them.

Calling a module costs more than a small layer computes: two Python frames, a look for hooks, an
attribute that is searched for in three dictionaries. Written as ``linear(h, p["weight"],
p["bias"])`` with the layer's own dictionary of parameters all of that is gone, and a parameter that
is replaced, moved or swapped is still found.

What is gone too is what the call would have done for others: hooks, a ``forward`` set on the
instance, another ``__class__``. So each forward first asks whether the layers are as they were when
the source was written. Most of the answer is one comparison: whoever registers a hook anywhere
takes a number, and if no number was taken, no hook is new. Where the answer is no, the layers are
called, which is always right, until the cause is gone.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules import module as torch_module
from torch.utils.hooks import RemovableHandle

from hpml.symbolic import config, interception
from hpml.symbolic.forms import Form, form_of
from hpml.symbolic.functions_utility import name_of
from hpml.symbolic.graph import Graph
from hpml.symbolic.registry import FORWARDS, FUNCTIONS, REGISTRY
from hpml.symbolic.source import Source, Wording, compile_source, running_source
from hpml.symbolic.useful_layers import FunctionLayer

from . import ordered
from .program import Program


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Generate and compile the forward of a graph with these layers written out."""
    forms = [
        "it is unpacked by the statement" if call.unpacks else form_of(layer, len(call.arguments))
        for call, layer in zip(graph.calls, layers, strict=True)
    ]
    source, names = _generate(graph, forms)
    forward = compile_source(source, names)
    guard = Guard(forms, layers)

    @functools.cache
    def in_order() -> Program:
        return ordered.prepare(graph, ())

    def run(self: Any, *inputs: Any) -> Any:
        layers = self._execution_order_layers
        # A compiler gets the plain calls: it sees through them, and not through the guard.
        if torch.compiler.is_compiling():
            return ordered.call_in_order(graph, layers, inputs)
        parameters = guard.parameters(layers)
        if parameters is None:
            return in_order().run(self, *inputs)
        return forward(layers, parameters, *inputs)

    def failed_call(frame: FrameType, line: int) -> int | None:
        if frame.f_code is not forward.__code__:
            return in_order().failed_call(frame, line)
        start, end = source.spans[line - 1]
        if end - start > 1:
            current = frame.f_locals.get("layer", frame.f_locals.get("q"))
            among = frame.f_locals["l" if "layer" in frame.f_locals else "p"]
            start = next((i for i in range(start, end) if among[i] is current), start)
        return start if start < len(graph.calls) else None

    return Program(run, source.text, failed_call, lambda layers: list(guard.reasons(layers)))


def _generate(graph: Graph, forms: Sequence[Form | str]) -> tuple[Source, dict[str, Any]]:
    """Return the source, and what the names of functions in it stand for."""
    names: dict[str, Any] = dict(FUNCTIONS)
    name_for: dict[int, str] = {}

    def function_name(function: Callable[..., Any]) -> str:
        if id(function) not in name_for:
            base = name_of(function)
            name, number = base, 1
            while name in names and names[name] is not function:
                number += 1
                name = f"{base}_{number}"
            names[name] = function
            name_for[id(function)] = name
        return name_for[id(function)]

    def write(form: Form, arguments: Sequence[str], layer: str, parameters: str) -> str:
        function = function_name(form.function) if form.function is not None else ""
        return form.write(arguments, layer, parameters, function)

    def call(position: int, arguments: list[str]) -> str:
        form = forms[position]
        if graph.calls[position].unpacks:
            return arguments[0].removeprefix("*")
        if isinstance(form, str):
            return f"l[{position}]({', '.join(arguments)})"
        return write(form, arguments, f"l[{position}]", f"p[{position}]")

    def loop(start: int, end: int, name: str) -> tuple[str, str]:
        form = forms[start]
        if isinstance(form, str):
            return f"for layer in l[{start}:{end}]:", f"{name} = layer({name})"
        body = f"{name} = {write(form, [name], 'layer', 'q')}"
        layers, parameters = f"l[{start}:{end}]", f"p[{start}:{end}]"
        if "{p}" not in form.text:
            return f"for layer in {layers}:", body
        if "{l}" not in form.text:
            return f"for q in {parameters}:", body
        return f"for layer, q in zip({layers}, {parameters}):", body

    def kind(position: int) -> Any:
        form = forms[position]
        return None if isinstance(form, str) else (form.text, id(form.function))

    wording = Wording("forward", "l, p", (), True, call, loop, kind)
    return running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH, wording), names


_HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
)


_parameters_in = operator.itemgetter("_parameters")


class _Checked(NamedTuple):
    """What the layers were like when they were last looked at closely."""

    hook_number: int
    layers: Sequence[nn.Module]
    types: list[type]
    attributes: list[dict[str, Any]]
    written_attributes: list[dict[str, Any]]
    attribute_counts: list[int]


class Guard:
    """Whether the layers that are written out still do what the source says.

    Args:
        forms: the form of each call's layer, or the reason why it is called.
        layers: the layers that the forms were made for.
    """

    def __init__(self, forms: Sequence[Form | str], layers: Sequence[nn.Module]) -> None:
        self._forms = forms
        self._identities = [_identity(layer) for layer in layers]
        self._pick = _picker([i for i, form in enumerate(forms) if isinstance(form, Form)], forms)
        self._fixed = [
            (i, operator.attrgetter(name), value)
            for i, form in enumerate(forms)
            if isinstance(form, Form)
            for name, value in form.fixed
        ]
        kinds = {type(layer) for layer in layers if type(layer) in REGISTRY}
        self._functions = [FORWARDS[kind] for kind in kinds]
        self._checked: _Checked | None = None

    def parameters(self, layers: Sequence[nn.Module]) -> list[dict[str, Any]] | None:
        """Return the dictionary of parameters of each layer if the source may run, else ``None``.

        Costs about 60 ns a layer if nothing changed. All of it happens inside builtins that walk a
        list at once; the same checks in a loop of Python cost five times as much.
        """
        checked = self._checked
        if checked is None or not self._is_as_checked(checked, layers):
            checked = self._check(layers)
            if checked is None:
                return None
        return list(map(_parameters_in, checked.attributes))

    def _is_as_checked(self, checked: _Checked, layers: Sequence[nn.Module]) -> bool:
        # An attribute that is set on an instance, such as a forward of its own, shows as one more.
        return (
            RemovableHandle.next_id == checked.hook_number
            and layers == checked.layers
            and nn.Module.__call__ in interception.TRANSPARENT
            and list(map(type, self._pick(layers))) == checked.types
            and list(map(len, checked.written_attributes)) == checked.attribute_counts
            and all([getattr(where, name) is was for where, name, was in self._functions])  # noqa: C419 - faster
            and all([get(layers[i]) == value for i, get, value in self._fixed])  # noqa: C419 - faster
        )

    def _check(self, layers: Sequence[nn.Module]) -> _Checked | None:
        self._checked = None
        if any(self.reasons(layers, now=True)):
            return None
        written = self._pick(layers)
        attributes = [layer.__dict__ for layer in written]
        # One assignment, so that another thread sees all of it or nothing.
        self._checked = checked = _Checked(
            RemovableHandle.next_id,
            layers,
            list(map(type, written)),
            [layer.__dict__ for layer in layers],
            attributes,
            list(map(len, attributes)),
        )
        return checked

    def reasons(self, layers: Sequence[nn.Module], *, now: bool = False) -> Iterator[str]:
        """Yield for each layer why it is called at present; empty if it is written out.

        Args:
            layers: the layers as they are.
            now: leave out the reasons that are part of the source.
        """
        everywhere = _global_reason()
        for layer, form, identity in zip(layers, self._forms, self._identities, strict=True):
            if isinstance(form, str):
                yield "" if now else form
            elif everywhere:
                yield everywhere
            elif _identity(layer) != identity:
                yield f"it was written out as another layer than the {type(layer).__name__} it is"
            else:
                yield _reason(layer, form)


def _identity(layer: nn.Module) -> Any:
    """Return what the form of a layer was chosen by."""
    if isinstance(layer, FunctionLayer):
        return id(layer.function), layer.template
    return type(layer)


def _reason(layer: nn.Module, form: Form) -> str:
    attributes = layer.__dict__
    for name in _HOOKS:
        if attributes[name]:
            return f"it has {name.strip('_').replace('_', ' ')}"
    if "forward" in attributes:
        return "it has a forward of its own"
    if type(layer) in REGISTRY and type(layer).forward is not FORWARDS[type(layer)][2]:
        return f"the forward of {type(layer).__name__} was replaced"
    if layer._compiled_call_impl is not None:
        return "it was compiled by itself"
    for name in form.parameters:
        if name not in layer._parameters:
            return f"its {name} is not a parameter"
    for name, value in form.fixed:
        if getattr(layer, name) != value:
            return f"its {name} is {getattr(layer, name)!r}"
    return ""


def _picker(positions: list[int], among: Sequence[Any]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a function that picks the items at these positions."""
    if len(positions) == len(among):
        return lambda items: items
    if len(positions) > 1:
        return operator.itemgetter(*positions)
    return lambda items: [items[position] for position in positions]


def _global_reason() -> str:
    """Return what makes every module call special at the moment, if anything."""
    if torch_module._has_any_global_hook():  # type: ignore[no-untyped-call]
        return "a hook is registered for all modules"
    if nn.Module.__call__ not in interception.TRANSPARENT:
        return "torch.nn.Module.__call__ is replaced, by a tracer or a profiler"
    return ""

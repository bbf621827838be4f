"""Layers for operators, functions and indexing on symbolic data.

They are ordinary modules that also work without a graph:

>>> import torch
>>> ConcatLayer(dim=1)(torch.zeros(1, 2), torch.ones(1, 1))
tensor([[0., 0., 1.]])
"""

from __future__ import annotations

import importlib
import operator
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .building.arguments import Template, compile_call
from .building.captures import capture, rebuild


class LambdaOpLayer(nn.Module):
    """Call any function on the arguments: ``LambdaOpLayer(lambda x: x * 2)``."""

    def __init__(self, op: Callable[..., Any]) -> None:
        super().__init__()
        self.op = op

    def forward(self, *args: Any) -> Any:
        return self.op(*args)


class NamedLambdaOpLayer(LambdaOpLayer):
    """A :class:`LambdaOpLayer` with a name."""

    def __init__(self, op: Callable[..., Any], name: str) -> None:
        super().__init__(op)
        self.name = name

    def _get_name(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


class FunctionLayer(nn.Module):
    """Call a function or a module with some arguments fixed and the rest filled in.

    Every function on symbolic data becomes such a layer. Tensors among the fixed arguments become
    buffers, which move with the model and are not saved in the ``state_dict``; parameters become
    parameters, and modules become submodules. So does what the function itself captured.

    >>> layer = FunctionLayer(torch.sum, Template("a0, dim=k[0]", (1,), 1), "sum")
    >>> layer(torch.ones(2, 3))
    tensor([3., 3.])
    """

    def __init__(
        self, function: Callable[..., Any], template: Template, name: str, as_method: bool = False
    ) -> None:
        super().__init__()
        # The method of a module needs the module's parameters in the model.
        owner = getattr(function, "__self__", None)
        self.method = function.__name__ if isinstance(owner, nn.Module) else ""
        self.function = owner if self.method else function
        self.captures = None if self.method else capture(function)
        self.name = name
        self.template = template
        in_place = re.search(r"\binplace=k\[(\d+)\]", template.text)
        self.inplace = bool(in_place and template.constants[int(in_place[1])])
        self._tensor_constants: tuple[tuple[int, str], ...] = ()
        self._keep_tensors()
        self._bound: tuple[list[Any], Any] | None = None
        self._outer: dict[str, Any] = {}
        if self.captures is not None:
            for captured, value in self.captures.owned.items():
                self._own(captured, value)
            self._outer, self.captures.outer = self.captures.outer, {}
            self.captures.owned = dict.fromkeys((*self.captures.owned, *self._outer))
            self.function = self._rebuilt()
        # Look the method up on the value, which may be a tensor of a subclass or a proxy.
        self.as_method = function.__name__ if as_method else ""
        self._call = compile_call(template.text, template.holes, self.as_method)

    def _keep_tensors(self) -> None:
        """Register the tensors and modules among the constants."""
        constants = list(self.template.constants)
        places = []
        for position, value in enumerate(constants):
            name = f"constant_{position}"
            if not self._own(name, value):
                continue
            if isinstance(value, Tensor):
                constants[position] = None
            places.append((position, name))
        self._tensor_constants = tuple(places)
        self.template = self.template._replace(constants=tuple(constants))

    def _own(self, name: str, value: Any) -> bool:
        """Register a module, parameter or tensor; return whether it is one."""
        if isinstance(value, (nn.Parameter, nn.Module)):
            setattr(self, name, value)
        elif isinstance(value, Tensor):
            self.register_buffer(name, value, persistent=False)
        else:
            return False
        return True

    def _rebuilt(self) -> Any:
        """Return the function with what it captured, which may be replaced in this layer."""
        assert self.captures is not None
        outer = self._outer
        owned = [outer[n] if n in outer else getattr(self, n) for n in self.captures.owned]
        bound = self._bound
        if bound is None or any(one is not two for one, two in zip(owned, bound[0], strict=True)):
            values = dict(zip(self.captures.owned, owned, strict=True))
            self._bound = bound = owned, rebuild(self.captures, values.__getitem__)
        return bound[1]

    def constants(self) -> tuple[Any, ...]:
        """Return the constants of the template, including the registered tensors."""
        if not self._tensor_constants:
            return self.template.constants
        constants = list(self.template.constants)
        for position, name in self._tensor_constants:
            constants[position] = getattr(self, name)
        return tuple(constants)

    def forward(self, *values: Any) -> Any:
        if self.captures is not None and self.captures.owned:
            function = self._rebuilt()
        else:
            function = getattr(self.function, self.method) if self.method else self.function
        return self._call(function, self.constants(), *values)

    def __getstate__(self) -> Any:
        # Pickle cannot find a generated function by name.
        state = super().__getstate__()  # type: ignore[no-untyped-call]
        del state["_call"]
        state["_bound"] = None
        if self.captures is not None:
            state["function"] = None
            return state
        # F.max_pool2d is made inside of a function, whose name pickle would look up.
        place = getattr(self.function, "__module__", ""), getattr(self.function, "__name__", "")
        if getattr(sys.modules.get(place[0]), place[1], None) is self.function:
            state["function"] = place
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        if self.captures is not None:
            self.function = self._rebuilt()
        elif isinstance(self.function, tuple):
            self.function = getattr(importlib.import_module(self.function[0]), self.function[1])
        self._call = compile_call(self.template.text, self.template.holes, self.as_method)

    def _get_name(self) -> str:
        return self.name

    def extra_repr(self) -> str:
        return self.template.text


class CallbackLayer(nn.Module):
    """Return the argument, after calling a function on it whenever the model runs."""

    def __init__(self, op: Callable[[Any], object]) -> None:
        super().__init__()
        self.callback = op

    def forward(self, arg: Any) -> Any:
        self.callback(arg)
        return arg


class AddOpLayer(nn.Module):
    """``a + b``."""

    forward = staticmethod(operator.add)


class SubOpLayer(nn.Module):
    """``a - b``."""

    forward = staticmethod(operator.sub)


class MulOpLayer(nn.Module):
    """``a * b``."""

    forward = staticmethod(operator.mul)


class ModOpLayer(nn.Module):
    """``a % b``."""

    forward = staticmethod(operator.mod)


class MatmulOpLayer(nn.Module):
    """``a @ b``."""

    forward = staticmethod(operator.matmul)


class ConcatLayer(nn.Module):
    """Join tensors along an existing dimension with ``torch.cat``."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, *tensors: Tensor) -> Tensor:
        return torch.cat(tensors=tensors, dim=self.dim)


class StackLayer(nn.Module):
    """Join tensors along a new dimension with ``torch.stack``."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, *tensors: Tensor) -> Tensor:
        return torch.stack(tensors=tensors, dim=self.dim)


class ReshapeLayer(nn.Module):
    """Reshape each sample to ``shape``, or the whole batch with ``batch_size_included``."""

    def __init__(self, shape: Sequence[int], batch_size_included: bool = False) -> None:
        super().__init__()
        self.shape = tuple(shape) if batch_size_included else (-1, *shape)

    def forward(self, tensor: Tensor) -> Tensor:
        return torch.reshape(input=tensor, shape=self.shape)


class ViewCopyLayer(ReshapeLayer):
    """A :class:`ReshapeLayer` that uses ``torch.view_copy``."""

    def forward(self, tensor: Tensor) -> Tensor:
        return torch.view_copy(tensor, size=self.shape)


class AggregateLayer(nn.Module):
    """Apply a reduction such as ``torch.mean``, over all elements or along ``dim``."""

    def __init__(self, op: Callable[..., Any], dim: Any = None, keepdim: bool = False) -> None:
        super().__init__()
        self.op = op
        self.dim = dim
        self.keepdim = keepdim

    def forward(self, tensor: Tensor) -> Any:
        if self.dim is None:
            return self.op(input=tensor)
        return self.op(input=tensor, dim=self.dim, keepdim=self.keepdim)


class UnpackLayer(nn.Module):
    """Return the arguments as a tuple: ``a, b = UnpackLayer()(*value)``."""

    def forward(self, *args: Any) -> tuple[Any, ...]:
        return args


class SliceLayer(nn.Module):
    """``value[idx]`` for a fixed index."""

    def __init__(self, idx: Any) -> None:
        super().__init__()
        self.idx = idx

    def forward(self, arg: Any) -> Any:
        return arg[self.idx]


class SliceLayerSymbolicIdx(nn.Module):
    """``value[idx]`` for a computed index."""

    def forward(self, arg: Any, idx: Any) -> Any:
        return arg[idx]


class MethodCall(nn.Module):
    """Call a method of the argument by name: ``MethodCall("permute", 0, 2, 1)``."""

    def __init__(self, method_name: str, *args: Any, **kwds: Any) -> None:
        super().__init__()
        self.method_name = method_name
        self.args = args
        self.kwds = kwds

    def forward(self, tensor: Any) -> Any:
        return getattr(tensor, self.method_name)(*self.args, **self.kwds)


class GetAttr(nn.Module):
    """Read an attribute of the argument by name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def forward(self, data: Any) -> Any:
        return getattr(data, self.name)

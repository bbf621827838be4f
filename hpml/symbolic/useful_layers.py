"""Small layers that operators, functions and indexing on symbolic data turn into.

They are ordinary modules, and useful on their own:

>>> import torch
>>> ConcatLayer(dim=1)(torch.zeros(1, 2), torch.ones(1, 1))
tensor([[0., 0., 1.]])
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .building.arguments import Template, compile_call


class LambdaOpLayer(nn.Module):
    """Call any function on the arguments: ``LambdaOpLayer(lambda x: x * 2)``."""

    def __init__(self, op: Callable[..., Any]) -> None:
        super().__init__()
        self.op = op

    def forward(self, *args: Any) -> Any:
        return self.op(*args)


class NamedLambdaOpLayer(LambdaOpLayer):
    """A :class:`LambdaOpLayer` that prints under a name of its own."""

    def __init__(self, op: Callable[..., Any], name: str) -> None:
        super().__init__(op)
        self.name = name

    def _get_name(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


class FunctionLayer(nn.Module):
    """Call a function or a module with some arguments fixed and the rest filled in.

    Every function and operator on symbolic data becomes one of these. Tensors among the fixed
    arguments become buffers (not saved in the ``state_dict``), so that they move with the model
    from device to device; parameters become parameters, modules become submodules.

    >>> layer = FunctionLayer(torch.sum, Template("a0, dim=k[0]", (1,), 1), "sum")
    >>> layer(torch.ones(2, 3))
    tensor([3., 3.])
    """

    def __init__(
        self, function: Callable[..., Any], template: Template, name: str, as_method: bool = False
    ) -> None:
        super().__init__()
        # A method of a module needs the module's parameters: they belong to the model.
        owner = getattr(function, "__self__", None)
        self.method = function.__name__ if isinstance(owner, nn.Module) else ""
        self.function = owner if self.method else function
        self.name = name
        self.template = template
        in_place = re.search(r"\binplace=k\[(\d+)\]", template.text)
        self.inplace = bool(in_place and template.constants[int(in_place[1])])
        self._tensor_constants: tuple[tuple[int, str], ...] = ()
        self._keep_tensors()
        # A method of a tensor is looked up on the value: it may be of a subclass, or a proxy.
        self.as_method = function.__name__ if as_method else ""
        self._call = compile_call(template.text, template.holes, self.as_method)

    def _keep_tensors(self) -> None:
        """Register tensors and modules among the constants, and leave the rest in the template."""
        constants = list(self.template.constants)
        places = []
        for position, value in enumerate(constants):
            name = f"constant_{position}"
            if isinstance(value, (nn.Parameter, nn.Module)):
                setattr(self, name, value)
            elif isinstance(value, Tensor):
                self.register_buffer(name, value, persistent=False)
            else:
                continue
            if isinstance(value, Tensor):
                constants[position] = None
            places.append((position, name))
        self._tensor_constants = tuple(places)
        self.template = self.template._replace(constants=tuple(constants))

    def constants(self) -> tuple[Any, ...]:
        """Return the constants of the template, what is registered put back in."""
        if not self._tensor_constants:
            return self.template.constants
        constants = list(self.template.constants)
        for position, name in self._tensor_constants:
            constants[position] = getattr(self, name)
        return tuple(constants)

    def forward(self, *values: Any) -> Any:
        function = getattr(self.function, self.method) if self.method else self.function
        return self._call(function, self.constants(), *values)

    def __getstate__(self) -> Any:
        # Generated functions have no name to be found by when unpickling.
        state = super().__getstate__()  # type: ignore[no-untyped-call]
        del state["_call"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._call = compile_call(self.template.text, self.template.holes, self.as_method)

    def _get_name(self) -> str:
        return self.name

    def extra_repr(self) -> str:
        return self.template.text


class CallbackLayer(nn.Module):
    """Return the argument unchanged, after calling a function on it: ``CallbackLayer(print)``.

    The function is called when the model runs, not when it is built.
    """

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
    """Join tensors along an existing dimension, as ``torch.cat``."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, *tensors: Tensor) -> Tensor:
        return torch.cat(tensors=tensors, dim=self.dim)


class StackLayer(nn.Module):
    """Join tensors along a new dimension, as ``torch.stack``."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, *tensors: Tensor) -> Tensor:
        return torch.stack(tensors=tensors, dim=self.dim)


class ReshapeLayer(nn.Module):
    """Reshape to ``shape``, before which the batch dimension is kept unless it is included."""

    def __init__(self, shape: Sequence[int], batch_size_included: bool = False) -> None:
        super().__init__()
        self.shape = tuple(shape) if batch_size_included else (-1, *shape)

    def forward(self, tensor: Tensor) -> Tensor:
        return torch.reshape(input=tensor, shape=self.shape)


class ViewCopyLayer(ReshapeLayer):
    """As :class:`ReshapeLayer`, with ``torch.view_copy``."""

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
    """``value[idx]`` for an index that is computed."""

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

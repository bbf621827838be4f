"""The inputs of a graph: `Input` for a tensor, `CustomInput` for any other object."""

from __future__ import annotations

import operator
import sys
from typing import Any

import torch

from hpml.base.errors import describe
from hpml.symbolic.errors import ArgumentError

from .handles import SymbolicTensor, handle_of
from .interception import handle_token
from .node import BATCH, Concrete, InputExample, Node, Size, TensorSpec
from .recording import check_name, check_not_compiled, modes


def Input(  # noqa: N802 - the name of the API that this package follows
    shape: tuple[int, ...] | list[int] | None = None,
    batch_size: int = 1,
    batch_shape: tuple[int, ...] | list[int] | None = None,
    dtype: torch.dtype = torch.float32,
    min_value: float = 0.0,
    max_value: float = 1.0,
    name: str | None = None,
) -> SymbolicTensor:
    """Return a symbolic tensor that is an input of the graph; no memory is allocated.

    Args:
        shape: the shape of one sample, without the batch dimension.
        batch_size: the batch size of example data, ``x.v``; the model takes any batch size.
        batch_shape: the shape with a fixed batch dimension, instead of ``shape``.
        dtype: the element type of the data.
        min_value: the smallest value of example data, ``x.v``.
        max_value: the upper bound of example data.
        name: the name of the model's argument, for ``model(name=value)``.

    Raises:
        ArgumentError: a size is not a non-negative integer, or both shapes are given.

    >>> Input(shape=(3, 32, 32)).CHW
    (3, 32, 32)
    """
    check_not_compiled()
    if shape is not None and batch_shape is not None:
        raise ArgumentError(
            object="Input",
            expected="shape or batch_shape",
            received=f"both ({shape!r} and {batch_shape!r})",
            remedy="Pass one of the two; batch_shape is the shape with the batch dimension.",
        )
    (batch,) = _sizes("batch_size", (batch_size,))
    sizes: tuple[Size, ...]
    if batch_shape is None:
        sizes = (BATCH, *_sizes("shape", shape or ()))
    else:
        sizes = _sizes("batch_shape", batch_shape)
    if not isinstance(dtype, torch.dtype):
        raise ArgumentError(
            object="dtype of Input",
            expected="a torch.dtype",
            received=describe(dtype),
            remedy="Pass one such as torch.float32.",
        )
    if name is not None:
        check_name("name", name)
    node = Node(None, (), TensorSpec(sizes, dtype), 0, name, _caller(), modes())
    node.example = InputExample(min_value, max_value, batch)
    return SymbolicTensor(node, handle_token(resume=True))


def CustomInput(data: Any) -> Any:  # noqa: N802 - the name of the API that this package follows
    """Return symbolic data for an input that is any Python object.

    Args:
        data: an example of the input, which is kept. Layers that are called on an object other
            than a tensor run once on the example, to find the type of their result.

    >>> numbers = CustomInput([5, 6, 7])
    >>> len(numbers), numbers[0].v
    (3, 5)
    """
    check_not_compiled()
    is_tensor = isinstance(data, torch.Tensor)
    spec = (
        TensorSpec(tuple(data.shape), data.dtype) if is_tensor else Concrete((data,), is_real=True)
    )
    node = Node(None, (), spec, 0, origin=_caller(), modes=modes())
    node.example = data if is_tensor else None
    return handle_of(node, handle_token(resume=True))


def _sizes(name: str, shape: Any) -> tuple[int, ...]:
    try:
        sizes = tuple([operator.index(size) for size in shape])  # also NumPy's integers
    except TypeError:
        sizes = (-1,)
    if any(size < 0 for size in sizes):
        raise _not_sizes(name, shape)
    return sizes


def _not_sizes(name: str, shape: Any) -> ArgumentError:
    expected = "a tuple of sizes, integers of at least 0"
    remedy = "Give shape=(features,), or batch_shape with the batch size."
    if name == "batch_size":
        (shape,) = shape
        expected = "an integer of at least 0"
        remedy = "Leave it out: it is the batch size of example data, and the model takes any."
    elif isinstance(shape, (tuple, list)) and len(shape) > 0 and shape[0] is None:
        rest = tuple(shape[1:])
        expected = "the sizes of one sample, without the batch, which is unknown"
        if name == "batch_shape":
            expected = "a known batch size first"
        remedy = "Leave out None for the batch; every other size is an integer."
        if all(isinstance(size, int) for size in rest):
            remedy = f"Leave out None for the batch, Input(shape={rest})."
    return ArgumentError(
        object=f"{name} of Input", expected=expected, received=describe(shape), remedy=remedy
    )


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno

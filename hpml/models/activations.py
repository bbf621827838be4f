"""FastSwish, an activation of one's own, three ways: operations, a function, one kernel.

The ConvNeXt document describes it and prints no formula: like HardSwish, but on the left it only
approaches zero and never reaches it, so no gradient dies. Here it is

====================  =====================
``x < -2``            ``2 / (3 x)``
``-2 <= x < 3``       ``x (x + 3) / 6``, HardSwish
``3 <= x``            ``x``
====================  =====================

It is continuous, and differentiable everywhere but at 3, as HardSwish is; there the derivative is
taken from the right. At -2 both pieces meet with the slope -1/6.
"""

from __future__ import annotations

import functools
import importlib.util
import threading
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch._decomp import register_decomposition
from torch.autograd import forward_ad
from torch.overrides import handle_torch_function, has_torch_function_unary

from .errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

# PyTorch gives a thread no less than this; below it, starting threads takes longer than they save.
GRAIN = 32768

# Where Numba has its own pool of threads only, two kernels at once end the process.
_ONE_AT_A_TIME = threading.Lock()


def fast_swish_composite(x: Tensor) -> Tensor:
    """Return FastSwish of each element, from operations of PyTorch: any device, any derivative.

    Both sides of a ``where`` are computed and differentiated. Without the ``clamp`` the left piece
    would divide by zero at 0, and the gradient there, infinite times nothing, be no number. At
    infinity it is none all the same, by the middle piece; the other two ways give 0 and 1 there.

    >>> fast_swish_composite(torch.tensor([-4.0, -2.0, 0.0, 1.5, 5.0]))
    tensor([-0.1667, -0.3333,  0.0000,  1.1250,  5.0000])
    """
    _require_floats(x)
    left = 2 / (3 * x.clamp(max=-2))
    middle = x * (x + 3) / 6
    return torch.where(x < -2, left, torch.where(x < 3, middle, x))


def fast_swish_slope(x: Tensor) -> Tensor:
    """Return the derivative of FastSwish at each element.

    >>> fast_swish_slope(torch.tensor([-4.0, 0.0, 3.0]))
    tensor([-0.0417,  0.5000,  1.0000])
    """
    low = x.clamp(max=-2)
    left = (-2 / 3) / low / low  # their product would overflow in half precision
    return torch.where(x < -2, left, torch.where(x < 3, (2 * x + 3) / 6, torch.ones_like(x)))


class FastSwishFunction(torch.autograd.Function):
    """FastSwish that keeps nothing for backward but its input.

    The composite keeps what each of its operations needs. ``FastSwishFunction.apply(x)`` works as
    `fast_swish_composite`, twice differentiable too.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return fast_swish_composite(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return gradients[0] * fast_swish_slope(x)


def fast_swish(x: Tensor) -> Tensor:
    """Return FastSwish of each element, computed by one kernel, forward as backward.

    Args:
        x: float32, float64, bfloat16 or float16, of any shape and layout, on any device. On the CPU
            Numba's kernel computes it, in as many threads as ``torch.get_num_threads()``, on a GPU
            Triton's, for the half-precision types in float32; elsewhere the composite does, and
            where `torch.func` or
            derivatives in forward mode ask, for which an operator has no rule.

    Returns:
        A tensor like ``x``. Autograd keeps ``x`` alone; the second derivative is there.

    Raises:
        ModelError: the elements are no floating-point numbers.

    >>> x = torch.tensor([-4.0, 0.0, 5.0], requires_grad=True)
    >>> fast_swish(x).sum().backward()
    >>> x.grad
    tensor([-0.0417,  0.5000,  1.0000])

    Source: the document's "Custom FastSwish Activation"; the registration after
    https://docs.pytorch.org/tutorials/advanced/python_custom_ops.html
    """
    if has_torch_function_unary(x):  # a subclass, a tracer's or a symbolic value
        given: Tensor = handle_torch_function(fast_swish, (x,), x)
        return given
    _require_floats(x)
    # TorchScript leaves out what is inside; it refuses a line that ends in another comment.
    if not torch.jit.is_scripting():  # type: ignore[attr-defined]
        transformed = not torch.compiler.is_compiling() and _is_transformed()
        if transformed:
            return fast_swish_composite(x)
    result: Tensor = _forward(x)
    return result


def _is_transformed() -> bool:
    """Return whether somebody asks for what PyTorch cannot derive from an operator's gradient."""
    return (
        torch._C._functorch.peek_interpreter_stack() is not None or forward_ad._current_level >= 0
    )


class FastSwish(nn.Module):
    """`fast_swish` as a layer.

    >>> FastSwish()(torch.tensor([-1.5, 3.0]))
    tensor([-0.3750,  3.0000])
    """

    def forward(self, x: Tensor) -> Tensor:
        return fast_swish(x)


def _require_floats(x: Tensor) -> None:
    if not isinstance(x, Tensor) or not x.is_floating_point():
        what = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise ModelError(f"FastSwish expected a tensor of floating-point numbers, received {what}")
    if x.layout is not torch.strided or x.is_nested:
        kind = "a nested tensor" if x.is_nested else str(x.layout)
        raise ModelError(
            f"FastSwish expected a dense tensor, received {kind}: use x.to_dense(), of a nested "
            "tensor its parts, x.unbind()"
        )


@torch.library.custom_op("hpml::fast_swish", mutates_args=())
def _forward(x: Tensor) -> Tensor:
    with torch.no_grad():
        if _has_kernel(x):
            return _by_kernel("forward", x)
        return fast_swish_composite(x).clone()


@torch.library.custom_op("hpml::fast_swish_backward", mutates_args=())
def _backward(gradient: Tensor, x: Tensor) -> Tensor:
    with torch.no_grad():
        if _has_kernel(x):
            return _by_kernel("backward", x, gradient)
        return gradient * fast_swish_slope(x)


@_forward.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


@_backward.register_fake
def _(gradient: Tensor, x: Tensor) -> Tensor:
    return torch.empty_like(x)


def _keep_input(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(inputs[0])


def _keep_inputs(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _first_derivative(ctx: Any, gradient: Tensor) -> Tensor:
    result: Tensor = _backward(gradient, ctx.saved_tensors[0])
    return result


def _second_derivative(ctx: Any, outer: Tensor) -> tuple[Tensor, Tensor]:
    gradient, x = ctx.saved_tensors
    low = x.clamp(max=-2)
    left, middle = (4 / 3) / low / low / low, torch.full_like(x, 1 / 3)
    bend = torch.where(x < -2, left, torch.where(x < 3, middle, torch.zeros_like(x)))
    return outer * fast_swish_slope(x), outer * gradient * bend


# An exporter that does not know the operator writes it as operations.
register_decomposition(torch.ops.hpml.fast_swish.default)(fast_swish_composite)
_forward.register_autograd(_first_derivative, setup_context=_keep_input)
_backward.register_autograd(_second_derivative, setup_context=_keep_inputs)


def _has_kernel(x: Tensor) -> bool:
    """Return whether there is a kernel for where a tensor lies: Numba's, or Triton's on a GPU."""
    return x.is_cpu or (x.is_cuda and importlib.util.find_spec("triton") is not None)


def _by_kernel(name: str, x: Tensor, gradient: Tensor | None = None) -> Tensor:
    """Run a kernel over the memory of dense tensors, in the order in which it lies there."""
    result = torch.empty_like(x)
    if x.numel() == 0:
        return result
    tensors = [x] if gradient is None else [x, gradient]
    if x.is_cuda:
        from hpml.models.fast_swish_triton import launch

        launch(name, *(_lying_as(result, tensor) for tensor in tensors), result)
        return result
    if x.dtype not in (torch.float32, torch.float64):
        tensors = [tensor.float() for tensor in tensors]
    half = x.dtype is not tensors[0].dtype
    flat = torch.empty_like(result, dtype=tensors[0].dtype) if half else result
    inputs = [_memory(_lying_as(flat, tensor)) for tensor in tensors]
    threads = 1 if x.numel() < GRAIN else torch.get_num_threads()
    _kernel(name, threads > 1)(*inputs, _memory(flat), threads)
    return result.copy_(flat) if half else result


def _lying_as(result: Tensor, tensor: Tensor) -> Tensor:
    """Return a tensor that lies in memory as the result does: itself, or else a copy."""
    return tensor if tensor.stride() == result.stride() else torch.empty_like(result).copy_(tensor)


def _memory(tensor: Tensor) -> Any:
    """Return the elements of a dense tensor in the order of its memory."""
    return tensor.detach().as_strided((tensor.numel(),), (1,)).numpy()


@functools.cache
def _kernel(name: str, parallel: bool) -> Callable[..., None]:
    """Return a kernel, compiled when it is first called with a dtype."""
    import numba

    compiled = functools.partial(numba.njit, nogil=True, error_model="numpy", parallel=parallel)
    spread = numba.prange if parallel else range

    # The constants have the elements' own type: Python's would make everything float64.
    def forward(x: Any, out: Any) -> None:
        kind = out.dtype.type
        low, high, third, sixth = kind(-2), kind(3), kind(2 / 3), kind(1 / 6)
        for i in spread(x.size):
            u = x[i]
            middle = u * (u + high) * sixth
            out[i] = third / u if u < low else (middle if u < high else u)

    def backward(x: Any, gradient: Any, out: Any) -> None:
        kind = out.dtype.type
        low, high, third, half = kind(-2), kind(3), kind(-2 / 3), kind(0.5)
        slope, one = kind(1 / 3), kind(1)
        for i in spread(x.size):
            u = x[i]
            middle = u * slope + half
            left = third / (u * u)
            out[i] = gradient[i] * (left if u < low else (middle if u < high else one))

    body = compiled()(forward if name == "forward" else backward)

    def run(*arrays: Any) -> None:
        *values, threads = arrays
        if not parallel:
            body(*values)
            return
        with _ONE_AT_A_TIME:
            before = numba.get_num_threads()
            numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
            try:
                body(*values)
            finally:
                numba.set_num_threads(before)

    return run

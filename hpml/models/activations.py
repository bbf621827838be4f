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
import importlib
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
    # TorchScript leaves out what is inside; it refuses a line that ends in another comment.
    if not torch.jit.is_scripting():  # type: ignore[attr-defined]
        found = _outside_of_the_operator(x)
        if found is not None:
            return found
        _require_floats(x)
    result: Tensor = torch.ops.hpml.fast_swish(x)  # by its name, which a saved script keeps
    return result


def _outside_of_the_operator(x: Tensor) -> Tensor | None:
    """Return the result where the operator need not or cannot be called, else None."""
    if torch.compiler.is_compiling():
        return None
    if _is_plain(x):
        recorded = x.requires_grad and torch.is_grad_enabled()
        result: Tensor = _Kernel.apply(x) if recorded else _by_kernel("forward", x)  # type: ignore[no-untyped-call]
        return result
    # PyTorch cannot derive these from an operator's gradient.
    if torch._C._functorch.peek_interpreter_stack() is None and forward_ad._current_level < 0:
        return None
    return fast_swish_composite(x)


_PLAIN = torch._C._dispatch_keys(torch.empty(0))


def _is_plain(x: Tensor) -> bool:
    """Return whether x is an ordinary dense tensor of floats on the CPU that nothing watches.

    Then the kernel runs at once: an operator registered from Python takes 50 µs a call.
    """
    return (
        isinstance(x, Tensor)
        and torch._C._dispatch_keys(x) == _PLAIN
        and x.is_floating_point()
        and torch._C._functorch.peek_interpreter_stack() is None
        and forward_ad._current_level < 0
        and torch._C._len_torch_dispatch_stack() == 0
        and torch._C._get_tracing_state() is None
        and not torch._C._autograd._profiler_enabled()
    )


class _Kernel(torch.autograd.Function):
    """The kernel under autograd; its derivative is the operator's where that is recorded too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return _by_kernel("forward", x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,), gradient = ctx.saved_tensors, gradients[0]
        if _is_plain(gradient) and not torch.is_grad_enabled():
            return _by_kernel("backward", x, gradient)
        result: Tensor = _backward(gradient, x)
        return result


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
    if x.is_cuda:
        from hpml.models.fast_swish_triton import launch

        given = [x] if gradient is None else [x, gradient]
        launch(name, *(_lying_as(result, tensor) for tensor in given), result)
        return result
    if x.dtype is torch.float32 or x.dtype is torch.float64:
        _on_cpu(name, x, gradient, result)
        return result
    wide = torch.empty_like(x, dtype=torch.float32)
    _on_cpu(name, x.float(), None if gradient is None else gradient.float(), wide)
    return result.copy_(wide)


def _on_cpu(name: str, x: Tensor, gradient: Tensor | None, result: Tensor) -> None:
    """Write into a result of the same dtype; the tensors are kept until the kernel has run."""
    x, size = _lying_as(result, x), x.numel()
    threads = 1 if size < GRAIN else torch.get_num_threads()
    kernel = _kernel(name, result.dtype, threads > 1)
    if gradient is None:
        arguments: tuple[int, ...] = (x.data_ptr(), result.data_ptr(), size)
    else:
        shared = size > 1 and not any(gradient.stride())  # as the gradient of a sum
        gradient = gradient if shared else _lying_as(result, gradient)
        at = gradient.data_ptr()
        arguments = (x.data_ptr(), at, result.data_ptr(), size, int(not shared))
    if threads > 1:
        _in_threads(kernel, threads, *arguments)
    else:
        kernel(*arguments)


def _lying_as(result: Tensor, tensor: Tensor) -> Tensor:
    """Return a tensor that lies in memory as the result does: itself, or else a copy."""
    if tensor.stride() == result.stride():
        return tensor
    return torch.empty_like(result).copy_(tensor)


@functools.cache
def _kernel(name: str, dtype: torch.dtype, parallel: bool) -> Callable[..., None]:
    """Return a kernel over addresses: making an array of NumPy from a tensor costs more than 4 KiB.

    The last argument of "backward" is 0 for a gradient of one number for all elements, else 1.
    """
    numba: Any = importlib.import_module("numba")
    # The constants have the elements' own type: Python's would make everything float64.
    kind = {torch.float32: numba.float32, torch.float64: numba.float64}[dtype]
    compiled = functools.partial(numba.njit, nogil=True, error_model="numpy", parallel=parallel)
    spread = numba.prange if parallel else range

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def pointer(context: Any, address: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], target.get_value_type(signature.return_type))

        return numba.types.CPointer(kind)(address), generate

    def forward(x_at: int, out_at: int, size: int) -> None:
        x, out = (numba.carray(pointer(x_at), (size,)), numba.carray(pointer(out_at), (size,)))
        low, high, third, sixth = kind(-2), kind(3), kind(2 / 3), kind(1 / 6)
        for i in spread(size):
            u = x[i]
            middle = u * (u + high) * sixth
            out[i] = third / u if u < low else (middle if u < high else u)

    def slope(u: Any) -> Any:
        low, high, third, half = kind(-2), kind(3), kind(-2 / 3), kind(0.5)
        middle = u * kind(1 / 3) + half
        left = third / (u * u)
        return left if u < low else (middle if u < high else kind(1))

    slope = numba.njit(slope, error_model="numpy", inline="always")

    def backward(x_at: int, gradient_at: int, out_at: int, size: int, step: int) -> None:
        x, out = numba.carray(pointer(x_at), (size,)), numba.carray(pointer(out_at), (size,))
        if step == 0:
            each = numba.carray(pointer(gradient_at), (1,))[0]
            for i in spread(size):
                out[i] = each * slope(x[i])
        else:
            gradient = numba.carray(pointer(gradient_at), (size,))
            for i in spread(size):
                out[i] = gradient[i] * slope(x[i])

    kernel: Callable[..., None] = compiled()(forward if name == "forward" else backward)
    return kernel


def _in_threads(kernel: Callable[..., None], threads: int, *arguments: int) -> None:
    """Run a kernel that was compiled for several threads in so many."""
    import numba

    with _ONE_AT_A_TIME:
        before = numba.get_num_threads()
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
        try:
            kernel(*arguments)
        finally:
            numba.set_num_threads(before)

"""FastSwish, a custom activation, as PyTorch operations, an autograd function and one kernel.

The ConvNeXt document describes it without a formula: like HardSwish, but on the left it approaches
zero without reaching it, so a unit does not die. Here it is

====================  =====================
``x < -2``            ``2 / (3 x)``
``-2 <= x < 3``       ``x (x + 3) / 6``, HardSwish
``3 <= x``            ``x``
====================  =====================

It is continuous, and differentiable except at 3, as is HardSwish; there the derivative is that from
the right. At -2 both pieces have the slope -1/6.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import threading
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.overrides import handle_torch_function, has_torch_function_unary

from hpml.base.errors import HpmlError
from hpml.base.optional import look_up

if TYPE_CHECKING:
    from collections.abc import Callable

# PyTorch's minimum number of elements per thread; with fewer, starting threads costs more time.
GRAIN = 32768

# With Numba's own thread pool, two parallel kernels at once abort the process.
_KERNEL_LOCK = threading.Lock()


class ModelError(HpmlError, ValueError):
    """An argument of a network or an activation is invalid."""


def fast_swish_composite(x: Tensor) -> Tensor:
    """Return FastSwish of each element, from operations of PyTorch.

    ``where`` computes and differentiates both of its branches. Without the ``clamp`` the left piece
    would divide by zero at 0 and the gradient there would be NaN. At infinity the gradient is NaN
    because of the middle piece; the other two variants give 0 and 1 there.

    >>> fast_swish_composite(torch.tensor([-4.0, -2.0, 0.0, 1.5, 5.0]))
    tensor([-0.1667, -0.3333,  0.0000,  1.1250,  5.0000])
    """
    _require_floats(x)
    left = 2 / (3 * x.clamp(max=-2))
    middle = x * (x + 3) / 6
    return torch.where(x < -2, left, torch.where(x < 3, middle, x))


def fast_swish_slope(x: Tensor) -> Tensor:
    """Return the derivative of FastSwish at each element."""
    low = x.clamp(max=-2)
    left = (-2 / 3) / low / low  # their product would overflow in half precision
    return torch.where(x < -2, left, torch.where(x < 3, (2 * x + 3) / 6, torch.ones_like(x)))


class FastSwishFunction(torch.autograd.Function):
    """FastSwish that saves only its input for backward, while the composite saves intermediates.

    ``FastSwishFunction.apply(x)`` is twice differentiable.
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
    """Return FastSwish of each element, computed by one kernel in forward and in backward.

    On the CPU the kernel is Numba's, with ``torch.get_num_threads()`` threads; on a GPU it is
    Triton's. Half precision is computed in float32. On other devices, with `torch.func` and with
    forward-mode derivatives, the composite is used.

    Args:
        x: float32, float64, bfloat16 or float16, of any shape and strides, on any device.

    Returns:
        A tensor like ``x``. Autograd saves only ``x``; the result is twice differentiable.

    Raises:
        ModelError: ``x`` is not a dense tensor of floating-point numbers.

    >>> x = torch.tensor([-4.0, 0.0, 5.0], requires_grad=True)
    >>> fast_swish(x).sum().backward()
    >>> x.grad
    tensor([-0.0417,  0.5000,  1.0000])

    Source: the document's "Custom FastSwish Activation"; registration as in
    https://docs.pytorch.org/tutorials/advanced/python_custom_ops.html
    """
    if has_torch_function_unary(x):  # a subclass, a proxy of a tracer, or symbolic data
        handled: Tensor = handle_torch_function(fast_swish, (x,), x)
        return handled
    # TorchScript skips this block; it rejects a further comment at the end of the line.
    if not torch.jit.is_scripting():  # type: ignore[attr-defined]
        direct = _without_operator(x)
        if direct is not None:
            return direct
        _require_floats(x)
    result: Tensor = torch.ops.hpml.fast_swish(x)  # a saved script refers to it by name
    return result


def _without_operator(x: Tensor) -> Tensor | None:
    """Return the result if the operator is unnecessary or unsupported, or else None."""
    if torch.compiler.is_compiling():
        return None
    if _is_plain(x):
        recorded = x.requires_grad and torch.is_grad_enabled()
        result: Tensor = _Kernel.apply(x) if recorded else _by_kernel("forward", x)  # type: ignore[no-untyped-call]
        return result
    # PyTorch cannot derive torch.func and forward mode from an operator's gradient.
    if torch._C._functorch.peek_interpreter_stack() is None and forward_ad._current_level < 0:
        return None
    return fast_swish_composite(x)


_PLAIN = torch._C._dispatch_keys(torch.empty(0))


@functools.cache
def _plain_on_gpu() -> Any:
    return torch._C._dispatch_keys(torch.empty(0, device="cuda"))


def _is_plain(x: Tensor) -> bool:
    """Return whether the kernel can be called directly, which saves the operator's 50 µs."""
    return (
        isinstance(x, Tensor)
        and torch._C._dispatch_keys(x) == (_plain_on_gpu() if x.is_cuda else _PLAIN)
        and has_kernel(x)
        and x.is_floating_point()
        and torch._C._functorch.peek_interpreter_stack() is None
        and forward_ad._current_level < 0
        and torch._C._len_torch_dispatch_stack() == 0
        and torch._C._get_tracing_state() is None
        and not torch._C._autograd._profiler_enabled()
    )


class _Kernel(torch.autograd.Function):
    """The kernel under autograd; for a second derivative, backward calls the operator."""

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
        raise ModelError(
            object="input of FastSwish",
            expected="a tensor of floating-point numbers",
            received=str(x.dtype if isinstance(x, Tensor) else type(x).__name__),
            remedy="Convert it, as with x.float().",
        )
    if x.layout is not torch.strided or x.is_nested:
        layout = "a nested tensor" if x.is_nested else str(x.layout)
        raise ModelError(
            object="input of FastSwish",
            expected="a dense tensor",
            received=layout,
            remedy="Use x.to_dense(), or for a nested tensor its parts, x.unbind().",
        )


@torch.library.custom_op("hpml::fast_swish", mutates_args=())
def _forward(x: Tensor) -> Tensor:
    with torch.no_grad():
        if has_kernel(x):
            return _by_kernel("forward", x)
        return fast_swish_composite(x).clone()


@torch.library.custom_op("hpml::fast_swish_backward", mutates_args=())
def _backward(gradient: Tensor, x: Tensor) -> Tensor:
    with torch.no_grad():
        if has_kernel(x):
            return _by_kernel("backward", x, gradient)
        return gradient * fast_swish_slope(x)


@_forward.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


@_backward.register_fake
def _(gradient: Tensor, x: Tensor) -> Tensor:
    return torch.empty_like(x)


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


# An exporter that does not know the operator uses the composite, where this PyTorch has the private
# name that registers it.
with contextlib.suppress(ModelError):
    _decompose = look_up("torch._decomp.register_decomposition", "FastSwish, compiled", ModelError)
    _decompose(torch.ops.hpml.fast_swish.default)(fast_swish_composite)
_forward.register_autograd(_first_derivative, setup_context=_keep_inputs)
_backward.register_autograd(_second_derivative, setup_context=_keep_inputs)


def has_kernel(x: Tensor) -> bool:
    """Return whether there is a kernel for the tensor's device."""
    return x.is_cpu or (x.is_cuda and _has_triton())


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None


def _by_kernel(name: str, x: Tensor, gradient: Tensor | None = None) -> Tensor:
    """Run a kernel over dense tensors in the order of their memory."""
    result = torch.empty_like(x)
    if x.numel() == 0:
        return result
    if x.is_cuda:
        from hpml.course.models.fast_swish_triton import launch

        arguments = [x] if gradient is None else [x, gradient]
        launch(name, *(_with_strides_of(result, tensor) for tensor in arguments), result)
        return result
    if x.dtype is torch.float32 or x.dtype is torch.float64:
        _on_cpu(name, x, gradient, result)
        return result
    wide = torch.empty_like(x, dtype=torch.float32)
    _on_cpu(name, x.float(), None if gradient is None else gradient.float(), wide)
    return result.copy_(wide)


def _on_cpu(name: str, x: Tensor, gradient: Tensor | None, result: Tensor) -> None:
    """Run the CPU kernel; local variables keep the tensors alive, of which it gets addresses."""
    x, size = _with_strides_of(result, x), x.numel()
    threads = 1 if size < GRAIN else torch.get_num_threads()
    kernel = _kernel(name, result.dtype, threads > 1)
    if gradient is None:
        arguments: tuple[int, ...] = (x.data_ptr(), result.data_ptr(), size)
    else:
        is_expanded = size > 1 and not any(gradient.stride())  # as the gradient of a sum
        gradient = gradient if is_expanded else _with_strides_of(result, gradient)
        address = gradient.data_ptr()
        arguments = (x.data_ptr(), address, result.data_ptr(), size, 1 if is_expanded else size)
    if threads > 1:
        _in_threads(kernel, threads, *arguments)
    else:
        kernel(*arguments)


def _with_strides_of(result: Tensor, tensor: Tensor) -> Tensor:
    """Return the tensor, or a copy if its strides differ from those of the result."""
    if tensor.stride() == result.stride():
        return tensor
    return torch.empty_like(result).copy_(tensor)


@functools.cache
def _kernel(name: str, dtype: torch.dtype, parallel: bool) -> Callable[..., None]:
    """Return a kernel that takes addresses; converting to NumPy takes longer than computing 4 KiB.

    The last argument of "backward" is the number of gradients: 1 if all elements share one.
    """
    numba: Any = importlib.import_module("numba")
    # Constants have the dtype of the elements, because Python's float would give float64.
    kind = {torch.float32: numba.float32, torch.float64: numba.float64}[dtype]
    compiled = functools.partial(numba.njit, nogil=True, error_model="numpy")
    spread = numba.prange if parallel else range

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def pointer(context: Any, address: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], target.get_value_type(signature.return_type))

        return numba.types.CPointer(kind)(address), generate

    # In the function that has a parallel loop, the arrays must be arguments: Numba removes
    # assignments to an array made from an address there, because nothing seems to read them.
    def forward(x: Any, out: Any) -> None:
        low, high, third, sixth = kind(-2), kind(3), kind(2 / 3), kind(1 / 6)
        for i in spread(x.size):
            u = x[i]
            middle = u * (u + high) * sixth
            out[i] = third / u if u < low else (middle if u < high else u)

    def slope(u: Any) -> Any:
        low, high, third, half = kind(-2), kind(3), kind(-2 / 3), kind(0.5)
        middle = u * kind(1 / 3) + half
        left = third / (u * u)
        return left if u < low else (middle if u < high else kind(1))

    slope = numba.njit(slope, error_model="numpy", inline="always")

    def backward(x: Any, gradient: Any, out: Any) -> None:
        if gradient.size < x.size:
            each = gradient[0]
            for i in spread(x.size):
                out[i] = each * slope(x[i])
        else:
            for i in spread(x.size):
                out[i] = gradient[i] * slope(x[i])

    loop = compiled(forward if name == "forward" else backward, parallel=parallel)

    def forward_at(x_at: int, out_at: int, size: int) -> None:
        loop(numba.carray(pointer(x_at), (size,)), numba.carray(pointer(out_at), (size,)))

    def backward_at(x_at: int, gradient_at: int, out_at: int, size: int, gradients: int) -> None:
        x, out = numba.carray(pointer(x_at), (size,)), numba.carray(pointer(out_at), (size,))
        loop(x, numba.carray(pointer(gradient_at), (gradients,)), out)

    kernel: Callable[..., None] = compiled(forward_at if name == "forward" else backward_at)
    return kernel


def _in_threads(kernel: Callable[..., None], threads: int, *arguments: int) -> None:
    """Run a parallel kernel with this number of threads."""
    import numba

    with _KERNEL_LOCK:
        before = numba.get_num_threads()
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
        try:
            kernel(*arguments)
        finally:
            numba.set_num_threads(before)

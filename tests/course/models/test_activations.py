from __future__ import annotations

import importlib
import io
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

from hpml.course.models import activations
from hpml.course.models.activations import (
    GRAIN,
    FastSwish,
    FastSwishFunction,
    ModelError,
    fast_swish,
    fast_swish_composite,
    fast_swish_slope,
)
from hpml.profiling import work_of
from hpml.symbolic import Input, SymbolicModel
from tests.parts import raises

WAYS = {
    "composite": fast_swish_composite,
    "function": FastSwishFunction.apply,
    "kernel": fast_swish,
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def by_hand(x: float) -> float:
    if x < -2:
        return 2 / (3 * x)
    return x * (x + 3) / 6 if x < 3 else x


@each_way
def test_the_values_are_those_of_the_definition(way: Any) -> None:
    points = [-1e30, -50.0, -3.0, -2.0, -1.999, -1.5, 0.0, 1e-30, 2.999, 3.0, 1e30]
    received = way(torch.tensor(points, dtype=torch.float64))
    assert received.tolist() == pytest.approx([by_hand(x) for x in points], rel=1e-12)
    assert way(torch.tensor([float("nan"), float("inf"), -float("inf")])).tolist() == pytest.approx(
        [float("nan"), float("inf"), 0.0], nan_ok=True
    )


def test_it_is_hardswish_but_for_the_left_where_it_never_reaches_zero() -> None:
    x = torch.linspace(-2, 6, 200)
    torch.testing.assert_close(fast_swish(x), F.hardswish(x))
    left = torch.linspace(-1000, -3, 200)
    assert (fast_swish(left) < 0).all()
    assert (fast_swish_slope(left) < 0).all()
    assert (F.hardswish(left) == 0).all()


@each_way
def test_first_and_second_derivatives(way: Any) -> None:
    torch.manual_seed(0)
    x = torch.cat((torch.rand(40) * 12 - 6, torch.tensor([0.0, -2.5, 2.5]))).double()
    x.requires_grad_()
    assert torch.autograd.gradcheck(way, x)
    assert torch.autograd.gradgradcheck(way, x)


@each_way
def test_no_gradient_at_the_joints_is_undefined(way: Any) -> None:
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    way(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == pytest.approx([-1 / 6, 1 / 2, 1.0])


def test_at_infinity_the_composite_alone_has_no_gradient() -> None:
    for way, expected in ((fast_swish, [0, 1]), (fast_swish_composite, [torch.nan] * 2)):
        x = torch.tensor([-torch.inf, torch.inf], requires_grad=True)
        way(x).sum().backward()
        torch.testing.assert_close(x.grad, torch.tensor(expected, dtype=x.dtype), equal_nan=True)


def test_without_the_clamp_the_gradient_at_zero_is_no_number() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    torch.where(x < -2, 2 / (3 * x), x * (x + 3) / 6).sum().backward()
    assert x.grad is not None
    assert x.grad.isnan().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_each_dtype_is_as_exact_as_it_can_be(dtype: torch.dtype) -> None:
    x = torch.linspace(-8, 8, 501).to(dtype).requires_grad_()
    received = fast_swish(x)
    assert received.dtype == dtype
    exact = fast_swish_composite(x.detach().double())
    torch.testing.assert_close(received.double(), exact, rtol=torch.finfo(dtype).eps * 2, atol=1e-7)
    received.sum().backward()
    assert x.grad is not None
    assert x.grad.dtype == dtype


LAYOUTS = {
    "empty": lambda: torch.empty(0, 3),
    "no dimension": lambda: torch.tensor(-2.5),
    "transposed": lambda: torch.randn(5, 7).t(),
    "channels last": lambda: torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
    "every second": lambda: torch.randn(6, 8)[::2, ::2],
    "expanded": lambda: torch.randn(1, 4).expand(3, 4),
    "an offset": lambda: torch.randn(20)[3:9],
    "many elements": lambda: torch.randn(3, GRAIN),
}


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let PyTorch use this number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("name", LAYOUTS)
def test_any_layout(name: str) -> None:
    x = LAYOUTS[name]() * 3
    received, expected = fast_swish(x), fast_swish_composite(x)
    torch.testing.assert_close(received, expected)
    assert received.stride() == torch.empty_like(x).stride()
    for gradient in (torch.randn_like(x), torch.ones(()).expand(x.shape)):
        given = x.detach().requires_grad_()
        (first,) = torch.autograd.grad(fast_swish(given), given, gradient)
        (other,) = torch.autograd.grad(fast_swish_composite(given), given, gradient)
        torch.testing.assert_close(first, other)


TRANSFORMS: dict[str, Any] = {
    "vmap": torch.vmap,
    "grad": lambda way: torch.func.grad(lambda x: way(x).sum()),
    "gradients of a sample each": lambda way: torch.vmap(torch.func.grad(lambda x: way(x).sum())),
    "jvp": lambda way: lambda x: torch.func.jvp(way, (x,), (torch.ones_like(x),)),
    "jacobian, forward": torch.func.jacfwd,
    "jacobian, backward": torch.func.jacrev,
    "hessian": lambda way: torch.func.hessian(lambda x: way(x).sum()),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_functions(name: str) -> None:
    x = torch.tensor([[-3.0, 0.5, 4.0], [1.0, -1.0, -9.0]], dtype=torch.float64)
    expected = TRANSFORMS[name](fast_swish_composite)(x)
    torch.testing.assert_close(TRANSFORMS[name](fast_swish)(x), expected)
    if name in ("vmap", "grad", "gradients of a sample each", "jacobian, backward"):
        torch.testing.assert_close(TRANSFORMS[name](FastSwishFunction.apply)(x), expected)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
def test_derivatives_in_forward_mode_are_not_lost() -> None:
    x = torch.tensor([-3.0, 0.5, 4.0])
    with forward_ad.dual_level():
        result = fast_swish(forward_ad.make_dual(x, torch.full_like(x, 2)))
        tangent = forward_ad.unpack_dual(result).tangent
        torch.testing.assert_close(tangent, 2 * fast_swish_slope(x))


class Tagged(torch.Tensor):
    pass


def test_subclasses_tracers_and_symbolic_values_pass_through() -> None:
    x = torch.randn(2, 4)
    assert type(fast_swish(x.as_subclass(Tagged))) is Tagged
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(FastSwish()))
    torch.testing.assert_close(traced(x), fast_swish(x))
    symbolic = Input((4,))
    model = SymbolicModel(symbolic, fast_swish(symbolic))
    torch.testing.assert_close(model(x), fast_swish(x))


def saved_bytes(way: Any, x: torch.Tensor) -> int:
    seen: dict[int, int] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        way(x)
    return sum(seen.values())


def test_backward_keeps_what_relu_keeps() -> None:
    x = torch.randn(1000, requires_grad=True)
    relu = saved_bytes(torch.relu, x)
    assert saved_bytes(fast_swish, x) == saved_bytes(FastSwishFunction.apply, x) == relu == 4000
    assert saved_bytes(fast_swish_composite, x) > 3 * relu


def test_the_operator_keeps_the_rules_of_pytorch() -> None:
    for x in (torch.randn(4, 5), torch.randn(4, 5, dtype=torch.float64).t()):
        torch.library.opcheck(activations._forward, (x.requires_grad_(),))
        torch.library.opcheck(activations._backward, (torch.rand_like(x), x))


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_torchscript_takes_and_saves_the_layer() -> None:
    x, file = torch.randn(3, 4), io.BytesIO()
    script: Any = torch.jit.script(FastSwish())
    torch.testing.assert_close(script(x), fast_swish(x))
    torch.jit.save(script, file)  # type: ignore[no-untyped-call]
    file.seek(0)
    loaded: Any = torch.jit.load(file)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(loaded(x), fast_swish(x))


def test_who_watches_operators_sees_it() -> None:
    x = torch.randn(4)
    assert work_of(lambda: fast_swish(x)).operations == ("fast_swish",)
    with torch.profiler.profile() as profiler:
        fast_swish(x)
    assert "hpml::fast_swish" in {event.key for event in profiler.key_averages()}


def test_it_compiles_and_exports_without_a_break() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    compiled = torch.compile(FastSwish(), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), fast_swish(x))
    compiled(x).sum().backward()
    torch.testing.assert_close(x.grad, fast_swish_slope(x.detach()))
    exported = torch.export.export(FastSwish(), (x.detach(),))
    assert "hpml.fast_swish" in str(exported.graph)
    torch._dynamo.reset()


def test_threads_may_share_it() -> None:
    x = torch.randn(2 * GRAIN)
    expected, wrong = fast_swish(x), []

    def work() -> None:
        wrong.extend([1 for _ in range(20) if not torch.equal(fast_swish(x), expected)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_what_it_cannot_take_is_refused() -> None:
    for way in (fast_swish, fast_swish_composite):
        with raises(ModelError, object="input of FastSwish", received="torch.int64"):
            way(torch.arange(3))
    with raises(ModelError, object="input of FastSwish", received="torch.sparse_coo"):
        fast_swish(torch.ones(3).to_sparse())
    with raises(ModelError, object="input of FastSwish", received="nested", remedy="unbind"):
        fast_swish(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))
    with raises(ModelError, object="input of FastSwish", received="list"):
        fast_swish([1.0])  # type: ignore[arg-type]


class Pointer:
    """Stands for an address in Triton: numbers, and how far into them."""

    def __init__(self, numbers: Any, place: Any = 0) -> None:
        self.numbers, self.place = numbers, place

    def __add__(self, place: Any) -> Pointer:
        return Pointer(self.numbers, place)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the Triton kernels, to be called with a block's number before their arguments."""
    block = [0]

    def load(at: Pointer, mask: torch.Tensor, other: float) -> torch.Tensor:
        inside = at.place.clamp(max=len(at.numbers) - 1)
        return torch.where(mask, at.numbers[inside], other).to(at.numbers.dtype)

    def store(at: Pointer, value: torch.Tensor, mask: torch.Tensor) -> None:
        at.numbers[at.place[mask]] = value[mask]

    language: Any = types.ModuleType("triton.language")
    vars(language).update(
        arange=torch.arange,
        where=torch.where,
        load=load,
        store=store,
        constexpr=int,
        int64=torch.int64,
        float32=torch.float32,
        float64=torch.float64,
        program_id=lambda axis: torch.tensor(block[0]),
    )
    triton: Any = types.ModuleType("triton")
    triton.jit, triton.language = (lambda function: function), language
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.setitem(sys.modules, "triton.language", language)
    monkeypatch.delitem(sys.modules, "hpml.course.models.fast_swish_triton", raising=False)
    fast_swish_triton = importlib.import_module("hpml.course.models.fast_swish_triton")

    def run(name: str, *tensors: torch.Tensor) -> torch.Tensor:
        for block[0] in range(3):
            arguments = [Pointer(tensor) for tensor in tensors]
            getattr(fast_swish_triton, name)(*arguments, len(tensors[-1]), BLOCK=64)
        return tensors[-1]

    yield run
    del sys.modules["hpml.course.models.fast_swish_triton"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_kernels_for_a_gpu_say_what_the_composite_does(kernels: Any, dtype: Any) -> None:
    # Three blocks of 64, of which the last is not full; Triton's words are PyTorch's here.
    x = (torch.linspace(-9, 9, 150)).to(dtype)
    x[:3] = torch.tensor([-2.0, 0.0, 3.0])
    gradient = torch.linspace(-1, 1, 150).to(dtype)
    exact = fast_swish_composite(x.double())
    torch.testing.assert_close(kernels("forward", x, torch.empty_like(x)), exact.to(dtype))
    slope = fast_swish_slope(x.double())
    received = kernels("backward", x, gradient, torch.empty_like(x))
    torch.testing.assert_close(received, (gradient.double() * slope).to(dtype))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_gpu_computes_what_the_composite_does(name: str, dtype: torch.dtype) -> None:
    x = (LAYOUTS[name]() * 3).to(dtype).cuda().requires_grad_()
    gradient = torch.randn_like(x)
    exact = x.detach().double().requires_grad_()
    expected, received = fast_swish_composite(exact), fast_swish(x)
    torch.testing.assert_close(received.double(), expected, rtol=4 * torch.finfo(dtype).eps, atol=0)
    (first,) = torch.autograd.grad(received, x, gradient)
    (other,) = torch.autograd.grad(expected, exact, gradient.double())
    torch.testing.assert_close(first.double(), other, rtol=4 * torch.finfo(dtype).eps, atol=1e-6)


@pytest.mark.parametrize("at", [-2.5, -300.0, -1000.0])
def test_a_gradient_far_to_the_left_is_that_of_float32_in_half_precision(at: float) -> None:
    x = torch.tensor([at], dtype=torch.float16, requires_grad=True)
    FastSwishFunction.apply(x).sum().backward()
    expected = fast_swish_slope(torch.tensor([at])).half()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, expected, rtol=2e-2, atol=1e-7)
    assert x.grad.item() != 0


def test_without_the_private_name_of_pytorch_only_exporters_lose_the_operator() -> None:
    code = (
        "import torch._decomp; del torch._decomp.register_decomposition; import torch\n"
        "from hpml.course.models.activations import fast_swish, fast_swish_composite\n"
        "x = torch.linspace(-4, 4, 99, requires_grad=True)\n"
        "torch.testing.assert_close(fast_swish(x), fast_swish_composite(x)); print('same')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "same\n", done.stderr

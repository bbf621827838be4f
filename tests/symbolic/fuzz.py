"""Random programs, random events, every execution: a difference from calling by hand is a mistake.

A program is a list of steps; it runs on symbolic data, which gives the model, and on tensors with a
copy of the same modules, which gives what is expected. Events are done to both. From the root of
the repository, for an hour:

    python -m tests.symbolic.fuzz --minutes 60 --seed 0
"""

from __future__ import annotations

import argparse
import copy
import math
import pickle
import random
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.utils import parametrize, prune
from torch.utils._pytree import tree_leaves

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import GraphError
from hpml.symbolic.execution.called import make_lazy
from hpml.symbolic.graph import Call, Graph
from tests.symbolic.programs import assert_same

WIDTH = 4


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return -2 * gradient


class Both(NamedTuple):
    a: Any
    b: Any


class Adds(nn.Module):
    """Adds up what a container holds, and has a method of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)
        self.drop = nn.Dropout(0.3)

    def forward(self, data: Any, scale: float = 1.0) -> Any:
        if isinstance(data, dict):
            parts = list(data.values())
        else:
            parts = list(data) if isinstance(data, (list, tuple)) else [data.a, data.b]
        return self.drop(self.linear(parts[0] + parts[1])) * scale

    def encode(self, x: Any) -> Any:
        return self.linear(x) if self.training else self.linear(x) * 2


MODULES: dict[str, Callable[[], nn.Module]] = {
    "linear": lambda: nn.Linear(WIDTH, WIDTH),
    "relu": lambda: nn.ReLU(),
    "gelu": lambda: nn.GELU(),
    "dropout": lambda: nn.Dropout(0.4),
    "layer norm": lambda: nn.LayerNorm(WIDTH),
    "batch norm": lambda: nn.BatchNorm1d(WIDTH),
    "softmax": lambda: nn.Softmax(1),
    "softmin": lambda: nn.Softmin(1),
    "identity": lambda: nn.Identity(),
    "relu in place": lambda: nn.ReLU(inplace=True),
    "block in place": lambda: nn.Sequential(nn.LeakyReLU(0.3, inplace=True)),
    "block": lambda: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Dropout(0.2)),
}
CONTAINERS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda a, b: [a, b],
    "tuple": lambda a, b: (a, b),
    "dict": lambda a, b: {"a": a, "b": b},
    "named tuple": Both,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b.tanh(),
    "cat": lambda a, b: torch.cat([a, b], dim=1)[:, 1 : WIDTH + 1],
    "where": lambda a, b: torch.where(a > b, a, b),
}


def recorded(function: Callable[[Any], Any], value: Any) -> Any:
    """Call a function, which a graph only records by name."""
    return function(value) if is_real(value) else add_to_graph(function, value)


def is_real(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def added_in_place(h: Any) -> Any:
    h += 1
    return h


UNARY: dict[str, Callable[[Any], Any]] = {
    "negative": lambda h: 0.5 - h,
    "clamp": lambda h: h.clamp(-1, 1),
    "view": lambda h: h.view(h.shape[0], -1),
    "chunk": lambda h: torch.cat(list(reversed(h.chunk(2, dim=1))), dim=1),
    "noise": lambda h: h + torch.rand_like(h),
    "reversed": lambda h: recorded(Reversed.apply, h),
    "half": lambda h: torch.cat([h[:, :2], h[:, 2:]], dim=1),
    "a view": lambda h: h.view(-1, 2, 2).flatten(1),
    "a view in place": lambda h: nn.functional.relu(h[:, :2], inplace=True).repeat(1, 2),
    "in place behind a view": lambda h: nn.functional.relu(h.view(h.shape[0], 2, 2), True).flatten(
        1
    ),
    "added in place": added_in_place,
    "mean": lambda h: h - h.sum(0) / h.shape[0],
    "transposed": lambda h: (h.T / h.T.shape[1]).T,
    "similar": lambda h: (h @ h.T).tanh() @ h / h.size(0),
    "half the batch": lambda h: h - h[: h.shape[0] // 2].sum(0),
    "largest": lambda h: h * (h == h.max(1, keepdim=True).values),
    "split": lambda h: h / h.split(3)[0].shape[0],
    "padded": lambda h: h / nn.functional.pad(h, (0, 0, 0, -h.shape[0] % 8)).shape[0],
    "remainder": lambda h: h * (h.shape[0] % 4 + 1),
    "positive": lambda h: torch.where(h != 0, h, 0.5).masked_fill(h >= 1, 1.0),
    "unsqueezed in place": lambda h: nn.functional.leaky_relu(
        h.unsqueeze(1), 0.1, inplace=True
    ).squeeze(1),
    "zeros": lambda h: h + torch.zeros(h.shape[0], WIDTH) + h.numel(),
}


class Step(NamedTuple):
    """One step of a program: what is done, with which module, to which values."""

    kind: str
    name: str
    module: int
    values: tuple[int, int]


def captured(h: Any, layers: Any, number: int) -> Any:
    """Call functions that capture a number, a layer and a list of layers; the number changes."""
    # Each layer once: functional_call mixes up a layer that has two names in a model.
    factor, first, some, other = number + 1.0, layers[0], layers[1:2], [layers[2], layers[3:]]
    one = recorded(lambda a: first(a) * factor, h)
    factor = 0.5
    two = recorded(lambda a: some[0](a) * factor, h)
    three = called(h, other) if is_real(h) else add_to_graph(called, h, other)
    return one + two + three


def called(a: Any, layers: Any) -> Any:
    return layers[1][0](layers[0](a))


def make_program(generator: random.Random) -> tuple[nn.ModuleList, list[Step]]:
    """Return random modules and steps; modules and parameters are used again now and then."""
    modules = nn.ModuleList()
    steps: list[Step] = []
    kinds = ["module"] * 5 + ["again"] * 2
    kinds += ["container", "method", "parameter", "binary", "unary", "captured"]
    for count in range(generator.randint(2, 14)):
        kind = generator.choice(kinds)
        values = (generator.randint(max(0, count - 2), count), generator.randint(0, count))
        name, module = "", len(modules)
        if kind == "again" and len(modules):
            module = generator.randrange(len(modules))
            # Called in two ways a module has two names, which functional_call mixes up.
            kinds_again = {Adds: "unary", nn.ParameterList: "parameter", nn.ModuleList: "unary"}
            kind = kinds_again.get(type(modules[module]), "module")
        elif kind in ("module", "again"):
            kind = "module"
            modules.append(MODULES[generator.choice(list(MODULES))]())
        elif kind in ("container", "method"):
            modules.append(Adds())
        elif kind == "captured":
            # A list, which a model owns part by part; its layers have no other call.
            modules.append(nn.ModuleList([nn.Linear(WIDTH, WIDTH) for _ in range(4)]))
        elif kind == "parameter":
            modules.append(nn.ParameterList([nn.Parameter(torch.randn(WIDTH))]))
        if kind == "container":
            name = generator.choice(list(CONTAINERS))
        elif kind in ("binary", "unary"):
            name = generator.choice(list(BINARY if kind == "binary" else UNARY))
        steps.append(Step(kind, name, module, values))
    return modules, steps


def run_program(modules: nn.ModuleList, steps: list[Step], x: Any) -> Any:
    """Run the steps on symbolic data or on a tensor."""
    values = [x]
    symbolic = type(x) is not torch.Tensor
    for step in steps:
        a, b = (values[i] for i in step.values)
        if step.kind == "module":
            h = modules[step.module](a)
        elif step.kind == "container":
            h = modules[step.module](CONTAINERS[step.name](a, b), scale=0.5)
        elif step.kind == "method":
            encode = modules[step.module].encode
            h = add_to_graph(encode, a) if symbolic else encode(a)
        elif step.kind == "captured":
            h = captured(a, list(modules[step.module]), step.module)
        elif step.kind == "parameter":
            parameter = modules[step.module][0]
            h = a * parameter + parameter
        else:
            h = BINARY[step.name](a, b) if step.kind == "binary" else UNARY[step.name](a)
        values.append(h)
    # What nobody reads is an output: a model leaves out what no output needs.
    read = {step.values[0] for step in steps}
    read |= {step.values[1] for step in steps if step.kind in ("container", "binary")}
    return tuple(value for i, value in enumerate(values) if i not in read or i == len(values) // 2)


def _linears(modules: nn.ModuleList) -> list[nn.Linear]:
    return [module for module in modules.modules() if type(module) is nn.Linear]


def _each_linear(do: Callable[[nn.Linear], object]) -> Callable[[nn.ModuleList], None]:
    def event(modules: nn.ModuleList) -> None:
        for layer in _linears(modules)[:2]:
            do(layer)

    return event


def _step(modules: nn.ModuleList) -> None:
    with torch.no_grad():
        for parameter in modules.parameters():
            parameter.sub_(0.1 * torch.sign(parameter))


def _new_parameters(modules: nn.ModuleList) -> None:
    for module in modules.modules():
        if isinstance(module, nn.ParameterList):
            continue
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                setattr(module, name, nn.Parameter(parameter.detach() * 1.5))


def _parametrized(layer: nn.Linear) -> None:
    if not parametrize.is_parametrized(layer):
        parametrize.register_parametrization(layer, "weight", nn.Tanh())


EVENTS: dict[str, Callable[[nn.ModuleList], object]] = {
    "nothing": lambda modules: None,
    "step": _step,
    "new parameters": _new_parameters,
    "frozen": _each_linear(lambda layer: layer.requires_grad_(False)),
    "thawed": lambda modules: modules.requires_grad_(True),
    "hook": _each_linear(lambda layer: layer.register_forward_hook(lambda m, a, r: r * 2)),
    "pre hook": _each_linear(lambda layer: layer.register_forward_pre_hook(lambda m, a: a[0] + 1)),
    "hooks cleared": _each_linear(lambda layer: layer._forward_hooks.clear()),
    "no bias": _each_linear(lambda layer: setattr(layer, "bias", None)),
    "forward": _each_linear(lambda layer: layer.__dict__.update(forward=torch.sin)),
    "no forward": _each_linear(lambda layer: layer.__dict__.pop("forward", None)),
    "parametrized": _each_linear(_parametrized),
    "pruned": _each_linear(lambda layer: prune.l1_unstructured(layer, "weight", 0.3)),
    "settings": lambda modules: [
        setattr(m, "p", 0.6) for m in modules.modules() if hasattr(m, "p")
    ],
    "eval": lambda modules: modules.eval(),
    "train": lambda modules: modules.train(),
    "moved": lambda modules: modules.double().float(),
    "loaded": lambda modules: modules.load_state_dict(
        {name: tensor + 0.1 for name, tensor in modules.state_dict().items()}
    ),
}


def observe(run: Callable[[Any], Any], modules: nn.ModuleList, seed: int) -> Any:
    """Return everything that a forward and a backward leave behind, or the error."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn((1, 2, 3, 7)[seed % 4], WIDTH, generator=generator).requires_grad_()
    modules.zero_grad()
    torch.manual_seed(seed)
    try:
        outputs = run(x)
        sum(output.square().sum() for output in outputs).backward()
    except Exception as error:  # noqa: BLE001 - an error is an observation, too
        return type(error)
    gradients = [None if p.grad is None else p.grad.clone() for p in modules.parameters()]
    buffers = [buffer.clone() for buffer in modules.buffers()]
    return [output.detach() for output in outputs], x.grad, gradients, buffers, torch.rand(2)


class Program(nn.Module):
    def __init__(self, modules: nn.ModuleList, steps: list[Step]) -> None:
        super().__init__()
        self.parts, self.steps = modules, steps

    def forward(self, x: Any) -> Any:
        return run_program(self.parts, self.steps, x)


def _with_other_parameters(
    model: nn.Module, twin: nn.Module, of_model: nn.ModuleList, of_twin: nn.ModuleList, seed: int
) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(seed)
    other = [torch.randn(p.shape, generator=generator) for p in of_twin.parameters()]
    x, results = torch.randn(3, WIDTH, generator=generator), []
    for owner, modules in ((model, of_model), (twin, of_twin)):
        new = {id(p): value for p, value in zip(modules.parameters(), other, strict=True)}
        state = {n: new[id(p)] for n, p in owner.named_parameters() if id(p) in new}
        buffers = {name: buffer.clone() for name, buffer in owner.named_buffers()}
        torch.manual_seed(seed)
        try:
            results.append(torch.func.functional_call(owner, {**state, **buffers}, (x.clone(),)))
        except Exception as error:  # noqa: BLE001
            results.append(type(error))
    return results[0], results[1]


def _compiled(model: nn.Module, twin: nn.Module, compare: Any, seed: int) -> int:
    """Compile both, so that later runs meet what compiling left behind; return the comparisons."""
    x, results = torch.randn(3, WIDTH), []
    torch.compiler.reset()
    for owner in (model, twin):
        torch.manual_seed(seed)
        compiled = torch.compile(owner, backend="eager")
        try:
            results.append(compiled(x.clone()))
        except Exception as error:  # noqa: BLE001 - an error is an observation, too
            results.append(type(error))
    torch.compiler.reset()
    if isinstance(results[0], type) or isinstance(results[1], type):
        return 0
    compare(*results)
    return 1


def lazy_order(graph: Graph) -> list[int]:
    """Return the positions of the calls in the order in which the lazy execution makes them."""
    order: list[int] = []

    def noting(position: int, call: Call) -> Callable[..., Any]:
        def layer(*values: Any) -> Any:
            order.append(position)
            return [()] * len(call.results) if call.unpacks else ()

        return layer

    layers = [noting(position, call) for position, call in enumerate(graph.calls)]
    make_lazy(graph)(SimpleNamespace(_execution_order_layers=layers), *[()] * len(graph.inputs))
    return order


def assert_close(received: Any, expected: Any) -> None:
    """Compare up to rounding: by hand += keeps the strides of a slice, and the model does not."""
    if isinstance(expected, type):
        assert received is expected
    else:
        # Elements near 0 may be sums of the largest numbers, as the gradient before a norm.
        found = [v for v in tree_leaves(expected) if isinstance(v, torch.Tensor) and v.numel()]
        sizes = [value.double().abs().max().item() for value in found]
        scale = max([1.0, *filter(math.isfinite, sizes)])
        torch.testing.assert_close(received, expected, rtol=1e-5, atol=1e-5 * scale)


def check(seed: int) -> int:
    """Make one program with one history, run it in every execution; return what was compared."""
    compared = 0
    for execution in EXECUTIONS:
        generator = random.Random(seed)
        torch.manual_seed(seed)
        modules, steps = make_program(generator)
        twin_modules = copy.deepcopy(modules)
        x = Input(shape=(WIDTH,))
        try:
            model = SymbolicModel(x, run_program(modules, steps, x), execution=execution)
        except GraphError:
            return 0  # what a change in place makes ambiguous is refused
        finally:
            del x
        order = lazy_order(model.graph)
        if execution == "lazy" and order != sorted(order):
            continue  # random numbers and sums of gradients differ
        twin = Program(twin_modules, steps)
        added_in_place = any(step.name == "added in place" for step in steps)
        compare = assert_close if added_in_place else assert_same
        history = [generator.choice(list(EVENTS)) for _ in range(generator.randint(1, 6))]
        for position, name in enumerate(["nothing", *history]):
            torch.manual_seed(seed)
            try:
                EVENTS[name](modules)
            except Exception:  # noqa: BLE001 - pruning what is parametrized, and the like
                break
            torch.manual_seed(seed)
            EVENTS[name](twin_modules)
            where = f"seed {seed}, {execution}, after {history[:position]}: {steps}"
            received = observe(model, modules, seed + position)
            expected = observe(twin, twin_modules, seed + position)
            if expected is RuntimeError and added_in_place:
                break  # by hand += changes what autograd saved, the model makes a new value
            try:
                compare(received, expected)
                compare(
                    *_with_other_parameters(model, twin, modules, twin_modules, seed + position)
                )
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            compared += 2
            if position == 1 and generator.random() < 0.2:
                compared += _compiled(model, twin, compare, seed)
        try:
            copied = pickle.loads(pickle.dumps(model))
        except Exception:  # noqa: BLE001 - hooks that are lambdas
            continue
        results: list[Any] = []
        for owner in (copied, twin):
            owner.eval()
            torch.manual_seed(seed)
            try:
                results.append(owner(torch.randn(3, WIDTH)))
            except RuntimeError as error:  # PyTorch's own, such as relu_ of a view
                results.append(type(error))
        if results[1] is RuntimeError and added_in_place:
            continue  # by hand += changes a view of a custom function
        if results[0] is not results[1]:
            compare(*results)
        compared += 1
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    end, seed, compared = time.monotonic() + options.minutes * 60, options.seed, 0
    while time.monotonic() < end:
        compared += check(seed)
        seed += 1
    print(f"no difference in {compared:,} comparisons of {seed - options.seed:,} programs")


if __name__ == "__main__":
    main()

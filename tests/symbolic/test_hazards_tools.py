"""Inlined models in the hands of torch's tools: copies, compilers, tracers, replicas, threads."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import re
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx, nn
from torch.nn.modules import module as torch_module
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError
from tests.symbolic.hazards import (
    LAYERS,
    Network,
    Pair,
    always_called,
    called_layers,
    each_mode,
    model_of,
    network,
    observe,
    obstacles,
    value,
)
from tests.symbolic.processes import run_together
from tests.symbolic.programs import assert_same

# --- copies ---------------------------------------------------------------------------------------


def through_pickle(model: SymbolicModel) -> SymbolicModel:
    return pickle.loads(pickle.dumps(model))


def through_torch_save(model: SymbolicModel) -> SymbolicModel:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


each_copy = pytest.mark.parametrize(
    "copied", [copy.deepcopy, through_pickle, through_torch_save], ids=lambda f: f.__name__
)


def doubled(_: nn.Module, args: Any, result: torch.Tensor) -> torch.Tensor:
    return result * 2


@each_copy
@each_mode
def test_a_copy_has_hooks_and_weights_of_its_own(
    copied: Any, execution: str, training: bool
) -> None:
    pair = Pair(execution, training)
    assert pair.agree()
    model = copied(pair.model)
    twin = copy.deepcopy(pair.twin)
    for owner in (model, twin):
        owner.linear.register_forward_hook(doubled)
        owner.conv.weight.data.mul_(2)
    assert_same(observe(model, []), observe(twin, []))
    assert pair.agree()
    pair.check_how(called=False)


@each_copy
@each_mode
def test_a_hook_that_was_copied_works_in_the_copy_and_can_be_taken_away_there(
    copied: Any, execution: str, training: bool
) -> None:
    pair = Pair(execution, training)
    for owner in (pair.model, pair.twin):
        owner.linear.register_forward_hook(doubled)
    assert pair.agree()
    model = copied(pair.model)
    pair.model.linear._forward_hooks.clear()
    twin = copy.deepcopy(pair.twin)
    assert_same(observe(model, []), observe(twin, []))
    for owner in (model, twin):
        owner.linear._forward_hooks.clear()
    assert_same(observe(model, []), observe(twin, []))
    if execution == "inlined":
        assert called_layers(model) == always_called(model)


@pytest.mark.parametrize("training", [True, False])
def test_a_copy_of_a_model_whose_layers_changed_is_written_for_the_new_ones(training: bool) -> None:
    pair = Pair("inlined", training)
    assert pair.agree()
    for owner in (pair.model, pair.twin):
        torch.manual_seed(0)
        owner.gelu = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
        owner.pool = nn.AvgPool2d(2)
    assert pair.agree()
    assert set(obstacles(pair.model)) == {"gelu", "pool", "softmax"}
    model = copy.deepcopy(pair.model)
    assert_same(observe(model, []), observe(copy.deepcopy(pair.twin), []))
    assert set(obstacles(model)) == {"gelu", "softmax"}
    assert called_layers(model) == always_called(model) | {"gelu"}
    pair.model.execution = "inlined"  # which writes the source anew
    assert set(obstacles(pair.model)) == {"gelu", "softmax"}


# --- compilers, exporters, tracers ----------------------------------------------------------------


@pytest.fixture
def _fresh_compiler() -> Any:
    gc.collect()  # handles that wait for the collector
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.usefixtures("_fresh_compiler")
@pytest.mark.parametrize("training", [True, False])
def test_torch_compile_takes_the_whole_model_and_the_model_stays_what_it_was(
    training: bool,
) -> None:
    pair = Pair("inlined", training)
    assert pair.agree()
    for owner in (pair.model, pair.twin):
        owner.drop.p = 0.0  # a compiled function may draw other numbers
    compiled = torch.compile(pair.model, fullgraph=True, backend="eager")
    for _ in range(2):
        expected = observe(pair.twin, [])
        received = observe(compiled, [])
        assert_same(received["result"], expected["result"])
        assert_same(list(received["gradients"].values()), list(expected["gradients"].values()))
    for owner in (pair.model, pair.twin):
        owner.linear.weight = nn.Parameter(torch.full((6, 16), 0.1))
    assert_same(observe(compiled, [])["result"], observe(pair.twin, [])["result"])
    assert pair.agree()
    assert called_layers(pair.model) == always_called(pair.model)


@pytest.mark.usefixtures("_fresh_compiler")
def test_torch_compile_sees_hooks_that_are_there_when_it_compiles() -> None:
    pair = Pair("inlined", training=False)
    for owner in (pair.model, pair.twin):
        owner.linear.register_forward_hook(doubled)
    compiled = torch.compile(pair.model, fullgraph=True, backend="eager")
    assert_same(compiled(value()), pair.twin(value()))


@pytest.mark.usefixtures("_fresh_compiler")
@pytest.mark.parametrize("strict", [True, False])
def test_torch_export_takes_the_whole_model(strict: bool) -> None:
    graphs = []
    for execution in ("inlined", "codegen"):
        model = model_of(network(training=False), execution)
        gc.collect()
        exported = torch.export.export(model, (value(),), strict=strict)
        assert_same(exported.module()(value()), model(value()))
        assert set(exported.state_dict) == set(model.state_dict())
        graphs.append([(node.op, str(node.target)) for node in exported.graph.nodes])
    assert graphs[0] == graphs[1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_torchscript_traces_it_as_it_traces_a_model_that_calls() -> None:
    traced = []
    for execution in ("inlined", "codegen"):
        model = model_of(network(training=False), execution)
        traced.append(torch.jit.trace(model, (value(),)))
        assert_same(traced[-1](value() + 1), model(value() + 1))
        assert called_layers(model) == (
            always_called(model) if execution == "inlined" else set(model._modules)
        )
    graphs = [re.sub(r"\.___torch_mangle_\d+", "", str(t.graph)) for t in traced]
    assert graphs[0] == graphs[1]
    modules = [[name for name, _ in t.named_modules()] for t in traced]
    assert modules[0] == modules[1] == ["", *(call.name for call in model.graph.calls)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_a_layer_of_torchscript_keeps_its_parameters_when_a_model_is_built() -> None:
    layer = nn.Linear(4, 4)
    scripted, traced = torch.jit.script(layer), torch.jit.trace(layer, torch.rand(1, 4))
    x = Input(shape=(4,))
    h = traced(scripted(x)).relu()
    model = SymbolicModel(x, h, execution="inlined")
    given = torch.rand(2, 4)
    for _ in range(2):
        assert_same(model(given), layer(layer(given)).relu())


class Wrapper(nn.Module):
    """A symbolic model as a part of something larger."""

    def __init__(self, model: SymbolicModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.model(x) + 1


def fx_nodes(model: nn.Module, tracer: fx.Tracer) -> list[tuple[str, str]]:
    graph = tracer.trace(model)
    traced = fx.GraphModule(model, graph)
    assert_same(traced(value()), model(value()))
    return [(node.op, str(node.target)) for node in graph.nodes]


class IntoLayers(fx.Tracer):
    def is_leaf_module(self, module: nn.Module, name: str) -> bool:
        return isinstance(module, nn.BatchNorm2d)  # whose forward cannot be traced


@pytest.mark.parametrize("tracer", [fx.Tracer, IntoLayers])
def test_symbolic_trace_sees_the_layers(tracer: Callable[[], fx.Tracer]) -> None:
    models = [model_of(network(training=False), how) for how in ("inlined", "codegen")]
    gc.collect()
    nodes = [fx_nodes(Wrapper(model), tracer()) for model in models]
    assert nodes[0] == nodes[1]
    if tracer is fx.Tracer:
        called = [name for op, name in nodes[0] if op == "call_module"]
        names = [call.name for call in models[0].graph.calls if call.name in LAYERS]
        assert called == [f"model.{name}" for name in names]
    assert called_layers(models[0]) == always_called(models[0])


@pytest.mark.parametrize("execution", ["inlined", "codegen"])
def test_symbolic_trace_of_the_model_itself_says_what_to_use(execution: str) -> None:
    model = model_of(network(training=False), execution)
    gc.collect()
    with pytest.raises(ArgumentError, match=r"model\.to_fx\(\)"):
        fx.symbolic_trace(model)
    assert_same(model.to_fx()(value()), model(value()))


def test_make_fx_traces_what_is_computed() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    pair = Pair("inlined", training=False)
    targets = []
    for owner in (pair.model, pair.twin):
        with torch.no_grad():
            traced = make_fx(owner)(value())
        assert_same(traced(value() * 2), owner(value() * 2).detach())
        targets.append([str(node.target) for node in traced.graph.nodes])
    assert [t for t in targets[0] if "aten" in t] == [t for t in targets[1] if "aten" in t]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*quantize.*:UserWarning")
def test_dynamic_quantization_replaces_layers_in_a_copy() -> None:
    if not torch.backends.quantized.supported_engines[:-1]:
        pytest.skip("needs a quantized engine, such as fbgemm or qnnpack")
    pair = Pair("inlined", training=False)
    assert pair.agree()
    results = []
    for owner in (pair.model, pair.twin):
        quantized = torch.ao.quantization.quantize_dynamic(owner, {nn.Linear})
        results.append(quantized(value()))
        assert type(quantized.linear) is not nn.Linear
    assert_same(*results)
    assert pair.agree()


# --- what watches or repeats a forward ------------------------------------------------------------


@each_mode
def test_checkpointing_runs_the_forward_again(execution: str, training: bool) -> None:
    pair = Pair(execution, training)
    results = []
    for owner in (pair.model, pair.twin):
        owner.zero_grad()
        x = value().requires_grad_()
        torch.manual_seed(0)
        result = checkpoint(owner, x, use_reentrant=False)
        result.square().sum().backward()
        results.append((result, x.grad, {n: p.grad for n, p in sorted(owner.named_parameters())}))
    assert_same(*results)
    pair.agree()


def test_operations_are_counted_for_each_layer() -> None:
    pair = Pair("inlined", training=False)
    assert pair.agree()
    counts = []
    for owner in (pair.model, pair.twin):
        with FlopCounterMode(display=False) as counter:
            owner(value())
        found = counter.get_flop_counts()
        counts.append({name.partition(".")[2]: dict(ops) for name, ops in found.items()})
    assert {name: counts[0][name] for name in ("conv", "linear", "head")} == {
        name: counts[1][name] for name in ("conv", "linear", "head")
    }
    pair.check_how(called=False)


class Recorded(torch.overrides.TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.functions: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.functions.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("training", [True, False])
def test_modes_see_the_same_functions_of_torch(training: bool) -> None:
    seen = []
    for owner in (Pair("inlined", training).model, Pair("codegen", training).model):
        with Recorded() as recorded:
            owner(value())
        seen.append([name for name in recorded.functions if not name.startswith("__")])
    assert seen[0] == seen[1]
    assert "linear" in seen[0]


class Tagged(torch.Tensor):
    """A tensor of a class of its own, which sees every function that is applied to it."""

    seen: list[str] = []  # noqa: RUF012 - emptied by the test

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})


@pytest.mark.parametrize("training", [True, False])
def test_tensors_of_other_classes_are_passed_on(training: bool) -> None:
    seen, results = [], []
    for execution in ("inlined", "codegen"):
        model = Pair(execution, training).model
        Tagged.seen.clear()
        torch.manual_seed(0)
        result = model(value().as_subclass(Tagged))
        assert type(result) is Tagged
        results.append(result.as_subclass(torch.Tensor))
        seen.append([name for name in Tagged.seen if not name.startswith("__")])
    assert seen[0] == seen[1]
    assert_same(*results)


def test_saved_tensors_can_be_packed() -> None:
    pair = Pair("inlined", training=False)
    counts = []
    for owner in (pair.model, pair.twin):
        packed: list[Any] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t, packed=packed: packed.append(t.shape) or t, lambda t: t
        ):
            owner(value()).sum().backward()
        counts.append(packed)
    assert counts[0] == counts[1]


# --- replicas, processes, threads -----------------------------------------------------------------


def replicate(owner: nn.Module, scale: float) -> nn.Module:
    """What `DataParallel` does for each device: copies of tensors as plain attributes."""
    replicas = {m: m._replicate_for_data_parallel() for m in owner.modules()}
    for module, replica in replicas.items():
        for name, child in module._modules.items():
            setattr(replica, name, replicas[child])
        for name, parameter in module._parameters.items():
            if parameter is not None:
                setattr(replica, name, parameter * scale)
        for name, buffer in module._buffers.items():
            if buffer is not None:
                replica._buffers[name] = buffer.clone()
    return replicas[owner]


@each_mode
def test_replicas_run_their_own_layers_and_send_gradients_back(
    execution: str, training: bool
) -> None:
    pair = Pair(execution, training)
    assert pair.agree()
    results = []
    for owner in (pair.model, pair.twin):
        owner.zero_grad()
        torch.manual_seed(0)
        outputs = [replicate(owner, scale)(value()) for scale in (1.0, 0.5)]
        sum(output.square().sum() for output in outputs).backward()
        results.append((outputs, {n: p.grad for n, p in sorted(owner.named_parameters())}))
    assert_same(*results)
    assert pair.agree()
    pair.check_how(called=False)


def test_replicas_run_in_threads_while_the_model_runs_too() -> None:
    pair, x = Pair("inlined", training=False), value()
    owners = [pair.model, replicate(pair.model, 1.0), replicate(pair.model, 0.5)]
    with torch.no_grad():
        expected = [owner(x) for owner in owners]
    run_in_threads(
        [lambda o=o, e=e: assert_same(o(x), e) for o, e in zip(owners, expected, strict=True)]
    )


def test_hooks_come_and_go_in_a_thread_while_another_runs() -> None:
    """The result is that with the hook or that without, and never something else."""
    pair, x = Pair("inlined", training=False), value()
    with torch.no_grad():
        without = pair.model(x)
        with pair.model.linear.register_forward_hook(doubled):
            hooked = pair.model(x)

    def run() -> None:
        result = pair.model(x)
        assert torch.equal(result, without) or torch.equal(result, hooked)

    def register() -> None:
        with pair.model.linear.register_forward_hook(doubled):
            assert_same(pair.model(x), hooked)

    run_in_threads([run, register])
    with torch.no_grad():
        assert_same(pair.model(x), without)


def run_in_threads(tasks: list[Callable[[], None]], times: int = 60) -> None:
    failures: list[BaseException] = []

    def repeat(task: Callable[[], None]) -> None:
        try:
            with torch.no_grad():
                for _ in range(times):
                    task()
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=repeat, args=(task,)) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if failures:
        raise failures[0]


TRAINING = """
import copy, sys
import torch
import torch.distributed as dist
from torch import nn
from tests.symbolic.hazards import model_of, network

rank, store = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
model = model_of(network(training=True), "inlined")
twin = network(training=True)
received = []
for owner in (model, twin):
    parallel = nn.parallel.DistributedDataParallel(owner)
    optimiser = torch.optim.SGD(owner.parameters(), lr=0.1, momentum=0.9)
    for step in range(3):
        torch.manual_seed(10 * step + rank)
        parallel(torch.randn(4, 2, 6, 6)).square().sum().backward()
        optimiser.step()
        optimiser.zero_grad()
    received.append(dict(owner.state_dict()))
for name, tensor in received[0].items():
    assert torch.equal(tensor, received[1][name]), name
others = [torch.empty_like(model.linear.weight) for _ in range(2)]
dist.all_gather(others, model.linear.weight.detach())
assert torch.equal(*others)
assert not torch.equal(others[0], network(training=True).linear.weight)
dist.barrier()
dist.destroy_process_group()
print("equal")
"""


def test_two_processes_train_as_they_train_called_layers(tmp_path: Any) -> None:
    store = str(tmp_path / "store")
    assert run_together([(TRAINING, str(rank), store) for rank in range(2)]) == ["equal\n"] * 2


# --- models within models -------------------------------------------------------------------------


class Stem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x).relu()


@each_mode
def test_a_model_within_a_model_has_a_guard_of_its_own(execution: str, training: bool) -> None:
    torch.manual_seed(0)
    x = Input(shape=(4,))
    inner = SymbolicModel(x, nn.Dropout(0.5)(nn.Linear(4, 4)(x)), execution=execution)
    y = Input(shape=(4,))
    stem = Stem()
    outer = SymbolicModel(y, nn.Linear(4, 2)(inner(stem(y)) + y), execution=execution)
    del x, y
    outer.train(training)

    def by_hand(value: torch.Tensor) -> torch.Tensor:
        h = stem(value)
        return outer.Linear_1(inner.Dropout_1(inner.Linear_1(h)) + value)

    given = torch.rand(3, 4)

    def agree() -> None:
        results = []
        for run in (outer, by_hand):
            torch.manual_seed(0)
            results.append(run(given))
        assert_same(*results)

    agree()
    handles = [
        layer.register_forward_hook(doubled)
        for layer in (inner.Linear_1, outer.Linear_1, stem.inner)
    ]
    for handle in handles:
        agree()
        handle.remove()
    agree()
    if execution == "inlined":
        assert called_layers_of(outer, given) == {"SymbolicModel_1", "Stem_1"}
    with torch_module.register_module_forward_hook(lambda *_: None):
        agree()


def called_layers_of(model: SymbolicModel, given: torch.Tensor) -> set[str]:
    code = nn.Module._call_impl.__code__
    seen: set[int] = set()

    def note(frame: Any, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is code:
            seen.add(id(frame.f_locals["self"]))

    sys.setprofile(note)
    try:
        model(given)
    finally:
        sys.setprofile(None)
    return {name for name, layer in model._modules.items() if id(layer) in seen}


def test_the_network_of_these_tests_has_every_layer_written_out_that_can_be() -> None:
    model = model_of(network(training=False), "inlined")
    assert obstacles(model) == {"softmax": "Softmax has no functional form in the registry"}
    assert set(Network()._modules) < set(model._modules)

"""Copies, replicas, processes, threads, and models within models."""

from __future__ import annotations

import copy
import io
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.modules import module as torch_module

from hpml.symbolic import Input, SymbolicModel
from tests.symbolic.hazards import (
    MODES,
    Pair,
    always_called,
    called_layers,
    doubled,
    each_mode,
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
    assert set(obstacles(pair.model)) == {"gelu", "pool", "softmin"}
    model = copy.deepcopy(pair.model)
    assert_same(observe(model, []), observe(copy.deepcopy(pair.twin), []))
    assert set(obstacles(model)) == {"gelu", "softmin"}
    assert called_layers(model) == always_called(model) | {"gelu"}
    pair.model.execution = "inlined"  # which writes the source anew
    assert set(obstacles(pair.model)) == {"gelu", "softmin"}


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


@pytest.mark.parametrize(("execution", "training"), [*MODES, ("lazy", False)])
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
import os, sys
import torch
import torch.distributed as dist
from torch import nn
from hpml.symbolic import EXECUTIONS
from tests.symbolic.hazards import model_of, network

rank, store = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
for execution in EXECUTIONS:
    training = execution != "lazy"  # which draws random numbers in another order
    model = model_of(network(training), execution)
    twin = network(training)
    received = []
    for owner in (model, twin):
        with torch.no_grad():  # DDP must make the weights equal
            owner.linear.weight.add_(rank)
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
    assert not torch.equal(others[0], network(training).linear.weight)
dist.barrier()
dist.destroy_process_group()
print("equal", flush=True)
os._exit(0)  # threads of gloo may outlive the interpreter, which then aborts
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

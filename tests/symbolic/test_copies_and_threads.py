"""Copies, replicas, processes, threads, and models within models."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import SymbolicModel
from tests.symbolic.hazards import (
    MODES,
    Pair,
    doubled,
    each_mode,
    observe,
    value,
)
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


# --- models within models -------------------------------------------------------------------------

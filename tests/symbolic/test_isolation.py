"""Unrelated code does not notice symbolic values: compiled, scripted, exported, pickled, spawned.

Each program runs in a process of its own, because PyTorch builds its tables of functions at their
first use and keeps them.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.symbolic.processes import LIMIT, ROOT, run_python

NAMES = """
import gc, json, os, sys, threading
import torch
import torch.func
from torch import nn
import torch.nn.functional as F
import torch._dynamo  # replaces torch.manual_seed, and shape inference imports it

def names():
    owners = {
        "torch": torch, "torch.Tensor": torch.Tensor, "torch.nn.functional": F,
        "torch.autograd": torch.autograd, "torch.autograd.Function": torch.autograd.Function,
        "torch.func": torch.func, "torch.nn": nn, "torch.nn.Module": nn.Module,
        "torch.nn.utils": nn.utils, "torch.nn.utils.stateless": nn.utils.stateless,
        "torch._functorch.apis": torch._functorch.apis,
        "torch._functorch.eager_transforms": torch._functorch.eager_transforms,
        "torch._functorch.utils": torch._functorch.utils,
    }
    return {
        (owner, name): value
        for owner, found in owners.items()
        for name, value in list(vars(found).items())
        if not isinstance(value, (int, str, dict, list, tuple, type(None), type(torch)))
    }

def changed(before):
    now = names()
    return sorted(".".join(key) for key in before | now if before.get(key) is not now.get(key))

before = names()
from hpml.symbolic import Input, SymbolicModel, add_to_graph
print(changed(before))
x = Input(shape=(4,))
y = torch.relu(nn.Linear(4, 4)(x)).exp()
print(changed(before))
size = x.shape[0]
half = size // 2
z = torch.zeros(size, 4) + torch.zeros(half, 4).sum() + y.expand(size, -1)
seen = []
thread = threading.Thread(target=lambda: seen.append(changed(before)))
thread.start(); thread.join()
print(seen[0])
model = SymbolicModel(x, z)
del x, y, z, size, half
gc.collect()
print(changed(before))
"""


def test_every_name_of_torch_is_the_original_but_the_call_of_a_module() -> None:
    at_import, with_tensors, with_sizes, afterwards = run_python(NAMES).splitlines()
    assert at_import == afterwards == "[]"
    assert with_tensors == with_sizes == "['torch.nn.Module.__call__']"


def run(when: str) -> str:
    # A spawned process imports the main module, and TorchScript reads source: it has to be a file.
    command = [sys.executable, "-W", "ignore", "-m", "tests.symbolic.unrelated", when]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("when", ["before", "while", "after", "spawn"])
def test_unrelated_code_is_compiled_and_the_like_as_without_symbolic_values(when: str) -> None:
    assert run(when) == "done\n"

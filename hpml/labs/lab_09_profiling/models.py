"""The model whose operators lab 09 times, and a program run with a variable of the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from hpml.base.page import Page, show_code

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def classifier(width: int = 32) -> SymbolicModel:
    """Return eight linear layers, each with a softmax."""
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    x = inputs = Input(shape=(width,))
    for _ in range(8):
        x = nn.Softmax(dim=1)(nn.Linear(width, width)(x))
    return SymbolicModel(inputs, x)


def run_with(variable: str, value: str, source: str) -> Page:
    """Run a program in a process of its own with a variable set, and show what it printed."""
    changed = os.environ | {variable: value, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", source], env=changed, capture_output=True, text=True, timeout=120
    )
    return show_code(done.stdout + done.stderr, f'{variable}="{value}" python program.py')

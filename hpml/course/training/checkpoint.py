"""A checkpoint: a file from which a training continues as if it had not been interrupted.

The file is replaced by renaming, so a process killed while writing leaves the old file or the new.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hpml.base import accelerator
from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.course.training.errors import TrainingError
from hpml.course.training.processes import Processes

FORMAT = "hpml-checkpoint-5"
NAME = "checkpoint.pt"


def write_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Write `state` to a new file at `path`, or replace the old one."""
    content = io.BytesIO()
    torch.save({"format": FORMAT, **state}, content)
    with _errors_of(path.parent):
        write_atomically(path, content.getvalue())


def try_folder(folder: Path) -> None:
    """Raise an error before the training if no file can be written to the folder."""
    with _errors_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()


@contextlib.contextmanager
def _errors_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TrainingError(
            object=str(folder),
            expected="a writable folder for a checkpoint",
            received=str(error.strerror or error),
            remedy="Free disk space, or choose another folder. An earlier checkpoint is kept.",
        ) from error


def read_checkpoint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the state in a checkpoint with its tensors on the CPU, without executing any code."""
    try:
        # torch.load does not verify the checksums of the zip archive.
        with zipfile.ZipFile(path) as archive:
            if damaged := archive.testzip():
                raise zipfile.BadZipFile(f"the checksum of {damaged} does not fit its content")
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise TrainingError(
            object=str(path),
            expected="a checkpoint",
            received="no file",
            remedy="Train without --resume first.",
        ) from error
    except Exception as error:  # a damaged file can raise anything
        raise TrainingError(
            object=str(path),
            expected="a checkpoint",
            received=f"a file that cannot be read ({error})",
            remedy="Delete it and train again.",
        ) from error
    got = state.get("format") if isinstance(state, dict) else None
    if got != FORMAT:
        raise TrainingError(
            object=str(path),
            expected=f"a checkpoint of format {FORMAT}",
            received=describe(got or state),
            remedy="Use the version of hpml that wrote it, or choose another folder.",
        )
    return state


def check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise an error if a training differs from the one in the checkpoint."""
    for name, value in now.items():
        saved = before.get(name)
        if saved != value:
            if name == "network":  # name the first layer that differs
                pairs = zip_longest(str(saved).split("\n"), value.split("\n"), fillvalue="")
                saved, value = next((a.strip(), b.strip()) for a, b in pairs if a != b)
            raise TrainingError(
                object=f"{name} of {path}",
                expected=f"{describe(saved)}, with which the training was started",
                received=describe(value),
                remedy="Resume with the same value, or choose another folder.",
            )


def random_states(device: torch.device) -> tuple[Any, ...]:
    """Return the state of each random generator of this process."""
    on_gpu = accelerator.random_state(device)
    return torch.get_rng_state(), random.getstate(), np.random.get_state(), on_gpu


def set_random_states(states: tuple[Any, ...], device: torch.device) -> None:
    """Set the state of each random generator of this process."""
    on_cpu, of_python, of_numpy, on_gpu = states
    torch.set_rng_state(on_cpu)
    random.setstate(of_python)
    np.random.set_state(of_numpy)
    accelerator.set_random_state(on_gpu, device)


def generators(processes: Processes) -> dict[str, Any]:
    """Return the state of the random generators of all processes."""
    device = processes.device
    _, words, gauss = random.getstate()
    _, keys, *rest = np.random.get_state(legacy=True)
    # Tensors, because processes can exchange them; 32-bit words are exact in float64.
    states = {
        "torch": torch.get_rng_state(),
        "python": torch.tensor([*words, np.nan if gauss is None else gauss], dtype=torch.float64),
        "numpy": torch.tensor([*keys, *rest], dtype=torch.float64),
    }
    if (on_gpu := accelerator.random_state(device)) is not None:
        states[device.type] = on_gpu
    if processes.count == 1:  # no exchange, for which some accelerators would need float64
        return {name: [state] for name, state in states.items()}
    return {
        name: [one.cpu() for one in processes.gathered(state.to(device))]
        for name, state in states.items()
    }


def restore_generators(states: Mapping[str, Any], processes: Processes) -> None:
    """Restore the random generators of this process."""
    state = {name: gathered[processes.rank] for name, gathered in states.items()}
    *words, gauss = state["python"].tolist()
    of_python = 3, tuple(map(int, words)), None if np.isnan(gauss) else gauss
    *keys, pos, has_gauss, cached = state["numpy"].tolist()
    of_numpy = "MT19937", np.array(keys, np.uint32), int(pos), int(has_gauss), cached
    on_gpu = state.get(processes.device.type)
    set_random_states((state["torch"], of_python, of_numpy, on_gpu), processes.device)

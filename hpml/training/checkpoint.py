"""A checkpoint: a file from which a training goes on as if nothing had happened.

It holds the weights, the optimiser, the scaler, each process's random generators, the place in the
epoch and the losses so far. The learning rate is a function of the step. The file is replaced by
renaming: a killed process, even while writing, leaves the old one or the new one.
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

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.training.errors import TrainingError
from hpml.training.processes import Processes

FORMAT = "hpml-checkpoint-3"
NAME = "checkpoint.pt"


def write_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Replace the file at `path` by one that holds `state`."""
    content = io.BytesIO()
    torch.save({"format": FORMAT, **state}, content)
    with _reported_for(path.parent):
        write_atomically(path, content.getvalue())


def try_folder(folder: Path) -> None:
    """Refuse a folder that takes no file, before anything is trained for it."""
    with _reported_for(folder):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()


@contextlib.contextmanager
def _reported_for(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TrainingError(
            f"{folder}: expected a folder that takes a checkpoint, got {error.strerror or error}; "
            "make room in it, or train to another folder. A checkpoint that is there stays."
        ) from error


def read_checkpoint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a checkpoint holds, all tensors on the CPU; nothing in it is executed."""
    try:
        # torch.load does not look at the checksums that the zip archive has of its files.
        with zipfile.ZipFile(path) as archive:
            if damaged := archive.testzip():
                raise zipfile.BadZipFile(f"the checksum of {damaged} does not fit its content")
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise TrainingError(
            f"{path}: expected a checkpoint, got nothing; train without --resume first."
        ) from error
    except Exception as error:  # whatever the reader of a torn file stumbles over
        raise TrainingError(
            f"{path}: expected a checkpoint, got a file that cannot be read ({error}); "
            "delete it and train again."
        ) from error
    got = state.get("format") if isinstance(state, dict) else None
    if got != FORMAT:
        raise TrainingError(
            f"{path}: expected a checkpoint of format {FORMAT}, got {describe(got or state)}; "
            "use the version of hpml that wrote it, or train to another folder."
        )
    return state


def check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with another training than the one that was begun."""
    for name, value in now.items():
        was = before.get(name)
        if was != value:
            if name == "network":  # its layers as it prints them: the first that differ
                pairs = zip_longest(str(was).split("\n"), value.split("\n"), fillvalue="")
                was, value = next((a.strip(), b.strip()) for a, b in pairs if a != b)
            raise TrainingError(
                f"{path}: the training was started with {name} {describe(was)}, got "
                f"{describe(value)}; resume with the same value, or train to another folder."
            )


def generators(processes: Processes) -> dict[str, Any]:
    """Return the state of the random generators of all processes."""
    device = processes.device
    _, words, gauss = random.getstate()
    _, keys, *rest = np.random.get_state(legacy=True)
    # As numbers, which all processes can exchange: words of 32 bits are exact in float64.
    states = {
        "torch": torch.get_rng_state(),
        "python": torch.tensor([*words, np.nan if gauss is None else gauss], dtype=torch.float64),
        "numpy": torch.tensor([*keys, *rest], dtype=torch.float64),
    }
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return {
        name: [one.cpu() for one in processes.gathered(state.to(device))]
        for name, state in states.items()
    }


def restore_generators(states: Mapping[str, Any], processes: Processes) -> None:
    """Set the random generators of this process as they were."""
    own = {name: listed[processes.rank] for name, listed in states.items()}
    torch.set_rng_state(own["torch"])
    if "cuda" in own:
        torch.cuda.set_rng_state(own["cuda"], processes.device)
    *words, gauss = own["python"].tolist()
    random.setstate((3, tuple(map(int, words)), None if np.isnan(gauss) else gauss))
    *keys, place, has_gauss, cached = own["numpy"].tolist()
    np.random.set_state(("MT19937", np.array(keys, np.uint32), int(place), int(has_gauss), cached))

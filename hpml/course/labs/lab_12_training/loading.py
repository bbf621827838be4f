"""Images as files, which are decoded when a batch is read, and epochs with several loaders."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.utils import data as loading

from hpml.base import accelerator
from hpml.base.page import Page, say
from hpml.benchmark import Comparison, Measurement
from hpml.course.lesson.reference import keep_revealed
from hpml.course.lesson.reference import recorded as recorded_answer
from hpml.course.this_run import quick
from hpml.course.training.batches import ignore_interrupts

if TYPE_CHECKING:
    from hpml.course.datasets import Pictures

PIXELS = 256
BATCH = 32


class Photos(loading.Dataset[tuple[Tensor, int]]):
    """The digits as JPEG files of 256 × 256 pixels, in memory."""

    def __init__(self, pictures: Pictures, count: int) -> None:
        self.labels = pictures.labels[:count].tolist()
        self.size = pictures.images.shape[-1]
        self.files = []
        for image in pictures.images[:count]:
            file, small = io.BytesIO(), Image.fromarray(image[0].numpy())
            small.resize((PIXELS, PIXELS)).convert("RGB").save(file, "JPEG", quality=90)
            self.files.append(file.getvalue())

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        """Decode a file, and make the picture as small as the network's input."""
        with Image.open(io.BytesIO(self.files[index])) as file:
            pixels = np.asarray(file.convert("L").resize((self.size, self.size)))
        return torch.from_numpy(pixels.astype(np.float32) / 64 - 2)[None], self.labels[index]


def photos(pictures: Pictures) -> Photos:
    """Return the files of the lab: those of an epoch."""
    return Photos(pictures, 96 if quick() else 384)


def loader(files: loading.Dataset[Any], workers: int, device: str) -> loading.DataLoader[Any]:
    """Return a loader of batches, whose workers stay from epoch to epoch.

    With a GPU its batches are in pinned memory, from which they are copied during the computation.
    """
    return loading.DataLoader(
        files,
        batch_size=BATCH,
        num_workers=workers,
        persistent_workers=workers > 0,
        pin_memory=accelerator.can("pinned", torch.device(device)),
        worker_init_fn=ignore_interrupts,
    )


def decoded(files: Photos) -> list[tuple[Tensor, int]]:
    """Return all pictures, decoded once."""
    return [files[index] for index in range(len(files))]


def endless(batches: loading.DataLoader[Any]) -> Iterator[Any]:
    """Yield the batches of epoch after epoch."""
    while True:
        yield from batches


def in_turns(
    loaders: Mapping[str, loading.DataLoader[Any]], step: Callable[[Tensor, Tensor], object]
) -> Comparison:
    """Train epochs with each loader in turn, and compare their seconds.

    The clock starts with the first batch, when the workers have started.
    """
    now = accelerator.clock(time.perf_counter)
    samples: dict[str, list[float]] = {name: [] for name in loaders}
    names = list(loaders)
    for epoch in range(7 if quick() else 17):
        names.reverse()
        for name in names:
            batches = iter(loaders[name])
            step(*next(batches))
            start = now()
            for images, labels in batches:
                step(images, labels)
            if epoch:  # in the first one the workers start
                samples[name].append(now() - start)
    taken = [Measurement(name, tuple(times), 1) for name, times in samples.items()]
    return Comparison(tuple(taken), next(iter(loaders)), len(taken[0].samples))


def in_words(taken: Comparison) -> Page:
    """Report each fix's time, and the recorded result if this machine was too noisy for one."""
    names = taken.names[1:]
    text = "; ".join(taken.in_words(name) for name in names) + "."
    answers = {name: taken.ratio(name).answer for name in names}
    if "cannot tell" in answers.values():
        text += f" {recorded_answer('12', 'loaders')}"
    else:
        found = ", ".join(f"{name} is {answer}" for name, answer in answers.items())
        keep_revealed("loaders", f"compared with {taken.baseline}, {found}")
    return say(text)

"""The one loop: a network, its data and a recipe, a step at a time."""

from __future__ import annotations

import contextlib
import hashlib
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from hpml.base.errors import describe
from hpml.datasets import Dataset
from hpml.training.batches import Batches, prepared
from hpml.training.checkpoint import generators, restore_generators
from hpml.training.errors import NotFiniteError, TrainingError
from hpml.training.processes import Processes
from hpml.training.recipe import Recipe

LOOK_EVERY = {"cpu": 1, "cuda": 20}
"""Steps between two looks at the losses: each look waits for a GPU."""
VALIDATED = 256
"""Pictures validated at once."""


class Trainer:
    """A training, step by step.

    Args:
        model: is trained where it is; it gives scores, (batch, classes).
        data: what to train on.
        recipe: how.
        epochs: after which the learning rate has fallen to zero.
        seed: of the order of the pictures and of what is random in the network.
        processes: this process among those of the training; by default the only one, on the CPU.

    Attributes:
        step: how many steps were made, over all epochs.
        losses: the mean loss of each step that was looked at, over all processes.
        accuracies: the validation accuracy after each epoch, from 0 to 1; nan where none was asked.
        seconds: what each epoch took without validation; the last may be unfinished.
        memory: bytes, the most that were seen in use.
        stop: set it, from a signal handler for example, and the epoch ends at the next look.
        stopped: whether it did, in all processes alike.

    Raises:
        TrainingError: if the recipe cannot be followed here.

    >>> from hpml.datasets import digits
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    >>> trainer = Trainer(model, digits(), Recipe("mine"), epochs=1)
    >>> for loss in trainer.epoch():
    ...     pass
    >>> trainer.step, trainer.losses[-1] < trainer.losses[0]
    (11, True)
    """

    def __init__(
        self,
        model: nn.Module,
        data: Dataset,
        recipe: Recipe,
        *,
        epochs: int,
        seed: int = 0,
        processes: Processes | None = None,
    ) -> None:
        for what, value, kind in (
            ("model", model, nn.Module), ("data", data, Dataset), ("recipe", recipe, Recipe)
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise TrainingError(
                    f"{what}: expected a {kind.__name__}, got {describe(value)}; write "
                    'train(model, digits(), RECIPES["vanilla"], epochs=2).'
                )
        self.processes = processes or Processes(0, 1, torch.device("cpu"))
        self.device = self.processes.device
        recipe.check(self.device, self.processes.count)
        if not any(weights.requires_grad for weights in model.parameters()):
            raise TrainingError(
                "model: expected a weight that can be trained, got none with requires_grad; "
                "call requires_grad_() on the weights to train."
            )
        other = {str(w.dtype) for w in model.parameters()} - {"torch.float32"}
        if other:
            raise TrainingError(
                f"model: expected weights of torch.float32, got {', '.join(sorted(other))}; call "
                "model.float(): the recipe chooses the precision of the computation."
            )
        _require_finite(model, "load other weights")
        self.recipe, self.data, self.epochs, self.seed = recipe, data, epochs, seed
        self.batches = Batches(data.train, recipe, self.processes, seed)
        # Made once, and where the addresses of functions stand in it, without them.
        self._printed = re.sub(r" at 0x[0-9a-f]+", "", repr(model))
        self._pictures = _content(data)
        layout = torch.channels_last if recipe.channels_last else torch.preserve_format
        self.model: nn.Module = model.to(self.device, memory_format=layout)  # type: ignore[call-overload]
        self.optimiser = _optimiser(self.model, recipe)
        self._half = torch.float16 if self._scaled else torch.bfloat16
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self._scaled)
        self._shared: DistributedDataParallel | None = None
        self._forward = self._made_faster()
        self._unseen: list[Tensor] = []
        self.step = 0
        self.losses: list[float] = []
        self.accuracies: list[float] = []
        self.seconds: list[float] = []
        self.stop = self.stopped = False
        self.memory = 0
        # Each process draws other dropout masks; the first draws those of a single process.
        own = seed + 1_000_003 * self.processes.rank
        torch.manual_seed(own)
        random.seed(own)
        np.random.seed(own % 2**32)

    @property
    def _scaled(self) -> bool:
        return self.recipe.precision == "amp" and self.device.type == "cuda"

    def warm_up(self) -> None:
        """Run forward and backward once and drop the gradients, so that all is compiled."""
        states = generators(self.processes)
        images, labels = next(self.batches.of(0))
        with _buffers_kept(self.model):
            self._gradients(images, labels)
        self.optimiser.zero_grad(set_to_none=True)
        restore_generators(states, self.processes)
        self._synchronise()

    def epoch(self) -> Iterator[float]:
        """Train to the end of the epoch, yielding the last loss at each look at the losses.

        It ends early, the place being kept, with ``stopped`` set in each process, once one of them
        has set ``stop`` before a look.

        Raises:
            NotFiniteError: if a loss is not finite. On a CPU the weights are those before that
                step; on a GPU later steps have changed them.
            TrainingError: if all epochs are over, after which there is no learning rate, or if
                the epoch leaves weights that are not finite.
        """
        number, start = divmod(self.step, len(self.batches))
        if number >= self.epochs:
            raise TrainingError(
                f"Trainer: expected no more than {self.epochs} epochs, for which its learning rate "
                "is made, got another call of epoch(); make a Trainer with more epochs."
            )
        if self.device.type == "cuda":  # what ran before this training does not count for it
            torch.cuda.reset_peak_memory_stats(self.device)
        if len(self.seconds) == number:
            self.seconds.append(0.0)
        self.model.train()
        look_every = LOOK_EVERY.get(self.device.type, 1)
        began = time.perf_counter()
        for images, labels in self.batches.of(number, start):
            self._set_learning_rate()
            self._unseen.append(self._gradients(images, labels))
            last = (self.step + 1) % len(self.batches) == 0
            due = last or len(self._unseen) == look_every
            if due:
                self._look()
            self._update()
            self.step += 1
            if not due:
                continue
            self._synchronise()
            self.seconds[number] += time.perf_counter() - began
            if last or self.stopped:
                _require_finite(
                    self.model, "a gradient was not finite: try a lower learning_rate, or bf16"
                )
            yield self.losses[-1]
            if self.stopped and not last:
                return
            began = time.perf_counter()

    def validate(self) -> float:
        """Return the share of the validation set that is recognised; keep it after an epoch."""
        data = self.data.validation
        rank, count = self.processes.rank, self.processes.count
        right = torch.zeros((), device=self.device)
        self.model.eval()
        with torch.no_grad():
            own = torch.arange(len(data))[rank::count]
            for places in torch.split(own, VALIDATED):
                images, labels = data.images[places], data.labels[places]
                # The network as it is: compiled, it would have to be compiled for this as well.
                scores = self._scores(self.model, images.to(self.device))
                right += (scores.argmax(1) == labels.to(self.device)).sum()
        share: float = self.processes.summed(right).item() / len(data)
        epochs, inside = divmod(self.step, len(self.batches))
        if epochs and not inside:
            self.accuracies += [math.nan] * (epochs - len(self.accuracies))
            self.accuracies[epochs - 1] = share
        return share

    def state(self) -> dict[str, Any]:
        """Return everything that a training needs to go on, for `load`."""
        return {
            "training": self.identity(),
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "scaler": self.scaler.state_dict(),
            "generators": generators(self.processes),
            "step": self.step,
            "losses": list(self.losses),
            "accuracies": list(self.accuracies),
            "seconds": list(self.seconds),
            "memory": self.memory,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        if state["scaler"]:  # empty where nothing was scaled, as on a CPU
            self.scaler.load_state_dict(state["scaler"])
        restore_generators(state["generators"], self.processes)
        self.step = state["step"]
        self.losses = list(state["losses"])
        self.accuracies = list(state["accuracies"])
        self.seconds = list(state["seconds"])
        self.memory = max(self.memory, state["memory"])
        self._unseen = []

    def identity(self) -> dict[str, Any]:
        """Return what must be the same for a training to be resumed."""
        return {
            **asdict(self.recipe),
            "data": self.data.name,
            "pictures": self._pictures,
            "network": self._printed,
            "epochs": self.epochs,
            "seed": self.seed,
            "processes": self.processes.count,
        }

    def _look(self) -> None:
        """Move the losses of the steps since the last look to ``losses``, if all are finite."""
        stop = torch.tensor(float(self.stop), device=self.device)
        sums = self.processes.summed(torch.stack([*self._unseen, stop])).tolist()
        self.stopped = sums.pop() > 0
        self._unseen = []
        for step, loss in enumerate(sums, start=self.step + 1 - len(sums)):
            if not math.isfinite(loss):
                self.optimiser.zero_grad(set_to_none=True)
                raise NotFiniteError(step, loss)
            self.losses.append(loss / self.processes.count)

    def _gradients(self, images: Tensor, labels: Tensor) -> Tensor:
        """Add the gradients of a batch, in parts if the recipe says so; return the loss."""
        parts = self.recipe.accumulate
        total = torch.zeros((), device=self.device)
        for place, (x, y) in enumerate(zip(images.chunk(parts), labels.chunk(parts), strict=True)):
            last = self._shared is None or place == parts - 1
            with contextlib.nullcontext() if last else self._shared.no_sync():  # type: ignore[union-attr]
                loss = functional.cross_entropy(self._scores(self._forward, x), y) / parts
                self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        return total

    def _scores(self, forward: Callable[[Tensor], Tensor], images: Tensor) -> Tensor:
        with self._mixed():
            scores = forward(prepared(images, self.recipe))
        classes = len(self.data.classes)
        if not isinstance(scores, Tensor) or scores.ndim != 2 or scores.shape[1] < classes:
            got = tuple(scores.shape) if isinstance(scores, Tensor) else describe(scores)
            raise TrainingError(
                f"model: expected scores (batch, {classes}), one for each class of "
                f"{self.data.name}, got {got}."
            )
        return scores.float()

    def _mixed(self) -> torch.autocast:
        return torch.autocast(
            self.device.type,
            self._half,
            enabled=self.recipe.precision != "float32",
            # A recorded graph must not depend on casts that were kept from before.
            cache_enabled=not self.recipe.cuda_graphs,
        )

    def _update(self) -> None:
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.optimiser.zero_grad(set_to_none=True)

    def _set_learning_rate(self) -> None:
        steps = self.epochs * len(self.batches)
        rate = self.recipe.learning_rate * share_of_rate(self.step, steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def _made_faster(self) -> Callable[[Tensor], Tensor]:
        """Return the network as the recipe runs it in training."""
        recipe, forward = self.recipe, self.model
        if self.processes.count > 1:
            where = [self.device] if self.device.type == "cuda" else None
            forward = self._shared = DistributedDataParallel(self.model, device_ids=where)
        if recipe.compile:
            mode = "reduce-overhead" if recipe.cuda_graphs else None
            compiled: Callable[[Tensor], Tensor] = torch.compile(forward, mode=mode)
            return compiled
        if recipe.cuda_graphs:
            images = self.data.train.images[: recipe.batch // recipe.accumulate]
            with self._mixed(), _buffers_kept(self.model):
                sample = prepared(images.to(self.device), recipe)
                torch.cuda.make_graphed_callables(self.model.train(), (sample,))
        return forward

    def _synchronise(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


def _require_finite(model: nn.Module, remedy: str) -> None:
    spoiled = [name for name, weights in model.named_parameters() if not weights.isfinite().all()]
    # A buffer may be a mask of infinities.
    spoiled += [name for name, values in model.named_buffers() if values.isnan().any()]
    if spoiled:
        raise TrainingError(
            f"model: expected finite weights, got others in {', '.join(spoiled)}; {remedy}."
        )


@contextlib.contextmanager
def _buffers_kept(model: nn.Module) -> Iterator[None]:
    """Undo what a forward that does not count leaves behind, such as BatchNorm's means."""
    before = [buffer.clone() for buffer in model.buffers()]
    yield
    for buffer, value in zip(model.buffers(), before, strict=True):
        buffer.copy_(value)


def _content(data: Dataset) -> str:
    """Return what tells a data set from others of its name: labels, and some of the pictures."""
    found = hashlib.sha256()
    for part in (data.train, data.validation):
        some = part.images[:: max(1, len(part) // 64)]
        for values in (part.labels, some):
            found.update(values.cpu().contiguous().numpy().tobytes())
    return f"{len(data.train):,} with checksum {found.hexdigest()[:8]}"


def share_of_rate(step: int, steps: int) -> float:
    """Return the learning rate of a step as a share of the highest: up a line, down a cosine."""
    rise = max(1, steps // 10)
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def _optimiser(model: nn.Module, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW; the weights of normalisations and the biases do not decay."""
    weights = list(model.parameters())
    groups = [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [w for w in weights if w.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=recipe.fused or None)

"""The training loop of one epoch, which follows a recipe."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import inspect
import math
import random
import re
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.parallel import DistributedDataParallel

from hpml.base import accelerator
from hpml.base.errors import describe
from hpml.course.datasets import Dataset, Text
from hpml.course.training.batches import Batches, prepared
from hpml.course.training.checkpoint import (
    generators,
    random_states,
    restore_generators,
    set_random_states,
)
from hpml.course.training.errors import NotFiniteError, TrainingError
from hpml.course.training.processes import Processes
from hpml.course.training.recipe import Recipe

READ_EVERY = defaultdict(lambda: 20, cpu=1)
"""Steps between two readings of the losses, each of which waits for a GPU."""
SAME_LOSS = 0.01
"""Relative difference of a loss that other devices, precisions and numbers of threads explain."""
VALIDATION_BATCH = 256
"""Examples per batch in validation."""


class Trainer:
    """A training, step by step.

    It has random generators of its own: those of the program stay as they are.

    Args:
        model, data, recipe, seed: see `train`.
        epochs: number of epochs after which the learning rate is zero.
        processes: this process in the training; by default the only one, on the CPU.

    Attributes:
        step: the number of steps so far, over all epochs.
        losses: the mean loss of each step read so far, over all processes.
        accuracies: the validation accuracy after each epoch, from 0 to 1; nan without validation.
        seconds: the time of each epoch without validation; the last may be unfinished.
        memory: the largest memory seen, in bytes; 0 if unknown. The caller updates it.
        stop: set it, for example in a signal handler, to end the epoch at the next reading.
        stopped: whether the epoch ended because of `stop`, the same in all processes.

    Raises:
        TrainingError: if the recipe is impossible here.

    >>> from hpml.course.datasets import digits
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
        data: Dataset | Text,
        recipe: Recipe,
        *,
        epochs: int,
        seed: int = 0,
        processes: Processes | None = None,
    ) -> None:
        if not isinstance(recipe, Recipe):
            raise TrainingError(
                object="recipe",
                expected="a Recipe",
                received=describe(recipe),
                remedy='Write train(model, digits(), RECIPES["vanilla"], epochs=2).',
            )
        self.processes = processes or Processes(0, 1, torch.device("cpu"))
        self.device = self.processes.device
        recipe.check(self.device, self.processes.count)
        if not any(weights.requires_grad for weights in model.parameters()):
            raise TrainingError(
                object="model",
                expected="a weight that can be trained",
                received="none with requires_grad",
                remedy="Call requires_grad_() on the weights to train.",
            )
        other = {str(w.dtype) for w in model.parameters()} - {"torch.float32"}
        if other:
            raise TrainingError(
                object="model",
                expected="weights of torch.float32",
                received=", ".join(sorted(other)),
                remedy="Call model.float(): the recipe chooses the precision of the computation.",
            )
        _require_finite(model, "Load other weights.")
        self.recipe, self.data, self.epochs, self.seed = recipe, data, epochs, seed
        self.batches = Batches(data.train, recipe, self.processes, seed, data.epoch_size)
        # Computed before the model changes, and without the addresses of functions.
        self._network = re.sub(r" at 0x[0-9a-f]+", "", repr(model))
        self._source = _source(model)
        self._examples = _checksum(data)
        layout = torch.channels_last if recipe.channels_last else torch.preserve_format
        self.model: nn.Module = model.to(self.device, memory_format=layout)  # type: ignore[call-overload]
        self.optimiser = _optimiser(self.model, recipe)
        self._half = torch.float16 if self._scaled else torch.bfloat16
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self._scaled)
        self._distributed: DistributedDataParallel | None = None
        # Recording graphs runs the network, whose dropout draws from the program's generators.
        before = random_states(self.device)
        self._forward = self._training_forward()
        self._unread: list[Tensor] = []
        self.step = 0
        self.losses: list[float] = []
        self.accuracies: list[float] = []
        self.seconds: list[float] = []
        self.stop = self.stopped = False
        self.memory = 0
        # Each process has its own dropout masks; the first has those of a single process.
        process_seed = seed + 1_000_003 * self.processes.rank
        torch.default_generator.manual_seed(process_seed)
        accelerator.seed(process_seed, self.device)
        random.seed(process_seed)
        np.random.seed(process_seed % 2**32)
        self._random = random_states(self.device)
        set_random_states(before, self.device)

    @contextlib.contextmanager
    def _own_generators(self, *, advance: bool = True) -> Iterator[None]:
        """Use the generators of this training, and restore those of the program."""
        before = random_states(self.device)
        set_random_states(self._random, self.device)
        try:
            yield
        finally:
            if advance:
                self._random = random_states(self.device)
            set_random_states(before, self.device)

    @property
    def _scaled(self) -> bool:
        scales = self.device.type != "cpu" and accelerator.can("scaler", self.device)
        return self.recipe.precision == "amp" and scales

    def warm_up(self) -> None:
        """Compile and allocate everything: take a step and restore what it changed."""
        self.model.train()
        inputs, targets = next(self.batches.of(0))
        with _restored_buffers(self.model), self._own_generators(advance=False):
            self._gradients(inputs, targets)
        # Copied only now, when the forward's results are freed.
        weights = [weight.detach().clone() for weight in self.model.parameters()]
        optimiser = copy.deepcopy(self.optimiser.state_dict())
        scaler = self.scaler.state_dict()
        self._update()
        with torch.no_grad():
            for weight, value in zip(self.model.parameters(), weights, strict=True):
                weight.copy_(value)
        self.optimiser.load_state_dict(optimiser)
        if scaler:  # empty if no loss is scaled
            self.scaler.load_state_dict(scaler)
        self._synchronise()

    def epoch(self) -> Iterator[float]:
        """Train to the end of the epoch and yield the last loss at each reading of the losses.

        If a process sets ``stop``, the epoch ends at the next reading with ``stopped`` set in all
        processes, and the next call continues it.

        Raises:
            NotFiniteError: if a loss is not finite. On a CPU the weights are those before that
                step; on a GPU later steps have changed them.
            TrainingError: if all epochs are over, or the weights are not finite afterwards.
        """
        number, start = divmod(self.step, len(self.batches))
        if number >= self.epochs:
            raise TrainingError(
                object="Trainer",
                expected=f"no more than {self.epochs} epochs, for which its learning rate is "
                "defined",
                received="another call of epoch()",
                remedy="Create a Trainer with more epochs.",
            )
        accelerator.reset_peak_memory(self.device)  # exclude the memory of earlier work
        if len(self.seconds) == number:
            self.seconds.append(0.0)
        self.model.train()
        read_every = READ_EVERY[self.device.type]
        with contextlib.ExitStack() as own:
            own.enter_context(self._own_generators())
            batches = self.batches.of(number, start)
            ready = next(batches)  # the loader's workers start with it, before the clock
            start_time = time.perf_counter()
            for inputs, targets in chain([ready], batches):
                self._set_learning_rate()
                self._unread.append(self._gradients(inputs, targets))
                last = (self.step + 1) % len(self.batches) == 0
                due = last or len(self._unread) == read_every
                if due:
                    self._read_losses()
                self._update()
                self.step += 1
                if not due:
                    continue
                self._synchronise()
                self.seconds[number] += time.perf_counter() - start_time
                if last or self.stopped:
                    _require_finite(
                        self.model, "A gradient was not finite: try a lower learning_rate, or bf16."
                    )
                own.close()
                yield self.losses[-1]
                if self.stopped and not last:
                    return
                own.enter_context(self._own_generators())
                start_time = time.perf_counter()

    def validate(self) -> float:
        """Return the validation accuracy from 0 to 1, and record it at the end of an epoch."""
        data = self.data.validation
        rank, count = self.processes.rank, self.processes.count
        correct = torch.zeros((), device=self.device)
        own = self._own_generators(advance=False)
        with restored_mode(self.model), own, torch.no_grad():
            self.model.eval()
            process_indices = torch.arange(len(data))[rank::count]
            for indices in torch.split(process_indices, VALIDATION_BATCH):
                inputs, targets = data.inputs[indices], data.targets[indices]
                # The eager network: evaluation mode would need another compilation.
                scores = self._scores(self.model, inputs.to(self.device))
                correct += (scores.argmax(-1) == targets.to(self.device)).sum()
        accuracy: float = self.processes.summed(correct).item() / data.targets.numel()
        epochs, steps = divmod(self.step, len(self.batches))
        if epochs and not steps:
            self.accuracies += [math.nan] * (epochs - len(self.accuracies))
            self.accuracies[epochs - 1] = accuracy
        return accuracy

    def state(self) -> dict[str, Any]:
        """Return a copy of the state from which `load` can continue the training."""
        with self._own_generators():
            states = generators(self.processes)
        return {
            "training": self.identity(),
            "model": copy.deepcopy(self.model.state_dict()),
            "optimiser": copy.deepcopy(self.optimiser.state_dict()),
            "scaler": self.scaler.state_dict(),
            "generators": states,
            "step": self.step,
            "losses": list(self.losses),
            "accuracies": list(self.accuracies),
            "seconds": list(self.seconds),
            "memory": self.memory,
            "probe": self._probe(),
        }

    def _probe(self) -> float:
        """Return the loss of a few examples in evaluation mode, which identifies the function."""
        inputs, targets = self.data.train.inputs[:8], self.data.train.targets[:8]
        own = self._own_generators(advance=False)
        with restored_mode(self.model), _restored_buffers(self.model), own, torch.no_grad():
            self.model.eval()
            scores = self._scores(self.model, inputs.to(self.device))
            return float(mean_loss(scores, targets.to(self.device)))

    def load(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        if state["scaler"]:  # empty if no loss is scaled
            self.scaler.load_state_dict(state["scaler"])
        with self._own_generators():
            restore_generators(state["generators"], self.processes)
        self.step = state["step"]
        self.losses = list(state["losses"])
        self.accuracies = list(state["accuracies"])
        self.seconds = list(state["seconds"])
        self.memory = max(self.memory, state["memory"])
        self._unread = []
        probe = self._probe()
        if not math.isclose(probe, state["probe"], rel_tol=SAME_LOSS, abs_tol=SAME_LOSS):
            raise TrainingError(
                object="the model to resume",
                expected="the one that was trained, whose loss of the first examples is "
                f"{state['probe']:.6g}",
                received=f"one whose loss with the same weights is {probe:.6g}",
                remedy="Resume with the code of the original model, or choose another folder.",
            )

    def identity(self) -> dict[str, Any]:
        """Return the values that must be the same to resume a training.

        The number of parts of a batch may change, as another GPU may need, unless the network
        normalises each part by itself.
        """
        recipe = asdict(self.recipe)
        if not any(isinstance(layer, _BatchNorm) for layer in self.model.modules()):
            del recipe["accumulate"]
        return {
            **recipe,
            "data": self.data.name,
            "examples": self._examples,
            "network": self._network,
            "forward": self._source,
            "frozen": [n for n, w in self.model.named_parameters() if not w.requires_grad],
            "epochs": self.epochs,
            "seed": self.seed,
            "processes": self.processes.count,
        }

    def _read_losses(self) -> None:
        """Move the unread losses to ``losses``, if all are finite."""
        stop = torch.tensor(float(self.stop), device=self.device)
        sums = self.processes.summed(torch.stack([*self._unread, stop])).tolist()
        self.stopped = sums.pop() > 0
        self._unread = []
        for step, loss in enumerate(sums, start=self.step + 1 - len(sums)):
            if not math.isfinite(loss):
                self.optimiser.zero_grad(set_to_none=True)
                raise NotFiniteError(step, loss)
            self.losses.append(loss / self.processes.count)

    def _gradients(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Add the gradients of a batch, in the recipe's number of parts, and return the loss."""
        parts = self.recipe.accumulate
        total = torch.zeros((), device=self.device)
        for part, (x, y) in enumerate(zip(inputs.chunk(parts), targets.chunk(parts), strict=True)):
            last = self._distributed is None or part == parts - 1
            with contextlib.nullcontext() if last else self._distributed.no_sync():  # type: ignore[union-attr]
                loss = mean_loss(self._scores(self._forward, x), y) / parts
                self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
            if self.recipe.cuda_graphs and part < parts - 1:
                # The next replay writes its gradients into the same memory.
                for weight in self.model.parameters():
                    weight.grad = None if weight.grad is None else weight.grad.clone()
            total += loss.detach()
        return total

    def _scores(self, forward: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
        with self._autocast():
            scores = forward(prepared(inputs, self.recipe))
        classes = len(self.data.classes)
        targets = self.data.train.targets[0].shape  # () of a picture, (positions,) of a text
        fits = isinstance(scores, Tensor) and scores.shape[1:-1] == targets
        if not fits or scores.ndim != 2 + len(targets) or scores.shape[-1] < classes:
            received = tuple(scores.shape) if isinstance(scores, Tensor) else describe(scores)
            wanted = ", ".join(map(str, ("batch", *targets, classes)))
            raise TrainingError(
                object="model",
                expected=f"scores ({wanted}), one for each class of {self.data.name}",
                received=str(received),
                remedy=f"End it with a layer of {classes} outputs.",
            )
        return scores.float()

    def _autocast(self) -> torch.autocast:
        return torch.autocast(
            self.device.type,
            self._half,
            enabled=self.recipe.precision != "float32",
            # A recorded graph must not depend on cached casts.
            cache_enabled=not self.recipe.cuda_graphs,
        )

    def _update(self) -> None:
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.optimiser.zero_grad(set_to_none=True)

    def _set_learning_rate(self) -> None:
        steps = self.epochs * len(self.batches)
        rate = self.recipe.learning_rate * rate_factor(self.step, steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def _training_forward(self) -> Callable[[Tensor], Tensor]:
        """Return the network for training: distributed, compiled or recorded."""
        recipe, forward = self.recipe, self.model
        if self.processes.count > 1:
            device_ids = None if self.device.type == "cpu" else [self.device]
            forward = self._distributed = DistributedDataParallel(self.model, device_ids)
        if recipe.compile:
            mode = "reduce-overhead" if recipe.cuda_graphs else None
            compiled: Callable[[Tensor], Tensor] = torch.compile(forward, mode=mode)
            return compiled
        if recipe.cuda_graphs:
            # Recorded on a stream of its own, which PyTorch warns of in each backward pass.
            warnings.filterwarnings("ignore", "The AccumulateGrad node's stream")
            inputs = self.data.train.inputs[: recipe.batch // recipe.accumulate]
            on_it = accelerator.current(self.device)
            with on_it, self._autocast(), _restored_buffers(self.model):
                sample = prepared(inputs.to(self.device), recipe)
                torch.cuda.make_graphed_callables(self.model.train(), (sample,))
        return forward

    def _synchronise(self) -> None:
        accelerator.synchronise(self.device)


def mean_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the cross-entropy, the mean over examples and positions.

    >>> mean_loss(torch.zeros(2, 5, 10), torch.zeros(2, 5, dtype=torch.int64))  # ln 10
    tensor(2.3026)
    """
    return functional.cross_entropy(scores.flatten(0, -2), targets.flatten())


def _require_finite(model: nn.Module, remedy: str) -> None:
    spoiled = [name for name, weights in model.named_parameters() if not weights.isfinite().all()]
    # Infinities in a buffer are valid: it may be a mask.
    spoiled += [name for name, values in model.named_buffers() if values.isnan().any()]
    if spoiled:
        raise TrainingError(
            object="model",
            expected="finite weights",
            received=f"others in {', '.join(spoiled)}",
            remedy=remedy,
        )


@contextlib.contextmanager
def restored_mode(model: nn.Module) -> Iterator[None]:
    """Restore the mode of each layer, training or evaluation."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


@contextlib.contextmanager
def restored_layout(model: nn.Module) -> Iterator[None]:
    """Restore the memory layout of each weight and buffer, which "channels last" changes."""
    tensors = [*model.parameters(), *model.buffers()]
    layouts = [tensor.stride() for tensor in tensors]
    try:
        yield
    finally:
        for tensor, stride in zip(tensors, layouts, strict=True):
            if tensor.stride() != stride:
                tensor.data = tensor.new_empty_strided(tensor.shape, stride).copy_(tensor.data)


@contextlib.contextmanager
def _restored_buffers(model: nn.Module) -> Iterator[None]:
    """Restore the buffers that a forward pass changes, such as BatchNorm's means."""
    before = [buffer.clone() for buffer in model.buffers()]
    yield
    for buffer, value in zip(model.buffers(), before, strict=True):
        buffer.copy_(value)


def _source(model: nn.Module) -> str:
    """Return a checksum of the forward methods of the model's own classes."""
    digest = hashlib.sha256()
    for module in model.modules():
        kind = type(module)
        if not kind.__module__.startswith("torch."):
            digest.update(_code_text(kind.forward).encode())
    return digest.hexdigest()


def _code_text(function: object) -> str:
    """Return a function's source, or a text of its code if the source is unknown."""
    try:
        return inspect.getsource(function)  # type: ignore[arg-type]
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return "" if code is None else f"{code.co_code!r} {code.co_names} {code.co_varnames}"


def _checksum(data: Dataset | Text) -> str:
    """Return the size of a data set and a checksum of its targets and some of its inputs."""
    checksum = hashlib.sha256()
    for part in (data.train, data.validation):
        some = part.inputs[:: max(1, len(part) // 64)]
        for values in (part.targets, some):
            checksum.update(values.cpu().contiguous().numpy().tobytes())
    return f"{len(data.train):,} with checksum {checksum.hexdigest()[:8]}"


def rate_factor(step: int, steps: int) -> float:
    """Return the factor on the learning rate, which rises linearly and falls like a cosine."""
    rise = max(1, steps // 10)
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def _optimiser(model: nn.Module, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW without weight decay for biases and normalisation layers."""
    weights = list(model.parameters())
    groups = [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [w for w in weights if w.ndim <= 1], "weight_decay": 0.0},
    ]
    rate, decay = recipe.learning_rate, recipe.weight_decay
    return torch.optim.AdamW(groups, lr=rate, weight_decay=decay, fused=recipe.fused or None)

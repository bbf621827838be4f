from __future__ import annotations

import math
import pickle
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from hpml.base import accelerator
from hpml.course.datasets import Pictures
from hpml.course.training import (
    RECIPES,
    NotFiniteError,
    Trainer,
    Training,
    TrainingError,
    loop,
    processes,
    train,
)
from hpml.course.training import trainer as module
from hpml.course.training.batches import Batches
from hpml.course.training.checkpoint import generators, restore_generators
from hpml.course.training.loop import _restored_forward
from hpml.course.training.recipe import recipe_by_name
from tests.course.training.small import data, network, recipe
from tests.parts import raises
from tests.stand_in import StandIn, put_in


def plain_losses(model: nn.Module, dropout: bool = True) -> list[float]:
    """The losses of an epoch as anyone would write the loop, the order of the pictures given."""
    trainer = Trainer(model, data(), recipe(), epochs=1, seed=4)
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.05},
            {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0},
        ]
    )
    torch.manual_seed(4)
    losses = []
    rates = [1, 1, (1 + math.cos(math.pi / 3)) / 2, (1 + math.cos(math.pi * 2 / 3)) / 2]
    for places, rate in zip(trainer.batches.order(0), rates, strict=True):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * rate
        x = (data().train.images[places] / 255 - 0.5) / 0.25
        loss = nn.functional.cross_entropy(model.train()(x), data().train.labels[places])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


def test_vanilla_is_the_loop_that_anyone_would_write() -> None:
    result = train(network(), data(), recipe(), epochs=1, seed=4)
    assert result.losses == pytest.approx(plain_losses(network()), rel=1e-6)


def test_what_changes_only_the_way_changes_no_loss_but_by_rounding() -> None:
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10))
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    results = {}
    for name in ("vanilla", "channels-last", "fused", "accumulate", "bf16", "amp"):
        model.load_state_dict(weights)
        results[name] = train(model, data(), recipe(name), epochs=1).losses
    for name in ("channels-last", "fused", "accumulate"):
        assert results[name] == pytest.approx(results["vanilla"], rel=1e-5), name
    assert results["amp"] == results["bf16"]  # on a CPU they are the same
    assert results["bf16"] != results["vanilla"]
    assert results["bf16"] == pytest.approx(results["vanilla"], rel=0.05)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_workers_give_the_same_batches_in_the_same_order() -> None:
    expected = train(network(), data(), recipe(), epochs=2).losses
    assert train(network(), data(), recipe("workers"), epochs=2).losses == expected


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_compiled_network_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Captured, and run as it was captured: the compiler itself takes long, and is PyTorch's."""
    monkeypatch.setattr(
        torch, "compile", lambda f, mode, compile=torch.compile: compile(f, backend="aot_eager")
    )
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10), nn.ReLU())
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    expected = train(model, data(), recipe(), epochs=1).losses
    model.load_state_dict(weights)
    assert train(model, data(), recipe("compile"), epochs=1).losses == pytest.approx(
        expected, rel=1e-5
    )


def test_pictures_are_enlarged_where_the_recipe_says_so() -> None:
    seen = []
    model = network()
    model[0].register_forward_hook(lambda layer, given, out: seen.append(given[0].shape[-1]))
    model[3] = nn.Identity()
    model[4] = nn.LazyLinear(10)
    model(torch.zeros(1, 1, 12, 12))
    train(model, data(), recipe(resolution=12), epochs=1)
    assert set(seen) == {12}


class Breaks(nn.Module):
    """Divides by zero in its forward, or in its backward, at one step of the training."""

    def __init__(self, at: int, backward: bool) -> None:
        super().__init__()
        self.at, self.backward, self.calls = at, backward, 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return x
        self.calls += 1
        if self.calls - 2 != self.at:  # one call is the warm-up's
            return x
        return x + (x * 0).sqrt().nan_to_num() if self.backward else x / 0 * 0


@pytest.mark.parametrize("read_every", [1, 3])
@pytest.mark.parametrize("backward", [False, True])
def test_a_loss_that_is_not_finite_stops_with_its_step(
    backward: bool, read_every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(module.READ_EVERY, "cpu", read_every)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 9), Breaks(1, backward), nn.Linear(9, 10))
    name = f"step {1 + backward}"
    with raises(NotFiniteError, object=name, received="nan", remedy="learning_rate") as caught:
        train(model, data(), recipe(learning_rate=1e-6), epochs=1)
    assert caught.value.step == 1 + backward  # a gradient shows in the next loss
    from_a_process = pickle.loads(pickle.dumps(caught.value))
    assert (from_a_process.step, from_a_process.parts) == (1 + backward, caught.value.parts)
    if read_every == 1 and not backward:
        assert all(bool(p.isfinite().all()) for p in model.parameters())


def test_weights_that_the_last_step_spoiled_are_refused_and_not_kept(tmp_path: Path) -> None:
    steps = len(Trainer(network(), data(), recipe(), epochs=1).batches)
    broken = Breaks(steps - 1, backward=True)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 9), broken, nn.Linear(9, 10))
    with raises(TrainingError, object="model", received="1.weight", remedy="learning_rate"):
        train(model, data(), recipe(learning_rate=1e-6), epochs=1, out=tmp_path)
    assert not any(tmp_path.iterdir())
    broken.at = -1  # the first step, without a warm-up
    model[1].reset_parameters()
    model[3].reset_parameters()
    broken.calls = 0
    trainer = Trainer(model, data(), recipe(learning_rate=1e-6), epochs=1)
    trainer.stop = True
    with raises(TrainingError, object="model", received="1.weight", remedy="learning_rate"):
        list(trainer.epoch())


def test_a_buffer_may_be_infinite_but_not_nan() -> None:
    model = network()
    model.register_buffer("mask", torch.tensor([0.0, -math.inf]))
    Trainer(model, data(), recipe(), epochs=1)
    model.mask[0] = math.nan
    with raises(TrainingError, object="model", received="mask", remedy="other weights"):
        Trainer(model, data(), recipe(), epochs=1)


def test_the_scaler_skips_a_step_whose_gradients_overflow_and_is_kept_in_the_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PyTorch's own scaler, on the CPU, where no recipe has it: its place in the loop."""
    monkeypatch.setattr(Trainer, "_scaled", True)
    monkeypatch.setattr(Trainer, "_autocast", lambda self: torch.autocast("cpu", enabled=False))
    model = network()
    trainer = Trainer(model, data(), recipe("amp"), epochs=1)
    assert trainer.scaler.is_enabled()
    before = [p.clone() for p in model.parameters()]
    steps = trainer.epoch()
    model[4].weight.register_hook(lambda g: g * math.inf if trainer.step == 0 else g)
    next(steps)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    assert trainer.scaler.get_scale() == 2.0**15
    next(steps)
    assert not torch.equal(before[0], next(model.parameters()))
    other = Trainer(network(), data(), recipe("amp"), epochs=1)
    other.load(trainer.state())
    assert other.scaler.get_scale() == 2.0**15
    other.load({**trainer.state(), "scaler": {}})  # begun where nothing is scaled
    assert other.scaler.get_scale() == 2.0**15


def test_each_picture_comes_once_an_epoch_in_an_order_of_its_own() -> None:
    trainer = Trainer(network(), data(), recipe(), epochs=2)
    orders = [torch.cat(trainer.batches.order(epoch)).tolist() for epoch in range(2)]
    assert all(len(set(order)) == len(order) == 128 for order in orders)
    assert orders[0] != orders[1]
    images = [images for images, _ in trainer.batches.of(0, start=2)]
    assert len(images) == 2
    assert torch.equal(images[0], data().train.images[trainer.batches.order(0)[2]])


def test_validation_counts_every_picture_once() -> None:
    right = data().validation.labels

    class Knows(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.one_hot(right, 10).float() * (1 + 0 * self.weight.sum())

    trainer = Trainer(Knows(1, 1), data(), recipe(), epochs=1)
    assert trainer.validate() == 1.0
    labels = right.clone()
    labels[:10] = (labels[:10] + 1) % 10
    wrong = type(trainer.data)(
        "x",
        trainer.data.classes,
        trainer.data.train,
        Pictures(data().validation.images, labels),
        "",
    )
    trainer.data = wrong
    assert trainer.validate() == pytest.approx(30 / 40)


def test_only_what_is_validated_after_an_epoch_is_kept_and_after_the_last_there_is_none() -> None:
    trainer = Trainer(network(), data(), recipe(), epochs=3)
    trainer.validate()
    for _ in range(2):
        list(trainer.epoch())
    next(trainer.epoch())
    trainer.validate()  # in the middle of the third
    assert trainer.accuracies == []
    list(trainer.epoch())
    share = trainer.validate()
    assert trainer.validate() == share
    assert trainer.accuracies == pytest.approx([math.nan, math.nan, share], nan_ok=True)
    rows = Training.of(trainer)._shown()[0].rows
    assert [row[1] for row in rows] == [trainer.losses[step] for step in (3, 7, 11)]
    with raises(TrainingError, object="Trainer", expected="3 epochs", received="epoch()"):
        next(trainer.epoch())


@pytest.mark.parametrize(
    ("model", "received"),
    [
        (nn.Sequential(nn.Flatten(), nn.Linear(64, 9)), "(32, 9)"),
        (nn.Linear(8, 10), "(32, 1, 8, 10)"),
        (nn.Sequential(nn.Flatten(), nn.LSTM(64, 10)), "(Tensor"),
    ],
)
def test_what_gives_no_scores_for_the_classes_is_refused(model: nn.Module, received: str) -> None:
    with raises(TrainingError, object="model", expected="(batch, 10)", received=received):
        train(model, data(), recipe(), epochs=1)


@pytest.mark.parametrize(
    ("changes", "expected", "received"),
    [
        ({"precision": "half"}, "float32, amp, bf16", "'half'"),
        ({"batch": 33, "accumulate": 2}, "2 parts × 1 processes", "33"),
        ({"batch": 256}, "140 examples", "256"),
        ({"batch": 0}, "from 1", "0"),
        ({"batch": 32.0}, "from 1", "32.0"),
        ({"cuda_graphs": True}, "GPU", "1 on cpu"),
        ({"workers": 1.5}, "from 0", "1.5"),
        ({"resolution": 0}, "from 1", "0"),
    ],
)
def test_an_impossible_recipe_is_refused(changes: dict, expected: str, received: str) -> None:
    name = f"{next(iter(changes))} of recipe 'vanilla'"
    with raises(TrainingError, object=name, expected=expected, received=received):
        train(network(), data(), recipe(**changes), epochs=1, device="cpu")


@pytest.mark.parametrize(
    ("arguments", "name", "received"),
    [
        *(({name: value}, f"{name} of train", repr(value))
          for name, value in [("epochs", 1.5), ("epochs", True), ("seed", -1), ("seed", "a")]),
        ({"recipe": "vanilla"}, "data and recipe of train", "'vanilla'"),
        *(({"device": device}, "device", repr(device)) for device in ("tpu", "cuda:99", "meta")),
        ({"network": network().half()}, "model", "torch.float16"),
        ({"network": network().requires_grad_(False)}, "model", "requires_grad"),
    ],
)  # fmt: skip
def test_what_cannot_be_trained_is_refused(arguments: dict, name: str, received: str) -> None:
    given = {"network": network(), "recipe": recipe(), "epochs": 1, **arguments}
    with raises(TrainingError, object=name, received=received):
        train(given.pop("network"), data(), given.pop("recipe"), **given)


def test_an_unknown_name_of_a_recipe_is_refused() -> None:
    with raises(TrainingError, object="recipe", expected=", ".join(RECIPES), received="'fast'"):
        recipe_by_name("fast")


def test_training_without_gradients_is_refused() -> None:
    with torch.no_grad(), raises(TrainingError, object="train", received="torch.no_grad()"):
        train(network(), data(), recipe(), epochs=1)


@pytest.mark.gpu
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_learns_on_a_gpu(name: str) -> None:
    result = train(network(), data(), recipe(name), epochs=8, device="cuda")
    assert result.losses[-1] < result.losses[0]


def test_each_process_has_the_gpu_of_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in(monkeypatch)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert processes._device_of_process("meta") == torch.device("meta", 1)
    assert processes._device_of_process("meta:0") == torch.device("meta", 0)
    assert processes._device_of_process(None) == torch.device("meta", 1)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with raises(TrainingError, object="device", received="'meta:2'", remedy="one of them"):
        processes._device_of_process("meta")


@pytest.mark.parametrize(
    ("name", "lacks", "field"),
    [("bf16", "bfloat16", "precision"),
     ("cuda-graphs", "graphs", "cuda_graphs"), ("compile", "compile", "compile")],
)  # fmt: skip
def test_a_recipe_that_a_gpu_only_emulates_or_lacks_is_refused(
    name: str, lacks: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in(monkeypatch)
    monkeypatch.setattr(accelerator, "can", lambda feature, device: feature != lacks)
    with raises(
        TrainingError,
        object=f"{field} of recipe {name!r}",
        received="RTX 4060",
        remedy="dataclasses.replace",
    ):
        recipe(name).check(torch.device("meta", 0), 1)
    monkeypatch.setattr(accelerator, "can", lambda feature, device: True)
    recipe(name).check(torch.device("meta", 0), 1)


def test_mixed_precision_on_a_gpu_that_cannot_scale_is_that_of_bfloat16(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_in(monkeypatch)
    lacks = {"scaler"}
    monkeypatch.setattr(accelerator, "can", lambda feature, device: feature not in lacks)
    recipe("amp").check(torch.device("meta", 0), 1)
    lacks.add("bfloat16")
    with raises(
        TrainingError,
        object="precision of recipe 'amp'",
        expected="bfloat16",
        received="RTX 4060",
        remedy="precision=",
    ):
        recipe("amp").check(torch.device("meta", 0), 1)


def test_the_state_of_one_process_goes_to_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device = put_in(monkeypatch)
    found = generators(processes.Processes(0, 1, torch.device("meta", 1)))
    # float64, which some accelerators lack, and nothing could be read back from "meta"
    assert {state.device.type for states in found.values() for state in states} == {"cpu"}
    assert torch.equal(found["meta"][0], device.state)
    device.state += 1
    restore_generators(found, processes.Processes(0, 1, torch.device("meta", 1)))
    assert torch.equal(found["meta"][0], device.state)


def test_the_first_batch_is_there_before_the_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = Batches.of

    def slow(self: Batches, epoch: int, start: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        time.sleep(0.5)  # as long as workers take to start
        yield from prepared(self, epoch, start)

    monkeypatch.setattr(Batches, "of", slow)
    trainer = Trainer(network(), data(), recipe(), epochs=1)
    list(trainer.epoch())
    assert trainer.seconds[0] < 0.5
    assert len(trainer.losses) == len(trainer.batches)


@pytest.mark.parametrize("name", ["vanilla", "fused", "amp", "channels-last", "accumulate"])
@pytest.mark.parametrize("scaled", [False, True])
def test_a_warm_up_updates_once_and_changes_nothing(
    name: str, scaled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losses, weights, the optimiser's state and the scaler's, from the start and resumed."""
    if scaled:  # PyTorch's own scaler, on the CPU, where no recipe has it
        monkeypatch.setattr(Trainer, "_scaled", True)
        monkeypatch.setattr(Trainer, "_autocast", lambda self: torch.autocast("cpu", enabled=False))
    updates = []
    found = {}
    for warm in (False, True):
        trainer = Trainer(network(), data(), recipe(name), epochs=2)
        for epoch in range(2):
            if warm:
                trainer.model.eval()
                before = len(updates)
                hook = trainer.optimiser.register_step_post_hook(lambda *_: updates.append(1))
                trainer.warm_up()
                hook.remove()
                assert len(updates) == before + 1
                assert trainer.model.training
                assert all(weight.grad is None for weight in trainer.model.parameters())
            list(trainer.epoch())
            if not epoch:
                state = trainer.state()
                trainer = Trainer(network(), data(), recipe(name), epochs=2)
                trainer.load(state)
        found[warm] = trainer.state()
    assert found[True]["losses"] == found[False]["losses"]
    for part in ("model", "optimiser", "scaler"):
        torch.testing.assert_close(found[True][part], found[False][part], rtol=0, atol=0)
    assert torch.equal(*(found[warm]["generators"]["torch"][0] for warm in found))


def test_a_warm_up_leaves_the_weights_finite_if_its_gradients_are_not() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 9), Breaks(-1, True), nn.Linear(9, 10))
    Trainer(model, data(), recipe(), epochs=1).warm_up()
    assert all(bool(p.isfinite().all()) for p in model.parameters())


@pytest.mark.parametrize("there", [False, True])
def test_batches_are_copied_to_a_gpu_without_waiting_where_memory_can_be_pinned(
    there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in(monkeypatch)
    asked: list[str] = []
    pinned: list[int] = []
    waits: list[bool] = []

    def can(feature: str, device: torch.device) -> bool:
        asked.append(f"{feature} {device}")
        return there

    def pin(self: Tensor) -> Tensor:
        pinned.append(id(self))
        return self

    def to(self: Tensor, device: torch.device, non_blocking: bool) -> Tensor:
        waits.append(not non_blocking)
        return self

    monkeypatch.setattr(accelerator, "can", can)
    monkeypatch.setattr(Tensor, "pin_memory", pin)
    monkeypatch.setattr(Tensor, "is_pinned", lambda self: id(self) in pinned)
    monkeypatch.setattr(Tensor, "to", to)
    on_it = processes.Processes(0, 1, torch.device("meta", 1))
    next(Batches(data().train, recipe(), on_it, 0, 140).of(0))
    assert asked == ["pinned meta:1"]
    assert waits == [not there] * 2


def test_a_peak_that_torch_does_not_know_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in(monkeypatch)
    assert loop.memory(torch.device("meta", 0)) == 3 * 2**20
    monkeypatch.delattr(StandIn, "max_memory_reserved")  # as of Apple's chips
    assert loop.memory(torch.device("meta", 0)) is None
    assert (loop.memory(torch.device("cpu")) or 0) > 2**20
    monkeypatch.setattr(loop, "memory", lambda device: None)
    result = train(network(), data(), recipe(), epochs=1, device="cpu", progress=True)
    assert result.memory is None
    assert "peak memory unknown." in str(result)
    assert result.measurement().environment["memory"] is None


def test_a_recorded_forward_is_removed_from_the_network() -> None:
    model = network()
    with _restored_forward(model):
        model.forward = lambda x: x  # type: ignore[method-assign]
    assert "forward" not in vars(model)
    own = vars(model)["forward"] = lambda x: 2 * x
    with _restored_forward(model):
        model.forward = lambda x: x  # type: ignore[method-assign]
    assert vars(model)["forward"] is own


@pytest.mark.parametrize("method", ["warm_up", "_training_forward"])
@pytest.mark.parametrize(
    "error",
    [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("MPS backend out of memory")],
)
def test_too_little_memory_says_what_to_do(
    method: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Trainer) -> None:
        raise error

    monkeypatch.setattr(Trainer, method, full)
    with raises(
        TrainingError,
        object="memory of cpu",
        expected="batch of",
        received="memory",
        remedy="hpml train --accumulate 2",
    ):
        train(network(), data(), recipe("vanilla"), epochs=1, device="cpu")


def test_weights_that_are_not_finite_at_the_start_are_refused() -> None:
    model = network()
    with torch.no_grad():
        model[0].weight.fill_(math.nan)
    with raises(TrainingError, object="model", received="0.weight", remedy="Load"):
        train(model, data(), recipe(), epochs=1)


def test_a_training_leaves_the_mode_as_it_was() -> None:
    model = network().train()
    model[0].eval()
    before = [module.training for module in model.modules()]
    train(model, data(), recipe(), epochs=1)
    assert [module.training for module in model.modules()] == before


@pytest.mark.parametrize(
    "changes",
    [
        {"learning_rate": -1e-3},
        {"learning_rate": 0},
        {"learning_rate": math.nan},
        {"learning_rate": "1e-3"},
        {"weight_decay": -0.1},
        {"weight_decay": math.inf},
    ],
)
def test_a_recipe_with_an_impossible_rate_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(TrainingError):
        recipe(**changes)


def test_a_name_instead_of_the_data_is_refused() -> None:
    for arguments in ((network(), "digits"), (network(), data()), (network(), data(), "vanilla")):
        with pytest.raises(TrainingError):
            train(*arguments)  # type: ignore[arg-type]
    with pytest.raises(TrainingError):
        train(network(), data(), recipe())


def test_channels_last_leaves_the_layout_of_the_weights_as_it_was() -> None:
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Conv2d(4, 4, 3), nn.Flatten(), nn.Linear(64, 10))
    before = [weights.stride() for weights in model.parameters()]
    train(model, data(), recipe("channels-last"), epochs=1)
    assert [weights.stride() for weights in model.parameters()] == before
    assert all(
        weights.grad is None or weights.shape == weights.grad.shape
        for weights in model.parameters()
    )

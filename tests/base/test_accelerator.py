from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from hpml.base import accelerator
from hpml.base.environment import environment_record
from hpml.base.errors import HpmlError, UsageError
from hpml.benchmark import BenchmarkError, compare
from hpml.course.suites.settings import SuiteError
from hpml.course.training.errors import TrainingError
from tests.parts import raises
from tests.stand_in import CARDS, StandIn, put_in

ROOT = Path(__file__).parents[2]


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    return put_in(monkeypatch)


def test_work_on_an_accelerator_is_timed_to_its_end_whatever_the_device_is_called(
    device: StandIn,
) -> None:
    # As launches both take the same; the threads of the stand-in sleep for 2 and 20 ms.
    runs = {"short": lambda: device.launch(2e-3), "long": lambda: device.launch(2e-2)}
    for name in ("cpu", "meta", "meta:1"):
        found = compare(runs, rounds=6, min_sample_time=1e-5, device=name, baseline="short")
        assert 3 < found.ratio("long").value < 12
        assert {entry.device for entry in found.measurements} == {name}


def test_without_waiting_the_stand_in_is_timed_as_its_launches(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accelerator, "_type_in_use", lambda: None)
    start = time.perf_counter()
    compare(
        {"one": lambda: device.launch(0.5), "two": lambda: device.launch(0.5)},
        rounds=6,
        min_sample_time=1e-5,
        baseline="one",
    )
    assert time.perf_counter() - start < 5


def test_devices_are_chosen_by_the_names_that_torch_finds(device: StandIn) -> None:
    assert accelerator.kind() == "meta"
    assert accelerator.names() == ("cpu", "meta", "meta:0", "meta:1")
    assert accelerator.chosen() == torch.device("meta")
    assert accelerator.chosen("meta:1") == torch.device("meta", 1)
    assert accelerator.chosen(torch.device("cpu")) == torch.device("cpu")


@pytest.mark.parametrize("name", ["cuda", "mps", "xpu:0", "meta", "cpu:1", "", "gpu", 1, "cuda:x"])
@pytest.mark.parametrize("error", [UsageError, BenchmarkError, SuiteError, TrainingError])
def test_a_device_that_is_not_there_is_refused(
    name: Any, error: type[HpmlError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        torch.accelerator, "current_accelerator", lambda check_available=False: None
    )
    with raises(error, object="device", expected="cpu", received=repr(name), remedy="PyTorch"):
        accelerator.chosen(name, error=error)


def test_a_card_with_too_high_a_number_is_refused_by_those_that_there_are(device: StandIn) -> None:
    with raises(UsageError, object="device", expected="meta:1", received="meta:2", remedy="one"):
        accelerator.chosen("meta:2")


def test_each_card_has_its_own_name_and_memory(device: StandIn) -> None:
    assert [accelerator.name(f"meta:{number}") for number in (0, 1)] == list(CARDS)
    assert environment_record(device="meta:1")["gpu"] == CARDS[1]
    assert environment_record(device="meta:0")["gpu"] == CARDS[0]
    assert accelerator.name("cpu") is None
    assert accelerator.total_memory("meta:1") == 8 * 2**30
    assert accelerator.total_memory("cpu") is None
    assert accelerator.free_memory("meta:1") == 7 * 2**30
    assert accelerator.free_memory("cpu") is None
    assert accelerator.peak_memory("meta") == accelerator.PeakMemory(3 * 2**20, 4 * 2**20)
    assert accelerator.peak_memory("cpu") is None
    accelerator.reset_peak_memory("cpu")
    accelerator.reset_peak_memory("meta:1")
    assert device.peaks_reset == ["meta:1"]


def test_what_an_accelerator_does_not_tell_is_none(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("get_device_name", "get_device_properties", "max_memory_reserved"):
        monkeypatch.delattr(StandIn, name)
    assert accelerator.name("meta:1") == "meta"
    assert accelerator.total_memory("meta") is None

    def unknown(chosen: Any) -> Any:
        raise RuntimeError("not implemented for this device")

    monkeypatch.setattr(torch.accelerator, "get_memory_info", unknown)
    assert accelerator.free_memory("meta") is None
    assert accelerator.peak_memory("meta") is None


def test_the_random_generator_is_kept_and_set(device: StandIn) -> None:
    kept = accelerator.random_state("meta")
    assert kept is not None
    assert accelerator.random_state("cpu") is None
    device.state += 1
    accelerator.set_random_state(kept, "meta")
    assert device.state.tolist() == kept.tolist()
    accelerator.set_random_state(None, "cpu")


def test_cached_memory_is_returned_if_an_accelerator_is_in_use(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    accelerator.free_cached()
    assert device.emptied == 1
    device.started = False
    accelerator.free_cached()
    assert device.emptied == 1
    device.started = True
    monkeypatch.delattr(StandIn, "empty_cache")
    accelerator.free_cached()


def test_only_the_given_card_is_seeded(device: StandIn) -> None:
    before = torch.get_rng_state()
    accelerator.seed(7, "meta:1")
    accelerator.seed(8, "cpu")
    assert device.seeded == [(1, 7)]
    assert torch.equal(torch.get_rng_state(), before)


def test_a_clock_waits_from_when_the_accelerator_is_used(device: StandIn) -> None:
    device.started = False
    read = accelerator.clock(lambda: 7, "meta:1", "cpu")
    assert read() == 7
    assert device.waited == []
    device.started = True
    assert read() == read() == 7
    assert device.waited == [torch.device("meta", 1)] * 2


def test_the_current_card_is_restored(device: StandIn) -> None:
    with accelerator.current("meta:1"):
        assert device.index == 1
    assert device.index == 0
    with pytest.raises(KeyError), accelerator.current(torch.device("meta", 1)):
        raise KeyError
    assert device.index == 0
    with accelerator.current("cpu"), accelerator.current("meta"):
        assert device.index == 0


def test_only_the_devices_in_use_are_waited_for(device: StandIn) -> None:
    accelerator.synchronise("cpu", "meta:1", "meta:1")
    assert device.waited == [torch.device("meta", 1)]
    accelerator.synchronise("cpu")
    assert device.waited[1:] == [None]
    device.started = False
    accelerator.synchronise("meta:1")
    assert len(device.waited) == 2


def test_a_process_that_has_not_started_an_accelerator_does_not_start_it(device: StandIn) -> None:
    device.started = False
    assert not accelerator.in_use()
    assert accelerator.clock(lambda: 7)() == 7
    assert device.waited == []


@pytest.mark.parametrize(
    ("feature", "there"),
    [("float64", True), ("bfloat16", True), ("pinned", False), ("graphs", False),
     ("events", False), ("scaler", True)],
)  # fmt: skip
def test_features_of_the_cpu_are_found_by_trying(feature: Any, there: bool) -> None:
    assert accelerator.can(feature, "cpu") is there


def test_a_trial_that_hangs_raises_or_gives_a_wrong_result_is_no_feature(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(device: str) -> bool:
        raise RuntimeError("not implemented for this device")

    def hangs(device: str) -> bool:
        time.sleep(60)
        return True

    monkeypatch.setattr(accelerator, "_PATIENCE", 0.05)
    for trial in (fails, hangs, lambda device: False):
        monkeypatch.setitem(accelerator._TRIALS, "events", trial)
        assert not accelerator.can("events", "meta")
    monkeypatch.setitem(accelerator._TRIALS, "events", lambda device: True)
    assert accelerator.can("events", "meta")


def test_an_unknown_feature_is_refused() -> None:
    with raises(UsageError, object="feature", expected="float64", received="'speed'", remedy="one"):
        accelerator.can("speed", "cpu")  # type: ignore[arg-type]


def test_cards_since_ampere_round_the_inputs_of_float32_convolutions(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not accelerator.rounds_convolutions("cpu")
    assert not accelerator.rounds_convolutions("meta"), "not NVIDIA's"
    monkeypatch.setattr(accelerator, "_WITH_TF32", ("meta",))
    for capability, rounded in (((7, 5), False), ((8, 0), True), ((9, 0), True)):
        monkeypatch.setattr(
            StandIn, "get_device_capability", lambda self, given, c=capability: c, raising=False
        )
        assert accelerator.rounds_convolutions("meta") is rounded
        assert environment_record(device="meta")["tf32_convolutions"] is rounded
    before = torch.backends.cudnn.allow_tf32
    try:
        torch.backends.cudnn.allow_tf32 = False
        assert not accelerator.rounds_convolutions("meta")
    finally:
        torch.backends.cudnn.allow_tf32 = before
    assert environment_record()["tf32_convolutions"] is False


# What exists on CUDA alone, and the traces and documentation that name it.
NAMES_CUDA = {
    "hpml/base/accelerator.py",
    "hpml/symbolic/execution/cuda_graph.py",
    "hpml/symbolic/building/inference.py",
    "hpml/profiling/memory/snapshot.py",
    "hpml/profiling/torch_private.py",
    "hpml/course/suites/toy_resnet.py",
    "hpml/course/training/trainer.py",
    "hpml/course/models/activations.py",
    "hpml/course/runtimes/session.py",
}


def test_only_these_files_name_a_make_of_accelerator() -> None:
    found = set()
    for path in sorted((ROOT / "hpml").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Attribute) and (
                node.attr == "is_cuda"
                or (node.attr in ("cuda", "mps", "xpu") and ast.unparse(node.value) == "torch")
            )
            if named or (isinstance(node, ast.Constant) and "torch.cuda." in f"{node.value}"):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == NAMES_CUDA

"""To find a shape a copy of the layer runs, and nothing of that run is left anywhere."""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.modules import module as torch_module

from hpml.symbolic import CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import GraphError
from tests.symbolic.programs import assert_same

VALUE = torch.linspace(-1, 2, 20).reshape(5, 4)


class Helper:
    def __init__(self) -> None:
        self.cache: dict[str, Any] = {"inner": {"list": []}}


@functools.cache
def cached_table(size: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.ones(size), torch.arange(size)


@functools.lru_cache(maxsize=8)
def cached_mask(size: int) -> torch.Tensor:
    return torch.ones(size)


class Messy(nn.Module):
    """Leaves what it makes in every place there is, but one."""

    shared: Any = None
    counts: dict[str, int] = {}  # noqa: RUF012 - the point of the test

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.helper = Helper()
        self.nested: dict[str, Any] = {"a": [{}]}

    def forward(self, x: Any) -> Any:
        h = self.linear(x) * cached_table(4)[0] * cached_mask(4)
        self.helper.cache["inner"]["list"].append(h)
        self.helper.cache["h"] = h
        self.nested["a"][0]["h"] = h
        Messy.shared = h
        Messy.counts["calls"] = Messy.counts.get("calls", 0) + 1
        np.random.rand()
        with torch.no_grad():
            self.linear.weight.add_(1)
            self.linear.bias.data = torch.ones(4)
        return h


class Listed(Messy):
    """The same on data that is not a tensor, for which the copy has numbers."""

    def forward(self, data: Any) -> Any:
        return super().forward(data["x"])


@pytest.mark.parametrize("real", [False, True], ids=["meta", "real"])
def test_nothing_is_left_in_helpers_classes_containers_caches_or_parameters(real: bool) -> None:
    layer = Listed() if real else Messy()
    before = [p.detach().clone() for p in layer.parameters()]
    cached_table.cache_clear()
    cached_mask.cache_clear()
    np.random.seed(0)
    expected = np.random.rand()
    np.random.seed(0)
    y = layer(CustomInput({"x": VALUE}) if real else Input(shape=(4,)))
    assert y.shape == ((5, 4) if real else (1, 4))
    assert np.random.rand() == expected
    assert layer.helper.cache == {"inner": {"list": []}}
    assert layer.nested == {"a": [{}]}
    assert Messy.shared is None
    assert Messy.counts == {}
    assert_same([p.detach() for p in layer.parameters()], before)
    assert not cached_table(4)[0].is_meta
    assert not cached_mask(4).is_meta
    assert layer.linear._compiled_call_impl is None


KEPT: list[Any] = []


class Keeps(nn.Module):
    def forward(self, x: Any) -> Any:
        KEPT.append(x * 2)
        return x + 1


def test_a_value_kept_elsewhere_is_noticed_and_the_shape_can_be_given_by_hand() -> None:
    x = Input(shape=(4,))
    with pytest.raises(GraphError, match=r"Keeps kept a tensor.*output_shape=\(None"):
        Keeps()(x)
    KEPT.clear()
    layer = Keeps()
    for y in (
        layer(x, output_shape=(None, 4)),
        x(layer, output_shape=(1, 4)),
        add_to_graph(layer, x, output_shape=[None, 4]),
    ):
        assert (y.shape, y.dtype) == ((1, 4), torch.float32)
        assert KEPT == []
        assert_same(SymbolicModel(x, y)(VALUE), VALUE + 1)
        KEPT.clear()
    for wrong in ("ab", (None, None), -1, ()):
        with pytest.raises((GraphError, TypeError), match="output_shape expected a tuple of sizes"):
            layer(x, output_shape=wrong)


def test_hooks_are_not_called_when_a_model_is_built() -> None:
    layer, seen = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1)), []
    layer.register_forward_hook(lambda *_: seen.append("whole"))
    layer[0].register_forward_pre_hook(lambda *_: seen.append("part"))
    with torch_module.register_module_forward_hook(lambda *_: seen.append("any")):
        x = Input(shape=(4,))
        y = layer(x)
    assert y.shape == (1, 3)
    assert seen == []
    model = SymbolicModel(x, y)
    model(VALUE)
    assert seen == ["part", "whole"]


def test_another_thread_may_run_the_layer_meanwhile() -> None:
    class Slow(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            if x.is_meta:
                inside.set()
                assert done.wait(20)
            return self.linear(x)

    layer, inside, done = Slow(), threading.Event(), threading.Event()
    expected, results = layer(VALUE), []

    def run() -> None:
        assert inside.wait(20)
        results.append(layer.linear(VALUE))
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        layer(Input(shape=(4,)))
    finally:
        inside.set()
        thread.join()
    assert_same(results, [expected])


def test_what_cannot_be_copied_is_put_back_instead() -> None:
    class Locked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()
            self.linear = nn.Linear(4, 3)
            self.count = 0

        def forward(self, x: Any) -> Any:
            self.count += 1
            return self.linear(x)

    layer = Locked()
    assert layer(Input(shape=(4,))).shape == (1, 3)
    assert layer.count == 0
    assert not layer.linear.weight.is_meta


# --- what was refused although it is valid --------------------------------------------------------


class Energy(nn.Module):
    """Returns the gradient of an energy."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            (gradient,) = torch.autograd.grad(self.linear(x).square().sum(), x)
        return gradient


class OuterEnergy(Energy):
    def forward(self, x: Any) -> Any:
        x = x.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(self.linear(x).square().sum(), x)
        return gradient


@pytest.mark.parametrize("kind", [Energy, OuterEnergy])
def test_a_forward_may_take_gradients(kind: Any) -> None:
    layer, x = kind(), Input(shape=(4,))
    assert_same(SymbolicModel(x, layer(x) * 1)(VALUE), layer(VALUE) * 1)


def test_lazy_layers_and_batch_norm_take_one_sample_and_collect_no_statistics() -> None:
    layer = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.BatchNorm1d(3), nn.Dropout())
    x = Input(shape=(4,))
    assert layer(x).shape == (1, 3)
    assert layer[1].training
    assert layer[1].num_batches_tracked == layer[2].num_batches_tracked == 0
    assert_same(layer[1].running_mean, torch.zeros(3))
    assert nn.LazyBatchNorm1d()(x).shape == (1, 4)


class Parcel:
    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class Packs(nn.Module):
    def forward(self, x: Any) -> Any:
        return Parcel(x * 2)


class Unpacks(nn.Module):
    def forward(self, parcel: Any) -> Any:
        return parcel.tensor + 1


def test_layers_pass_objects_of_the_users_to_each_other() -> None:
    x = Input(shape=(4,))
    y = Unpacks()(Packs()(x))
    assert y.shape == (1, 4)
    assert_same(SymbolicModel(x, y)(VALUE), VALUE * 2 + 1)
    assert_same(Packs()(x).tensor.v, x.v * 2)


def test_a_default_device_of_meta_does_not_matter() -> None:
    with torch.device("meta"):
        x = Input(shape=(4,))
        y = nn.Softplus()(x) + x
        assert y.v.device.type == "cpu"
    assert_same(SymbolicModel(x, y)(VALUE), nn.functional.softplus(VALUE) + VALUE)

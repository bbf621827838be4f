from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, config
from hpml.symbolic.execution.guard import Guard
from tests.symbolic.events import EVENTS, Doubled
from tests.symbolic.hazards import Pair, called_in_source, doubled, each_mode, value
from tests.symbolic.models import chain
from tests.symbolic.programs import assert_same

SHAPE = (2, 4)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Guard]:
    """The guards that looked at their layers one by one, in order."""
    looked: list[Guard] = []
    before = Guard._check
    monkeypatch.setattr(Guard, "_check", lambda *given: looked.append(given[0]) or before(*given))
    return looked


@pytest.mark.filterwarnings("ignore:.*a view and is being modified inplace.*")
@pytest.mark.parametrize("name", EVENTS)
@each_mode
def test_after_an_event_the_model_does_what_its_twin_does(
    name: str, execution: str, training: bool
) -> None:
    pair = Pair(execution, training)
    assert pair.agree()
    pair.do(EVENTS[name])
    try:
        pair.agree()
        if name != "other mode":
            pair.check_how(EVENTS[name].called)
    finally:
        undone = pair.undo()
    if undone:
        assert pair.agree()
        pair.check_how(called=False)


@each_mode
def test_a_hook_and_a_parametrization_of_a_layer_count_for_each_of_its_uses(
    execution: str, training: bool
) -> None:
    torch.manual_seed(0)
    layer, relu = nn.Linear(4, 4), nn.ReLU(inplace=True)

    def by_hand(x: Any) -> Any:
        h = layer(x)
        g = relu(layer(h))
        return h + g, layer(relu(h - 1)), h

    x = Input(shape=(4,))
    model = SymbolicModel(x, by_hand(x), execution=execution).train(training)
    del x
    seen: list[Any] = []
    handle = layer.register_forward_hook(lambda *_: seen.append(1))
    model(torch.rand(1, 4))
    assert len(seen) == 3
    handle.remove()
    nn.utils.parametrize.register_parametrization(layer, "weight", Doubled())
    value = torch.rand(2, 4)
    assert_same(model(value), by_hand(value))


def test_layers_are_looked_at_one_by_one_only_when_something_happened(checks: list[Guard]) -> None:
    pair = Pair("inlined", training=True)
    for _ in range(5):
        pair.agree()
    assert len(checks) == 1
    model = pair.model
    for _ in range(5):  # a hook on a tensor takes a number of a hook, and is none of a layer
        x = value().requires_grad_()
        x.register_hook(lambda gradient: gradient)
        model(x)
    assert len(checks) == 1
    model.linear.weight = nn.Parameter(torch.rand(6, 16))
    model.double()
    model(value(torch.float64))
    assert len(checks) == 1
    model.note = "an attribute of the model"
    model(value(torch.float64))
    assert len(checks) == 1
    model.linear.note = 1
    for _ in range(3):
        model(value(torch.float64))
    assert len(checks) == 2


def test_it_keeps_no_model_and_no_replaced_layer_alive() -> None:
    # A copy: the nodes of the model that was built hold the layers that it was built of.
    built = chain(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), execution="inlined")
    model = copy.deepcopy(built)
    model(torch.rand(SHAPE))
    replaced = weakref.ref(model.Linear_1)
    model.Linear_1 = nn.Linear(4, 4)
    model(torch.rand(SHAPE))
    gc.collect()
    assert replaced() is None
    whole, layer = weakref.ref(model), weakref.ref(model.Linear_2)
    del model
    gc.collect()
    assert whole() is None
    assert layer() is None


@pytest.mark.parametrize(
    "layers",
    [
        (),
        (nn.Softmin(1),),
        (nn.Linear(4, 4),),
        (nn.Softmin(1), nn.Linear(4, 4)),
        (nn.Softmin(1), nn.Linear(4, 4), nn.Softmin(1), nn.ReLU()),
        (nn.Identity(), nn.Identity()),
    ],
    ids=lambda layers: "-".join(type(layer).__name__ for layer in layers) or "no layers",
)
def test_models_with_few_layers_written_out_or_none(layers: Any) -> None:
    model = chain(*layers, execution="inlined")
    given = torch.rand(SHAPE)
    assert_same(model(given), nn.Sequential(*layers)(given))
    assert layers or model(given) is given
    for layer in dict.fromkeys(layers):
        with layer.register_forward_hook(doubled):
            assert_same(model(given), nn.Sequential(*layers)(given))
        assert_same(model(given), nn.Sequential(*layers)(given))


@pytest.mark.parametrize("length", [2, 50, float("inf")])
def test_loops_of_any_length_find_the_right_layers(
    length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CODEGEN_MIN_LOOP_LENGTH", length)
    torch.manual_seed(0)
    kinds = [lambda: nn.Linear(4, 4), nn.ReLU, lambda: nn.Softmin(1), lambda: nn.LayerNorm(4)]
    layers = [kinds[i // 3 % 4]() for i in range(40)]
    model = chain(*layers, execution="inlined")
    given = torch.randn(SHAPE)
    assert_same(model(given), nn.Sequential(*layers)(given))
    for layer in layers[::7]:
        with layer.register_forward_hook(doubled):
            assert_same(model(given), nn.Sequential(*layers)(given))


SUBCLASSES: list[tuple[type[nn.Module], tuple[Any, ...], tuple[int, ...]]] = [
    (nn.Linear, (4, 4), (4,)),
    (nn.Dropout, (0.5,), (4,)),
    (nn.Conv2d, (2, 2, 3), (2, 5, 5)),
    (nn.BatchNorm1d, (4,), (4,)),
    (nn.Flatten, (), (2, 3)),
]


@pytest.mark.parametrize("case", SUBCLASSES, ids=lambda case: case[0].__name__)
def test_a_subclass_is_never_written_out(case: Any) -> None:
    kind, args, shape = case
    body = {"forward": lambda self, x: -kind.forward(self, x)}
    changed = type("Changed", (kind,), body)(*args).eval()
    same = type("Same", (nn.Sigmoid,), {})()
    model = chain(changed, same, shape=shape, execution="inlined").eval()
    given = torch.rand(2, *shape)
    assert_same(model(given), torch.sigmoid(-kind.forward(changed, given)))
    assert called_in_source(model) == {"Changed_1", "Same_1"}


def test_layers_with_a_registered_name_and_other_arguments_are_called() -> None:
    class Linear(nn.Module):  # a name is not a type
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1

    x, y = Input(shape=(4,)), Input(shape=(4,))
    relu = nn.ReLU()
    model = SymbolicModel((x, y), Linear()(x) + relu(y), execution="inlined")
    assert called_in_source(model) == {"Linear_1"}
    given = torch.rand(2, 4)
    assert_same(model(given, given), given + 1 + relu(given))

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from hpml.symbolic import EXECUTIONS, CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import GraphError
from tests.parts import raises
from tests.symbolic.hazards import add_or_call as recorded
from tests.symbolic.programs import assert_same

BLOCK = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
LSTM = nn.LSTM(4, 3, batch_first=True)
FIXED = torch.tensor([True, False, True, True])


class Decides(nn.Module):
    """Looks at the data, so that it runs on example data."""

    def forward(self, data: Any) -> Any:
        return data["x"] * 2 if data["x"].sum() > 0 else data["x"]


class Keeps(nn.Module):
    def forward(self, x: Any) -> Any:
        return {"x": x}


def packed(x: Any) -> Any:
    lengths = (x > 0).sum(1).clamp(min=1)
    sequence = recorded(
        lambda x, n: pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False),
        x[:, :, None] * torch.ones(4),
        lengths,
    )
    outputs = LSTM(sequence)[0]
    return recorded(lambda p: pad_packed_sequence(p, batch_first=True)[0], outputs)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "a mask": lambda x: x[x > 0],
    "a mask of rows": lambda x: x[x[:, 0] > 0],
    "selected": lambda x: x.masked_select(x > 0),
    "where": lambda x: torch.where(x > 0),
    "nonzero": lambda x: x.nonzero(),
    "unique": lambda x: x.round().unique(),
    "runs": lambda x: torch.unique_consecutive(x.round()),
    "repeated": lambda x: x.repeat_interleave((x[:, 0] > 0).long() + 1, 0),
    "counted": lambda x: x.abs().long().flatten().bincount(),
    "a mask of random numbers": lambda x: recorded(lambda x: x[:, torch.rand(4) > 0.5], x),
    "a mask of parameters": lambda x: recorded(lambda x, w: x[:, w > 0], x, BLOCK[0].bias),
    "a loop that examples need not end": lambda x: Halves()(x),
}


class Halves(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        active = torch.arange(len(x))
        while len(active):
            x = x / 2
            active = active[x[active].norm(dim=1) > 0.5]
        return x


@pytest.mark.parametrize("batch", [None, 5])
@pytest.mark.parametrize("name", REFUSED)
def test_elements_that_the_data_select_are_refused(name: str, batch: int | None) -> None:
    with pytest.raises(GraphError) as refused:
        REFUSED[name](Input(batch_shape=(5, 4)) if batch else Input(shape=(4,)))
    assert "selects elements by their values" in refused.value.received
    assert "add_to_graph(" in refused.value.remedy


BEFORE: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("unique", "runs"), lambda x: x.round()),
    "counted": lambda x: x.abs().long().flatten(),
}
"""What happens before the refused call."""


@pytest.mark.parametrize("name", ["a mask", "selected", "nonzero", "unique", "runs", "counted"])
def test_the_remedy_for_them_is_recorded_and_computes_them(name: str) -> None:
    x = Input(shape=(4,))
    with pytest.raises(GraphError) as refused:
        REFUSED[name](x)
    found = re.search(r"add_to_graph\(.*?output_shape=\([^)]*\)\)", refused.value.remedy)
    assert found is not None
    before = BEFORE.get(name, lambda x: x)
    result = eval(found[0], {"add_to_graph": add_to_graph, "torch": torch, "x": before(x)})
    value = torch.randn(5, 4)
    expected = REFUSED[name](value)
    assert_same(SymbolicModel(x, result)(value), expected)
    assert result.ndim == expected.ndim


def test_with_a_given_shape_they_are_recorded() -> None:
    def program(x: Any) -> Any:
        kept = torch.masked_select(x, x > 0)
        return kept.sum() / kept.shape[0]

    x, value = Input(shape=(4,)), torch.randn(5, 4)
    kept = add_to_graph(torch.masked_select, x, x > 0, output_shape=(None,))
    assert_same(SymbolicModel(x, kept.sum() / kept.shape[0])(value), program(value))
    y = Halves()(x, output_shape=(None, 4))
    assert_same(SymbolicModel(x, y)(value), Halves()(value))
    assert add_to_graph(torch.sum, x, output_shape=()).shape == ()


def test_an_argument_of_a_layer_that_is_named_like_a_setting_belongs_to_the_layer() -> None:
    class Shaped(nn.Module):
        def forward(self, x: torch.Tensor, output_shape: tuple[int, ...] = (-1,)) -> torch.Tensor:
            return x.reshape(output_shape)

    y = Shaped()(x := Input(shape=(4,)), output_shape=(-1, 2))
    assert (y.shape, SymbolicModel(x, y)(torch.ones(5, 4)).shape) == ((None, 2), (10, 2))


DERIVED: dict[str, Callable[[Any], Any]] = {
    "up to a maximum": lambda x: (x[:, : (x > 0).sum(1).max()] * 2).T,
    "one-hot": lambda x: F.one_hot((x > 0).long() * 3).transpose(0, 2),
    "packed": lambda x: packed(x).transpose(0, 1),
    "a mask as an argument": lambda x: recorded(lambda x, m: x[:, : m.sum(1).max()], x, x > 0).T,
    "a decision about a part": lambda x: Decides()(Keeps()(x)),
    "a masked assignment": lambda x: recorded(lambda x: x.clone().index_put((x > 0,), x.sum()), x),
}


@pytest.mark.parametrize("batch", [None, 5])
@pytest.mark.parametrize("name", DERIVED)
def test_a_size_that_depends_on_the_data_is_that_of_the_real_data(
    name: str, batch: int | None
) -> None:
    def program(x: Any) -> Any:
        y = DERIVED[name](x)
        return x * y.shape[0], y.numel() + x, y

    x = Input(batch_shape=(5, 4)) if batch else Input(shape=(4,))
    outputs = program(x)
    torch.manual_seed(0)
    values = torch.randn(5, 4), torch.rand(5, 4), torch.eye(5, 4)
    for execution in EXECUTIONS:
        model = SymbolicModel(x, outputs, execution=execution)
        for value in values:
            assert_same(model(value), program(value))


def test_the_size_of_a_fixed_mask_is_known() -> None:
    x = Input(shape=(4,))
    assert nn.Linear(3, 2)(x[:, FIXED]).shape == (None, 2)
    inside = add_to_graph(lambda x: x[:, torch.ones(4).cumsum(0) > 1], x)
    assert nn.Linear(3, 2)(inside).shape == (None, 2)


def test_an_error_with_example_data_says_how_to_choose_them() -> None:
    x = Input(shape=(6, 4))
    lengths = Input(shape=(), dtype=torch.int64, max_value=7)
    who = "pack_padded_sequence(a0, a1, k[0], k[1])"
    with raises(GraphError, object=who, received="example data", remedy="min_value"):
        add_to_graph(pack_padded_sequence, x, lengths, True, False)
    chosen = Input(shape=(), dtype=torch.int64, min_value=1, max_value=7)
    add_to_graph(pack_padded_sequence, x, chosen, True, False)


def test_a_function_that_changes_a_value_in_place_is_recorded_as_a_whole() -> None:
    x, lengths = Input(shape=(6, 4)), Input(shape=(), dtype=torch.int64)
    with raises(GraphError, object="argument", remedy="add_to_graph"):
        pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)


def test_a_layer_of_a_custom_object_keeps_the_sizes_of_its_example() -> None:
    data = CustomInput({"x": torch.rand(3, 4)})
    assert Decides()(data).shape == (3, 4)

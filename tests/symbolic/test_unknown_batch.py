"""Ordinary code about the batch, views and comparisons: PyTorch's answer, or one refusal."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError, GraphError
from tests.parts import raises
from tests.symbolic.programs import assert_same

ATTENTION = nn.MultiheadAttention(4, 2)


class AddsInPlace(nn.Module):
    def forward(self, x: Any) -> Any:
        x += 1
        return x.sum()


def in_place(
    change: Callable[[Any], Any], result: Callable[[Any, Any], Any] = lambda y, z: y
) -> Any:
    """Return a program that makes a value and a view, changes one, and reads the value again."""

    def program(x: Any) -> Any:
        y = x * 2 - 1
        z = y.view(-1, 2, 2)
        change(y)
        return result(y, z)

    return program


def add_to_view(y: Any) -> None:
    z = y[:, :2]
    z += 1


def read_before(x: Any) -> Any:
    y = x * 2 - 1
    view, before = y.view(-1, 2, 2) * 3, y * 5
    after = F.relu(y, inplace=True)
    return after, view, before  # lazy asks for them in this order


def parts_added(x: Any) -> Any:
    a, b = (x * 2).chunk(2, 1)
    first = a
    a += 1
    b *= a
    return first, a, b


def halves_added(x: Any) -> Any:
    y = x * 2
    left, right = y[:, :2], y[:, 2:]
    left += 1
    return left * right


def assigned(x: Any) -> Any:
    y = x * 2
    z = y
    y += 1
    z *= 2
    return y


def sequence_first(x: Any) -> Any:
    h = x.view(x.shape[0], 2, 2).transpose(0, 1)
    _, batch, _ = h.shape
    return h.sum(1) / batch


def attended(x: Any) -> Any:
    y, weights = ATTENTION(x, x, x, need_weights=False)
    return y if weights is None else y * 2


ANSWERED: dict[str, Callable[[Any], Any]] = {
    "halves": halves_added,
    "a size behind T": lambda x: x.sum(0) / x.T.shape[1],
    "a size behind None": lambda x: x.sum(0) / x[None].shape[1],
    "sequence first": sequence_first,
    "a mask": lambda x: (x @ x.T).masked_fill(
        torch.eye((x @ x.T).size(1), dtype=torch.bool, device=x.device), 0.0
    ),
    "twice the batch": lambda x: x.repeat(2, 1).sum(0) / x.repeat(2, 1).shape[0],
    "some of a batch": lambda x: x.sum() / (x[:7] * 2).shape[0],
    "half a batch": lambda x: x[: x.shape[0] // 2],
    "times, plus": lambda x: x * x.shape[0] + x.shape[0],
    "rounded": lambda x: x[: round(x.shape[0] / 2)],
    "divmod": lambda x: x[: divmod(x.shape[0], 2)[0]],
    "numel": lambda x: x.sum() / x.numel(),
    "a split": lambda x: x.sum(0) / x.split(3)[0].shape[0],
    "a chunk of eight": lambda x: x.sum(0) / x.chunk(8)[0].shape[0],
    "padded": lambda x: x.sum() / F.pad(x, (0, 0, 0, -x.shape[0] % 8)).shape[0],
    "a remainder": lambda x: x * (x.shape[0] % 4) + x * (x.shape[0] // 64 + 1),
    **{
        name: lambda x, name=name: getattr(torch, name)(x.shape[0], 4).shape[0] + x
        for name in ("zeros", "ones", "empty", "rand", "randn")
    },
    "new_zeros": lambda x: x + x.new_zeros(x.shape[0], 4),
    "tensor": lambda x: (
        x / torch.tensor([x.shape[0]], device=x.device) + torch.as_tensor(x.shape[0])
    ),
    "the best two": lambda x: x.topk(2, dim=0)[0],
    "the first three": lambda x: torch.ones(2, 3) @ x[:3],
    "a number among tensors": lambda x: torch.where(x > 0, x, 0.5),
    "a value that is filled in": lambda x: x + torch.full_like(x, 2.0),
    "is it contiguous": lambda x: x.is_contiguous(),
    "no weights": attended,
    "assigned to real data": lambda x: x * operator.itruediv(torch.ones(4), x.shape[0]),
    "the largest": lambda x: x * (x == x.max(1, keepdim=True).values),
    "not a number": lambda x: torch.where(x != x, 0.0, x),
    "in place": in_place(nn.ReLU(inplace=True)),
    "in place and again": in_place(lambda y: (F.relu(y, inplace=True), y.add(1))),
    "in place behind Identity": in_place(lambda y: F.relu(nn.Identity()(y), inplace=True)),
    "assigned": assigned,
    "parts": parts_added,
    "read before a change": read_before,
}

REFUSED: dict[str, Callable[[Any], Any]] = {
    "len": lambda x: x.sum(0) / len(x),
    **{
        f"a number for {name}": lambda x, name=name: getattr(torch, name)(x.shape[0]) + x
        for name in ("arange", "eye", "tensor", "randperm", "scalar_tensor")
    },
    "a number in a list": lambda x: x * torch.tensor([x.shape[0] // 2, 1]).sum(),
    "a permutation": lambda x: x[torch.randperm(len(x))],
    "a decision": lambda x: x * 2 if x.shape == (1, 4) else x,
    "a count": lambda x: x.sum() / len(x[x > 0]),
    "the device": lambda x: x * 2 if x.is_cuda else x,
    "a view": in_place(lambda y: F.relu(y[:, :2], inplace=True)),
    "an older view": in_place(nn.ReLU(inplace=True), lambda y, z: z.flatten(1)),
    "a part": in_place(lambda y: F.relu(y.split(2, 1)[0], inplace=True)),
    "flattened": in_place(lambda y: F.relu(y.flatten(), inplace=True)),
    "detached": in_place(lambda y: F.relu(y.detach(), inplace=True)),
    "an assignment to a view": in_place(add_to_view),
    "in a module": in_place(AddsInPlace()),
    "overlapping columns": in_place(
        lambda y: F.relu(y[:, :3], inplace=True), lambda y, z: z[:, 2:]
    ),
}
SIZE = ("argument", "a size that depends on the batch")
CHANGED = ("use of a value", "a later use of the")
REFUSED_FOR: dict[str, tuple[str, str]] = {
    # The object of the error and what it received, unless it is a size that has no number.
    "a number in a list": ("length", "SymbolicInteger"),
    "a decision": ("truth value", "known only when the model runs"),
    "a count": ("SliceLayerSymbolicIdx()", "selects elements by their values"),
    "the device": ("truth value", "known only when the model runs"),
    **dict.fromkeys(("a view", "an older view", "a part", "flattened", "detached"), CHANGED),
    **dict.fromkeys(("an assignment to a view", "in a module", "overlapping columns"), CHANGED),
}


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", ANSWERED)
def test_the_answer_is_pytorchs_for_any_batch(name: str, execution: str) -> None:
    x = Input(shape=(4,))
    torch.manual_seed(0)
    model = SymbolicModel(x, ANSWERED[name](x), execution=execution)
    for batch in (1, 2, 3, 7):
        value = torch.randn(batch, 4)
        try:
            expected = ANSWERED[name](value.clone())
        except RuntimeError:
            with pytest.raises(RuntimeError):
                model(value.clone())
        else:
            assert_same(model(value.clone()), expected)


@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_wrong_is_refused_where_it_is_written(name: str) -> None:
    x = Input(shape=(4,))
    kept, received = REFUSED_FOR.get(name, SIZE)
    with raises(GraphError, object=kept, received=received):
        SymbolicModel(x, REFUSED[name](x))


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize(
    ("program", "settings", "other"),
    [
        (lambda x: x.sum(0) / len(x), {"batch_shape": (3, 4)}, (6, 4)),
        (lambda x: x.sum(1) / x.shape[1], {"shape": (4,)}, (3, 8)),
    ],
)
def test_data_of_another_size_than_was_read_is_refused(
    program: Any, settings: Any, other: Any, execution: str
) -> None:
    x = Input(**settings)
    model = SymbolicModel(x, program(x), execution=execution)
    value = torch.rand(3, 4)
    assert_same(model(value), program(value))
    with raises(ArgumentError, object="input 0 of the model", received=str(other)):
        model(torch.rand(other))


class Doubled(nn.Module):
    """Decides on the data, so its shape is found with example data."""

    def forward(self, x: Any) -> Any:
        return x * (2 if x.sum() < 1e9 else 3)


@pytest.mark.parametrize(
    ("block", "batches"),
    [
        (nn.Sequential(nn.BatchNorm1d(4)), (1, 2, 5)),
        (lambda x: F.batch_norm(x, None, None, training=True), (2, 5)),
        (Doubled(), (1, 2, 5)),
    ],
    ids=["module", "function", "with data"],
)
def test_the_number_of_first_rows_is_unknown_behind(block: Any, batches: tuple[int, ...]) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, block(x)[:3].sum(0) / block(x)[:3].shape[0]).eval()
    for batch in batches:
        value = torch.rand(batch, 4)
        assert_same(model(value), block(value)[:3].sum(0) / min(batch, 3))


@pytest.mark.parametrize("rows", [1, 2, 3], ids="x[:{}]".format)
def test_the_first_rows_are_known_only_if_every_batch_has_them(rows: int) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, x[:rows].sum(0) / x[:rows].shape[0])
    for batch in (1, 2, 3, 4):
        value = torch.rand(batch, 4)
        assert_same(model(value), value[:rows].sum(0) / min(batch, rows))


class Shorter(nn.Module):
    def forward(self, x: Any) -> Any:
        return x if self.training else x[:, :2]


def test_the_shape_is_that_in_the_mode_in_which_the_layer_is_called() -> None:
    assert Shorter()(Input(shape=(4,))).shape == (None, 4)
    assert Shorter().eval()(Input(shape=(4,))).shape == (None, 2)

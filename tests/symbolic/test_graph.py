from __future__ import annotations

import gc
import weakref

import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, add_to_graph


def names(model: SymbolicModel) -> list[str]:
    return [call.name for call in model.graph.calls]


def test_a_graph_prints_as_a_program() -> None:
    x = Input(batch_shape=(2, 4))
    y = Input(batch_shape=(2, 4), name="other")
    first, _ = (nn.Linear(4, 6)(x) + nn.Linear(4, 6)(y)).chunk(2, dim=1)
    assert str(SymbolicModel((x, y), (first, x)).graph) == (
        "v0 = input (2, 4)\n"
        "v1 = input other (2, 4)\n"
        "v2 = Linear_1(v0)  # (2, 6)\n"
        "v3 = Linear_2(v1)  # (2, 6)\n"
        "v4 = AddOpLayer_1(v2, v3)  # (2, 6)\n"
        "v5 = chunk_1(v4)  # tuple\n"
        "v6, _ = UnpackLayer_1(*v5)  # (2, 3)\n"
        "return v6, v0"
    )


def test_one_graph_gives_several_models_that_share_layers() -> None:
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    y = nn.Linear(4, 2)(h)
    whole, first, second = SymbolicModel(x, y), SymbolicModel(x, h), SymbolicModel(h, y)
    value = torch.rand(3, 4)
    assert torch.equal(whole(value), second(first(value)))
    assert whole.Linear_1 is first.Linear_1
    assert whole.Linear_2 is second.Linear_1


def test_names_count_each_type_and_custom_names_stay() -> None:
    x = Input(shape=(4,))
    x1 = nn.Linear(4, 4)(x, custom_name="head")
    x2 = nn.Linear(4, 4)(x1)
    x3 = x2(nn.Linear(4, 4), custom_name="head")
    x4 = add_to_graph(torch.relu, x3, custom_name="Linear_2")
    x5 = nn.Linear(4, 4)(x4)
    x6 = add_to_graph(torch.relu, x5)
    model = SymbolicModel(x, x6)
    assert names(model) == ["head", "Linear_1", "head_2", "Linear_2", "Linear_3", "relu_1"]
    assert list(dict(model.named_children())) == names(model)


def test_each_call_knows_the_line_that_wrote_it() -> None:
    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(x)
    marker = test_each_call_knows_the_line_that_wrote_it.__code__.co_firstlineno
    y = y + 1
    origins = [call.origin for call in SymbolicModel(x, y).graph.calls]
    assert origins == [(__file__, marker + 2), (__file__, marker + 4)]


def test_a_model_keeps_its_part_of_the_graph_and_nothing_else() -> None:
    x = Input(shape=(4,))
    kept, dropped = nn.Linear(4, 4), nn.Linear(4, 4)
    y = kept(x)
    z = dropped(y)
    model = SymbolicModel(x, y)
    references = weakref.ref(kept), weakref.ref(dropped)
    del kept, dropped, z
    gc.collect()
    assert references[0]() is model.Linear_1
    assert references[1]() is None
    assert y.children == ()

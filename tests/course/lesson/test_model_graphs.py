from __future__ import annotations

import torch

from hpml.course.lesson.errors import LabError
from hpml.course.lesson.model_graphs import calls_of, edges_of, operations_of, parents_of
from hpml.symbolic import Input, SymbolicModel
from tests.parts import raises


def test_a_models_dictionaries_are_enough_to_run_it() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    model = SymbolicModel((x, y), torch.nn.Linear(4, 4)(x) - y)
    parents, operations = parents_of(model), operations_of(model)
    given = {"input_1": torch.rand(2, 4), "input_2": torch.rand(2, 4)}

    values = dict(given)
    for name, above in parents.items():
        if above:
            values[name] = operations[name](*(values[parent] for parent in above))

    assert torch.equal(values[name], model(*given.values()))


def test_a_value_used_twice_is_one_edge_and_two_parents() -> None:
    x = Input(shape=(4,))
    parents = parents_of(SymbolicModel(x, x * x))
    (name,) = (name for name in parents if name != "input")
    assert parents[name] == ["input", "input"]
    assert edges_of(parents) == {"input": [name], name: []}
    assert all(child.isidentifier() for child, _, _ in calls_of(SymbolicModel(x, x * x)))


def test_what_is_no_plain_graph_is_refused() -> None:
    x = Input(shape=(4,))
    one, _ = torch.split(x, 2, dim=1)
    with raises(LabError, object="a plain graph", received="tuple"):
        parents_of(SymbolicModel(x, one))

"""Names of dead values are used again, and never while the value is needed."""

from __future__ import annotations

from hypothesis import given, settings
from torch import nn

from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.liveness import assign_slots, last_uses, use_counts
from tests.symbolic.graphs import Recipe, recipes


def residual_graph() -> Graph:
    x = Input(shape=(4,))
    a = nn.Linear(4, 4)(x)
    b = nn.Linear(4, 4)(a)
    return SymbolicModel(x, (a + b, a)).graph


def test_the_last_use_of_a_value_is_the_last_call_that_reads_it() -> None:
    graph = residual_graph()
    assert [call.layer_type for call in graph.calls] == ["Linear", "Linear", "AddOpLayer"]
    # input, a (an output too), b, a + b
    assert last_uses(graph) == [0, 3, 2, 3]


def test_every_reader_counts_and_so_does_the_return() -> None:
    assert use_counts(residual_graph()) == [1, 3, 1, 1]


def test_a_chain_uses_one_slot_beside_the_input() -> None:
    x = inputs = Input(shape=(4,))
    for _ in range(20):
        x = nn.Linear(4, 4)(x)
    assert assign_slots(SymbolicModel(inputs, x).graph) == [0] + [1] * 20


@settings(max_examples=200, derandomize=True, deadline=None, database=None)
@given(recipe=recipes)
def test_no_slot_is_overwritten_while_its_value_is_needed(recipe: Recipe) -> None:
    graph = recipe.program().model("ordered").graph
    slots = assign_slots(graph)
    holds = {slots[value]: value for value in graph.inputs}
    most = len(holds)
    for call in graph.calls:
        for argument in call.arguments:
            assert holds[slots[argument]] == argument
        for result in call.results:
            if result is not None:
                assert slots[result] not in {slots[value] for value in graph.inputs}
                holds[slots[result]] = result
        most = max(most, len(holds))
    assert [holds[slots[output]] for output in graph.outputs] == list(graph.outputs)
    assert max(slots) < most, "slots are numbered without gaps"


@settings(max_examples=200, derandomize=True, deadline=None, database=None)
@given(recipe=recipes)
def test_there_are_no_more_slots_than_values_alive_at_once(recipe: Recipe) -> None:
    graph = recipe.program().model("ordered").graph
    last = last_uses(graph)
    alive: set[int] = set()
    most = 0
    for position, call in enumerate(graph.calls):
        # An argument that dies in a call gives its slot to the result.
        alive = {value for value in alive if last[value] > position}
        alive.update(result for result in call.results if result is not None)
        most = max(most, len(alive))
    assert max(assign_slots(graph)) + 1 <= len(graph.inputs) + most

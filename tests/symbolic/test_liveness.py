from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.errors import GraphError
from hpml.symbolic.graph import Graph
from hpml.symbolic.graph.liveness import assign_slots, last_uses
from tests.symbolic import fuzz


def random_graphs(count: int) -> Iterator[Graph]:
    for seed in range(count):
        modules, steps = fuzz.make_program(random.Random(seed))
        x = Input(shape=(fuzz.WIDTH,))
        try:
            yield SymbolicModel(x, fuzz.run_program(modules, steps, x), execution="ordered").graph
        except GraphError:  # a change in place that is refused
            continue


@pytest.mark.parametrize("in_place", [True, False])
def test_no_slot_is_overwritten_while_its_value_is_needed(in_place: bool) -> None:
    for graph in random_graphs(60):
        slots, last = assign_slots(graph, in_place=in_place), last_uses(graph)
        holds = {slots[value]: value for value in graph.inputs}
        alive, most = set(graph.inputs), len(graph.inputs)
        for position, call in enumerate(graph.calls):
            for argument in call.arguments:
                assert holds[slots[argument]] == argument
            for result in call.results:
                if result is not None:
                    taken = {slots[a] for a in call.arguments} - {slots[i] for i in graph.inputs}
                    assert in_place or slots[result] not in taken
                    holds[slots[result]] = result
            # An argument that dies in a call gives its slot to the result.
            kept = position - (not in_place)
            alive = {value for value in alive if last[value] > kept or value in graph.inputs}
            alive.update(result for result in call.results if result is not None)
            most = max(most, len(alive))
        assert [holds[slots[output]] for output in graph.outputs] == list(graph.outputs)
        assert len(set(slots)) == max(slots) + 1 <= most

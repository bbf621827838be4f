"""Random graphs: branches, shared layers, several outputs, outputs in chains, unpacking."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings

from hpml.symbolic import EXECUTIONS, SymbolicModel
from tests.symbolic.graphs import Recipe, Step, recipes
from tests.symbolic.models import assert_observations_equal, assert_same, observe

# Said when lazy is chosen; what is compared here does not depend on it.
pytestmark = pytest.mark.filterwarnings("ignore:execution 'lazy' computes")

bounded = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

EVERYTHING = Recipe(
    2,
    (
        Step("long chain, middle kept", 0, 0, 1, 7),
        Step("unpack all", 2, 0, 0, 1),
        Step("unpack, first unused", 3, 0, 0, 1),
        Step("join", 4, 5, 0, 1),
        Step("dropout", 6, 0, 0, 1),
        Step("add", 7, 1, 0, 1),
        Step("chain", 8, 0, 2, 6),
    ),
    (8, 2, 9, 8),
    2,
)


@bounded
@given(recipe=recipes)
@example(recipe=EVERYTHING)
def test_random_graphs_equal_a_direct_evaluation_bit_for_bit(recipe: Recipe) -> None:
    program = recipe.program()
    expected = observe(program.plain, program)
    for execution in EXECUTIONS:
        if execution != "lazy":
            assert_observations_equal(observe(program.model(execution), program), expected)
    program.modules.eval()
    expected = observe(program.plain, program)
    received = observe(program.model("lazy"), program)
    assert_same(received.outputs, expected.outputs)
    # Gradients of a value with three readers are added in the order in which those ran.
    torch.testing.assert_close(received.gradients, expected.gradients)


@bounded
@given(recipe=recipes)
@example(recipe=EVERYTHING)
def test_copies_of_random_graphs_do_what_the_original_does(recipe: Recipe) -> None:
    program = recipe.program()
    program.modules.eval()
    for execution in EXECUTIONS:
        model = program.model(execution)
        expected = model(*program.samples)
        for copied in (
            copy.deepcopy(model),
            pickle.loads(pickle.dumps(model)),
            model.to_fx(),
            rebuilt(copy.deepcopy(model)),
        ):
            assert_same(copied(*program.samples), expected)


def rebuilt(model: SymbolicModel) -> SymbolicModel:
    """Build a model from the symbolic data that a copied model makes of its graph."""
    return SymbolicModel(model.inputs, model.outputs, execution=model.execution)


@bounded
@given(recipe=recipes)
@example(recipe=EVERYTHING)
def test_a_rebuilt_graph_is_the_same_graph(recipe: Recipe) -> None:
    model = recipe.program().model("ordered")
    again = rebuilt(copy.deepcopy(model))
    assert again.graph == model.graph
    assert again._generated_forward_source == model._generated_forward_source


@pytest.mark.parametrize("execution", [e for e in EXECUTIONS if e != "lazy"])
def test_the_recipe_with_everything_draws_random_numbers(execution: str) -> None:
    """Without this, equal results with a seed would say nothing about random layers."""
    program = EVERYTHING.program()
    model = program.model(execution)
    torch.manual_seed(1)
    first = model(*program.samples)
    second = model(*program.samples)
    assert not torch.equal(first[0], second[0])

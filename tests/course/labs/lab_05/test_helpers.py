from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hpml.course.labs.lab_05_computation_graphs import failures, graphs
from hpml.course.lesson.errors import LabError
from hpml.profiling import work_of
from hpml.symbolic import Input, SymbolicModel
from tests.parts import raises


@pytest.mark.parametrize("batch", [1, 3])
def test_the_bytes_foretold_are_the_bytes_made(batch):
    x = picture = Input(shape=(2, 9, 9))
    for layer in (nn.Conv2d(2, 5, 3, stride=2), nn.Tanh(), nn.Flatten(), nn.Linear(80, 7)):
        x = layer(x)
    model = SymbolicModel(picture, x)
    foretold = graphs.result_bytes(model, batch)
    images = torch.rand(batch, 2, 9, 9)
    flatten = foretold.pop("Flatten_1")  # a view: the same bytes once more
    assert flatten == foretold["Tanh_1"]
    assert work_of(lambda: model(images)).bytes == sum(foretold.values())


def wrong(x):
    x = nn.functional.relu(x)
    x = x @ torch.ones(3, 2)
    return x


def only(run):
    """Return the line, the text and the count of one failure."""
    ((_, *found),) = failures.failures({"one": run}).rows
    return found


def test_a_failure_names_the_line_the_error_and_how_much_was_done_before():
    data = torch.ones(2, 4)
    line, text, done = only(lambda: wrong(data))
    assert line == "x = x @ torch.ones(3, 2)"
    assert text.startswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    assert done == 2


def test_a_failure_of_a_model_keeps_the_note_that_says_where_it_was_written():
    text = Input(shape=(5,), dtype=torch.int64)
    model = SymbolicModel(text, nn.Embedding(50, 8)(text))
    tokens = torch.full((1, 5), 50)
    line, said, _ = only(lambda: model(tokens))
    assert line == "model(tokens)"
    assert "Embedding_1" in said
    assert "test_helpers.py" in said


def test_lines_of_a_notebooks_cell_are_found_and_stand_for_their_number():
    import linecache

    name, source = "/nowhere/ipykernel_1/3241.py", "y = last(x)\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)

    def fail(x):
        raise ValueError("The value it received was made at 3241.py:1.")

    try:
        space = {"last": fail, "x": 1}
        _, text, _ = only(lambda: exec(compile(source, name, "exec"), space))
    finally:
        del linecache.cache[name]
    assert text == "ValueError: The value it received was made in the line  y = last(x)."


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.sampled_from([(i, j) for i in range(n) for j in range(i, n) if i != j] or [(0, 0)]),
            unique=True,
        ).map(lambda pairs: (n, [pair for pair in pairs if pair[0] != pair[1]]))
    )
)
def test_the_number_of_orders_is_that_of_trying_all(graph):
    n, pairs = graph
    edges: dict[str, list[str]] = {str(i): [] for i in range(n)}
    for before, after in pairs:
        edges[str(before)].append(str(after))
    works = sum(
        all(order.index(a) < order.index(b) for a, b in pairs)
        for order in itertools.permutations(range(n))
    )
    assert graphs.count_orders(edges) == works
    assert graphs.count_orders({name: edges[name] for name in reversed(edges)}) == works


def test_alive_at_once_is_what_somebody_still_needs():
    edges = {"x": ["a", "b"], "a": ["sum"], "b": ["sum"], "sum": []}
    assert graphs.most_alive(["x", "a", "b", "sum"], edges) == 3
    assert graphs.most_alive(list("abc"), {name: [] for name in "abc"}) == 1


def test_code_that_does_not_fail_has_no_failure():
    with raises(LabError, object="failures", received="did not", remedy="input"):
        failures.failures({"nothing": lambda: None})

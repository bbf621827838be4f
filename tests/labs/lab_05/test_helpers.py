"""What lab 05 shows of graphs."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hpml.course.errors import LabError
from hpml.course.predictions.prediction import predict
from hpml.labs import lab_05_computation_graphs as cg
from hpml.labs.lab_05_computation_graphs.explanation import EXPLANATION
from hpml.symbolic import CustomInput, Input, SymbolicModel

# --- work: what PyTorch executes ---


def test_declaring_the_lectures_example_executes_nothing():
    def declare() -> None:
        a = Input(batch_shape=(), dtype=torch.int16)
        b = Input(batch_shape=(), dtype=torch.int16)
        torch.add(a, b)
        torch.multiply(a, b)

    assert cg.work_of(declare) == cg.Work((), 0)


def test_running_counts_each_operator_and_the_bytes_of_its_result():
    a, b = torch.ones(10), torch.ones(10)
    work = cg.work_of(lambda: torch.relu(a + b))
    assert work == cg.Work(("add", "relu"), 80)


@pytest.mark.parametrize(
    "view", [lambda x: x.t(), lambda x: x.view(4), lambda x: x[0], lambda x: x.detach()]
)
def test_a_view_is_no_operation_on_numbers(view):
    x = torch.ones(2, 2)
    assert cg.work_of(lambda: view(x)) == cg.Work((), 0)


def test_changing_in_place_is_an_operation_and_makes_no_new_bytes():
    x = torch.ones(4)
    assert cg.work_of(lambda: x.add_(1)) == cg.Work(("add_",), 0)


def test_listening_ends_when_the_run_fails():
    with pytest.raises(ZeroDivisionError):
        cg.work_of(lambda: 1 / 0)
    assert not torch.utils._python_dispatch._get_current_dispatch_mode_stack()


# --- sizes: bytes known from shapes ---


@pytest.mark.parametrize("batch", [1, 3])
def test_the_bytes_foretold_are_the_bytes_made(batch):
    x = picture = Input(shape=(2, 9, 9))
    for layer in (nn.Conv2d(2, 5, 3, stride=2), nn.Tanh(), nn.Flatten(), nn.Linear(80, 7)):
        x = layer(x)
    model = SymbolicModel(picture, x)
    foretold = cg.result_bytes(model, batch)
    images = torch.rand(batch, 2, 9, 9)
    flatten = foretold.pop("Flatten_1")  # a view: the same bytes once more
    assert flatten == foretold["Tanh_1"]
    assert cg.work_of(lambda: model(images)).bytes == sum(foretold.values())


def test_sizes_know_the_element_type_and_a_batch_that_was_given():
    x = Input(batch_shape=(6, 4), dtype=torch.float64)
    assert cg.result_bytes(SymbolicModel(x, x + 1), batch=100) == {"add_1": 6 * 4 * 8}


def test_the_table_of_sizes_adds_up():
    x = Input(shape=(3, 4096, 4096))
    model = SymbolicModel(x, nn.ReLU()(nn.Conv2d(3, 64, 3, padding=1)(x)))
    *layers, total = cg.sizes_table(model).column("bytes of its result")
    assert total == sum(layers) == 2 * 64 * 4096**2 * 4


# --- failures ---


def wrong(x):
    x = nn.functional.relu(x)
    x = x @ torch.ones(3, 2)
    return x


def test_a_failure_names_the_line_the_error_and_what_was_done_before():
    data = torch.ones(2, 4)
    found = cg.failure(lambda: wrong(data))
    assert found.lines == ("wrong(data)", "x = x @ torch.ones(3, 2)")
    assert found.line == "x = x @ torch.ones(3, 2)"
    assert found.text.startswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    assert found.operations == ("relu", "ones")


def test_the_same_lines_declared_fail_at_the_same_line_with_nothing_done():
    layer = nn.Linear(3, 2)
    found = cg.failure(lambda: declared(layer))
    assert found.lines == ("declared(layer)", "return last(x)")
    assert found.operations == ()


def declared(last):
    x = nn.ReLU()(Input(shape=(4,)))
    return last(x)


def test_a_failure_of_a_model_keeps_the_note_that_says_where_it_was_written():
    text = Input(shape=(5,), dtype=torch.int64)
    model = SymbolicModel(text, nn.Embedding(50, 8)(text))
    tokens = torch.full((1, 5), 50)
    found = cg.failure(lambda: model(tokens))
    assert found.lines == ("model(tokens)",)
    assert any("Embedding_1" in note and "test_helpers.py" in note for note in found.notes)


def test_lines_of_a_notebooks_cell_are_found_and_stand_for_their_number():
    import linecache

    name, source = "/nowhere/ipykernel_1/3241.py", "y = last(x)\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)

    def fail(x):
        raise ValueError("The value it received was made at 3241.py:1.")

    try:
        space = {"last": fail, "x": 1}
        found = cg.failure(lambda: exec(compile(source, name, "exec"), space))
    finally:
        del linecache.cache[name]
    assert "y = last(x)" in found.lines
    assert found.text == "ValueError: The value it received was made in the line  y = last(x)."


def test_a_failure_shows_itself_as_text_and_as_a_table():
    page = cg.failure(lambda: [].index("<a>")).page()
    assert "your line" in page.plain
    assert '[].index("<a>")' in page.plain
    assert "<table>" in page.html
    assert "&lt;a&gt;" in page.html
    assert "<a>" not in page.html


def test_what_does_not_fail_is_refused():
    with pytest.raises(LabError, match="nothing did"):
        cg.failure(lambda: None)


# --- edges ---


def two_branches() -> SymbolicModel:
    x = Input(shape=(4,))
    left, right = nn.ReLU()(nn.Linear(4, 4)(x)), nn.Sigmoid()(nn.Linear(4, 4)(x))
    return SymbolicModel(x, left + right)


def test_edges_lead_from_each_node_to_those_that_use_it():
    assert cg.edges_of(two_branches()) == {
        "input": ["Linear_1", "Linear_2"],
        "Linear_1": ["ReLU_1"],
        "ReLU_1": ["AddOpLayer_1"],
        "Linear_2": ["Sigmoid_1"],
        "Sigmoid_1": ["AddOpLayer_1"],
        "AddOpLayer_1": [],
    }


def test_several_inputs_are_numbered():
    one, other = Input(shape=(4,)), Input(shape=(4,))
    edges = cg.edges_of(SymbolicModel((one, other), one.relu()))
    assert edges == {"input 1": ["relu_1"], "input 2": [], "relu_1": []}


def test_a_value_used_twice_by_one_layer_is_one_edge_and_an_unpacked_one_keeps_its_maker():
    x = CustomInput([torch.ones(2), torch.ones(2)])
    first, second = x
    edges = cg.edges_of(SymbolicModel(x, (first * first, second + first)))
    assert edges["input"] == ["UnpackLayer_1"]
    assert edges["UnpackLayer_1"] == ["MulOpLayer_1", "AddOpLayer_1"]


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
    assert cg.count_orders(edges) == works
    assert cg.count_orders({name: edges[name] for name in reversed(edges)}) == works


def test_orders_of_no_edges_are_all_of_them():
    assert cg.count_orders({name: [] for name in "abcde"}) == math.factorial(5)


def test_parents_are_the_edges_read_the_other_way():
    assert cg.parents_of({"b": ["c"], "a": ["b", "c"]}) == {"a": [], "b": ["a"], "c": ["b", "a"]}


def test_reached_values_are_those_that_depend_on_the_given():
    one, other = Input(shape=(4,)), Input(shape=(4,))
    still = other.relu()
    graph = SymbolicModel((one, other), (one + still, one.sum())).graph
    assert cg.reached_from(graph, {0}) == {0, 3, 4}
    assert cg.reached_from(graph, {1}) == {1, 2, 3}


# --- recorded ---


def test_recorded_nodes_are_those_of_the_backward_pass():
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))
    nodes = cg.recorded(net(torch.rand(2, 4)), dict(net.named_parameters()))
    names = [node.name for node in nodes]
    assert names[0] == "AddmmBackward0"
    assert sorted(set(names)) == ["AccumulateGrad", "AddmmBackward0", "ReluBackward0", "TBackward0"]
    assert {node.tensor for node in nodes} == {"", "0.weight", "0.bias", "2.weight", "2.bias"}
    assert nodes[0].keeps == ("mat1 (2, 3)", "mat2 (3, 1)")
    assert [node.keeps for node in nodes if node.name == "ReluBackward0"] == [("result (2, 3)",)]


def test_a_node_met_twice_is_recorded_once():
    x = torch.ones(3, requires_grad=True)
    nodes = cg.recorded(x.sin() * x.sin(), {"x": x})
    assert [node.name for node in nodes].count("AccumulateGrad") == 1
    assert nodes[0].sends_to == (1, 2)
    assert nodes[1].sends_to == nodes[2].sends_to == (3,)


def test_a_long_record_needs_no_recursion():
    x = torch.ones(1, requires_grad=True)
    for _ in range(5_000):
        x = x * 2
    assert len(cg.recorded(x)) == 5_001


def test_after_backward_what_was_kept_is_given_back():
    x = torch.ones(3, requires_grad=True)
    y = x.exp().sum()
    y.backward()
    assert cg.recorded(y)[1].keeps == ("result: given back",)


def test_a_result_without_a_record_is_refused():
    with torch.no_grad(), pytest.raises(LabError, match="no grad_fn"):
        cg.recorded(torch.ones(3, requires_grad=True) * 2)


def test_the_picture_says_how_many_nodes_there_are_and_which():
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.ReLU()(nn.Linear(4, 2)(x)))
    nodes = cg.recorded(model(torch.rand(3, 4)), dict(model.named_parameters()))
    page = cg.draw_beside(model, nodes)
    assert page.png is not None
    assert page.plain.startswith(f"2 layers declared; {len(nodes)} nodes recorded, 2 of them")
    assert "(Linear_1.weight)" in page.plain


# --- the lecture's table and the explanation ---


def test_the_lectures_table_shows_the_students_plus_beside_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    sides = ["declarative", "imperative"]
    said = [
        predict(f"{row}?", choices=sides, key=f"test-{i}", answer="declarative" if i else None)
        for i, row in enumerate(cg.LECTURE)
    ]
    table = cg.lecture_table(said, ["a", "b", "c"])
    assert table.column("Declarative") == ("-", "-", "+")
    assert table.column("Imperative") == ("+", "+", "-")
    assert table.column("your plus") == ("none given", "declarative", "declarative")
    assert table.column("seen in this lab") == ("a", "b", "c")


def test_the_best_experiment_is_the_one_with_three_predictions():
    assert EXPLANATION.best_number == 2
    assert len(EXPLANATION.experiments) == 3
    assert "Three hypotheses, three predictions" in EXPLANATION.experiments[EXPLANATION.best]

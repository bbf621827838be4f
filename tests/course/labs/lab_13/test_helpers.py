from __future__ import annotations

import pytest
import torch

from hpml.benchmark import compare
from hpml.course.labs.lab_13_activations import networks, traced
from hpml.course.labs.lab_13_activations.branches import flow, gradient_flow
from hpml.course.lesson.errors import LabError
from hpml.course.models.activations import fast_swish
from hpml.course.models.convnext import convnext
from tests.drawn import drawn
from tests.parts import raises


def test_an_operation_without_a_rule_is_named() -> None:
    with raises(LabError, object="tanh", expected="exp", received="tanh"):
        traced.operations_of(torch.tanh)


def test_a_network_has_the_activation_and_otherwise_the_librarys_weights() -> None:
    images = torch.rand(2, 3, 32, 32)
    theirs = convnext("small", activation="fastswish")
    torch.testing.assert_close(networks.network(fast_swish)(images), theirs(images))


def test_ratios_stand_beside_the_documents_of_the_same_name() -> None:
    runs = dict.fromkeys(["GELU", "ReLU", "FastSwish, compiled", "FastSwish, one kernel"], int)
    raced = {batch: compare(runs, rounds=6, min_sample_time=1e-5) for batch in (1, 64)}
    table = networks.beside_published(raced)
    published = table.column("published, batch 1")
    assert published == (1.0, 13.39 / 14.11, 29.32 / 14.11, None)
    assert table.column("published, batch 64")[1] == 62.42 / 60.8
    assert table.column("batch 1")[0] == "baseline"
    assert table.column("batch 64")[1] == str(raced[64].ratio("ReLU"))
    assert [line.split()[-1] for line in str(table).splitlines() if line.startswith("ReLU")] == [
        "1.03"
    ]


def pieces(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < -2, 1 / x, torch.where(x < 3, x * x, x))


@pytest.mark.parametrize(
    ("number", "values", "sent", "slopes"),
    [
        (-4.0, (-0.25, 16, -4), (1, 0, 0), (-1 / 16, -8, 1)),
        (2.0, (0.5, 4, 2), (0, 1, 0), (-0.25, 4, 1)),
        (5.0, (0.2, 25, 5), (0, 0, 1), (-0.04, 10, 1)),
    ],
)
def test_a_number_flows_through_all_pieces_and_its_gradient_through_the_one_taken(
    number: float, values: tuple[float, ...], sent: tuple[float, ...], slopes: tuple[float, ...]
) -> None:
    found = flow(pieces, number)
    assert [each.value for each in found.pieces] == pytest.approx(values)
    assert [each.sent for each in found.pieces] == list(sent)
    assert [each.slope for each in found.pieces] == pytest.approx(slopes)
    assert found.gradient == pytest.approx(sum(a * b for a, b in zip(sent, slopes, strict=True)))
    assert found.value == values[sent.index(1)]


def test_the_piece_that_makes_a_nan_is_named() -> None:
    animation = gradient_flow({"pieces": pieces}, [0.0, float("inf"), 1.0])
    assert [each.line for each in animation.keyframes] == [
        "pieces, x = 0: value 0, gradient NaN; NaN comes from the left piece",
        "pieces, x = ∞: value ∞, gradient NaN; NaN comes from the middle piece",
        "pieces, x = 1: value 1, gradient 2",
    ]


def test_runs_of_one_accuracy_stay_apart_and_the_mean_is_marked() -> None:
    chart = networks.runs_chart({"GELU": [80.0, 80.0, 83.0], "ReLU": [70.0]}, 20.0, title="Runs")
    ax = drawn(chart)
    three, one = ax.get_lines()
    assert [list(line.get_xdata()) for line in (three, one)] == [[80, 80, 83], [70]]
    first, second, third = three.get_ydata()
    assert -0.5 < first < second < third < 0.5
    radius = three.get_markersize() / 72 * ax.figure.dpi / 2
    level = [ax.transData.transform((80, y))[1] for y in (first, second)]
    assert level[0] - level[1] > radius  # neither hides the other
    assert ax.get_xlim() == (66.5, 86.5)
    (mean,) = ax.collections  # none for a single run
    assert [point[0] for point in mean.get_segments()[0]] == [81, 81]
    assert chart.text == "GELU: 80.0, 80.0, 83.0 %; ReLU: 70.0 %."


def test_accuracies_of_other_pictures_have_an_axis_of_their_own() -> None:
    page = networks.draw_accuracies({"GELU": [84.0, 86.0], "ReLU": [87.0, 89.0]})
    here, there, _ = page.plain.splitlines()
    assert here == "Digits, on this machine. GELU: 84.0, 86.0 %; ReLU: 87.0, 89.0 %."
    assert there == "Tiny ImageNet, published. GELU: 46.5 %; ReLU: 46.3 %."

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from hpml.base import optional
from hpml.benchmark import Comparison, Measurement
from hpml.course.labs.lab_14_runtimes import quantised, ruler, sessions
from hpml.course.labs.lab_14_runtimes.exercises import _invariant, _invariant_cases, nearest
from hpml.symbolic import Input, SymbolicModel


def halves(x: list[float], bits: int) -> tuple[list[int], float]:
    return [round(2 * value) for value in x], 0.5


@pytest.fixture(scope="module")
def reader() -> nn.Module:
    return quantised.trained(0, epochs=1)


@pytest.mark.parametrize(("together", "size"), [("matrix", 64 * 512), ("row", 64), (16, 16)])
def test_a_rounded_network_has_the_weights_that_come_back(
    reader: nn.Module, together: int | str, size: int
) -> None:
    before, sizes = reader[0].weight.clone(), []

    def noted(x: list[float], bits: int) -> tuple[list[int], float]:
        sizes.append(len(x))
        return halves(x, bits)

    small = quantised.rounded(reader, noted, 4, together)
    assert sizes[0] == size
    assert torch.equal(small[0].weight, (2 * before).round() / 2)
    assert torch.equal(reader[0].weight, before)


def test_weights_share_the_scale_of_the_outlier_and_lose_what_it_takes() -> None:
    found = ruler.round_beside([0.5, -1.0, 0.25], 4, 3)
    assert (found.outlier, found.scale) == (4.0, pytest.approx(4 / 3))
    assert found.back == pytest.approx([0.0, -4 / 3, 0.0])
    assert found.error == pytest.approx((0.5 + 1 / 3 + 0.25) / 1.75)
    errors = [ruler.round_beside([0.5, -1.0, 0.3], size, 8).error for size in ruler.SIZES]
    assert errors == sorted(errors)


def test_the_ruler_is_drawn_by_the_students_function_once_it_is_right() -> None:
    def few(x: list[float], bits: int) -> tuple[list[int], float]:
        integers, scale = nearest(x, bits)
        return integers if bits == 8 else integers[1:], scale

    assert "your function" in ruler.outlier_ruler([0.5, -1.0], nearest).title
    for wrong in (few, halves, lambda x, bits: None, None):
        found = ruler.outlier_ruler([0.5, -1.0], wrong)  # type: ignore[arg-type]
        assert "yours is not right yet" in found.title


def test_no_weight_is_drawn_outside_of_the_magnified_ruler() -> None:
    animation = ruler.outlier_ruler([k / 40 for k in range(-40, 41)])
    lines = "".join(each.pieces["others"] for each in animation.keyframes)
    places = [float(place) for place in re.findall(r"[ML]([-\d.]+) ", lines)]
    assert len(places) > 1000
    assert min(places) >= 20
    assert max(places) <= 780


def test_smaller_groups_round_by_less(reader: nn.Module) -> None:
    def to_largest(x: list[float], bits: int) -> tuple[list[int], float]:
        scale = max(map(abs, x)) / (2 ** (bits - 1) - 1)
        return [round(value / scale) for value in x], scale

    lost = []
    for together in ("matrix", "row", 32):
        apart = quantised.rounded(reader, to_largest, 4, together)[2].weight - reader[2].weight
        lost.append(float(apart.detach().square().sum()))
    assert lost[0] > lost[1] > lost[2]


def test_the_picture_tells_few_missed_digits_apart_and_none_missed_is_drawn() -> None:
    page = quantised.draw_accuracy({"a row": {8: 1.0, 4: 0.97, 2: 0.1}}, 0.98)
    assert "a row: 8 bits 100.0 %, 4 bits 97.0 %, 2 bits 10.0 %" in page.plain
    assert "With 32-bit floats 98.0 %" in page.plain


def test_training_reads_digits_and_goes_on_from_where_it_was(reader: nn.Module) -> None:
    first = quantised.accuracy(reader)
    assert first > 0.5
    assert quantised.trained(0, reader, epochs=1) is reader
    assert quantised.accuracy(reader) > first


def test_what_cannot_be_compiled_is_said(monkeypatch: pytest.MonkeyPatch, reader) -> None:
    monkeypatch.setattr(quantised, "why_not_inductor", lambda: "g++ is a stub")
    page = quantised.race_integers({"floats": [reader], "static": [reader]})
    assert "g++ is a stub" in page.plain
    table = quantised.integer_table({"floats": [reader]}, page)
    assert table.rows[0][2:] == ("1.00", "not compiled")


def test_the_times_of_the_layers_add_up_to_nearly_the_whole() -> None:
    x, state = Input(shape=(64,)), Input(shape=(64,))
    model = SymbolicModel([x, state], nn.Linear(64, 64)(x) + state)
    given = torch.rand(64, 64)
    times = sessions.operator_seconds(model, given, given, runs=5)
    assert list(times) == ["total", "Linear_1", "AddOpLayer_1"]
    assert times["Linear_1"] + times["AddOpLayer_1"] > 0
    assert torch.equal(sessions.loop(lambda s: s + 1, given, 3), given + 1 + 1 + 1)


def test_without_torchao_there_are_floats_and_the_way_to_install_it(monkeypatch, reader) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchao"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torchao", None)
    monkeypatch.setattr(quantised, "quick", lambda: False)
    monkeypatch.setattr(quantised, "trained", lambda seed: reader)
    found = quantised.in_integers([0])
    assert list(found) == ["floats"]
    said = " ".join(quantised.race_integers(found).plain.split())
    assert "pip install -c constraints.txt torchao" in said
    monkeypatch.setattr(quantised, "quick", lambda: True)
    assert "A short run leaves out" in quantised.race_integers(quantised.in_integers([0])).plain


def test_a_torchao_that_cannot_be_imported_is_said(
    monkeypatch, reader: nn.Module, tmp_path: Path
) -> None:
    package = tmp_path / "torchao"
    package.mkdir()
    # As torchao 0.18 on Apple silicon.
    (package / "__init__.py").write_text("import torch\ntorch.no_such_part\n", encoding="utf-8")
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchao"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(optional, "_FAILED", {})
    monkeypatch.setattr(quantised, "quick", lambda: False)
    monkeypatch.setattr(quantised, "trained", lambda seed: reader)
    found = quantised.in_integers([0])
    assert list(found) == ["floats"]
    said = " ".join(quantised.race_integers(found).plain.split())
    assert "torchao is not available here, because" in said
    assert "AttributeError" in said
    assert "pip install" not in said


def test_times_on_another_processor_than_x86_are_marked(monkeypatch, reader: nn.Module) -> None:
    nothing = quantised.say("")
    found = {"floats": [reader], "static": [reader]}
    monkeypatch.setattr(quantised.platform, "machine", lambda: "arm64")
    assert "arm64" in quantised.integer_table(found, nothing).caption
    monkeypatch.setattr(quantised.platform, "machine", lambda: "x86_64")
    assert "x86" not in quantised.integer_table(found, nothing).caption


def test_a_fixed_number_of_passes_over_the_edges_is_not_enough() -> None:
    def fifty_passes(edges: dict[str, list[str]], varying: list[str]) -> set[str]:
        reached = set(varying)
        for _ in range(50):
            reached.update(*(targets for name, targets in edges.items() if name in reached))
        return {*edges, *(target for targets in edges.values() for target in targets)} - reached

    cases = _invariant_cases(random.Random(1), more=False)
    assert any(fifty_passes(**case.data) != _invariant(case) for case in cases)


def test_seconds_per_character_are_those_of_a_step_and_the_mean_over_a_text() -> None:
    def taken(**seconds: float) -> Comparison:
        found = [Measurement(name, (each, each), 1) for name, each in seconds.items()]
        return Comparison(tuple(found), next(iter(seconds)), 2)

    table = sessions.latency_per_token(taken(all=0.010, new=0.001), taken(no=2.0, cache=0.5), 50)
    assert [row[:2] for row in table.rows] == [
        ("all, after 100 characters", 0.010),
        ("new, after 100 characters", 0.001),
        ("no, mean of 50", 0.04),
        ("cache, mean of 50", 0.01),
    ]

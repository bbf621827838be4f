"""What lab 14 shows: tables beside published figures, rounded networks, layers and their times."""

from __future__ import annotations

import threading

import pytest
import torch
from torch import nn

from hpml.benchmark import Comparison, Measurement
from hpml.labs import lab_14_runtimes as lab
from hpml.labs.lab_14_runtimes import digits_network
from hpml.runtimes import export_onnx
from hpml.symbolic import Input, SymbolicModel


def raced(*names: str) -> Comparison:
    found = [Measurement(n, (1e-3 / (i + 1),) * 6, 9) for i, n in enumerate(names)]
    return Comparison(tuple(found), names[0], 6)


def halves(x: list[float], bits: int) -> tuple[list[int], float]:
    return [round(2 * value) for value in x], 0.5


@pytest.fixture(scope="module")
def reader() -> nn.Module:
    return lab.trained(0, epochs=1)


def test_published_ratios_stand_beside_those_measured() -> None:
    table = lab.beside_published(raced("eager", "compiled", "ONNX Runtime, all"))
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["torch.compile"][0] == "0.39"
    assert str(rows["torch.compile"][1]).startswith("0.500")
    assert str(rows["ONNX Runtime, all"][1]).startswith("0.333")
    assert rows["ReLU"] == ("0.95", "")


def test_operators_are_counted_at_each_level() -> None:
    exported = export_onnx(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), torch.rand(1, 4))
    assert lab.operators_left(exported).rows[-1][:2] == ("sum", 2)


def test_calls_are_shared_out_among_threads() -> None:
    seen: list[int] = []
    both = threading.Barrier(2, timeout=20)

    def run() -> None:
        both.wait()
        seen.append(threading.get_ident())

    lab.in_parallel(run, 8, threads=2)()
    assert len(seen) == 8
    assert len(set(seen)) == 2
    lab.in_turn(lambda: seen.append(0), 3)()
    assert seen[8:] == [0, 0, 0]


@pytest.mark.parametrize("by_row", [True, False])
def test_a_rounded_network_has_the_weights_that_come_back(reader: nn.Module, by_row: bool) -> None:
    before = reader[0].weight.clone()
    small = lab.rounded(reader, halves, 4, by_row=by_row)
    assert torch.equal(small[0].weight, (2 * before).round() / 2)
    assert torch.equal(reader[0].weight, before)


def test_training_reads_digits_and_goes_on_from_where_it_was(reader: nn.Module) -> None:
    first = lab.accuracy(reader)
    assert first > 0.5
    assert lab.trained(0, reader, epochs=1) is reader
    assert lab.accuracy(reader) > first


def test_pictures_say_what_they_show() -> None:
    page = lab.draw_accuracy({"one": {8: [0.9], 2: [0.4]}, "other": {8: [1.0], 2: [0.5]}}, 0.95)
    assert "one: 8 bits 90.0 %, 2 bits 40.0 %" in page.plain
    assert "4 bits, 3 values" in lab.draw_rounding([0.0, 0.5, 1.0], halves, (4,)).plain


def test_what_cannot_be_compiled_is_said(monkeypatch: pytest.MonkeyPatch, reader) -> None:
    monkeypatch.setattr(digits_network, "quick", lambda: False)
    monkeypatch.setattr(digits_network, "find_compiler", lambda: None)
    page = lab.race_integers({"floats": [reader], "static": [reader]})
    assert "without a C++ compiler" in page.plain
    table = lab.integer_table({"floats": [reader]}, page)
    assert table.rows[0][2:] == ("1.00", "not compiled")


def test_the_times_of_the_layers_add_up_to_nearly_the_whole() -> None:
    x, state = Input(shape=(64,)), Input(shape=(64,))
    model = SymbolicModel([x, state], nn.Linear(64, 64)(x) + state)
    given = torch.rand(64, 64)
    times = lab.operator_seconds(model, given, given, runs=5)
    assert list(times) == ["total", "Linear_1", "AddOpLayer_1"]
    assert times["Linear_1"] + times["AddOpLayer_1"] > 0
    assert "Linear_1 from input_1" in lab.draw_loop(model, {"Linear_1"}, 9).plain
    assert torch.equal(lab.loop(lambda s: s + 1, given, 3), given + 1 + 1 + 1)


def test_without_torchao_there_are_floats_and_the_way_to_install_it(monkeypatch, reader) -> None:
    monkeypatch.setattr(digits_network, "installed_version", lambda package: None)
    monkeypatch.setattr(digits_network, "trained", lambda seed: reader)
    found = lab.in_integers([0])
    assert list(found) == ["floats"]
    assert "pip install -c constraints.txt torchao" in lab.race_integers(found).plain

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from hpml.base import optional
from hpml.course.labs.lab_14_runtimes import quantised, sessions
from hpml.course.labs.lab_14_runtimes.exercises import _invariant, _invariant_cases
from hpml.symbolic import Input, SymbolicModel


def halves(x: list[float], bits: int) -> tuple[list[int], float]:
    return [round(2 * value) for value in x], 0.5


@pytest.fixture(scope="module")
def reader() -> nn.Module:
    return quantised.trained(0, epochs=1)


@pytest.mark.parametrize("by_row", [True, False])
def test_a_rounded_network_has_the_weights_that_come_back(reader: nn.Module, by_row: bool) -> None:
    before = reader[0].weight.clone()
    small = quantised.rounded(reader, halves, 4, by_row=by_row)
    assert torch.equal(small[0].weight, (2 * before).round() / 2)
    assert torch.equal(reader[0].weight, before)


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

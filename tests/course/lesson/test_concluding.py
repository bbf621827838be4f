from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from hpml.benchmark import Estimate, Ratio
from hpml.course.labs.catalogue import LABS, explanation
from hpml.course.labs.lab_14_runtimes.sessions import shares
from hpml.course.lesson.conclusions.concluding import (
    judge,
    quantities,
    recorded_closing,
    recorded_verdict,
)
from hpml.course.lesson.conclusions.verdict import AND
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.predictions.prediction import open_lab
from hpml.course.lesson.racing import conclude
from hpml.course.lesson.reference import REVEALED, read_record
from tests.parts import raises

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("lab", LABS)
def test_each_closing_verdict_is_declared_by_ranges_before_the_measurement(lab: str) -> None:
    declared = quantities(lab)
    claims = set("ABCDEF"[: len(explanation(lab).claims)])
    names = {name for each in declared for name in each.ranges}
    assert {name for name in names if AND not in name} == claims
    assert all(set(name.split(AND)) <= claims for name in names)
    for each in declared:
        assert all(low <= high for low, high in each.ranges.values())
    # Each pair of hypotheses is told apart by at least one quantity.
    for one in sorted(claims):
        for other in sorted(claims - {one}):
            if lab == "01" and {one, other} == {"B", "C"}:
                continue  # as the lab says, they do not exclude one another
            assert any(
                one in each.ranges
                and other in each.ranges
                and (
                    each.ranges[one][1] < each.ranges[other][0]
                    or each.ranges[other][1] < each.ranges[one][0]
                    or each.ranges[one][0] == each.ranges[one][1] == 0
                    or each.ranges[other][0] == each.ranges[other][1] == 0
                )
                for each in declared
            ), (one, other)


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_each_notebook_ends_with_such_a_verdict(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    (source,) = [cell.source for cell in cells if "conclude(" in cell.source]
    tags = [cell.metadata.get("tags", []) for cell in cells if cell.source == source]
    assert "verdict" in tags[0]


@pytest.mark.parametrize("lab", LABS)
def test_no_reference_supports_a_hypothesis_whose_range_is_disjoint_from_the_interval(
    lab: str,
) -> None:
    found, record = recorded_closing(lab), read_record(lab)
    assert record is not None
    assert found is not None
    for each in found.quantities:
        measured = found.measured[each.name]
        for name, (low, high) in each.ranges.items():
            if high < measured.low or low > measured.high:
                assert name not in found.standing
    told = record["verdicts"][-1][1]
    assert f"That fits {found.fits}" in " ".join(told.split())
    assert record["questions"]["explanation"] == found.seen
    assert f"**{found.fits}**" in recorded_verdict(lab)


def test_lab_14_excludes_both_and_computes_the_shares() -> None:
    few, many = Estimate(626e-6, 603e-6, 654e-6), Estimate(1390e-6, 1250e-6, 1530e-6)
    names = [each.name for each in quantities("14")]
    found = judge("14", dict(zip(names, (few, many / few), strict=True)))
    assert found.fits == "none of them alone"
    assert "51% to 65%" in shares(few, many)  # 59 % by the medians
    wide = judge("14", dict(zip(found.measured, (few, Estimate(2.0, 1.0, 6.0)), strict=True)))
    assert wide.fits == "cannot tell"
    steady = Estimate(2.0, 2.0, 2.0)
    assert "0% to 0%" in shares(steady, steady)
    assert "100% to 100%" in shares(steady / 16, steady)


def test_lab_15_does_not_support_waiting_where_the_interval_is_wide() -> None:
    names = [each.name for each in quantities("15")]
    change = Estimate(70e-6, 48e-6, 225e-6) / Estimate(305e-6, 253e-6, 337e-6)
    found = judge("15", dict(zip(names, (change, Estimate(1.0, 0.9, 1.1)), strict=True)))
    assert found.fits == "cannot tell"
    assert found.standing == ("A", "B")


def test_the_measured_quantities_are_recorded_and_judged_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_lab("03")
    monkeypatch.setenv(REVEALED, str(tmp_path / "revealed"))
    before, after = Estimate(1e-3, 0.9e-3, 1.1e-3), Estimate(1e-2, 0.9e-2, 1.1e-2)
    page = conclude({"ten times as many lists": (before, after), "seven times the bytes": 1.0})
    assert page.plain.endswith("That fits A.")
    lines = [json.loads(line) for line in (tmp_path / "revealed").read_text().splitlines()]
    closing = dict(lines)["closing"]
    again = judge("03", {name: Estimate(*ends) for name, ends in closing.items()})
    assert again.fits == "A"
    assert dict(lines)["explanation"] == again.seen


def test_where_nothing_can_be_told_the_recorded_verdict_is_shown() -> None:
    open_lab("07")
    unknown = Ratio(1.0, 0.1, 9.0, "cannot tell")
    told = " ".join(conclude({"what `self.` adds to a layer": unknown}).plain.split())
    assert "A, B or C" in told
    assert "cannot tell" in told
    assert "Recorded on a quiet machine" in told
    assert told.endswith("fits A.")


def test_other_names_than_those_of_the_texts_are_refused() -> None:
    open_lab("07")
    with raises(
        LabError,
        object="measured quantities of lab 07",
        expected="what `self.` adds to a layer",
        received="other",
    ):
        conclude({"other": 1.0})

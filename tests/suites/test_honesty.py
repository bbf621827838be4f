"""The promises of `compare`, each held by a simulation with a fixed seed; few runs, to be quick."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from hpml.suites import honesty
from hpml.suites.errors import SuiteError
from hpml.suites.honesty import Figures, HonestyResult
from hpml.suites.honesty.noise import NOISES

SEEN = [noise.name for noise in NOISES if noise.seen]
RUNS = 160


@pytest.fixture(scope="module")
def result() -> HonestyResult:
    return honesty.run([7, 25], runs=RUNS, noises=NOISES, seed=1)


def figures(result: HonestyResult, noise: str, rounds: int = 25) -> Figures:
    (found,) = [f for f in result.figures if (f.noise, f.rounds) == (noise, rounds)]
    return found


@pytest.mark.parametrize("rounds", [7, 25])
@pytest.mark.parametrize("noise", SEEN)
def test_at_most_one_verdict_in_twenty_is_false(
    result: HonestyResult, noise: str, rounds: int
) -> None:
    # Of 160 runs nine are 5.6 %: one more than the promise, for chance.
    assert figures(result, noise, rounds).false <= 9 / RUNS


@pytest.mark.parametrize("noise", SEEN)
def test_the_interval_holds_the_ratio_or_it_cannot_tell(result: HonestyResult, noise: str) -> None:
    for rounds in (7, 25):
        assert figures(result, noise, rounds).covered >= 0.93


@pytest.mark.parametrize("noise", SEEN[:7])
def test_where_rounds_are_independent_all_of_seven_hold_together(
    result: HonestyResult, noise: str
) -> None:
    for rounds in (7, 25):
        assert figures(result, noise, rounds).false_many <= 0.05


def test_two_per_cent_is_found_in_noise_of_one_per_cent(result: HonestyResult) -> None:
    assert figures(result, "normal, 1 %").found >= 0.93
    assert figures(result, "all drift together, 20 %").found >= 0.93


@pytest.mark.parametrize("noise", ["spikes, one in ten", "all drift together, 20 %"])
def test_it_finds_what_a_t_test_misses(result: HonestyResult, noise: str) -> None:
    found = figures(result, noise)
    assert found.found >= 0.5
    assert found.found_t_test <= 0.15


def test_usual_ways_to_judge_are_wrong_where_rounds_hang_together(result: HonestyResult) -> None:
    for noise in ("one wanders, 5 %", "two sticky modes, 5 %", "neighbours alike, 3 %"):
        assert figures(result, noise).false_t_test > 0.3
        assert figures(result, noise).false_minimum > 0.1


def test_what_nothing_shows_is_named_below_the_table(result: HonestyResult) -> None:
    assert figures(result, "one wanders within the noise").false > 0.05
    assert "No promise is made for: one wanders within the noise" in str(result)


def test_the_table_has_a_row_a_noise_and_a_column_a_number_of_rounds(
    result: HonestyResult,
) -> None:
    lines = str(result).splitlines()
    assert "false, 7  false, 25" in lines[1]
    assert sum(line.startswith(noise.name) for line in lines for noise in NOISES) == len(NOISES)
    assert list(result.table()["noise"].unique()) == [noise.name for noise in NOISES]
    assert result._repr_html_().count("<table") == 1
    ax = result.plot().axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == [noise.name for noise in NOISES]


def test_the_same_seed_gives_the_same_figures() -> None:
    one, two = (honesty.run([7], runs=10, noises=NOISES[:2], seed=3) for _ in range(2))
    assert one == two


@pytest.mark.parametrize(("freedom", "point"), [(12, 2.179), (28, 2.048), (48, 2.011)])
def test_students_distribution_is_that_of_the_tables(freedom: int, point: float) -> None:
    assert honesty._student(freedom) == pytest.approx(point, abs=1e-3)


def test_numbers_out_of_range_are_named() -> None:
    with pytest.raises(SuiteError, match=r"got 0 and \[7\]"):
        honesty.run([7], runs=0)


def test_the_command_prints_the_table_and_leaves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    honesty.add_arguments(parser)
    out = tmp_path / "h.csv"
    words = ["--runs", "4", "--rounds", "7", "--out", str(out)]
    options = parser.parse_args(words)
    assert options.main(options) == 0
    assert out.read_text().startswith("noise,rounds,false,")
    assert "How often a comparison is wrong" in capsys.readouterr().out


def test_a_foreign_file_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    honesty.add_arguments(parser)
    out = tmp_path / "mine.md"
    out.write_text("mine")
    options = parser.parse_args(["--runs", "1", "--out", str(out)])
    assert options.main(options) == 1
    assert "expected a file of this benchmark's results" in capsys.readouterr().err
    assert out.read_text() == "mine"

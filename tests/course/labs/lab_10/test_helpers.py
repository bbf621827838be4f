from __future__ import annotations

import inspect
import statistics
import timeit

import nbformat
import pytest

from hpml.base import style
from hpml.benchmark import Comparison, Measurement
from hpml.benchmark.robust import quartiles
from hpml.course.files import data_file
from hpml.course.labs.lab_10_benchmarking import claims, race, recordings
from hpml.course.labs.lab_10_benchmarking.claims import Blame
from hpml.course.lesson.execute import find_lab
from tests.benchmark.fakes import steady
from tests.drawn import drawn, extent


def test_the_blame_goes_to_whom_the_profile_enlarges_most() -> None:
    def square(n: int) -> int:
        return n * n

    def with_calls() -> list[int]:
        return [square(n) for n in range(3000)]

    def in_c() -> list[int]:
        return sorted(range(30_000), reverse=True)

    parts = {"with_calls": with_calls, "in_c": in_c}
    alone = steady("in_c", **dict.fromkeys(parts, 1e-3))

    def program() -> None:
        with_calls()
        in_c()

    found = claims.blame(program, alone, parts)
    assert found.calls["with_calls"] >= 3000 > found.calls["in_c"]
    assert sum(found.profiled.values()) == pytest.approx(1)
    assert found.measured == {"with_calls": 0.5, "in_c": 0.5}
    worst = Blame({"a": 0.6, "b": 0.4}, {"a": 0.5, "b": 0.5}, {"a": 9, "b": 1})
    assert worst.verdict == "a looks too expensive: 60% by the profile, 50% by the benchmark."
    drawn = " ".join(worst.draw().plain.split())
    assert "a (by the profile): benchmark 50%, profile 60% 9 calls; b " in drawn


@pytest.mark.parametrize("name", recordings.NAMES)
def test_a_recording_names_no_path_of_its_machine(name: str) -> None:
    found, text = (
        recordings.recording(name),
        data_file(f"recorded/noise_{name}.json").read_text("utf-8"),
    )
    assert len(found.a) == len(found.b) == 60
    assert "/" not in text.replace(found.command, "").replace("µs a call", "")
    page = recordings.draw_noise(found)
    assert page.plain.startswith(f"{name}: minimum {min(found.a):.0f} µs, median")


def test_the_recordings_show_what_the_text_says_of_them() -> None:
    a = {name: recordings.recording(name).a for name in recordings.NAMES}
    half = 30
    assert statistics.median(a["drift"][half:]) > 1.2 * statistics.median(a["drift"][:half])
    assert statistics.mean(a["outliers"]) > 1.05 * statistics.median(a["outliers"])
    assert min(quartiles(a["quiet"])) > max(quartiles(a["equal"]))  # and a is one program
    low, _, high = statistics.quantiles(a["modes"], n=4)
    assert high > 1.4 * low
    drifting = a["drift"]
    assert race.by_library(drifting[:half], drifting[half:]) == "faster"
    assert race.by_library(drifting[::2], drifting[1::2]) == "cannot tell"
    coins = [
        race.by_coin_tosses(drifting[::2], [t * more for t in drifting[::2]]) for more in (1, 2)
    ]
    assert coins == ["cannot tell", "faster"]
    said = race.on_recordings({"library": race.by_library})
    assert {truth for _, truth, _ in said.rows} == {"equal", "faster", "slower"}
    assert all(answer in (truth, "cannot tell") for _, truth, answer in said.rows)


def test_the_loop_that_the_notebook_shows_is_that_of_this_python() -> None:
    cells = [cell.source for cell in nbformat.read(find_lab("10"), as_version=4).cells]
    (shown,) = (cell.split("```")[1] for cell in cells if "_timer{init}" in cell)
    method = inspect.getsource(timeit.Timer.timeit).split('"""')
    real = timeit.template + method[0] + method[2]
    wanted = [line.strip() for line in real.splitlines() if line.strip()]
    found = [line.partition("#")[0].strip() for line in shown.splitlines()[1:] if line.strip()]
    assert found == wanted


def test_a_race_counts_false_verdicts_and_leaves_out_who_does_not_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules = {
        "always": lambda a, b: "faster",
        "never": lambda a, b: "cannot tell",
        "unwritten": lambda a, b: None,
        "broken": lambda a, b: a[99],
    }
    rates = race.race_rules(rules, runs=6)  # type: ignore[arg-type]
    assert list(rates.false) == ["always", "never"]
    assert (rates.worst("always"), rates.worst("never")) == (1.0, 0.0)
    assert set(rates.found["always"].values()) == {0.5}  # in every second run a is slower
    assert len(rates.false["always"]) == len(race.NOISES)
    said = capsys.readouterr().out
    assert "unwritten is left out: it returned None" in said
    assert "broken is left out: it returned" in said
    page = rates.draw()
    assert page.png
    assert "always: 100% with scatter of 1 % (above the limit), 100% with" in page.plain
    assert "never: 0% with scatter of 1 %, 0% with" in page.plain


def test_a_share_of_false_verdicts_is_framed_where_chance_does_not_explain_it() -> None:
    shares = {
        "one": dict.fromkeys(race.NOISES, 0.05),
        "many": dict.fromkeys(race.NOISES, 0.09),
    }
    assert race.Rates(shares, shares, runs=200).limit == pytest.approx(0.0808, abs=1e-4)
    few, many = (race.Rates(shares, shares, runs).draw().plain for runs in (40, 200))
    assert "(above the limit)" not in few
    false, found = many.split("A difference of 5 %")
    assert false.count("9% with scatter of 1 % (above the limit)") == 1
    assert "(above the limit)" not in found  # on the right more is better


def claimed(claim: str) -> list[object]:
    environment: dict[str, str | int | float | None] = {"cpu": "Abacus 3000"}
    times = {"sum": 1e-3, "NumPy": 2e-5}
    measured = [Measurement(n, (t,) * 25, 9, environment=environment) for n, t in times.items()]
    table = claims.claim_parts(claim, Comparison(tuple(measured), "sum", 25), "NumPy", "sum")
    return [part for part, _, seen in table.rows if seen == "missing"]


def test_false_verdicts_are_marked_against_the_line_of_5_percent() -> None:
    answers = {
        "sure": ["faster"] * 100,
        "sound": ["faster"] * 5 + ["cannot tell"] * 95,
    }
    chart = race.verdicts_chart(answers, ["cannot tell"] * 100)
    assert chart.text == "sure: 0 % right, 100 % false; sound: 95 % right, 5 % false."
    ax = drawn(chart)
    crosses = [line for line in ax.get_lines() if line.get_marker() == "X"]
    assert [list(cross.get_xdata()) for cross in crosses] == [[100], [5]]
    assert [cross.get_color() for cross in crosses] == [style.FAIL, style.INK]
    assert [5.0, 5.0] in [list(line.get_xdata()) for line in ax.get_lines()]
    assert [text.get_text() for text in ax.texts] == ["100% false", "5% false"]
    assert all(extent(text).x0 > ax.bbox.x1 for text in ax.texts)


def test_right_answers_are_marked_where_the_programs_differ() -> None:
    given = ["faster", "cannot tell", "faster", "cannot tell"]
    chart = race.verdicts_chart({"rule": given}, ["faster", "slower"] * 2)
    assert chart.text == "rule: 50 % right, 0 % false."
    circles = [line for line in drawn(chart).get_lines() if line.get_marker() == "o"]
    assert [list(circle.get_xdata()) for circle in circles] == [[50]]


def test_an_honest_claim_has_all_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.python_version", lambda: "3.13.1")
    rest = (
        "on 20,000 numbers, in 25 interleaved rounds of one process, with the garbage collector "
        "off, with Python 3.13.1 on an Abacus 3000"
    )
    assert claimed(f"NumPy is 50.0 times as fast as sum (95 % interval 49.5 to 50.5), {rest}") == []
    slower = "sum takes 50 times as long as NumPy (49.5 to 50.5)"
    assert claimed(f"{slower}, {rest}.") == []
    assert claimed(f"NumPy takes 0.02 of the time of sum (0.0198 to 0.0202), {rest}") == []
    assert claimed("NumPy is 50 times as fast.") == [
        "the programs compared", "its interval", "how many rounds",
        "in how many processes", "the size of the job",
        "whether the garbage collector was on", "Python's version", "the machine",
    ]  # fmt: skip
    wrong = rest.replace("collector off", "collector on")
    assert claimed(f"{slower}, {wrong}.") == ["whether the garbage collector was on"]
    assert "the ratio" in claimed(f"NumPy is 80 times as fast as sum (70 to 90), {rest}")


@pytest.mark.parametrize(("said", "stated"), [("3", True), ("several", False), ("30", False)])
def test_a_claim_names_the_number_of_processes(said: str, stated: bool) -> None:
    """Three have no word of their own among those that are read."""
    times = {"sum": 1e-3, "NumPy": 2e-5}
    measured = [Measurement(n, (t,) * 24, 9, processes=3) for n, t in times.items()]
    claim = f"NumPy is 50 times as fast as sum in {said} processes"
    table = claims.claim_parts(claim, Comparison(tuple(measured), "sum", 24), "NumPy", "sum")
    (seen,) = (seen for part, _, seen in table.rows if part == "in how many processes")
    assert (seen == "✓") == stated


def test_a_claim_in_the_wrong_direction_has_no_ratio() -> None:
    right = [
        "NumPy is 50 times as fast as sum (49.5 to 50.5)",
        "Compared with sum, NumPy is 50 times as fast (49.5 to 50.5)",
        "sum is 50 times slower than NumPy (49.5 to 50.5)",
        "sum is 0.02 times as fast as NumPy (0.0198 to 0.0202)",
    ]
    turned = [
        "sum is 50 times as fast as NumPy (49.5 to 50.5)",
        "Compared with NumPy, sum is 50 times as fast (49.5 to 50.5)",
        "NumPy is 50 times slower than sum (49.5 to 50.5)",
        "NumPy is 0.02 times as fast as sum (0.0198 to 0.0202)",
        "NumPy takes 50 times as long as sum (49.5 to 50.5)",
        "sum takes 0.02 of the time of NumPy (0.0198 to 0.0202)",
    ]
    for claim in right:
        assert not {"the ratio", "its interval"} & set(claimed(claim)), claim
    for claim in turned:
        assert {"the ratio", "its interval"} <= set(claimed(claim)), claim

from __future__ import annotations

import inspect
import statistics
import timeit

import nbformat
import pytest

from hpml.benchmark import Comparison, Measurement
from hpml.benchmark.robust import quartiles
from hpml.course.files import data_file
from hpml.course.labs.lab_10_benchmarking import claims, race, recordings
from hpml.course.labs.lab_10_benchmarking.claims import Blame
from hpml.course.lesson.execute import find_lab
from tests.benchmark.fakes import steady


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
    assert "a, profile: 60%, 9 calls; benchmark: 50%" in worst.draw().plain


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
    assert "slower" not in said.column("library")
    assert [
        name for name, truth, answer in said.rows if (truth, answer) == ("equal", "faster")
    ] == []


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
    rates = race.race_rules(rules, runs=5)  # type: ignore[arg-type]
    assert list(rates.false) == ["always", "never"]
    assert (rates.worst("always"), rates.worst("never")) == (1.0, 0.0)
    assert set(rates.found["always"].values()) == {1.0}
    assert len(rates.false["always"]) == len(race.NOISES)
    said = capsys.readouterr().out
    assert "unwritten is left out: it returned None" in said
    assert "broken is left out: it returned" in said
    assert rates.draw().png


def claimed(claim: str) -> list[object]:
    environment: dict[str, str | int | float | None] = {"cpu": "Abacus 3000"}
    times = {"sum": 1e-3, "NumPy": 2e-5}
    measured = [Measurement(n, (t,) * 25, 9, environment=environment) for n, t in times.items()]
    table = claims.claim_parts(claim, Comparison(tuple(measured), "sum", 25), "NumPy", "sum")
    return [part for part, _, seen in table.rows if seen == "missing"]


def test_an_honest_claim_has_all_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.python_version", lambda: "3.13.1")
    rest = (
        "on 20,000 numbers, in 25 interleaved rounds, with the garbage collector off, with "
        "Python 3.13.1 on an Abacus 3000"
    )
    assert claimed(f"NumPy is 50.0 times as fast as sum (95 % interval 49.5 to 50.5), {rest}") == []
    slower = "sum takes 50 times as long as NumPy (49.5 to 50.5)"
    assert claimed(f"{slower}, {rest}.") == []
    assert claimed(f"NumPy takes 0.02 of the time of sum (0.0198 to 0.0202), {rest}") == []
    assert claimed("NumPy is 50 times as fast.") == [
        "the programs compared", "its interval", "how many rounds", "the size of the job",
        "whether the garbage collector was on", "Python's version", "the machine",
    ]  # fmt: skip
    wrong = rest.replace("collector off", "collector on")
    assert claimed(f"{slower}, {wrong}.") == ["whether the garbage collector was on"]
    assert "the ratio" in claimed(f"NumPy is 80 times as fast as sum (70 to 90), {rest}")

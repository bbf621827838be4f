from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import ClassVar, cast

import pytest

from hpml.benchmark import BenchmarkError, Case, Comparison, Estimate, Measurement, write_case
from hpml.benchmark.saved.record import read_cases
from hpml.course.labs.lab_15_capstone import fixes
from hpml.course.labs.lab_15_capstone.fixes import Ladder, Rung, class_table, equal_losses
from hpml.course.labs.lab_15_capstone.scripts import KINDS, train_of
from hpml.course.labs.lab_15_capstone.student_script import frozen, own_script
from hpml.course.lesson.errors import AnswerError
from hpml.profiling import FunctionProfile, profile_difference
from tests.benchmark.fakes import steady
from tests.course.labs.lab_15.fixed import fixed
from tests.parts import raises


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    return tmp_path


def test_a_students_file_is_written_once_and_never_again() -> None:
    given = own_script("ada")
    assert given.path.read_text(encoding="utf-8") == given.text
    given.path.write_text("mine", encoding="utf-8")
    assert own_script("ada").text == given.text
    assert given.path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_the_fixed_script_calls_a_tenth_of_the_operators(kind: str) -> None:
    given = own_script("ada", kind)
    before, after = (
        given.operators(train) for train in (given.train, train_of(fixed(given.seed, kind=kind)))
    )
    assert before["_local_scalar_dense"] >= 3 * given.batch_size
    assert sum(before.values()) > 10 * sum(after.values()) > 500


def test_there_is_no_other_kind_of_script() -> None:
    with raises(
        AnswerError,
        object="The script",
        expected="'network' or 'transformer'",
        received="'convnext'",
    ):
        own_script("ada", "convnext")


def test_a_frozen_version_keeps_its_helpers_and_classes() -> None:
    names = {"__name__": "student"}
    source = (
        "def helper():\n    return 1\nclass Kind:\n    def value(self):\n        return helper()\n"
    )
    exec(f"{source}def train():\n    return helper() + Kind().value()", names)
    kept = frozen(names["train"])
    names["helper"] = lambda: 100
    assert kept() == 2
    assert names["train"]() == 200


@pytest.mark.parametrize("kind", KINDS)
def test_the_ladder_measures_a_fix_and_refuses_other_losses(kind: str) -> None:
    given = own_script("ada", kind, "quick  one")
    ladder = Ladder(given)
    ladder.add("table made once", given.with_cached(given.table), 1.2, "the profile")
    assert [rung.what for rung in ladder.rungs] == ["table made once"]
    assert ladder.rungs[0].comparison.names == ("original", "this")
    assert ladder.rungs[0].bought == ladder.rungs[0].total

    def wrong(**arguments: object) -> object:
        steps, means = given.train(**arguments)
        return steps[:-1], means

    assert equal_losses(wrong, kind) is not None
    assert "is not in the log" in ladder.add("fewer steps", wrong, 1.2, "a guess").plain
    seeds: list[int] = []

    def noting(seed: int, **arguments: object) -> object:
        seeds.append(seed)
        return given.train(seed=seed, **arguments)

    ladder.add("again", noting, 1.3, "the profile")
    assert len(seeds) == len(set(seeds)) > 6
    assert ladder.rungs[1].comparison.names == ("original", "this", "before")
    rows = [row[:3] for row in ladder.table().rows]
    assert rows[1] == ("again", "the profile", "1.30 ×")
    assert [rung.kept > 0 for rung in ladder.rungs] == [True, True]
    ladder.add("no claim", given.train, None, "")
    assert [rung.what for rung in ladder.rungs] == ["table made once", "again"]
    page = ladder.add("table made once", given.train, 1.0, "nothing changed")
    assert [rung.what for rung in ladder.rungs] == ["table made once"]
    assert "table made once: " in page.plain
    table = class_table([ladder.path])
    assert [row[:3] for row in table.rows] == [(1, "quick one", kind)]


def test_of_the_names_a_result_has_only_the_one_that_the_student_chose() -> None:
    texts = []
    for nickname in ("", "Null pointer!"):
        given = own_script("Ada Lovelace", "network", nickname)
        ladder = Ladder(given)
        ladder.add("table made once", given.with_cached("cosines"), 1.2, "the profile")
        texts.append(f"{ladder.path.name} {ladder.path.read_text(encoding='utf-8')}")
    hidden, shown = texts
    assert "results_unnamed.jsonl" in hidden
    assert "results_null_pointer.jsonl" in shown
    assert '"student": "Null pointer!"' in shown
    for text in texts:
        assert not [each for each in ("Ada", "ada", "Lovelace", "lovelace") if each in text]
        assert "seed" not in str(next(iter(read_cases(ladder.path))).parameters)


def test_the_difference_of_two_profiles_shows_which_functions_a_fix_made_faster() -> None:
    for kind, function in (("network", "standardise"), ("transformer", "patches")):
        given = own_script("ada", kind)
        found = given.profile()
        now = given.profile(train_of(fixed(given.seed, kind=kind)))
        tree = profile_difference(found, now).tree
        (change,) = (each for _, each in tree.walk() if each.name == function)
        assert change.before_total > 2 * change.after_total > 0


@pytest.mark.parametrize(("claimed", "held"), [(1.9, "held"), (3.0, "too high"), (1.2, "too low")])
def test_a_claim_is_compared_with_the_measured_interval(claimed: float, held: str) -> None:
    compared = steady("original", original=0.2, this=0.1)
    assert Rung("fix", print, compared, claimed, "because", 0).held == held


def test_what_train_does_in_its_comprehensions_is_its_own_time() -> None:
    given = own_script("ada")

    class Profile:
        seconds = 8.0
        stats: ClassVar = {
            ("script", 50, "train"): (1, 1, 1.0, 8.0, {}),
            ("script", 60, "<listcomp>"): (9, 9, 2.0, 3.0, {}),
            ("script", 10, "<listcomp>"): (9, 9, 4.0, 4.0, {}),
            ("script", 9, "standardise"): (9, 9, 0.5, 4.5, {}),
        }

    shares = given.shares(cast("FunctionProfile", Profile()))
    assert shares == {"standardise": 4.5 / 8, "train, its own": 3 / 8}


def result(path: Path, student: str, ratio: float, noise: float) -> Path:
    wobble = [1 + noise * (n % 3 - 1) for n in range(25)]
    original = Measurement("original", tuple(0.1 for _ in wobble), number=1)
    this = Measurement("this", tuple(0.1 * ratio * w for w in wobble), number=1)
    parameters = {"student": student, "script": "network", "fix": "all", "place": 1}
    write_case(path, Case("capstone", parameters, Comparison((original, this), "original", 25)))
    return path


def test_who_cannot_be_told_apart_shares_a_rank(tmp_path: Path) -> None:
    made = functools.partial(result, noise=0.05)
    speeds = {"ada": 0.50, "bo": 0.25, "cy": 0.251, "di": 0.9}
    paths = [made(tmp_path / f"{name}.jsonl", name, ratio) for name, ratio in speeds.items()]
    table = class_table(paths)
    assert [(row[0], row[1]) for row in table.rows] == [(1, "bo"), (1, "cy"), (3, "ada"), (4, "di")]
    assert "share a rank" in str(table)
    other = tmp_path / "other.jsonl"
    write_case(other, dataclasses.replace(next(iter(read_cases(paths[0]))), suite="deep-linear"))
    with raises(BenchmarkError, object=str(other), expected="capstone", received="none"):
        class_table([other])


def test_the_moment_is_named_as_a_cause_only_where_the_interval_shows_it() -> None:
    def near(seconds: float) -> Estimate:
        return Estimate(seconds, 0.95 * seconds, 1.05 * seconds)

    assert "belongs to the moment" in fixes.reading_shares(near(50e-6), near(30e-6), near(30e-6))
    assert "may cost nothing" in fixes.reading_shares(near(50e-6), near(50e-6), near(49e-6))

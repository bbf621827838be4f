from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from hpml.course.lesson.predictions import store
from hpml.course.lesson.predictions.state import Entry, lock

CALL = Entry("call", "How long does one call take?", unit="µs")


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path))
    return tmp_path / "predictions.json"


def test_forgetting_drops_some_answers_of_a_lab_and_no_other() -> None:
    for lab, key in (("00", "a"), ("00", "b"), ("00", "c"), ("01", "a")):
        store.keep(lab, lock(Entry(key, "How long?", unit="µs"), 1))
    store.forget("00", "a", "c", "no such key")
    store.forget("99", "a")
    assert (list(store.answers("00")), list(store.answers("01"))) == (["b"], ["a"])


@pytest.mark.parametrize(
    "content", ["{half a", "[]", '{"version": 2, "labs": {}}', '{"labs": {"00": []}}']
)
def test_an_unreadable_file_is_put_aside_and_kept(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.warns(UserWarning, match=r"renamed to predictions\.unreadable\.json"):
        assert store.answers("00") == {}
    assert path.with_name("predictions.unreadable.json").read_text() == content
    path.write_text("again")
    with pytest.warns(UserWarning, match="unreadable-2"):
        store.keep("00", lock(CALL, 3))
    assert json.loads(path.read_text())["labs"]["00"]["call"]["question"] == CALL.question


def keep_many(lab: str) -> None:
    for number in range(25):
        store.keep(lab, lock(Entry(f"k{number}", "How long?", unit="µs"), number))


def test_two_labs_answered_at_once_lose_nothing() -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=keep_many, args=(lab,)) for lab in ("00", "01")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert [len(store.answers(lab)) for lab in ("00", "01")] == [25, 25]


def test_a_lab_that_runs_headless_shows_no_persons_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    store.keep("01", lock(CALL, 5))
    monkeypatch.setenv("HPML_HEADLESS", "1")
    assert store.answers("01") == {}
    monkeypatch.delenv("HPML_HEADLESS")
    assert list(store.answers("01")) == ["call"]

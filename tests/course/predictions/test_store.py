"""What is kept of a lab, and that nothing of it is lost."""

from __future__ import annotations

import json
import multiprocessing
from typing import TYPE_CHECKING

import pytest

from hpml.course.predictions.state import Entry, lock
from hpml.course.predictions.store import PredictionStore

if TYPE_CHECKING:
    from pathlib import Path

CALL = Entry("call", "How long does one call take?", unit="µs")


def test_forgetting_drops_one_answer_or_a_whole_lab_and_no_other(tmp_path: Path) -> None:
    store = PredictionStore(tmp_path / "predictions.json")
    for lab, key in (("00", "a"), ("00", "b"), ("01", "a")):
        store.keep(lab, lock(Entry(key, "How long?", unit="µs"), 1))
    assert store.forget("00", "a") == 1
    assert list(store.answers("00")) == ["b"]
    assert store.forget("00", "no such key") == 0
    assert store.forget("00") == 1
    assert (store.answers("00"), list(store.answers("01"))) == ({}, ["a"])
    assert store.forget("99") == 0


@pytest.mark.parametrize(
    "content",
    ["{half a", "[]", '{"version": 2, "labs": {}}', '{"labs": {"00": []}}'],
)
def test_an_unreadable_file_is_put_aside_and_kept(tmp_path: Path, content: str) -> None:
    store = PredictionStore(tmp_path / "predictions.json")
    store.path.write_text(content)
    with pytest.warns(UserWarning, match=r"renamed to predictions\.unreadable\.json"):
        assert store.answers("00") == {}
    assert (tmp_path / "predictions.unreadable.json").read_text() == content
    store.path.write_text("again")
    with pytest.warns(UserWarning, match="unreadable-2"):
        store.keep("00", lock(CALL, 3))
    assert list(store.answers("00")) == ["call"]


def test_the_file_is_in_the_results_folder_wherever_that_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PredictionStore()
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "elsewhere"))
    store.keep("00", lock(CALL, 3))
    found = json.loads((tmp_path / "elsewhere" / "predictions.json").read_text(encoding="utf-8"))
    assert found["labs"]["00"]["call"]["question"] == CALL.question


def keep_many(path: Path, lab: str) -> None:
    store = PredictionStore(path)
    for number in range(25):
        store.keep(lab, lock(Entry(f"k{number}", "How long?", unit="µs"), number))


def test_two_labs_answered_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=keep_many, args=(path, lab)) for lab in ("00", "01")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert [len(PredictionStore(path).answers(lab)) for lab in ("00", "01")] == [25, 25]


def test_a_lab_that_runs_headless_shows_no_persons_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PredictionStore(tmp_path / "predictions.json")
    store.keep("01", lock(CALL, 5))
    monkeypatch.setenv("HPML_HEADLESS", "1")
    assert store.answers("01") == {}
    monkeypatch.delenv("HPML_HEADLESS")
    assert list(store.answers("01")) == ["call"]

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import platformdirs
import pytest

from hpml.base import files
from hpml.base.files import append_line, cache_folder, write_atomically


def test_a_write_that_fails_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a"
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="no space left") as caught:
        write_atomically(target, "new")
    assert caught.value.filename == str(target)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes (Linux, macOS)")
def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    usual, new, old = tmp_path / "usual", tmp_path / "new", tmp_path / "old"
    usual.write_text("")
    write_atomically(new, "")
    old.write_text("")
    old.chmod(0o640)
    write_atomically(old, "x")
    assert new.stat().st_mode == usual.stat().st_mode
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_torn_last_line_stays_apart_from_the_next(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"a": 1}\n{"a": ')
    append_line(log, '{"a": 2}')
    assert log.read_bytes() == b'{"a": 1}\n{"a": \n{"a": 2}\n'


def test_lines_of_several_threads_do_not_mix(tmp_path: Path) -> None:
    log = tmp_path / "log"
    append_line(log, "first")

    def write(name: str) -> None:
        for _ in range(20):
            append_line(log, name * 500)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = log.read_text().splitlines()[1:]
    assert sorted(lines) == sorted(name * 500 for name in "abcd" for _ in range(20))


def test_the_cache_is_where_the_variable_says_else_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_CACHE", str(tmp_path))
    assert cache_folder("extensions") == tmp_path.resolve() / "extensions"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.delenv("HPML_CACHE")
    usual = platformdirs.user_cache_path("hpml", False).resolve()
    assert cache_folder("extensions") == usual / "extensions"

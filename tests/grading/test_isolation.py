from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hpml.grading import isolation
from hpml.grading.conversation import Printed
from hpml.grading.errors import CannotIsolate, GradingError
from hpml.grading.isolation import (
    adopting_orphans,
    below,
    end_all,
    processes,
    remove_folder,
    require_isolation,
)

# Prints a line when its child and its grandchild are there, and waits.
FAMILY = """
import os, time
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        print("here", flush=True)
    while True:
        time.sleep(1)
while True:
    time.sleep(1)
"""


def test_this_system_is_fit() -> None:
    require_isolation()


def test_another_system_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CannotIsolate, match=r"needs Linux.*this is darwin.*container"):
        require_isolation()


def test_a_system_without_proc_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> dict[int, isolation.Process]:
        raise FileNotFoundError("/proc")

    monkeypatch.setattr(isolation, "processes", gone)
    with pytest.raises(CannotIsolate, match=r"/proc, which is missing"):
        require_isolation()


def test_a_system_that_refuses_to_adopt_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_prctl", lambda option, value: -1)
    with pytest.raises(CannotIsolate, match="container"):
        require_isolation()
    with pytest.raises(CannotIsolate), adopting_orphans():
        pass


def test_every_descendant_is_found_and_ended() -> None:
    with (
        adopting_orphans(),
        subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE) as family,
    ):
        assert family.stdout is not None
        family.stdout.readline()
        found = [each.pid for each in below(family.pid)]
        assert len(found) == 2
        everyone = {family.pid, *found}

        def find() -> list[isolation.Process]:
            return [each for pid, each in processes().items() if pid in everyone]

        def reap() -> None:
            family.poll()
            for pid in found:
                # A child of this process only once its own parent has ended.
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    continue

        end_all(find, reap)
        assert not everyone & set(processes())


def test_what_cannot_be_ended_is_an_error() -> None:
    immortal = isolation.Process(2**22 + 1, 1, 1, "S", 0)
    with pytest.raises(GradingError, match=r"could not be ended within 0 s: 4194305"):
        end_all(lambda: [immortal], lambda: None, seconds=0.0)


def test_a_folder_goes_with_all_that_was_locked_in_it_and_no_link_is_followed(
    tmp_path: Path,
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = tmp_path / "folder"
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    (folder / "link").symlink_to(outside)
    (folder / "a").chmod(0)
    remove_folder(folder)
    assert not folder.exists()
    assert (outside / "kept").exists()


def test_a_link_in_the_place_of_the_folder_is_removed_alone(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "outside")
    remove_folder(link)
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    remove_folder(link)


@pytest.mark.parametrize("pieces", [1, 10, 1000])
def test_what_is_printed_is_kept_to_its_first_and_last_part(pieces: int) -> None:
    printed = Printed(10)
    for _ in range(pieces):
        printed.add(b"0123456789" * (1000 // pieces))
    assert printed.text == "01234\n[9990 bytes left out]\n56789"


def test_what_is_short_is_kept_whole() -> None:
    printed = Printed(10)
    for piece in (b"abc", b"", b"defghij"):
        printed.add(piece)
    assert printed.text == "abcdefghij"


# Leaves root, for whom nothing is closed, opens what it can of its parent, and says so.
READS = """
import ctypes, os, sys
from hpml.grading.isolation import hidden
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    # Changing the user has closed it as well.
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
def opened():
    child = os.fork()
    if child == 0:
        try:
            os.listdir(f"/proc/{os.getppid()}/fd")
        except PermissionError:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
with hidden():
    inside = opened()
print(inside, opened())
"""


def test_a_hidden_process_is_closed_to_others_of_the_same_user() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READS], capture_output=True, text=True, check=True, cwd=os.getcwd()
    )
    assert done.stdout == "False True\n"

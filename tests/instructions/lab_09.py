from __future__ import annotations

import inspect
import json
import pstats
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from hpml.course.files import data_file
from hpml.course.labs.lab_09_profiling import programs
from hpml.profiling import profile, profile_difference
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import EXPLAINED, NONE, Change, Followed, seen


def a_profile_is_saved_for_snakeviz() -> None:
    """The file is one that `pstats` reads, as snakeviz does."""
    learned = profile(lambda: sum(map(abs, range(100))))
    with tempfile.TemporaryDirectory() as folder:
        learned.save(Path(folder, "nn.prof"))
        assert pstats.Stats(str(Path(folder, "nn.prof"))).total_calls


def the_source_of_robot_is_shown() -> None:
    """`programs.PROGRAMS[1]??`."""
    assert inspect.getsource(programs.PROGRAMS[1]).lstrip().startswith("class Robot")


def the_trace_is_written_for_perfetto() -> None:
    """`export_chrome_trace` after a schedule has ended, as the cell calls it."""
    plan = {"schedule": torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)}
    cpu = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=cpu, acc_events=True, **plan) as recorded:
        for _ in range(4):
            torch.rand(4).sum()
            recorded.step()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        recorded.export_chrome_trace(str(path))
        events = json.loads(path.read_text("utf-8"))["traceEvents"]
    names = [event["name"] for event in events if event["name"].startswith("ProfilerStep")]
    assert sorted(set(names)) == ["ProfilerStep#2", "ProfilerStep#3"]


def a_difference_is_saved_for_speedscope() -> None:
    """Both profiles are in the file, under the names that speedscope offers."""
    before, after = (profile(sorted, list(range(n))) for n in (500_000, 5_000))
    with tempfile.TemporaryDirectory() as folder:
        path = profile_difference(before, after).save(Path(folder, "robot.speedscope.json"))
        content = json.loads(path.read_text("utf-8"))
    assert [each["name"] for each in content["profiles"]] == ["before", "after"]


def the_command_line_samplers_do_what_the_text_says() -> None:
    """`py-spy record` and `dump`, where py-spy may read a child; Python 3.15's, where it is."""
    program = str(data_file("nn.py"))
    spy = Path(sys.executable).with_name("py-spy")
    found = shutil.which("python3.15")
    with tempfile.TemporaryDirectory() as folder:
        quiet = {"check": True, "capture_output": True, "cwd": folder, "timeout": 120}
        if sys.platform == "linux" and spy.exists():
            record = [spy, "record", "-o", "nn.svg", "--", sys.executable, program, "50"]
            subprocess.run(record, **quiet)
            assert "<svg" in Path(folder, "nn.svg").read_text("utf-8")
            waits = "input()"
            with subprocess.Popen([sys.executable, "-c", waits], stdin=subprocess.PIPE) as child:
                dump = [spy, "dump", "--nonblocking", "--pid", str(child.pid)]
                said = _until_it_runs(dump)
                child.communicate(b"\n")
            assert "<module>" in said
        if found:  # run with Python 3.15.2
            sampling = [found, "-m", "profiling.sampling", "run", "--flamegraph", "-o", "nn.html"]
            loop = Path(folder, "loop.py")
            loop.write_text("sum(n * n for n in range(5_000_000))", encoding="utf-8")
            subprocess.run([*sampling, str(loop)], **quiet)
            assert Path(folder, "nn.html").stat().st_size


def _until_it_runs(command: list[object]) -> str:
    """Return what the command prints once the program it looks at has started."""
    for _ in range(100):
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
        if ran.returncode == 0 and "<module>" in ran.stdout:
            break
    return ran.stdout


FOLLOWED: Followed = {
    "Find the forward pass, the backward pass, and the update of the parameters.": seen(
        "09-29", r"forward \(linear\.py", r"run_backward", r"learn \(nn\.py"
    ),
    '`learned.save("nn.prof")` stores the profile for `snakeviz nn.prof`, which shows it in the '
    "browser.": a_profile_is_saved_for_snakeviz,
    "`save` writes both profiles for [speedscope](https://www.speedscope.app): drop the file onto "
    "that page.": (
        a_difference_is_saved_for_speedscope,
        seen("09-difference-code", r"robot\.speedscope\.json"),
    ),
    "The last line writes a **Chrome trace**, `trace.json` in `results/`: open it in "
    "[Perfetto](https://ui.perfetto.dev), and zoom into a step.": the_trace_is_written_for_perfetto,
    "Look at the profile of each: change the number in the cell.": (
        seen("09-33", r"function calls", "programs.py"),
        Change("09-33", "programs.PROGRAMS[1]", "programs.PROGRAMS[0]", "function calls"),
        Change("09-33", "programs.PROGRAMS[1]", "programs.PROGRAMS[2]", "largest_first"),
    ),
    "Its keys are RTen's: `sort` is `time` or `name`, and `by-shape` adds a table of the "
    "shapes.": NONE,
    "Write the number of an experiment into the cell and run it, before you go on.": EXPLAINED,
}
ALSO: Followed = {
    "**Depth** and **Cutoff** hide boxes that are deep or small; **Style** draws a *sunburst*.": (
        OwnedBy(
            "tests/browser/test_icicle.py", "test_a_page_on_disk_is_walked_by_keyboard_and_cut_off"
        )
    ),
    "`programs.PROGRAMS[1]??` shows the source of `Robot`.": the_source_of_robot_is_shown,
    "`py-spy record -o nn.svg -- python nn.py` samples a program from the command line and draws a "
    "flame graph.": the_command_line_samplers_do_what_the_text_says,
    "Which rows are yours?": seen("cf5fef5e", r"my forward", r"my backward"),
    "Which line of `first_visits` takes longest?": seen(
        "09-difference-code", r"\d\.\d% .*if.name.not.in.seen"
    ),
    "It prints the table sorted by time; `-o nn.prof` writes it to a file.": seen(
        "09-27", r"ncalls +tottime +percall"
    ),
}

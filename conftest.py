"""What holds for every test and every docstring example: a clean world before and after.

At the root, not in ``tests/``, because the examples in ``hpml/`` run under the same rules.
"""

from __future__ import annotations

import builtins
import gc
import importlib.util
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

# Before numpy and torch read them: two test workers share two cores. `make` sets THREADS.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ["MPLBACKEND"] = "Agg"
# A shell starts what runs in its background without Ctrl-C; the tests, and what they start, use it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["HPML_QUICK"] = "1"
# The servers of the tests are on this machine, which no proxy reaches.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if importlib.util.find_spec("torch") is None:  # tests of the stack machine run without PyTorch
    _ORIGINALS: dict[str, Any] = {}
else:
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    _ORIGINALS = {"__call__": torch.nn.Module.__call__, "__new__": torch.nn.Module.__new__}

# Importing these needs Triton, which PyTorch's builds for GPUs bring along. They have no examples.
_OF_TRITON = [
    "hpml/course/models/fast_swish_triton.py",
    "hpml/course/labs/lab_11_gpu_benchmarks/softmax_triton.py",
]
collect_ignore = [] if importlib.util.find_spec("triton") else _OF_TRITON

pytest_plugins = ["tests.needs"]


@pytest.fixture(scope="session", autouse=True)
def _results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what tests write out of the student's results, and out of the user's cache."""
    folder = tmp_path_factory.mktemp("results")
    patch = pytest.MonkeyPatch()
    patch.setenv("HPML_RESULTS", str(folder))
    patch.setenv("HPML_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield folder
    patch.undo()


@pytest.fixture(scope="module", autouse=True)
def _old_objects_are_frozen() -> None:
    """Let the collector look only at what this module's tests make.

    After thousands of tests a full collection takes a second, and `_switched_off_again` collects
    after each test that used symbolic data.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _switched_off_again(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves `nn.Module` patched or a profiler or tracer switched on."""
    if _altered():
        # An earlier test failed: the traceback kept for debuggers holds its symbolic handles.
        _forget_the_last_failure()
    hooks = _hooks()
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if "hpml.benchmark.advice" in sys.modules:  # `lab_head` began one
        sys.modules["hpml.benchmark.advice"].end_report()
    after = _hooks()
    _set_hooks(hooks)
    assert after == hooks, f"the test left a profiler or tracer on: {after}, before it {hooks}"
    if _altered():
        # A doctest's last value stays in `_`; cycles wait for the collector.
        builtins.__dict__.pop("_", None)
        gc.collect()
    failed = any(getattr(request.node, f"_{phase}_failed", False) for phase in ("setup", "call"))
    altered = _altered()
    # After a failure its traceback still holds the handles; that failure is what to look at.
    assert failed or not altered, (
        f"the test left torch.nn.Module.{altered} changed: is a symbolic handle still alive?"
    )


def _altered() -> str:
    """Return the name of the first method of `nn.Module` that is not the original, or ``""``."""
    for name, original in _ORIGINALS.items():
        if getattr(torch.nn.Module, name) is not original:
            return name
    return ""


def _hooks() -> dict[str, Any]:
    hooks: dict[str, Any] = {
        "sys.setprofile": sys.getprofile(),
        "sys.settrace": sys.gettrace(),
        "threading.setprofile": threading.getprofile(),
        "threading.settrace": threading.gettrace(),
    }
    if sys.version_info >= (3, 12):
        # A coverage tool or debugger that was there before the test stays.
        hooks["sys.monitoring"] = tuple(sys.monitoring.get_tool(number) for number in range(6))
    return hooks


def _set_hooks(hooks: dict[str, Any]) -> None:
    """Put the hooks back, so that one test that forgot to does not fail all that follow."""
    for name, function in (
        ("sys.setprofile", sys.setprofile),
        ("sys.settrace", sys.settrace),
        ("threading.setprofile", threading.setprofile),
        ("threading.settrace", threading.settrace),
    ):
        function(hooks[name])


def _forget_the_last_failure() -> None:
    for name in ("last_exc", "last_value", "last_traceback", "last_type"):
        sys.__dict__.pop(name, None)
    builtins.__dict__.pop("_", None)
    gc.collect()


@pytest.fixture(autouse=True)
def _gpu(request: pytest.FixtureRequest) -> Iterator[None]:
    """Skip a test marked ``gpu`` where there is none; hide every accelerator from all others."""
    has_gpu = bool(_ORIGINALS) and torch.cuda.is_available()
    needs_gpu = request.node.get_closest_marker("gpu") is not None
    if needs_gpu and not has_gpu:
        pytest.skip("needs a CUDA GPU; runs on a machine that has one")
    with pytest.MonkeyPatch.context() as patch:
        if has_gpu and not needs_gpu:
            patch.setattr(torch.cuda, "is_available", lambda: False)
        if _ORIGINALS and not needs_gpu and torch.accelerator.is_available():
            hidden = torch.accelerator, "current_accelerator"
            patch.setattr(*hidden, lambda check_available=False: None)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every browser test as thorough, before `-m` selects."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("thorough")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share tests out by file, so that what a module makes for its tests is made once.

    A lab is a module of its own: it is executed once, and the next one may run meanwhile. So is
    an exercise, whose many wrong solutions are tried one after the other.
    (Groups by mark, `--dist loadgroup`, are lost between xdist 3.8 and pytest 9.2.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file, _, test = nodeid.partition("::")
            if file.endswith(("browser/test_labs.py", "labs/test_solutions.py")):
                return file + test[test.rfind("[") :].partition("/")[0]
            return file

    # As collected: what takes longest, the browser and the labs, comes early there.
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    setattr(item, f"_{report.when}_failed", report.failed)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how long each lab of the walk took."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, value in report.user_properties:
            if name == "walk":
                terminalreporter.write_line(str(value))

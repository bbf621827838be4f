"""Run a lab from the command line in a new kernel, and keep the executed notebook.

This adds to nbclient one time limit for the whole run, a kernel that is this interpreter instead of
the registered one, and a failure that is a value. nbclient runs on a second thread because it takes
over the main thread's signals and hangs on a kernel that no longer answers.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.errors import UsageError, describe
from hpml.base.files import course_folder

if TYPE_CHECKING:
    import psutil
    from nbclient import NotebookClient
    from nbformat import NotebookNode

_NAME = re.compile(r"(\d\d)_\w+")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

Progress = Callable[[int, int, str], None]
"""Called before each code cell and at the end: cells done, cells in total, the heading above."""


class LabNotFoundError(UsageError):
    """The course has no lab with this number or name."""


@dataclass(frozen=True)
class Failure:
    """Where and how a run stopped."""

    cell: int
    heading: str
    source: str
    error: str
    traceback: str

    def __str__(self) -> str:
        where = f"Code cell {self.cell}" if self.cell else "The lab"
        under = f" under “{self.heading}”" if self.heading else ""
        source = "".join(f"    {line}\n" for line in self.source.splitlines())
        tail = f"\n{self.traceback.rstrip()}" if self.traceback else ""
        return f"{where}{under} failed: {self.error}\n{source}{tail}".rstrip()


@dataclass(frozen=True)
class Execution:
    """An executed copy of a lab."""

    notebook: NotebookNode
    seconds: float
    failure: Failure | None


def labs() -> tuple[Path, ...]:
    """Return the course's notebooks, ``NN_name.ipynb``, in order."""
    found = (course_folder() / "notebooks").glob("*.ipynb")
    return tuple(sorted(path for path in found if _NAME.fullmatch(path.stem)))


def find_lab(name: str) -> Path:
    """Return the notebook of a lab."""
    available = labs()
    wanted = name.removesuffix(".ipynb")
    for path in available:
        number = path.stem[:2]
        if wanted == path.stem or (wanted.isdecimal() and int(wanted) == int(number)):
            return path
    listing = "".join(f"\n  {path.stem}" for path in available) or " none"
    raise LabNotFoundError(
        f"There is no lab {describe(name)}, expected a number or a name of:{listing}"
    )


def execute(
    path: str | os.PathLike[str],
    *,
    timeout: float = 900.0,
    progress: Progress | None = None,
    environment: Mapping[str, str] | None = None,
) -> Execution:
    """Execute a copy of a notebook from top to bottom in a new kernel of this interpreter."""
    import nbformat

    notebook: NotebookNode = nbformat.read(os.fspath(path), as_version=4)  # type: ignore[no-untyped-call]
    run = _Run(notebook, Path(path).resolve().parent, progress, environment or {})
    start = time.perf_counter()
    run.start()
    try:
        run.join(timeout)
        if run.is_alive():
            run.stop(f"TimeoutError: the lab ran longer than {timeout:g} s and was stopped")
    except BaseException:
        run.stop("KeyboardInterrupt: stopped by the user")
        raise
    finally:
        run.join()
        run.kill()
    if run.unexpected is not None:
        raise run.unexpected
    return Execution(notebook, time.perf_counter() - start, run.failure())


def result_texts(notebook: NotebookNode) -> tuple[str, ...]:
    """Return the texts, except empty ones, shown by the cells tagged ``result``."""
    return tuple(text for _, text in tagged_texts(notebook, "result") if text)


def tagged_texts(
    notebook: NotebookNode, tag: str, *, last: bool = False
) -> tuple[tuple[str, str], ...]:
    """Return the heading and the uncoloured text of each code cell with a tag."""
    start = -1 if last else 0
    return tuple(
        (heading, "\n".join(list(filter(None, map(_output_text, cell.get("outputs", []))))[start:]))
        for heading, cell in zip(headings(notebook), notebook.cells, strict=True)
        if cell.cell_type == "code" and tag in cell.metadata.get("tags", [])
    )


class _Run(threading.Thread):
    """One run of a notebook on a thread; `kill` may be called from another."""

    def __init__(
        self,
        notebook: NotebookNode,
        folder: Path,
        progress: Progress | None,
        environment: Mapping[str, str],
    ) -> None:
        super().__init__(name="hpml run", daemon=True)
        self.unexpected: Exception | None = None
        self._notebook = notebook
        self._folder = folder
        self._progress = progress or (lambda done, total, heading: None)
        self._environment = environment
        self._headings = headings(notebook)
        self._code = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        self._current: int | None = None
        self._stopped: str | None = None
        self._error: tuple[str, str] | None = None
        self._kernel: psutil.Process | None = None

    def run(self) -> None:
        with tempfile.TemporaryDirectory(prefix="hpml-", ignore_cleanup_errors=True) as folder:
            self._run_in(folder)

    def _run_in(self, folder: str) -> None:
        from nbclient.exceptions import CellExecutionError, DeadKernelError

        client = self._client(folder)
        try:
            # Not client.execute(): it leaves its event loop open for the next call.
            asyncio.run(client.async_execute(env=self._kernel_environment()))
            self._progress(len(self._code), len(self._code), "")
        except CellExecutionError as error:
            self._error = (f"{error.ename}: {error.evalue}", self._traceback())
        except DeadKernelError:
            self._error = ("DeadKernelError: the kernel died while it ran the cell", "")
        except Exception as error:  # noqa: BLE001 - re-raised by `execute`, unless we killed the kernel
            if self._stopped is None:
                self.unexpected = error
        finally:
            # nbclient leaves it registered if the kernel was killed during its start.
            atexit.unregister(client._cleanup_kernel)

    def stop(self, reason: str) -> None:
        """End the run for `reason`, which becomes its failure."""
        self._stopped = reason
        # The kernel may still be starting, so kill repeatedly until the thread ends.
        while self.is_alive():
            self.kill()
            self.join(0.2)

    def kill(self) -> None:
        """Kill the kernel and its descendants, stopped (SIGSTOP) ones too."""
        if self._kernel is None:
            return
        import psutil

        processes = [self._kernel]
        with contextlib.suppress(psutil.Error):
            # Listed before the kernel dies, because then they are no longer its children.
            processes += self._kernel.children(recursive=True)
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if hasattr(os, "killpg"):
            # Processes left in the kernel's group after it ended by itself.
            with contextlib.suppress(OSError):
                os.killpg(self._kernel.pid, signal.SIGKILL)

    def failure(self) -> Failure | None:
        """Return why the run stopped early, or None; call it after the thread has ended."""
        error, traceback = self._error or ("", "")
        error = self._stopped or error
        if not error:
            return None
        if self._current is None:
            return Failure(0, "", "", error, traceback)
        source = str(self._notebook.cells[self._current].source)
        number = self._code.index(self._current) + 1
        return Failure(number, self._headings[self._current], source, error, traceback)

    def _client(self, folder: str) -> NotebookClient:
        import psutil
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient

        run = self

        class Manager(AsyncKernelManager):
            def __init__(self, **keywords: Any) -> None:
                super().__init__(**keywords)
                if _has_ipc(folder):
                    # Over TCP the kernel prints a security warning into the first cell's output.
                    self.transport = "ipc"
                    self.connection_file = os.path.join(folder, "kernel.json")
                    self.ip = os.path.join(folder, "kernel")

            # Upstream declares the synchronous method's type for both.
            async def start_kernel(self, *arguments: Any, **keywords: Any) -> None:  # type: ignore[override]
                # This interpreter: a kernel registered on the machine as "python3" may be another.
                spec = self.kernel_spec
                if spec is not None:
                    module = ["-m", "ipykernel_launcher", "-f", "{connection_file}"]
                    spec.argv = [sys.executable, *module]
                await super().start_kernel(*arguments, **keywords)
                pid = getattr(self.provisioner, "pid", None)
                # psutil also compares start times, so a reused process id is not killed.
                with contextlib.suppress(psutil.Error):
                    run._kernel = psutil.Process(pid) if pid else None

        return NotebookClient(
            self._notebook,
            timeout=None,
            # On a busy machine output comes late; by default nbclient drops it after 4 s.
            iopub_timeout=60,
            raise_on_iopub_timeout=True,
            kernel_manager_class=Manager,
            kernel_name="python3",
            resources={"metadata": {"path": str(self._folder)}},
            on_cell_start=self._begin,
        )

    def _begin(self, cell: NotebookNode, cell_index: int) -> None:
        # nbclient also calls this for Markdown cells.
        if cell.cell_type == "code":
            self._current = cell_index
            done = self._code.index(cell_index)
            self._progress(done, len(self._code), self._headings[cell_index])

    def _traceback(self) -> str:
        if self._current is None:
            return ""
        for output in self._notebook.cells[self._current].get("outputs", []):
            if output.output_type == "error":
                return _ANSI.sub("", "\n".join(output.traceback))
        return ""

    def _kernel_environment(self) -> dict[str, str]:
        root = str(Path(__file__).resolve().parents[2])
        search = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(search),
            "HPML_HEADLESS": "1",
            **self._environment,
        }


def _has_ipc(folder: str) -> bool:
    """Return whether a kernel can use Unix sockets in this folder."""
    import zmq

    # The path of a Unix socket is limited to about a hundred bytes.
    return zmq.has("ipc") and hasattr(socket, "AF_UNIX") and len(os.fsencode(folder)) < 85


def headings(notebook: NotebookNode) -> list[str]:
    """Return for each cell the nearest Markdown heading at or above it, without ``#``."""
    headings, current = [], ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for line in cell.source.splitlines():
                if match := re.match(r"#{1,6}\s+(.*)", line):
                    current = match[1].strip()
        headings.append(current)
    return headings


def _output_text(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return _ANSI.sub("", str(output.text)).rstrip()
    text = str(output.get("data", {}).get("text/plain", ""))
    # The text of a bare figure is only its size.
    return "" if text.startswith("<Figure size") else _ANSI.sub("", text).rstrip()

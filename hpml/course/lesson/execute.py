"""Run a lab from the command line in a new kernel, and keep the executed notebook.

This adds to nbclient one time limit for the whole run, a kernel that is this interpreter instead of
the registered one, and a failure that is a value.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.child_process import with_package
from hpml.base.errors import UsageError, describe
from hpml.course.files import course_folder

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager
    from nbformat import NotebookNode

_NAME = re.compile(r"(\d\d)_\w+")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LONGEST_SOCKET = 85  # bytes of a folder; the path of a Unix socket has about a hundred

Progress = Callable[[int, int, str], None]
"""Called before each code cell and at the end: cells done, cells in total, the heading above."""


class LabNotFoundError(UsageError):
    """The course has no lab with this number or name."""


@dataclass(frozen=True)
class Failure:
    """Where and how a run stopped."""

    cell: int  # counted from 1; 0 before the first one
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
        f"There is no lab {describe(name)}.",
        object="LAB",
        expected=f"one of {', '.join(path.stem for path in available) or 'none'}",
        received=describe(name),
        remedy=f"Name one by its number or its name:{listing}",
    )


def execute(
    path: str | os.PathLike[str],
    *,
    timeout: float = 900.0,
    progress: Progress = lambda done, total, heading: None,
    environment: Mapping[str, str] | None = None,
) -> Execution:
    """Execute a copy of a notebook from top to bottom in a new kernel of this interpreter."""
    import nbformat

    notebook: NotebookNode = nbformat.read(os.fspath(path), as_version=4)  # type: ignore[no-untyped-call]
    kernel = {
        "cwd": str(Path(path).resolve().parent),
        "env": {**with_package(), "HPML_HEADLESS": "1", **(environment or {})},
    }
    start = time.perf_counter()
    loop = asyncio.new_event_loop()
    task = loop.create_task(_run(notebook, kernel, timeout, progress))
    # On a thread, because an event loop may be running on this one.
    with contextlib.closing(loop), ThreadPoolExecutor(1) as thread:
        try:
            failure = thread.submit(loop.run_until_complete, task).result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(task.cancel)
            raise
    return Execution(notebook, time.perf_counter() - start, failure)


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


async def _run(
    notebook: NotebookNode, kernel: Mapping[str, object], timeout: float, progress: Progress
) -> Failure | None:
    """Execute the code cells within `timeout`; return the failure that stopped them, if any."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    above = headings(notebook)
    code = [place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    current: int | None = None

    async def execute_cells() -> None:
        nonlocal current
        await manager.start_kernel(**kernel)
        channels = await client.async_start_new_kernel_client()
        about = await client.async_wait_for_reply(channels.kernel_info())
        if about is not None:
            notebook.metadata["language_info"] = about["content"]["language_info"]
        for current, place in enumerate(code):
            progress(current, len(code), above[place])
            await client.async_execute_cell(notebook.cells[place], place)
        client.set_widgets_metadata()
        progress(len(code), len(code), "")

    with tempfile.TemporaryDirectory(prefix="hpml-", ignore_cleanup_errors=True) as folder:
        manager = _manager(folder)
        client = NotebookClient(
            notebook,
            manager,
            timeout=None,
            # On a busy machine output comes late; by default nbclient drops it after 4 s.
            iopub_timeout=60,
            raise_on_iopub_timeout=True,
        )
        running = asyncio.create_task(execute_cells())
        late = True
        try:
            await asyncio.wait([running], timeout=timeout)
            late = not running.done()
        finally:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:  # nbclient's own, too
                task.cancel()
            await asyncio.gather(running, return_exceptions=True)
            if client.kc is not None:
                client.kc.stop_channels()
            await manager.shutdown_kernel(now=late)
    error = None if running.cancelled() else running.exception()
    if late:
        text = f"TimeoutError: the lab ran longer than {timeout:g} s and was stopped"
    elif isinstance(error, CellExecutionError):
        text = f"{error.ename}: {error.evalue}"
    elif isinstance(error, DeadKernelError):
        text = "DeadKernelError: the kernel died while it ran the cell"
    elif error is not None:
        raise error
    else:
        return None
    if current is None:
        return Failure(0, "", "", text, "")
    cell = notebook.cells[code[current]]
    raised = [each.traceback for each in cell.outputs if each.output_type == "error"]
    traceback = _ANSI.sub("", "\n".join(raised[0])) if raised else ""
    return Failure(current + 1, above[code[current]], str(cell.source), text, traceback)


def _manager(folder: str) -> AsyncKernelManager:
    """Return the manager of a kernel that is not started yet, with its files in `folder`."""
    from jupyter_client.manager import AsyncKernelManager

    manager = AsyncKernelManager(kernel_name="python3")
    if _has_unix_sockets() and len(os.fsencode(folder)) < _LONGEST_SOCKET:
        manager.transport = "ipc"
        manager.connection_file = os.path.join(folder, "kernel.json")
        manager.ip = os.path.join(folder, "kernel")
    spec = manager.kernel_spec
    assert spec is not None
    # This interpreter: a kernel registered on the machine as "python3" may be another.
    spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    if manager.transport == "tcp":  # it would print a security warning into the first cell's output
        spec.argv += ["--log-level=ERROR"]
    return manager


def _has_unix_sockets() -> bool:
    return os.name == "posix"


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

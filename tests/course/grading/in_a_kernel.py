"""Run cells in a real kernel, as a front-end does, and read what `check` and `explain` said."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from jupyter_client.manager import KernelManager

from hpml.base.child_process import with_package

SECONDS = 300.0
_CHECKED = """__import__("json").dumps([
    checked.right, dict(checked.verdict.parts) if checked.verdict else None, checked.text
])"""


class Checked(NamedTuple):
    """What a check said."""

    right: bool
    parts: dict[str, float] | None  # None if it knew no such exercise
    text: str


class Kernel:
    """One kernel, whose namespace and history are emptied for each notebook."""

    def __init__(self, client: Any, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self.error = ""  # the last traceback

    def start(self, lab: str) -> None:
        """Begin a notebook of a lab, in an empty folder."""
        for path in self._folder.glob("*.py"):
            path.unlink()
        (self._folder / "results" / "progress.json").unlink(missing_ok=True)
        emptied = self.run(
            "get_ipython().reset(); del get_ipython().history_manager.input_hist_raw[1:]"
        )
        begun = self.run(
            "import sys\n"
            f"for _name in [n for n in sys.modules if n.endswith('{MODULE}')]:"
            " del sys.modules[_name]\n"
            "from hpml.course import check, explain, lab_head\n"
            f"_ = lab_head({int(lab)}, 'A lab')"
        )
        assert emptied is begun is None, (emptied, begun, self.error)

    def run(self, cell: str, expression: str = "None") -> Any:
        """Execute a cell; return the text of an expression afterwards, or the error's name."""
        # Else a kernel in which a cell failed throws away what arrives before it has said so.
        number = self._client.execute(
            cell, user_expressions={"value": expression}, stop_on_error=False
        )
        while True:
            reply = self._client.get_shell_msg(timeout=SECONDS)
            if reply["parent_header"].get("msg_id") == number:
                break
        content = reply["content"]
        if content["status"] != "ok":
            self.error = "\n".join(content.get("traceback", []))
            return content.get("ename", content["status"])
        value = content["user_expressions"]["value"]
        return ast.literal_eval(value["data"]["text/plain"]) if value["status"] == "ok" else None

    def check(
        self, lab: str, cells: Sequence[str], files: Mapping[str, str] = MappingProxyType({})
    ) -> Checked:
        """Run the cells of a notebook, of which one assigns `checked`; return what it said.

        The files are beside the notebook.
        """
        self.start(lab)
        for name, text in files.items():
            (self._folder / name).write_text(text, encoding="utf-8")
        said: Any = None
        for cell in cells:
            if "check(" in cell:
                said = self.run(cell, _CHECKED)
            else:
                self.run(cell)
        assert str(said).startswith("["), (said, self.error)
        right, parts, text = json.loads(said)
        return Checked(right, parts, text)

    def explain(self, lab: str, cell: str) -> str:
        """Run a cell that assigns the explanation; return the page, or the error's name."""
        self.start(lab)
        return str(self.run(f"{cell}\nshown = explain(explanation)", "shown.plain"))


MODULE = "_of_this_notebook"
"""The end of the names of modules that a notebook writes, which are forgotten for the next one."""


@contextlib.contextmanager
def kernel(folder: Path) -> Iterator[Kernel]:
    """Start a kernel in a folder; end it with the block."""
    manager = KernelManager(kernel_name="python3")
    assert manager.kernel_spec is not None
    manager.kernel_spec.argv = [
        sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR",
        "--HistoryManager.hist_file=:memory:",  # else shared by all kernels of this user
    ]  # fmt: skip
    environment = {**os.environ, **with_package(), "HPML_RESULTS": str(folder / "results")}
    manager.start_kernel(cwd=str(folder), env=environment)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=SECONDS)
        yield Kernel(client, folder)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()

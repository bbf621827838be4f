"""JupyterLab and Chromium for the tests that need a real page, as a student has it.

The server serves a copy of the notebooks in a folder of its own and keeps its settings apart, so
that neither the clone nor the settings of whoever runs the tests are touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.browser.chromium import chromium
from tests.needs import require

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 60_000  # milliseconds; a wait ends as soon as what it waits for is there
_PATIENCE_WITH_A_LAB = 300_000
# Every cell with code has run, or one has failed, after which the others are not run.
_ALL_RUN = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets
        .map(cell => cell.model).filter(model => model.type === 'code');
    const waits = model => model.executionState !== 'idle'
        || (model.executionCount === null && model.sharedModel.source.trim() !== '');
    const failed = model => model.outputs.toJSON().some(output => output.output_type === 'error');
    return cells.some(failed) || !cells.some(waits);
}"""


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: its address, its token, and the folder it serves."""

    address: str
    token: str
    folder: Path

    def write(self, name: str, *cells: str) -> None:
        """Put a notebook with these code cells into the folder."""
        made = [nbformat.v4.new_code_cell(source) for source in cells]
        # Without a kernel named, JupyterLab would ask for one in a dialog.
        kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
        notebook = nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel})
        nbformat.write(notebook, self.folder / name)


class LabPage:
    """A notebook open in JupyterLab; what a student does with it, by name."""

    def __init__(self, page: Any, server: Server, name: str) -> None:
        self.page = page
        self.name = name
        self.seconds = 0.0  # what running all cells took
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{server.address}/doc/tree/{name}?token={server.token}")
        page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context?.isReady")
        # As a page with its kernel ready for the first cell, and not an event earlier.
        self._notebook("await panel.sessionContext.ready; await panel.revealed;")
        page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status"
            " === 'idle'"
        )

    def show(self, *cells: str) -> None:
        """Replace all that stands in the notebook by these code cells, and run them.

        The kernel stays: nothing is imported again, but no name is left of what was shown before.
        """
        made = [{"cell_type": "code", "source": source} for source in cells]
        self._notebook(
            "const shared = panel.content.model.sharedModel;"
            "await panel.sessionContext.session.kernel.requestExecute("
            "{code: '%reset -f', silent: true, store_history: false}).done;"
            "shared.transact(() => { shared.deleteCellRange(0, shared.cells.length);"
            f"shared.insertCells(0, {json.dumps(made)}); }});"
        )
        self.run_all()

    def run_all(self) -> None:
        """Run every cell and wait until all are done."""
        self._notebook("await app.commands.execute('notebook:run-all-cells');")

    def run_cell(self, index: int) -> None:
        """Run the cell at `index`, counting all cells from 0, and wait until it is done."""
        self._notebook(
            f"panel.content.deselectAll(); panel.content.activeCellIndex = {index};"
            "await app.commands.execute('notebook:run-cell');"
        )

    def choose_run_all_cells(self) -> None:
        """Choose Run > Run All Cells in the menu, and wait until all are done or one failed."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_function(_ALL_RUN, timeout=_PATIENCE_WITH_A_LAB)

    def cell(self, index: int) -> Any:
        """Return the cell at `index` as it is on the page, scrolled to."""
        self._notebook(
            f"await panel.content.scrollToItem({index}, 'start');"
            f"panel.content.activeCellIndex = {index};"
        )
        cell = self.page.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')
        cell.scroll_into_view_if_needed()
        return cell

    def add(self, source: str) -> None:
        """Append a code cell to the notebook and run it."""
        made = json.dumps([{"cell_type": "code", "source": source}])
        self._notebook(
            f"const shared = panel.content.model.sharedModel; const end = shared.cells.length;"
            f"shared.insertCells(end, {made}); panel.content.deselectAll();"
            "panel.content.activeCellIndex = end;"
            "await app.commands.execute('notebook:run-cell');"
        )

    def write(self, index: int, source: str) -> Any:
        """Replace what stands in the code cell at `index`, press Shift+Enter, return the cell."""
        cell = self.cell(index)
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)
        typed = self._notebook(f"return panel.content.widgets[{index}].model.sharedModel.source;")
        assert typed == source
        self.page.keyboard.press("Shift+Enter")
        self.page.wait_for_function(_ALL_RUN)
        return cell

    def notebook(self) -> nbformat.NotebookNode:
        """Return the notebook as it is now, with its outputs."""
        # As text: a value is carried over member by member, which takes seconds for a lab.
        text = self._notebook("return JSON.stringify(panel.content.model.toJSON());")
        return nbformat.from_dict(json.loads(text))

    def restart(self) -> None:
        """Restart the kernel."""
        self._notebook("await panel.sessionContext.session.kernel.restart();")

    def shut_down(self) -> None:
        """End the kernel; what is shown stays."""
        self._notebook("await panel.sessionContext.shutdown();")

    def save(self) -> None:
        """Save the notebook to disk."""
        self._notebook("await panel.context.save();")

    def saw(self, text: str | re.Pattern[str]) -> None:
        """Wait until `text` stands in some output; fail if it never does."""
        self.page.locator(".jp-OutputArea-output", has_text=text).first.wait_for()

    def outputs(self) -> str:
        """Return the text of all outputs."""
        return "\n".join(self.page.locator(".jp-OutputArea-output").all_inner_texts())

    def _notebook(self, script: str) -> Any:
        # Asked for again and again: V8 may collect a promise that an evaluation waits for, and a
        # dialog in the way would hold it forever.
        self.page.evaluate(
            "() => { const app = window.jupyterapp; const panel = app.shell.currentWidget;"
            f"const work = async () => {{ {script} }}; const state = window.hpmlWork = {{}};"
            "work().then(value => { state.value = [value ?? null]; },"
            "error => { state.error = String(error); }); }"
        )
        for _ in range(_PATIENCE // 50):
            state = self.page.evaluate("() => window.hpmlWork")
            if "error" in state:
                raise RuntimeError(state["error"])
            if "value" in state:
                return state["value"][0]
            self.page.wait_for_timeout(50)
        raise TimeoutError(f"not done after {_PATIENCE} ms: {script}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run JupyterLab on this machine only, behind a token, with settings of its own."""
    pytest.importorskip("jupyterlab", reason="needs JupyterLab; `make .venv` installs it")
    home = tmp_path_factory.mktemp("jupyter")
    folder = home / "course"
    shutil.copytree(_ROOT / "notebooks", folder)
    config = home / "config" / "labconfig"
    config.mkdir(parents=True)
    quiet = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (config / "page_config.json").write_text(json.dumps(quiet), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=None",
    ]
    log = home / "server.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            command, env=_environment(home, token), stdout=stream, stderr=subprocess.STDOUT
        )
        found = Server(f"http://127.0.0.1:{port}", token, folder)
        try:
            _wait_for(found, process, log)
            yield found
        finally:
            _stop(process)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Run Chromium without a window."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright; `make .venv` installs it"
    )
    require("Chromium")
    with playwright.sync_playwright() as driver:
        # Tests may run as root in a container, where Chromium's own sandbox cannot start.
        started = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_lab(browser: Any, server: Server) -> Iterator[Any]:
    """Return a function that opens a notebook of the server in a fresh page."""
    with _opening(browser, server) as opened:
        yield opened


@pytest.fixture(scope="session")
def scratch(browser: Any, server: Server) -> Iterator[LabPage]:
    """Return one page and kernel that all tests of widgets share, see `LabPage.show`."""
    server.write("scratch.ipynb", "")
    with _opening(browser, server) as opened:
        yield opened("scratch.ipynb")


@pytest.fixture
def offline(browser: Any) -> Iterator[Any]:
    """A page without a network, which notes every error."""
    context = browser.new_context(viewport={"width": 1060, "height": 900}, offline=True)
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    context.close()


@pytest.fixture(scope="module")
def lab(browser: Any, server: Server, request: pytest.FixtureRequest) -> Iterator[LabPage]:
    """Return the lab that the test is for, all its cells run from the menu.

    Running a lab takes far longer than what a test then does with it, so its tests share one run,
    in the order of their file.
    """
    with _opening(browser, server) as opened:
        page: LabPage = opened(request.param.name)
        start = time.perf_counter()
        page.choose_run_all_cells()
        page.seconds = time.perf_counter() - start
        yield page


@contextlib.contextmanager
def _opening(browser: Any, server: Server) -> Iterator[Any]:
    with contextlib.ExitStack() as stack:
        before = _sessions(server)
        own: set[str] = set()

        def opened(name: str) -> LabPage:
            own.add(name)
            context = browser.new_context(viewport={"width": 1200, "height": 1000})
            stack.callback(context.close)
            return LabPage(context.new_page(), server, name)

        yield opened
        # Only those of these pages: the shared one may have been opened meanwhile.
        for session in _sessions(server, own) - before:
            with contextlib.suppress(urllib.error.HTTPError):
                _ask(server, "DELETE", f"/api/sessions/{session}")


def _environment(home: Path, token: str) -> dict[str, str]:
    private = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "HPML_RESULTS": "results",
    }
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    environment.update({name: str(home / place) for name, place in private.items()})
    environment.update(JUPYTER_TOKEN=token, HPML_QUICK="1", HPML_HOME=str(_ROOT))
    # Before the clone's own package is installed, the kernel finds it here.
    search = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(search)
    return environment


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    while process.poll() is None:
        with contextlib.suppress(OSError):
            _ask(server, "GET", "/api")
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
    pytest.fail(f"JupyterLab ended while starting:\n{log.read_text()[-2000:]}")


def _sessions(server: Server, names: Collection[str] = ()) -> set[str]:
    """Return the sessions of the server, or of its notebooks of these names."""
    found = json.loads(_ask(server, "GET", "/api/sessions"))
    return {each["id"] for each in found if not names or each["path"] in names}


def _ask(server: Server, method: str, path: str) -> bytes:
    request = urllib.request.Request(f"{server.address}{path}", method=method)
    request.add_header("Authorization", f"token {server.token}")
    with urllib.request.urlopen(request, timeout=60) as answer:
        content: bytes = answer.read()
    return content


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

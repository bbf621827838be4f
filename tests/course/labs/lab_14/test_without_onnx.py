from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

NOTEBOOK = Path(__file__).parents[4] / "notebooks" / "14_runtimes.ipynb"
# Runs the code cells of the core in an interpreter that finds none of the three packages.
PROGRAM = """
import importlib.machinery, importlib.metadata, json, sys
GONE = {"onnx", "onnxscript", "onnxruntime"}

class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in GONE else super().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, context=importlib.metadata.DistributionFinder.Context()):
        return () if context.name in GONE else super().find_distributions(context)

place = sys.meta_path.index(importlib.machinery.PathFinder)
sys.meta_path[place] = Finder
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_cell("import matplotlib; matplotlib.use('agg')")
for number, source in json.load(sys.stdin):
    if not shell.run_cell(source).success:
        sys.exit(f"cell {number} failed")
"""


def test_the_lab_says_what_is_missing_and_goes_on(tmp_path: Path) -> None:
    cells = [
        (number, "".join(cell["source"]))
        for number, cell in enumerate(json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])
        if cell["cell_type"] == "code"
        and (
            "further" not in cell["metadata"].get("tags", ())
            or "if onnx" in "".join(cell["source"])
        )
    ]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(cells),
        env={**os.environ, "HPML_QUICK": "1", "HPML_RESULTS": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    said = " ".join(ran.stdout.split())
    assert "Export needs packages: `pip install -c constraints.txt onnx onnxscript" in said
    assert "onnxruntime is not installed" in said
    assert "This needs ONNX Runtime." in said
    assert "one step of the loop / whole" in said

"""A program written for pytorch-symbolic runs after changing the import, and prints the same."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from tests.symbolic.peer_programs import HEAD, IMPORT, PROGRAMS
from tests.symbolic.processes import run_together

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pytorch_symbolic") is None,
    reason="needs pytorch-symbolic, which the dev extra installs",
)


def whole() -> str:
    """Return all programs as one, which prints the result of each."""
    parts = [HEAD, IMPORT, "results = {}"]
    for name, text in PROGRAMS.items():
        lines = [line[4:] for line in text.strip("\n").splitlines()]
        parts += ["def run():", *lines, "    return result"]
        parts += ["try:", f"    results[{name!r}] = plain(run())"]
        parts += ["except Exception as error:", f"    results[{name!r}] = 'failed: ' + repr(error)"]
    return "\n".join([*parts, "print(json.dumps(results))"])


def printed_with_each(text: str, named: str) -> list[dict[str, Any]]:
    """Return what a program prints with the peer, and with our package in its place."""
    packages = ("pytorch_symbolic", "hpml.symbolic")
    texts = [text.replace(named, named.replace("pytorch_symbolic", each)) for each in packages]
    return [json.loads(out.splitlines()[-1]) for out in run_together([(each,) for each in texts])]


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    return printed_with_each(whole(), "from pytorch_symbolic import")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same_after_changing_the_import(
    name: str, results: list[dict[str, Any]]
) -> None:
    theirs, ours = results
    assert theirs[name]
    assert not str(theirs[name]).startswith("failed: ")
    assert ours[name] == theirs[name]


NAMES = """
import inspect, json, torch
import pytorch_symbolic as package
names = {"": sorted(package.__all__)}
for module in ("config", "graph_algorithms", "model_tools", "symbolic_data", "useful_layers"):
    public = vars(getattr(package, module))
    names[module] = sorted(
        name for name, value in public.items()
        if not name.startswith("_") and getattr(value, "__module__", package.__name__).startswith(
            package.__name__) and not inspect.ismodule(value) and name != "annotations"
    )
for owner in (package.SymbolicModel, package.symbolic_data.SymbolicTensor):
    names[owner.__name__] = sorted(name for name in dir(owner) if not name.startswith("_"))
# Both hand on what a tensor has; what it does is compared above.
names["SymbolicTensor"] += dir(torch.Tensor)
for function in (package.Input, package.CustomInput, package.add_to_graph, package.SymbolicModel,
                 package.graph_algorithms.draw_graph):
    names[function.__name__ + "()"] = list(inspect.signature(function).parameters)
print(json.dumps(names))
"""

INSIDE = {
    # What the documents of pytorch-symbolic never mention: its switch, its helpers, and its way to
    # switch layer(x) on for every module that is made, which we do otherwise.
    "": {"SymbolicAPI2ContextManager"},
    "config": {
        "API_2_ENABLED_BY_DEFAULT",
        "read_from_env",
        "enable_symbolic_api_2_for_new_modules",
    },
    "graph_algorithms": {
        *("figure_out_nodes_between", "sort_graph_and_check_DAG", "default_node_text"),
        *("default_edge_text", "variable_name_resolver", "check_for_missing_inputs"),
        "SymbolicTensor",
    },
    "symbolic_data": {"SymbolicFactory"},
}


def test_every_public_name_of_the_peer_is_here() -> None:
    theirs, ours = printed_with_each(NAMES, "pytorch_symbolic")
    for where, names in theirs.items():
        missing = set(names) - set(ours[where]) - INSIDE.get(where, set())
        assert not missing, f"{where}: {sorted(missing)}"

"""Private names of PyTorch stand in one module of each package, and each is missed alone."""

from __future__ import annotations

import ast
import copy
import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from hpml.jit import graph_breaks
from hpml.jit.errors import JitError
from hpml.jit.torch_private import FEATURES as OF_JIT
from hpml.profiling.errors import ProfilingError
from hpml.profiling.operators.work import work_of
from hpml.profiling.torch_private import FEATURES as OF_PROFILING
from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, torch_private
from hpml.symbolic.errors import GraphError, MissingNameError
from tests.parts import raises

LIBRARY = Path(__file__).resolve().parents[2] / "hpml"
FILES = [
    path
    for path in sorted(LIBRARY.rglob("*.py"))
    if "course" not in path.relative_to(LIBRARY).parts and path.name != "torch_private.py"
]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_names(tree: ast.AST) -> Iterator[str]:
    """Yield ``torch.a._b``, ``import torch._a`` and ``from torch.a import _b`` in a file."""
    modules = {"torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            if any(map(is_private, names)):
                yield ast.unparse(node)
            modules |= {a.asname or a.name for a in node.names if a.name[:1].islower()}
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("torch.") and any(map(is_private, alias.name.split("."))):
                    yield ast.unparse(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            root: ast.expr = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in modules:
                yield ast.unparse(node)


def test_private_names_of_torch_stand_in_modules_of_that_purpose() -> None:
    found = {
        f"{path.relative_to(LIBRARY)}: {name}"
        for path in FILES
        for name in private_names(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """Make one name look as if PyTorch had renamed it, and forget every name looked up so far."""
    name: str = request.param
    for each in torch_private.NAMES:
        monkeypatch.delitem(vars(torch_private), each, raising=False)
    known = torch_private.NAMES[name]
    monkeypatch.setitem(torch_private.NAMES, name, known._replace(place=f"{known.place}_renamed"))
    return name


@pytest.mark.parametrize("missing", sorted(torch_private.NAMES), indirect=True)
def test_models_work_without_a_private_name_or_say_what_does_not(missing: str) -> None:
    value = torch.rand(3, 4)
    layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for execution in EXECUTIONS:
        x = Input(shape=(4,))
        model = SymbolicModel(x, layers[1](layers[0](x)), execution=execution)
        assert torch.equal(model(value), layers(value))
        model(value.clone().requires_grad_()).sum().backward()
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert torch.equal(other(value), layers(value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        traced = torch.jit.trace(model, (value,))  # type: ignore[no-untyped-call]
    assert torch.equal(traced(value), layers(value))
    if torch_private.NAMES[missing].substitute is None:
        what = torch_private.NAMES[missing].feature
        with raises(MissingNameError, object=what, expected="renamed", received=torch.__version__):
            getattr(torch_private, missing)
    else:
        assert getattr(torch_private, missing) is not None


@pytest.mark.parametrize("missing", ["make_wrapper_subclass"], indirect=True)
def test_a_feature_without_its_private_name_is_refused(missing: str) -> None:
    what = "a size that depends on the batch, x.shape[0]"
    with raises(GraphError, object=what, expected="_renamed"):
        Input(shape=(4,)).size(0)


def test_the_substitutes_answer_as_the_private_names_do() -> None:
    for name, known in torch_private.NAMES.items():
        if name in ("is_any_autocast_enabled", "is_tracing"):
            assert known.substitute is not None
            for other in (known.value(), known.substitute()):
                assert other() is False
    autocast: Any = torch_private.NAMES["is_any_autocast_enabled"].substitute
    with torch.autocast("cpu"):
        assert autocast()()
    leaves: Any = torch_private.NAMES["tree_leaves"].substitute
    tree = [1, {"a": (2, [3])}, None]
    assert leaves()(tree)[:3] == torch_private.tree_leaves(tree)[:3] == [1, 2, 3]


@pytest.mark.parametrize(
    ("error", "place", "call"),
    [
        (JitError, "torch._dynamo.explain", lambda: graph_breaks(torch.sin, torch.ones(1))),
        (
            ProfilingError,
            "torch.utils._python_dispatch.TorchDispatchMode",
            lambda: work_of(lambda: None),
        ),
    ],
)
def test_other_packages_say_which_name_is_missing(
    error: type[Exception], place: str, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place in OF_JIT | OF_PROFILING
    owner = "torch.utils._python_dispatch" if "dispatch" in place else "torch._dynamo"
    monkeypatch.delattr(f"{owner}.{place.rpartition('.')[2]}")
    with pytest.raises(error, match=place):
        call()

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable

import pytest
import torch
from torch import nn

from hpml.profiling import work_of
from hpml.symbolic import Input, SymbolicModel
from tests.causes.shown import python
from tests.questions.answers import ratio_of_times, solution


def question_1() -> None:
    made: list[SymbolicModel] = []
    first, last = nn.Linear(784, 32), nn.Linear(32, 10)

    def declare() -> None:
        x = Input(shape=(1, 28, 28))
        hidden = first(nn.Flatten()(x))
        nn.Sigmoid()(hidden)  # no output needs it
        made.append(SymbolicModel(x, last(nn.ReLU()(hidden))))

    assert not work_of(declare).operations
    (model,) = made
    assert model.output_shape == (None, 10)
    assert sum(each.numel() for each in model.parameters()) == 784 * 32 + 32 + 32 * 10 + 10
    assert "sigmoid" not in model.source.lower()
    x = Input(shape=(3,))
    with pytest.raises(Exception, match=r"4"):
        nn.Linear(4, 2)(x)


class _Node:
    def __init__(self, *parents: _Node) -> None:
        self.parents = parents


def _order(node: _Node, found: list[_Node]) -> None:
    for parent in node.parents:
        _order(parent, found)
    found.append(node)


def question_2() -> None:
    def visits(diamonds: int) -> int:
        node = _Node()
        for _ in range(diamonds):
            node = _Node(_Node(node), _Node(node))
        found: list[_Node] = []
        _order(node, found)
        assert len(found) > len(set(found)), "repeated"
        return len(found)

    counts = [visits(n) for n in (4, 5, 6, 7)]
    assert all(1.9 < b / a < 2.2 for a, b in itertools.pairwise(counts))
    node = _Node()
    for _ in range(sys.getrecursionlimit()):
        node = _Node(node)
    with pytest.raises(RecursionError):
        _order(node, [])


def question_3() -> object:
    x, w = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True)
    y = x * w
    z = y + y
    z.backward()
    assert w.grad is not None
    return w.grad.item()


def question_4() -> None:
    """Twenty operations, recorded or not: new nodes, and results that are kept, at both sizes."""
    for size in (4, 2**16):
        for recording in (False, True):
            kept: dict[int, int] = {}

            def keep(tensor: torch.Tensor, kept: dict[int, int] = kept) -> torch.Tensor:
                kept[tensor.data_ptr()] = tensor.nbytes
                return tensor

            x = torch.zeros(size, requires_grad=True)
            hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
            with torch.set_grad_enabled(recording), hooks:
                for _ in range(20):
                    x = x.tanh()
            assert (x.grad_fn is not None) == recording
            assert sum(kept.values()) == (20 * 4 * size if recording else 0)


FAULTS = """
import resource, torch
torch.set_num_threads(1)
start = torch.zeros(2**16, requires_grad=True)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
x = start
with torch.set_grad_enabled(RECORDING):
    for _ in range(200):
        x = x.tanh()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.thorough
def question_4_timed() -> None:
    """The new pages of two hundred large results, recorded and not; and the time of small ones."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux")
    new = {on: int(python(FAULTS.replace("RECORDING", str(on))).stdout) for on in (False, True)}
    assert new[True] > 3 * new[False]

    def chain(recording: bool) -> Callable[[], None]:
        start = torch.zeros(4, requires_grad=True)

        def run() -> None:
            x = start
            with torch.set_grad_enabled(recording):
                for _ in range(50):
                    x = x.tanh()

        return run

    assert ratio_of_times(chain(True), chain(False))[0] > 1


def question_5() -> object:
    dead = solution("lab_05/dead_nodes")({"x": ["y", "first"], "first": ["second"]}, ["y"])
    return {2: "both", 1: "only the second"}[len(dead & {"first", "second"})]


def question_6() -> object:
    picture = torch.rand(1, 1, 28, 28)
    hidden = nn.Conv2d(1, 8, 5)(picture)
    assert hidden.shape[2:] == (24, 24)
    return nn.functional.max_pool2d(hidden, 2).flatten(1).shape[1]

from __future__ import annotations

import dis
import inspect
import sys
from typing import Any

import torch
from torch import nn

from hpml.profiling.calls import profile_calls
from tests.questions.answers import by_python


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ReLU()


# The form into which `l[3]` is specialised.
@by_python(
    py311="BINARY_SUBSCR_LIST_INT", py312="BINARY_SUBSCR_LIST_INT", py313="BINARY_SUBSCR_LIST_INT"
)
def question_1() -> object:
    net = _Net()
    assert "layer" in net._modules
    assert "layer" not in vars(net)
    source = inspect.getsource(nn.Module.__getattr__)
    assert [name for name in ("_parameters", "_buffers", "_modules") if name in source] == [
        "_parameters",
        "_buffers",
        "_modules",
    ]
    called = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: called.append((event, frame.f_code.co_name)))
    try:
        net.layer  # noqa: B018
    finally:
        sys.setprofile(before)
    assert ("call", "__getattr__") in called

    def look_up(l: list) -> object:  # noqa: E741
        return l[3]

    def attribute(net: Any) -> object:
        return net.layer

    for function in (look_up, attribute):
        names = {each.opname for each in dis.get_instructions(function)}
        assert len([name for name in names if "SUBSCR" in name or "ATTR" in name]) == 1
    for _ in range(1000):
        look_up([1, 2, 3, 4])
    (form,) = {
        each.opname
        for each in dis.get_instructions(look_up, adaptive=True)
        if "SUBSCR" in each.opname
    }
    return form


def question_2() -> None:
    body = [
        "l = self._execution_order_layers", "a = l[0](x)", "b = l[1](a)", "c = l[2](a, b)",
        "return c",
    ]  # fmt: skip
    names: dict[str, Any] = {}
    exec("def forward(self, x):\n" + "\n".join(f"    {line}" for line in body), names)

    class Model:
        _execution_order_layers = (lambda x: x + 1, lambda a: a * 3, lambda a, b: (a, b))

    assert names["forward"](Model(), 1) == (2, 6)


def question_3() -> object:
    """Calling a layer's `forward` saves more than the container access, but skips the hooks."""
    layers, x, seen = [nn.Linear(2, 2)], torch.rand(1, 2), []
    with torch.no_grad():
        assert torch.equal(layers[0](x), layers[0].forward(x))
        calls = [
            profile_calls(run).total for run in (lambda: layers[0](x), lambda: layers[0].forward(x))
        ]
        layers[0].register_forward_hook(lambda *_: seen.append(1))
        layers[0].forward(x)
        assert seen == []
        layers[0](x)
    assert seen == [1]
    assert calls[0] == calls[1] + 2
    return 100 * 0.004 / (0.004 + 0.7 + 2.3 + 1.9)


def question_4() -> object:
    layer = (1220 - 420) / 200
    return 420 - 100 * layer + 1000 * layer


def question_6() -> None:
    layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
    h = start = torch.rand(1, 2)
    middle = layers[0](start)
    for layer in layers:
        h = layer(h)
    assert not torch.equal(h, middle)
    assert torch.equal(h, layers[1](middle))

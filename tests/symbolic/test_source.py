from __future__ import annotations

import gc
import inspect
import linecache

import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, config
from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.execution.source import compile_source, documented_source, running_source
from tests.parts import raises
from tests.symbolic.models import follow, linear_chain


def test_a_chain_is_a_loop_from_the_configured_length_on() -> None:
    config.CODEGEN_MIN_LOOP_LENGTH = 5
    assert "for layer in" not in linear_chain(4, "codegen").source
    assert linear_chain(5, "codegen").source == (
        "def forward(self, i0):\n"
        "    l = self._execution_order_layers\n"
        "    h0 = i0\n"
        "    for layer in l[0:5]:  # Linear_1 to Linear_5\n"
        "        h0 = layer(h0)\n"
        "    return h0\n"
    )


@pytest.mark.parametrize("length", [1, 0, -3, float("nan")])
def test_a_loop_length_below_two_is_refused(length: float) -> None:
    config.CODEGEN_MIN_LOOP_LENGTH = length
    what = "config.CODEGEN_MIN_LOOP_LENGTH"
    with raises(ArgumentError, object=what, received=str(length)):
        linear_chain(3, "codegen")


@pytest.mark.parametrize("execution", ["lazy", "ordered", "codegen", "inlined"])
def test_the_documented_form_is_the_same_for_every_execution(execution: str) -> None:
    assert linear_chain(3, execution)._generated_forward_source == (
        "def _generated_forward(self, i0):\n"
        "    l = self._execution_order_layers\n"
        "    h0 = l[0](i0)\n"
        "    h1 = l[1](h0)\n"
        "    o0 = l[2](h1)\n"
        "    return o0\n"
    )


@pytest.mark.parametrize("documented", [True, False])
def test_both_forms_compute_the_same(documented: bool) -> None:
    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(x)
    z = follow(y, [nn.Linear(4, 4) for _ in range(5)])
    model = SymbolicModel(x, (z + y, x, z))
    write = documented_source if documented else running_source
    value = torch.rand(2, 4)
    for length in (2, 5, 50):
        function = compile_source(write(model.graph, length))
        for received, expected in zip(function(model, value), model(value), strict=True):
            assert torch.equal(received, expected)


@pytest.mark.parametrize("execution", ["codegen", "inlined"])
def test_the_model_says_which_calls_a_line_makes(execution: str) -> None:
    model = linear_chain(6, "codegen")
    with config.loop_length(4):
        model.execution = execution
    lines = model.source.splitlines()
    assert len(model.source_spans) == len(lines)
    calling = [line for line, span in zip(lines, model.source_spans, strict=True) if span == (0, 6)]
    assert [line.split()[0] for line in calling] == ["h0", "for", "h0"]


def test_the_lines_are_known_as_long_as_the_function() -> None:
    model = linear_chain(3, "codegen")
    file_name = model._run.__code__.co_filename
    assert linecache.getline(file_name, 3) == "    h0 = l[0](i0)  # Linear_1\n"
    assert inspect.getsource(model._run) == model.source
    linecache.checkcache()
    assert linecache.getline(file_name, 1), "checkcache must not drop what has no file"
    del model
    gc.collect()
    assert file_name not in linecache.cache

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import (
    EXECUTIONS,
    CustomInput,
    GraphError,
    Input,
    SymbolicModel,
    add_to_graph,
    config,
    errors,
)

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def model_of(x: Any, **settings: Any) -> SymbolicModel:
    return SymbolicModel(x, x + 1, **settings)


WRONG: dict[str, Callable[[Any], Any]] = {
    "inputs that are no symbolic data": lambda x: SymbolicModel(torch.rand(2), x + 1),
    "one of the inputs": lambda x: SymbolicModel((x, "y"), x + 1),
    "outputs that are no symbolic data": lambda x: SymbolicModel(x, nn.Linear(4, 4)),
    "no outputs": lambda x: SymbolicModel(x, []),
    "an input that is not given": lambda x: SymbolicModel(x, x + Input(shape=(4,))),
    "the same input twice": lambda x: SymbolicModel([x, x], x + 1),
    "an execution that does not exist": lambda x: model_of(x, execution="turbo"),
    "both ways to choose an execution": lambda x: model_of(
        x, execution="lazy", enable_forward_codegen=False
    ),
    "CUDA graphs without a GPU": lambda x: model_of(x, enable_cuda_graphs=True),
    "a function that cannot be called": lambda x: add_to_graph(3, x),
    "no symbolic argument": lambda x: add_to_graph(torch.relu, torch.rand(2)),
    "a value where the layer stands": lambda x: x(x),
    "a name that is no text": lambda x: x(nn.Linear(4, 4), custom_name=3),
    "a name that modules use": lambda x: SymbolicModel(
        x, nn.Linear(4, 4)(x, custom_name="forward")
    ),
    "a name that the model uses": lambda x: SymbolicModel(
        x, nn.Linear(4, 4)(x, custom_name="training")
    ),
    "an image that is none": lambda x: x.CHW,
    "features of a number": lambda x: x.sum().features,
    "a shape that is no tuple": lambda x: Input(4),
    "a negative size": lambda x: Input(batch_shape=(-1, 4)),
    "a size that is no integer": lambda x: Input((2.5,)),
    "a dtype that is none": lambda x: Input((4,), dtype=float),
    "an output of another model": lambda x: model_of(x).add_output(Input(shape=(3,)) * 2),
    "an input as a further output": lambda x: model_of(x).add_output(x),
    "a further output that is no symbolic data": lambda x: model_of(x).add_output(3),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_is_refused(what: str) -> None:
    with pytest.raises(GraphError):
        WRONG[what](Input(shape=(4,)))


@each_execution
@pytest.mark.parametrize("given", [0, 1, 3])
def test_a_wrong_number_of_inputs_is_refused(execution: str, given: int) -> None:
    x, y = Input(shape=(4,)), Input(shape=(5,))
    model = SymbolicModel((x, y), (x + 1, y + 1), execution=execution)
    with pytest.raises(errors.ArgumentError):
        model(*[torch.rand(2, 4)] * given)


@each_execution
@pytest.mark.parametrize("loop", [2, 50])
def test_a_failing_layer_is_named_with_its_line_also_in_a_loop(execution: str, loop: int) -> None:
    config.CODEGEN_MIN_LOOP_LENGTH = loop
    x = inputs = Input(shape=(4,))
    for _ in range(3):
        x = nn.Linear(4, 4)(x)
    model = SymbolicModel(inputs, nn.ReLU()(x), execution=execution)
    model.Linear_3 = nn.Linear(7, 4)
    test = test_a_failing_layer_is_named_with_its_line_also_in_a_loop
    line = test.__code__.co_firstlineno + 6
    with pytest.raises(RuntimeError, match="mat1 and mat2") as caught:  # the layer's own message
        model(torch.rand(2, 4))
    notes = "\n".join(caught.value.__notes__)
    assert "In layer Linear_3 of the symbolic model" in notes
    assert "Linear(in_features=7, out_features=4, bias=True), call 3 of 4" in notes
    assert f"written at test_errors.py:{line}" in notes
    assert "When the model was built it received (None, 4)." in notes


@each_execution
def test_unpacking_another_number_of_results_is_named(execution: str) -> None:
    x = CustomInput([torch.rand(4)] * 3)
    a, _, c = x
    model = SymbolicModel(x, a + c, execution=execution)
    with pytest.raises(ValueError, match=r"unpack|zip") as caught:
        model(torch.rand(4, 4))
    assert "In layer UnpackLayer_1" in caught.value.__notes__[0]


@each_execution
def test_a_traceback_of_the_failing_layer_stays_whole(execution: str) -> None:
    class Fails(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if len(x) == 3:
                raise KeyError("a mistake of the user's")
            return x

    x = Input(shape=(4,))
    model = SymbolicModel(x, Fails()(x) + 1, execution=execution)
    with pytest.raises(KeyError) as caught:
        model(torch.rand(3, 4))
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise KeyError("a mistake of the user\'s")' in text
    assert "In layer Fails_1 of the symbolic model" in text
    assert "During handling" not in text


def test_an_error_while_building_leaves_no_node() -> None:
    x = Input(shape=(4,))
    with pytest.raises(errors.ShapeError):
        nn.Linear(5, 5)(x)
    assert x.children == ()


def test_a_layer_that_was_deleted_is_named() -> None:
    x = Input(shape=(4,))
    for execution in EXECUTIONS:
        model = SymbolicModel(x, nn.Linear(4, 4)(x) + 1, execution=execution)
        del model.Linear_1
        with pytest.raises(GraphError):
            model(torch.rand(2, 4))


def run_again(kept: Any) -> Any:
    """Build as in two cells, of which only the first is run again."""
    y = None
    for _ in range(2):
        x = Input(shape=(4,))
        y = nn.ReLU()(x) if y is None else y
    return SymbolicModel(x, y)


def compiled(kept: Any) -> Any:
    def build(value: Any) -> Any:
        x = Input(shape=(4,))
        return SymbolicModel(x, x + 1)(value)

    try:
        return torch.compile(build, backend="eager")(torch.ones(1, 4))
    finally:
        torch._dynamo.reset()


ADVICE: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    # What is done, what the message names, and what it does not name.
    "a cell that ran again": (run_again, ("same line", "again"), ()),
    "None for the batch": (lambda x: Input(shape=(None, 8)), ("None", "shape=(8,)"), ()),  # type: ignore[arg-type]
    "a lazy layer": (lambda x: nn.LazyLinear(4)(x), ("nn.Linear(x.features, 4)",), ("dummy",)),
    "a lazy layer inside": (lambda x: nn.Sequential(nn.LazyLinear(4))(x), ("nn.Linear",), ()),
    "unique": (torch.unique, ("add_to_graph(unique", "output_shape"), ("masked_select",)),
    "a parameter": (nn.Parameter, ("nn.Parameter", "real data"), ("underscore",)),
    "inside torch.compile": (compiled, ("torch.compile(model)",), ()),
    "pickle": (pickle.dumps, ("SymbolicModel(inputs, outputs)",), ("weakref",)),
    "pickle of a size": (lambda x: pickle.dumps(x.shape[0]), ("SymbolicModel",), ("math.sqrt",)),
    "captured data": (lambda x: x(lambda a: a + x), ("'x'", "add_to_graph"), ("no_grad",)),
    "an argument named self": (
        lambda x: SymbolicModel(y := Input(shape=(4,), name="self"), y + 1),
        ("self",),
        (),
    ),
}


@pytest.mark.parametrize("name", ADVICE)
def test_a_message_names_the_way_to_write_it(name: str) -> None:
    do, named, others = ADVICE[name]
    with pytest.raises(GraphError) as raised:
        do(Input(shape=(4,)))
    message = str(raised.value)
    assert all(part in message for part in named), message
    assert not any(part in message for part in others), message


def test_the_kernel_says_whether_layers_or_dtypes_differ() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.ReLU()(nn.Linear(4, 4)(x)), execution="numba").eval()
    with torch.no_grad():
        with pytest.raises(errors.ArgumentError, match="float"):
            model(torch.rand(2, 4).double())
        handle = model.Linear_1.register_forward_hook(lambda *_: None)
        with pytest.raises(errors.ArgumentError, match="hook") as raised:
            model(torch.rand(2, 4))
        assert "x.float()" not in str(raised.value)
        handle.remove()
        assert model(torch.rand(2, 4)).shape == (2, 4)


def test_a_constant_may_be_used_in_inference_mode() -> None:
    with torch.inference_mode():
        x = Input(shape=(4,))
        model = SymbolicModel(x, x * torch.full((4,), 3.0))
        assert torch.equal(model(torch.ones(2, 4)), torch.full((2, 4), 3.0))

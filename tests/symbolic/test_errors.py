from __future__ import annotations

import functools
import pickle
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin

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
from hpml.symbolic.graph_algorithms import draw_graph
from tests.parts import raises

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def model_of(x: Any, **settings: Any) -> SymbolicModel:
    return SymbolicModel(x, x + 1, **settings)


class Broken(nn.Module):
    """A layer with one of several faults."""

    def __init__(self, fault: str, *others: Any) -> None:
        super().__init__()
        self.fault, OTHERS[fault] = fault, [weakref.ref(other) for other in others]
        if fault == "lock":
            self.lock = threading.Lock()

    def forward(self, x: torch.Tensor) -> Any:
        if self.fault == "fails":
            raise ValueError("it fails")
        if self.fault == "another":
            return OTHERS["another"][0]()
        return x if len(x) == 4 else x.flatten()


OTHERS: dict[str, list[weakref.ref[Any]]] = {}
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
    "a batch size that is none": lambda x: Input((4,), batch_size=None),  # type: ignore[arg-type]
    "None for two sizes": lambda x: Input((None, None)),  # type: ignore[arg-type]
    "an output of a model of a dictionary": lambda x: SymbolicModel(
        x, {"y": (y := x + 1)}
    ).add_output(y),
    "a layer that uses other symbolic data": lambda x: Broken("another", x)(x),
    "a layer whose results differ in rank": lambda x: Broken("rank")(x),
    "a layer that cannot be copied": lambda x: Broken("lock")(x),
    "an example that fails": lambda x: Broken("fails")(x, output_shape=(None, 4)).v,
    "a shape that is no shape": lambda x: nn.ReLU()(x, output_shape="wide"),
    "a picture of nothing": lambda x: draw_graph(),
    "a picture of two things": lambda x: draw_graph(model=model_of(x), inputs=x),
    "a picture of another module": lambda x: draw_graph(model=nn.ReLU()),  # type: ignore[arg-type]
    "a value outside of a picture": lambda x: draw_graph(model=model_of(x), highlight=[9]),
    "an output of another model": lambda x: model_of(x).add_output(Input(shape=(3,)) * 2),
    "an input as a further output": lambda x: model_of(x).add_output(x),
    "a further output that is no symbolic data": lambda x: model_of(x).add_output(3),
}
SAID: dict[str, tuple[str, str]] = {
    # The object of the error, and what it received.
    "inputs that are no symbolic data": ("inputs", "Tensor"),
    "one of the inputs": ("inputs", "str"),
    "outputs that are no symbolic data": ("outputs", "Linear"),
    "no outputs": ("outputs", "none"),
    "an input that is not given": ("inputs", "input of shape (None, 4)"),
    "the same input twice": ("inputs", "names []"),
    "an execution that does not exist": ("execution", "'turbo'"),
    "both ways to choose an execution": ("execution", "'lazy' and False"),
    "CUDA graphs without a GPU": ("enable_cuda_graphs=True", "is_available() is False"),
    "a function that cannot be called": ("int(a0)", "not callable"),
    "no symbolic argument": ("add_to_graph(relu, …)", "none"),
    "a value where the layer stands": ("x(layer, y)", "SymbolicTensor"),
    "a name that is no text": ("custom_name", "3"),
    "a name that modules use": ("custom_name", "'forward'"),
    "a name that the model uses": ("custom_name", "'training'"),
    "an image that is none": ("x.CHW", "(None, 4)"),
    "features of a number": ("x.features", "shape ()"),
    "a shape that is no tuple": ("shape of Input", "4"),
    "a negative size": ("batch_shape of Input", "(-1, 4)"),
    "a size that is no integer": ("shape of Input", "(2.5,)"),
    "a dtype that is none": ("dtype of Input", "float"),
    "a batch size that is none": ("batch_size of Input", "None"),
    "None for two sizes": ("shape of Input", "(None, None)"),
    "an output of a model of a dictionary": ("model of add_output", "a dictionary"),
    "a layer that uses other symbolic data": ("Broken()", "SymbolicTensor"),
    "a layer whose results differ in rank": ("Broken()", "(4, 4) of torch.float32 and (32,)"),
    "a layer that cannot be copied": ("Broken", "TypeError: cannot pickle"),
    "an example that fails": ("example value", "ValueError: it fails"),
    "a shape that is no shape": ("output_shape", "'wide'"),
    "a picture of nothing": ("draw_graph", "none of them"),
    "a picture of two things": ("draw_graph", "both"),
    "a picture of another module": ("model", "ReLU"),
    "a value outside of a picture": ("highlight", "9"),
    "an output of another model": ("add_output", "mul of shape (None, 3)"),
    "an input as a further output": ("add_output", "input of shape"),
    "a further output that is no symbolic data": ("add_output", "int"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_is_refused(what: str) -> None:
    object, received = SAID[what]
    with raises(GraphError, object=object, received=received):
        WRONG[what](Input(shape=(4,)))


@each_execution
@pytest.mark.parametrize("given", [0, 1, 3])
def test_a_wrong_number_of_inputs_is_refused(execution: str, given: int) -> None:
    x, y = Input(shape=(4,)), Input(shape=(5,))
    model = SymbolicModel((x, y), (x + 1, y + 1), execution=execution)
    with raises(
        errors.ArgumentError,
        object="inputs of the compiled kernel" if execution == "numba" else "inputs of the model",
        received=str(given),
    ):
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
    with raises(
        errors.ShapeError,
        object="Linear(in_features=5, out_features=5, bias=True)",
        expected="a last dimension of 5",
        received="shape (None, 4), float32, made by the input at test_errors.py:",
        remedy="nn.Linear(x.features, 5)",
    ):
        nn.Linear(5, 5)(x)
    assert x.children == ()


def test_a_layer_that_was_deleted_is_named() -> None:
    x = Input(shape=(4,))
    for execution in EXECUTIONS:
        model = SymbolicModel(x, nn.Linear(4, 4)(x) + 1, execution=execution)
        del model.Linear_1
        with raises(GraphError, object="layer 'Linear_1' of the model", received="deleted"):
            model(torch.rand(2, 4))


def run_again(kept: Any) -> Any:
    """Build as in two cells, of which only the first is run again."""
    y = None
    for _ in range(2):
        x = Input(shape=(4,))
        y = nn.ReLU()(x) if y is None else y
    return SymbolicModel(x, y)


def one_line(x: Any) -> Any:
    first, second = (Input(shape=(4,)) for _ in range(2))
    return SymbolicModel(first, first + second)


class Lazy(LazyModuleMixin, nn.Module):  # type: ignore[misc]
    """A layer without a class that it becomes."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.UninitializedParameter()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


def compiled(kept: Any) -> Any:
    def build(value: Any) -> Any:
        x = Input(shape=(4,))
        return SymbolicModel(x, x + 1)(value)

    try:
        return torch.compile(build, backend="eager")(torch.ones(1, 4))
    finally:
        torch._dynamo.reset()


LAYER = "nn.Linear(x.features, 4)"
ADVICE: dict[str, tuple[Any, str, tuple[str, ...], tuple[str, ...]]] = {
    # What is done, the object of the error, what its remedy names, and what it does not name.
    "a cell that ran again": (run_again, "inputs", ("same line", "run again"), ("Add it",)),
    "two inputs of one line": (one_line, "inputs", ("Add it to inputs",), ("run again",)),
    "None for the batch": (
        lambda x: Input(shape=(None, 8)),  # type: ignore[arg-type]
        "shape of Input",
        ("None", "Input(shape=(8,))"),
        (),
    ),
    "None for a known batch": (
        lambda x: Input(batch_shape=(None, 8)),  # type: ignore[arg-type]
        "batch_shape of Input",
        ("None", "Input(shape=(8,))"),
        (),
    ),
    "a lazy layer": (lambda x: nn.LazyLinear(4)(x), "LazyLinear", (LAYER,), ("dummy",)),
    "a lazy layer inside": (
        lambda x: nn.Sequential(nn.LazyLinear(4))(x),
        "LazyLinear",
        (LAYER,),
        ("dummy",),
    ),
    "a lazy layer of the user": (lambda x: Lazy()(x), "Lazy", ("on real data",), ("nn.Lazy",)),
    "a parameter": (nn.Parameter, "nn.Parameter", ("real data",), ("underscore",)),
    "inside torch.compile": (compiled, "graph", ("torch.compile(model)",), ()),
    "pickle": (pickle.dumps, "pickle", ("SymbolicModel(inputs, outputs)",), ("weakref",)),
    "pickle of a size": (
        lambda x: pickle.dumps(x.shape[0]),
        "pickle",
        ("SymbolicModel(inputs, outputs)",),
        ("math.sqrt",),
    ),
    "captured data": (
        lambda x: x(lambda a: a + x),
        "a lambda",
        ("add_to_graph(f, x, x)",),
        ("no_grad",),
    ),
    "data in a partial": (
        lambda x: x(functools.partial(torch.add, x)),
        "partial",
        ("add_to_graph(f, x, y)",),
        ("arguments",),
    ),
    "rows of a batch": (list, "iteration", ("add_to_graph(torch.vmap(f), x)",), ()),
    "a gradient": (lambda x: x.grad, "x.grad", ("real tensors",), ("y.grad(",)),
    "an argument named self": (
        lambda x: SymbolicModel(y := Input(shape=(4,), name="self"), y + 1),
        "name of an Input",
        ("another name",),
        (),
    ),
}


@pytest.mark.parametrize("name", ADVICE)
def test_a_message_names_the_way_to_write_it(name: str) -> None:
    do, what, named, others = ADVICE[name]
    with raises(GraphError, object=what, remedy=named) as raised:
        do(Input(shape=(4,)))
    assert not any(part in raised.value.remedy for part in others), raised.value.remedy


def test_the_kernel_says_whether_layers_or_dtypes_differ() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.ReLU()(nn.Linear(4, 4)(x)), execution="numba").eval()
    with torch.no_grad():
        what = "inputs and weights of the compiled kernel"
        with raises(errors.ArgumentError, object=what, received="float64", remedy="x.float()"):
            model(torch.rand(2, 4).double())
        handle = model.Linear_1.register_forward_hook(lambda *_: None)
        what = "layers of the compiled kernel"
        with raises(errors.ArgumentError, object=what, remedy="remove hooks") as raised:
            model(torch.rand(2, 4))
        assert "x.float()" not in raised.value.remedy
        handle.remove()
        assert model(torch.rand(2, 4)).shape == (2, 4)


def test_a_constant_may_be_used_in_inference_mode() -> None:
    with torch.inference_mode():
        x = Input(shape=(4,))
        model = SymbolicModel(x, x * torch.full((4,), 3.0))
        assert torch.equal(model(torch.ones(2, 4)), torch.full((2, 4), 3.0))

"""A symbolic model is a module like any other: copied, saved, switched, extended, compiled."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import fx, nn

from hpml.symbolic import EXECUTIONS, FunctionalModel, Input, SymbolicModel, config, model_tools
from hpml.symbolic.errors import ArgumentError
from tests.symbolic.models import PROGRAMS, assert_same
from tests.symbolic.processes import run_together

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


@pytest.fixture(autouse=True)
def _switches() -> Iterator[None]:
    before = config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH
    yield
    config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH = before


def small_model(execution: str | None = None) -> SymbolicModel:
    x = Input(shape=(4,))
    h = nn.Linear(4, 6)(x)
    y = nn.BatchNorm1d(6)(h + 1).relu()
    first, second = y.chunk(2, dim=1)
    return SymbolicModel(x, (first * second, h), execution=execution)


VALUE = torch.linspace(-1, 1, 12).reshape(3, 4)

# --- copies ---------------------------------------------------------------------------------------


def through_pickle(model: SymbolicModel) -> SymbolicModel:
    return pickle.loads(pickle.dumps(model))


def through_torch_save(model: SymbolicModel) -> SymbolicModel:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def detached(model: SymbolicModel) -> SymbolicModel:
    return model.detach_from_graph()


COPIES = [copy.deepcopy, through_pickle, through_torch_save, detached]
each_copy = pytest.mark.parametrize("copied", COPIES, ids=lambda function: function.__name__)


@each_copy
@each_execution
def test_a_copy_does_the_same_with_weights_of_its_own(copied: Any, execution: str) -> None:
    model = small_model(execution).eval()
    other = copied(model)
    assert type(other) is SymbolicModel
    assert other.execution == execution
    assert other.graph == model.graph
    assert not other.training
    assert_same(other(VALUE), model(VALUE))
    assert_same(other.state_dict(), model.state_dict())
    expected = model(VALUE)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    assert_same(model(VALUE), expected)
    assert (other(VALUE)[1] == 0).all()


@each_copy
@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "arguments_in_containers"])
def test_every_model_can_be_copied(name: str, copied: Any) -> None:
    torch.manual_seed(0)
    program = PROGRAMS[name]("codegen")
    model = program.model("codegen")
    program.modules.eval()
    outputs = []
    for each in (model, copied(model)):
        torch.manual_seed(0)
        outputs.append(each(*copy.deepcopy(program.samples)))
    assert_same(outputs[1], outputs[0])


def test_a_shared_layer_stays_shared_in_a_copy_and_inside_a_larger_module() -> None:
    x = Input(shape=(4,))
    layer = nn.Linear(4, 4)
    model = SymbolicModel(x, layer(layer(x)))
    pair = nn.ModuleList([model, layer])
    copied = copy.deepcopy(pair)
    assert copied[0].Linear_1 is copied[0].Linear_2 is copied[1]
    assert copied[1] is not layer


def test_a_shallow_copy_shares_the_layers() -> None:
    model = small_model()
    other = copy.copy(model)
    assert other.Linear_1 is model.Linear_1


@pytest.mark.parametrize("expression", ["x + 1", "x.sum(1)", "x[:, 1:3]", "-x", "torch.relu(x)"])
def test_an_expression_can_be_pickled(expression: str) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, eval(expression, {"x": x, "torch": torch}))
    assert_same(through_pickle(model)(VALUE), eval(expression, {"x": VALUE, "torch": torch}))


def test_a_copy_has_symbolic_data_of_its_own_and_takes_further_outputs() -> None:
    model = small_model().eval()
    copied = copy.deepcopy(model)
    product, hidden = copied.outputs
    assert product.shape == (1, 3)
    assert hidden.layer is copied.Linear_1
    copied.add_output(hidden.children[0])
    assert len(copied(VALUE)) == 3
    assert_same(copied(VALUE)[2], copied(VALUE)[1] + 1)
    assert len(model(VALUE)) == 2


def test_a_copy_keeps_the_length_of_its_loops_as_configured_now() -> None:
    x = inputs = Input(shape=(4,))
    for _ in range(5):
        x = nn.ReLU()(x)
    model = SymbolicModel(inputs, x)
    assert "for layer" not in model.source
    config.CODEGEN_MIN_LOOP_LENGTH = 3
    assert "for layer" in copy.deepcopy(model).source


# --- executions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "by_default", "expected"),
    [
        ({"enable_forward_codegen": True}, False, "codegen"),
        ({"enable_forward_codegen": False}, True, "ordered"),
        ({"enable_forward_codegen": None, "execution": "lazy"}, True, "lazy"),
        ({"execution": "ordered"}, True, "ordered"),
        ({}, False, "ordered"),
        ({}, True, "inlined"),
    ],
)
def test_the_switches_choose_the_execution(
    settings: dict[str, Any], by_default: bool, expected: str
) -> None:
    config.CODEGEN_BY_DEFAULT = by_default
    x = Input(shape=(4,))
    assert SymbolicModel(x, x + 1, **settings).execution == expected


def test_by_default_source_is_generated() -> None:
    model = small_model()
    assert model.execution == "inlined"
    assert "def forward(" in model.source


def test_a_model_can_be_switched_and_stays_the_same_function() -> None:
    model = small_model("lazy").eval()
    expected = model(VALUE)
    for execution in (*EXECUTIONS, *EXECUTIONS[::-1]):
        model.execution = execution
        assert model.execution == execution
        assert_same(model(VALUE), expected)


def test_an_execution_that_does_not_exist_changes_nothing() -> None:
    model = small_model("ordered")
    with pytest.raises(ArgumentError, match=r"expected one of 'lazy', .*received 'fast'"):
        model.execution = "fast"
    assert model.execution == "ordered"
    assert len(model(VALUE)) == 2


@each_execution
def test_the_source_that_runs_can_be_read(execution: str) -> None:
    source = small_model(execution).source
    assert source.lstrip().startswith("def ")


# --- changing -------------------------------------------------------------------------------------


@each_execution
def test_an_added_output_is_returned_last(execution: str) -> None:
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    first, second = h.relu().chunk(2, dim=1)
    model = SymbolicModel(x, first, execution=execution)
    before = model(VALUE)
    model.add_output(h)
    model.add_output(first)
    result = model(VALUE)
    assert_same(result, (before, model.Linear_1(VALUE), before))
    assert model.outputs == (first, h, first)
    assert model.output_shape == ((1, 2), (1, 4), (1, 2))
    assert second.shape == (1, 2)


def test_an_added_output_inside_a_loop_splits_it() -> None:
    config.CODEGEN_MIN_LOOP_LENGTH = 2
    x = inputs = Input(shape=(4,))
    values = []
    for _ in range(8):
        x = nn.Linear(4, 4)(x)
        values.append(x)
    model = SymbolicModel(inputs, x)
    final = model(VALUE)
    model.add_output(values[3])
    received = model(VALUE)
    expected = VALUE
    for call in model.graph.calls[:4]:
        expected = getattr(model, call.name)(expected)
    assert_same(received, (final, expected))


def replace_by_assignment(model: SymbolicModel, layer: nn.Module) -> None:
    model.Linear_1 = layer


def replace_with_add_module(model: SymbolicModel, layer: nn.Module) -> None:
    model.add_module("Linear_1", layer)


def replace_with_set_submodule(model: SymbolicModel, layer: nn.Module) -> None:
    model.set_submodule("Linear_1", layer)


def replace_in_the_dictionary(model: SymbolicModel, layer: nn.Module) -> None:
    model._modules["Linear_1"] = layer


@pytest.mark.parametrize(
    "replace",
    [
        replace_by_assignment,
        replace_with_add_module,
        replace_with_set_submodule,
        replace_in_the_dictionary,
    ],
)
@each_execution
def test_a_replaced_layer_is_used_from_then_on(execution: str, replace: Any) -> None:
    model = small_model(execution)
    model(VALUE)
    for layer in (nn.Linear(4, 6, bias=False), nn.Sequential(nn.Linear(4, 6), nn.Tanh())):
        replace(model, layer)
        assert_same(model(VALUE)[1], layer(VALUE))
        assert_same(copy.deepcopy(model)(VALUE)[1], layer(VALUE))


@each_execution
def test_a_subclass_may_hold_more_and_wrap_the_forward(execution: str) -> None:
    class Scaled(SymbolicModel):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.scale = nn.Parameter(torch.tensor(2.0))
            self.head = nn.Linear(4, 1)

        def forward(self, x: Any) -> Any:
            return self.head(super().forward(x)) * self.scale

    x = Input(shape=(4,))
    model = Scaled(x, nn.Linear(4, 4)(x), execution=execution)
    assert_same(model(VALUE), model.head(model.Linear_1(VALUE)) * 2)
    assert_same(through_pickle_local(model)(VALUE), model(VALUE))
    assert {"scale", "head.weight", "Linear_1.weight"} <= set(model.state_dict())


def through_pickle_local(model: SymbolicModel) -> SymbolicModel:
    return copy.deepcopy(model)  # a local class cannot be found by pickle


# --- running --------------------------------------------------------------------------------------


@each_execution
def test_running_stores_nothing(execution: str) -> None:
    seen: list[Any] = []

    def note(*tensors: torch.Tensor) -> None:
        seen.extend(map(weakref.ref, tensors))

    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(x)
    for _ in range(3):
        y = nn.Linear(4, 4)(y) + x
    model = SymbolicModel(x, y, execution=execution)
    hooks = [
        layer.register_forward_hook(lambda _, args, out: note(*args, out))
        for layer in model.children()
    ]
    value = torch.rand(2, 4)
    result = model(value)
    assert len(seen) > 10
    del value, result
    assert [reference for reference in seen if reference() is not None] == []
    assert len(hooks) == 7


class Recursive(nn.Module):
    """Calls the model that it is part of on a smaller input."""

    def __init__(self) -> None:
        super().__init__()
        self.models: list[Any] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.models and len(x) > 1:
            return x + self.models[0](x[1:]).sum()
        return x


@each_execution
def test_a_layer_may_call_the_model_that_it_is_part_of(execution: str) -> None:
    layer = Recursive()
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    model = SymbolicModel(x, layer(h) * h, execution=execution)
    layer.models.append(model)

    def by_hand(value: torch.Tensor) -> torch.Tensor:
        hidden = model.Linear_1(value)
        inner = hidden + by_hand(hidden[1:]).sum() if len(value) > 1 else hidden
        return inner * hidden

    assert_same(model(torch.ones(5, 4)), by_hand(torch.ones(5, 4)))
    layer.models.clear()


@each_execution
def test_threads_run_one_model_at_the_same_time(execution: str) -> None:
    x = inputs = Input(shape=(4,))
    for _ in range(20):
        x = nn.Linear(4, 4)(x) + inputs
    model = SymbolicModel(inputs, x, execution=execution)
    values = [torch.full((2, 4), float(i)) for i in range(2)]
    expected = [model(value) for value in values]
    failures: list[Any] = []

    def run(which: int) -> None:
        try:
            for _ in range(150):
                assert_same(model(values[which]), expected[which])
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(which,)) for which in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failures == []


# --- looking --------------------------------------------------------------------------------------


def test_shapes_are_those_of_the_symbolic_data() -> None:
    x, y = Input(shape=(4,)), Input(batch_shape=(3, 4))
    assert SymbolicModel(x, x + 1).input_shape == (1, 4)
    assert SymbolicModel(x, x.sum(1)).output_shape == (1,)
    model = SymbolicModel((x, y), (x, y.size()))
    assert model.input_shape == ((1, 4), (3, 4))
    assert model.output_shape == ((1, 4), None)


def test_inputs_and_outputs_are_the_handles_that_were_given() -> None:
    x = Input(shape=(4,))
    y = x + 1
    model = SymbolicModel(x, [y, x])
    assert model.inputs == (x,)
    assert model.outputs == (y, x)


def test_the_summary_of_the_documents(capsys: pytest.CaptureFixture[str]) -> None:
    inputs = Input(shape=(1, 28, 28))
    x = nn.Flatten()(inputs)
    x = nn.Linear(x.features, 10)(x)
    y = nn.ReLU()(x)
    for parameter in x.layer.parameters():
        parameter.requires_grad_(False)
    SymbolicModel(inputs, (y, x + y)).summary()
    assert capsys.readouterr().out == (
        "______________________________________________________________\n"
        "     Layer          Output shape        Params   Parent   \n"
        "==============================================================\n"
        "1    Input_1        (None, 1, 28, 28)   0                 \n"
        "2    Flatten_1      (None, 784)         0        1        \n"
        "3    Linear_1       (None, 10)          7850     2        \n"
        "4*   ReLU_1         (None, 10)          0        3        \n"
        "5*   AddOpLayer_1   (None, 10)          0        3,4      \n"
        "==============================================================\n"
        "Total params: 7850\n"
        "Trainable params: 0\n"
        "Non-trainable params: 7850\n"
        "______________________________________________________________\n"
    ).replace("_" * 62, "_" * 58).replace("=" * 62, "=" * 58)


def test_the_summary_shows_unpacking_as_one_row_with_the_used_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    x = Input(shape=(6,))
    first, _, third = x.chunk(3, dim=1)
    SymbolicModel(x, (first + third, third)).summary()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[3:-5]]
    assert rows[1] == ["2", "chunk_1", "tuple", "0", "1"]
    assert rows[2] == ["3*", "UnpackLayer_1", "(None,", "2),", "(None,", "2)", "0", "2"]
    assert rows[3] == ["4*", "AddOpLayer_1", "(None,", "2)", "0", "3,3"]


def test_functional_model_is_an_alias() -> None:
    assert FunctionalModel is SymbolicModel


def test_the_tools_compare_models() -> None:
    model = small_model()
    assert model_tools.get_parameter_count(model) == 4 * 6 + 6 + 12
    assert model_tools.get_parameter_shapes(model) == [(6, 4), (6,), (6,), (6,)]
    other = copy.deepcopy(model)
    assert model_tools.model_similar(model, other)
    assert model_tools.models_have_corresponding_parameters(model, other)
    with torch.no_grad():
        other.Linear_1.weight[0, 0] += 1
    assert model_tools.model_similar(model, other)
    assert not model_tools.models_have_corresponding_parameters(model, other)
    assert not model_tools.model_similar(model, nn.Linear(4, 6))


# --- with the rest of torch -----------------------------------------------------------------------


@each_execution
def test_to_fx_gives_a_graph_that_tools_of_fx_can_read_and_change(execution: str) -> None:
    model = small_model(execution).eval()
    traced = model.to_fx()
    assert isinstance(traced, fx.GraphModule)
    assert traced.Linear_1 is model.Linear_1
    assert_same(traced(VALUE), model(VALUE))
    assert_same(fx.Interpreter(traced).run(VALUE), model(VALUE))
    called = [node.target for node in traced.graph.nodes if node.op == "call_module"]
    assert called == [call.name for call in model.graph.calls if not call.unpacks]
    output = next(node for node in traced.graph.nodes if node.op == "output")
    output.args = (output.args[0][1],)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    assert_same(traced(VALUE), model(VALUE)[1])
    assert len(traced.graph.nodes) == 3


@each_execution
def test_torch_compile_captures_the_whole_model(execution: str) -> None:
    model = small_model(execution).eval()
    gc.collect()
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    assert_same(compiled(VALUE), model(VALUE))
    torch._dynamo.reset()


@each_execution
def test_torch_export_captures_the_whole_model(execution: str) -> None:
    model = small_model(execution).eval()
    exported = torch.export.export(model, (VALUE,))
    assert_same(exported.module()(VALUE), model(VALUE))


@each_execution
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_jit_trace_captures_the_whole_model(execution: str) -> None:
    model = small_model(execution).eval()
    traced = torch.jit.trace(model, (VALUE,))
    assert_same(traced(VALUE + 1), model(VALUE + 1))


@each_execution
def test_a_data_parallel_replica_runs_its_own_layers(execution: str) -> None:
    """What `DataParallel` does on each device, without one."""
    model = small_model(execution).eval()
    expected = model(VALUE)
    replica = model._replicate_for_data_parallel()
    for name, layer in model._modules.items():
        layer_replica = layer._replicate_for_data_parallel()
        for key, parameter in layer._parameters.items():
            if parameter is not None:
                # A replica holds plain tensors, as attributes and not as parameters.
                setattr(layer_replica, key, parameter.detach() * 2)
        setattr(replica, name, layer_replica)
    doubled = replica(VALUE)
    assert_same(doubled[1], expected[1] * 2)
    assert_same(model(VALUE), expected)


@each_execution
def test_functional_call_and_vmap_see_other_parameters(execution: str) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.Linear(4, 2)(x).tanh(), execution=execution)
    doubled = {name: value.detach() * 2 for name, value in model.named_parameters()}
    expected = torch.tanh(model.Linear_1(VALUE) * 2)
    received = torch.func.functional_call(model, doubled, (VALUE,))
    torch.testing.assert_close(received, expected)
    stacked = {name: torch.stack([value, value * 0]) for name, value in doubled.items()}
    each = torch.func.vmap(lambda p: torch.func.functional_call(model, p, (VALUE,)))(stacked)
    torch.testing.assert_close(each, torch.stack([expected, torch.zeros_like(expected)]))


TRAINING = """
import sys
import torch
import torch.distributed as dist
from torch import nn
from hpml.symbolic import EXECUTIONS, Input, SymbolicModel

rank, store = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
for execution in EXECUTIONS:
    torch.manual_seed(rank)  # DDP must make the weights equal
    x = inputs = Input(shape=(4,))
    for _ in range(3):
        x = nn.Linear(4, 4)(x).tanh()
    model = SymbolicModel(inputs, x, execution=execution)
    parallel = nn.parallel.DistributedDataParallel(model)
    torch.manual_seed(5)
    batch = torch.rand(6, 4)
    parallel(batch[rank * 3 : rank * 3 + 3]).square().mean().backward()
    received = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(batch).square().mean().backward()
    for one, other in zip(received, model.parameters(), strict=True):
        torch.testing.assert_close(one, other.grad)
        assert other.grad.abs().sum() > 0
dist.barrier()
dist.destroy_process_group()
print("equal")
"""


def test_two_processes_train_one_model_under_ddp(tmp_path: Any) -> None:
    store = str(tmp_path / "store")
    assert run_together([(TRAINING, str(rank), store) for rank in range(2)]) == ["equal\n"] * 2

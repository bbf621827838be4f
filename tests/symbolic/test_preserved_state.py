"""Building a graph changes nothing: not the layers, not the random generators, not the memory."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.building.shapes.preserved_state import preserved
from hpml.symbolic.errors import GraphError
from tests.symbolic.models import PROGRAMS, assert_same
from tests.symbolic.processes import run_python


def tensors_of(module: nn.Module) -> dict[str, Any]:
    return {
        name: (id(tensor), tensor._version, tensor.clone(), tensor.device, tensor.requires_grad)
        for name, tensor in module.state_dict(keep_vars=True).items()
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_building_any_model_leaves_generators_and_layers_alone(name: str) -> None:
    program = PROGRAMS[name]("codegen")
    state, python_state = torch.random.get_rng_state(), random.getstate()
    tensors = tensors_of(program.modules)
    attributes = [dict(vars(module)) for module in program.modules.modules()]
    program.model("codegen")
    assert torch.equal(torch.random.get_rng_state(), state)
    assert random.getstate() == python_state
    assert_same(tensors_of(program.modules), tensors)
    after = [dict(vars(module)) for module in program.modules.modules()]
    assert [list(one) for one in after] == [list(other) for other in attributes]
    for one, other in zip(after, attributes, strict=True):
        assert all(one[key] is other[key] for key in one)


class Stateful(nn.Module):
    """Changes everything that a forward can change, and draws random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("cache", None)
        self.plain = torch.zeros(4)
        self.count = 0
        self.shapes: list[Any] = []
        self.seen: set[int] = set()
        self.table: dict[str, Any] = {"kept": 1}

    def forward(self, x: Any) -> Any:
        assert torch.is_tensor(x)
        self.calls += 1
        self.cache = torch.zeros_like(x)
        self.plain = self.plain + x.detach().sum()
        self.count += 1
        self.shapes.append(x.shape)
        self.seen.add(1)
        self.table["last"] = x
        self.table.pop("kept", None)
        self.new = nn.Linear(2, 2)
        random.random()
        return x * self.weight + torch.rand_like(x)


class Listed(Stateful):
    """The same, returning a list: it is run on a custom object's values, not on meta tensors."""

    def forward(self, data: Any) -> Any:
        return [super().forward(data["x"])]


@pytest.mark.parametrize("real", [False, True], ids=["meta", "real run"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_what_a_forward_writes_is_put_back(real: bool, wrapped: bool) -> None:
    layer: nn.Module = Listed() if real else Stateful()
    inner = layer
    if wrapped:
        layer = nn.Sequential(layer)
    x = CustomInput({"x": torch.rand(2, 4)}) if real else Input(shape=(4,))
    state, python_state = torch.random.get_rng_state(), random.getstate()
    plain = inner.plain
    for _ in range(2):
        layer(x)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert random.getstate() == python_state
    assert inner.calls == 0
    assert inner.cache is None
    assert inner.plain is plain
    assert torch.equal(plain, torch.zeros(4))
    assert (inner.count, inner.shapes, inner.seen) == (0, [], set())
    assert inner.table == {"kept": 1}
    assert "new" not in dict(inner.named_children())
    assert not inner.weight.is_meta
    assert list(inner.state_dict()) == ["weight", "calls"]


def test_a_layer_that_raises_is_put_back_too() -> None:
    class Broken(Stateful):
        def forward(self, x: Any) -> Any:
            super().forward(x)
            raise KeyError("broken")

    layer = Broken()
    with pytest.raises(Exception, match="broken"):
        layer(Input(shape=(4,)))
    assert layer.count == 0
    assert layer.calls == 0
    assert not layer.weight.is_meta


@pytest.mark.parametrize("wrap", [lambda layer: layer, nn.Sequential, lambda n: nn.ModuleList([n])])
def test_batch_norm_in_training_mode_builds_on_one_sample_and_counts_none(wrap: Any) -> None:
    norm = nn.BatchNorm1d(4)
    assert norm.training
    container = wrap(norm)
    layer = container[0] if isinstance(container, nn.ModuleList) else container
    x = Input(shape=(4,))
    y = nn.Linear(4, 4)(layer(x))
    assert y.shape == (1, 4)
    assert norm.num_batches_tracked == 0
    assert torch.equal(norm.running_mean, torch.zeros(4))
    SymbolicModel(x, y)(torch.rand(5, 4))
    assert norm.num_batches_tracked == 1


@pytest.mark.parametrize(
    "layer",
    [
        nn.Sequential(nn.Conv2d(3, 5, 3), nn.BatchNorm2d(5), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        nn.Sequential(nn.Flatten(), nn.Linear(108, 6), nn.BatchNorm1d(6), nn.Dropout(0.5)),
        nn.Sequential(nn.Flatten(0, 0), nn.InstanceNorm2d(3)),
    ],
)
def test_the_shape_behind_a_nested_batch_norm_is_that_of_a_real_run(layer: nn.Module) -> None:
    y = layer(Input(shape=(3, 6, 6)))
    assert (None, *y.shape[1:]) == (None, *layer(torch.rand(7, 3, 6, 6)).shape[1:])


def test_a_batch_known_to_be_one_is_refused_as_torch_does() -> None:
    x = Input(batch_shape=(1, 4))
    with pytest.raises(GraphError, match="more than 1 value per channel"):
        nn.Sequential(nn.Flatten(), nn.BatchNorm1d(4))(x)


def test_random_numbers_are_the_same_with_and_without_building() -> None:
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    x = Input(shape=(4,))
    y = nn.Sequential(nn.Dropout(), nn.RReLU())(x) + torch.rand_like(x)
    add_to_graph(lambda t: t.tolist(), y)
    assert y.v.shape == (1, 4)
    assert torch.equal(torch.rand(3), expected)


def test_borrowing_gives_back_an_attribute_that_was_deleted() -> None:
    layer = Stateful()
    with preserved(layer):
        del layer.weight, layer.count, layer.table["kept"]
    assert layer.weight.shape == (4,)
    assert layer.count == 0
    assert layer.table == {"kept": 1}


def test_huge_images_and_a_resnet_allocate_nothing_beyond_the_weights() -> None:
    """The peer needs 10.8 GiB for the first of these graphs."""
    printed = run_python(
        """
        import torch
        from torch import nn
        from hpml.symbolic import Input, SymbolicModel

        torch.set_num_threads(1)

        def block(x, conv1, norm1, conv2, norm2, down):
            y = norm2(conv2(torch.relu(norm1(conv1(x)))))
            return torch.relu(y + (down(x) if down is not None else x))

        def resnet_layers():
            layers, width = [], 64
            for out, stride in [(64, 1)] * 2 + [(128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
                                                (512, 1)]:
                down = None
                if stride != 1:
                    down = nn.Sequential(nn.Conv2d(width, out, 1, stride), nn.BatchNorm2d(out))
                layers.append((
                    nn.Conv2d(width, out, 3, stride, 1), nn.BatchNorm2d(out),
                    nn.Conv2d(out, out, 3, 1, 1), nn.BatchNorm2d(out), down,
                ))
                width = out
            return layers

        def resnet(size, layers, stem, head):
            x = inputs = Input(shape=(3, size, size))
            x = stem(x)
            for parts in layers:
                x = block(x, *parts)
            x = head(x.mean(dim=(2, 3)))
            return SymbolicModel(inputs, x)

        def convolutions(size, convs):
            x = inputs = Input(shape=(3, size, size))
            for conv in convs:
                x = nn.Softplus()(conv(x))
            return SymbolicModel(inputs, x)

        stem, head = nn.Conv2d(3, 64, 7, 2, 3), nn.Linear(512, 1000)
        convs = [nn.Conv2d(3, 64, 3), *(nn.Conv2d(64, 64, 3) for _ in range(3))]
        layers = resnet_layers()
        small = convolutions(16, convs), resnet(64, layers, stem, head)  # imports
        import resource
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        models = convolutions(4096, convs), resnet(4096, layers, stem, head)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert models[0].output_shape == (1, 64, 4088, 4088)
        assert models[1].output_shape == (1, 1000)
        assert len(models[1].graph.calls) > 50
        print((after - before) / 1024)
        """
    )
    assert float(printed) < 20, f"{printed} MiB more than before"

"""Programs written for pytorch-symbolic, as text; each leaves a `result`."""

from __future__ import annotations

HEAD = """
import contextlib, io, json, sys, warnings
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
warnings.simplefilter("ignore")
torch.set_num_threads(1)

def plain(value):
    if isinstance(value, torch.Tensor):
        return ["tensor", str(value.dtype), list(value.shape), value.detach().double().tolist()]
    if isinstance(value, np.ndarray):
        return ["array", str(value.dtype), value.tolist()]
    if isinstance(value, tuple) and all(isinstance(p, int) or repr(p) == "None" for p in value):
        # The peer shows an unknown batch as 1.
        return ["Size", [part if isinstance(part, int) else 1 for part in value]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [plain(part) for part in value]]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, set):
        return ["set", sorted(value)]
    return value

def summary_of(model):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        model.summary()
    return text.getvalue()

def facts(model):
    return [plain(model.input_shape), plain(model.output_shape),
            model_tools.get_parameter_count(model),
            model_tools.get_parameter_count(model, only_trainable=True),
            plain(model_tools.get_parameter_shapes(model)), len(model._execution_order_layers),
            [name for name, _ in model.named_children()], summary_of(model)]

made = 0

def with_known_weights(kind):
    # The peer draws its example data from the generator that initialises the layers.
    initialise = kind.__init__

    def __init__(self, *args, **kwargs):
        global made
        initialise(self, *args, **kwargs)
        made += 1
        generator = torch.Generator().manual_seed(made)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-0.5, 0.5, generator=generator)

    kind.__init__ = __init__

for kind in (nn.Linear, nn.Conv2d, nn.LSTM, nn.MultiheadAttention):
    with_known_weights(kind)

def numbers(*shape):
    return torch.linspace(-1, 2, int(np.prod(shape))).reshape(shape)
"""

IMPORT = """
from pytorch_symbolic import (
    CustomInput, Input, SymbolicModel, add_to_graph, config, graph_algorithms, model_tools,
    optimize_module_calls, symbolic_data, useful_layers,
)
"""

PROGRAMS: dict[str, str] = {
    # The blocks of the page on benchmarks, with the data that they are run on.
    "a model of the documents, trained and run": """
        from torch import nn
        from pytorch_symbolic import Input, SymbolicModel, optimize_module_calls

        x = inputs = Input(shape=(3, 32, 32))
        x = nn.Identity()(x)
        model = SymbolicModel(inputs, x)

        optimize_module_calls()

        result = model(numbers(2, 3, 32, 32))
    """,
    "the chain of the documents and its source": """
        from torch import nn
        from pytorch_symbolic import Input, SymbolicModel

        n_layers = 250  # other used values: 500, 750, 1000

        x = inputs = Input(shape=(4,))
        for _ in range(n_layers):
            x = nn.Linear(4, 4)(x)
        model = SymbolicModel(inputs, x)

        loop = "for layer in l[0:250]:" in model._generated_forward_source
        result = model(numbers(4, 4)), len(model._execution_order_layers), loop
    """,
    "a classifier in both notations": """
        global made
        models = []
        for notation in (lambda layer, x: layer(x), lambda layer, x: x(layer)):
            made = 0
            inputs = Input((1, 12, 12))
            x = notation(nn.Conv2d(inputs.C, 4, 3), inputs)
            x = notation(nn.MaxPool2d(2), x)(nn.ReLU())
            x = notation(nn.Flatten(), x)
            models.append(SymbolicModel(inputs, notation(nn.Linear(x.features, 10), x)))
            models[-1].Linear_1.requires_grad_(False)
        result = [(facts(m), m(numbers(2, 1, 12, 12))) for m in models]
    """,
    "a residual network": """
        inputs = Input(shape=(3, 20, 20))
        x = nn.Conv2d(inputs.C, 8, 3)(inputs)(nn.ReLU())
        first = nn.MaxPool2d(3)(x)
        x = nn.Conv2d(first.C, 8, 3, padding=1)(first)(nn.ReLU())
        x = nn.BatchNorm2d(x.channels, momentum=0.0)(x)  # the peer's building changes it
        second = x + first
        x = nn.AvgPool2d(kernel_size=second.HW)(second)(nn.Flatten())
        x = nn.Dropout(0.5)(nn.Linear(x.features, 16)(x))
        model = SymbolicModel(inputs, nn.Linear(x.features, 10)(x)).eval()
        result = facts(model), model(numbers(2, 3, 20, 20))
    """,
    "several inputs and outputs": """
        a, b = Input(batch_shape=(5, 1, 9, 9)), Input(batch_shape=(5, 6))
        x = a(nn.Conv2d(a.channels, 4, 3))(nn.Flatten())
        x = x(nn.Linear(x.features, 8)) + nn.Linear(b.features, 8)(b)
        outputs = nn.Linear(8, 2)(x), x(nn.Linear(8, 3), custom_name="head"), x
        model = SymbolicModel((a, b), outputs)
        result = facts(model), model(numbers(5, 1, 9, 9), numbers(5, 6))
    """,
    "custom names": """
        x = inputs = Input(shape=(4,))
        for _ in range(3):
            x = nn.Linear(4, 4)(x, custom_name="same")
        x = x(nn.Linear(4, 4), custom_name="other")
        result = facts(SymbolicModel(inputs, x))
    """,
    "parts of a graph": """
        x = inputs = Input(shape=(4,))
        nodes = [x]
        for _ in range(12):
            x = nn.Linear(4, 4)(x)
            nn.Identity()(x)
            nodes.append(x)
        models = [SymbolicModel(nodes[i], nodes[i + 4]) for i in (0, 4, 8)]
        whole = SymbolicModel(inputs, x)
        chained = models[2](models[1](models[0](numbers(3, 4))))
        result = [facts(m) for m in models], whole(numbers(3, 4)), chained
    """,
    "shared layers and weights": """
        layer = nn.Linear(4, 4)
        x = Input(shape=(4,))
        y = layer(layer(x)) + layer(x)
        model = SymbolicModel(x, y)
        # The peer registers a layer once for each use, this package once: each weight once here.
        weights = dict(model.named_parameters())
        result = facts(model), model(numbers(3, 4)), {n: p.detach() for n, p in weights.items()}
    """,
    "nested models": """
        x = Input((1, 8, 8))
        inner = SymbolicModel(x, nn.Conv2d(1, 2, 3, padding=1)(x)(nn.ReLU()))
        a, b, noise = Input((1, 8, 8)), Input((1, 16, 16)), Input((1, 16, 16))
        y = nn.MaxPool2d(2)(inner(b + noise))
        model = SymbolicModel((a, b, noise), inner(a) - y)
        samples = numbers(2, 1, 8, 8), numbers(2, 1, 16, 16), numbers(2, 1, 16, 16)
        result = facts(model), model(*samples)
    """,
    "an added output": """
        x = Input(shape=(4,))
        h = nn.Linear(4, 5)(x)
        model = SymbolicModel(x, nn.Linear(5, 2)(h))
        before = facts(model)
        model.add_output(h)
        result = before, facts(model), model(numbers(3, 4))
    """,
    "a detached model": """
        x = Input(shape=(4,))
        h, g = nn.Linear(4, 6)(x).chunk(2, dim=1)
        model = SymbolicModel(x, (h * g, h))
        detached = model.detach_from_graph()
        with torch.no_grad():
            first = model(numbers(3, 4))
            next(model.parameters()).zero_()
        result = [first, detached(numbers(3, 4)), model(numbers(3, 4)),
                  model_tools.model_similar(model, detached),
                  model_tools.models_have_corresponding_parameters(model, detached)]
    """,
    "functions added to the graph": """
        x, y = Input(shape=(3, 2)), Input(shape=(5, 2))
        joined = add_to_graph(torch.concat, (x, y), dim=1)
        image = Input(shape=(3, 8, 8))
        kernel, bias = Input(batch_shape=(4, 3, 3, 3)), Input(batch_shape=(4,))
        convolved = add_to_graph(F.conv2d, input=image, weight=kernel, bias=bias, padding=1)
        outputs = joined, convolved, add_to_graph(lambda a, *, by: a * by, x, by=3)
        model = SymbolicModel((x, y, image, kernel, bias), outputs)
        samples = (numbers(2, 3, 2), numbers(2, 5, 2), numbers(2, 3, 8, 8), numbers(4, 3, 3, 3),
                   numbers(4))
        result = model(*samples), plain(model.input_shape), plain(model.output_shape)
    """,
    "useful layers": """
        x, y = Input(shape=(3, 2)), Input(shape=(3, 2))
        seen = []
        layers = useful_layers
        outputs = [layers.ConcatLayer(dim=1)(x, y), layers.StackLayer(dim=2)(x, y),
                   layers.ReshapeLayer((2, 3))(x), layers.ViewCopyLayer((6,))(x),
                   layers.AggregateLayer(torch.mean, dim=1)(x), layers.AggregateLayer(torch.sum)(y),
                   layers.LambdaOpLayer(lambda a: a * 2)(x),
                   layers.MethodCall("permute", 0, 2, 1)(x),
                   layers.NamedLambdaOpLayer(lambda a: a + 1, name="plus")(x),
                   layers.AddOpLayer()(x, y), layers.SubOpLayer()(x, y), layers.MulOpLayer()(x, y),
                   layers.MatmulOpLayer()(x, y[:, :2].transpose(1, 2)), layers.SliceLayer(0)(x),
                   layers.GetAttr("shape")(x), layers.ModOpLayer()(x, y)]
        model = SymbolicModel((x, y), outputs)
        result = model(numbers(2, 3, 2), numbers(2, 3, 2) + 5), plain(model.output_shape)
    """,
    "numbers and constants": """
        x, y = CustomInput(5), CustomInput(2)
        model = SymbolicModel((x, y), (x + 14, 14 + x, x + y, x * y - 2, y ** 2, x % 3, -y, abs(y)))
        result = model(22, 21), model(2, -3), summary_of(SymbolicModel(x, nn.Identity()(x)))
    """,
    "a list that is changed in place": """
        x = CustomInput([])
        outputs = x.append(1), x.append(2)
        model = SymbolicModel(inputs=x, outputs=(x, *outputs))
        result = model([3, 4])
    """,
    "numpy arrays": """
        x, y = CustomInput(np.ones((4, 3))), CustomInput(np.array([1.0, 2.0]))
        z = x[:, :, None] + y.reshape(1, 1, -1)
        model = SymbolicModel((x, y), z)
        result = model(np.arange(6.0).reshape(2, 3), np.array([5.0])), model.output_shape
    """,
    "after optimize_module_calls": """
        x = Input(shape=(4,))
        h = nn.Linear(4, 4)(x)
        model = SymbolicModel(x, nn.ReLU()(h))
        optimize_module_calls()
        result = [nn.Module.__call__ is nn.Module._wrapped_call_impl, model(numbers(2, 4)),
                  h(nn.Tanh()).shape[1:] == (4,)]
    """,
    "the switches of the code generator": """
        result = [config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH]
        for by_default in (True, False):
            for length in (2, 4, float("inf")):
                config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH = by_default, length
                x = inputs = Input(shape=(4,))
                for _ in range(6):
                    x = nn.Linear(4, 4)(x)
                for codegen in (None, True, False):
                    model = SymbolicModel(inputs, x, enable_forward_codegen=codegen)
                    result.append(model(numbers(2, 4)))
        config.CODEGEN_BY_DEFAULT, config.CODEGEN_MIN_LOOP_LENGTH = True, 50
    """,
    "what a symbolic tensor tells": """
        x = Input(batch_shape=(2, 3, 8, 6))
        y = nn.Conv2d(x.C, 5, 3)(x)
        z = y + 1
        result = [[plain(v.shape), v.features, v.C, v.channels, v.H, v.W, v.HW, v.CHW, v.HWC,
                   v.batch_size, v.batch_size_known, v.numel, v.depth, len(v), len(v.parents),
                   len(v.children), list(v.v.shape)] for v in (x, y, z)]
        result += [len(Input().shape) == 1, Input(batch_shape=(2, 3)).batch_size_known,
                   x.layer is None, z.parents[0] is y, y.children[0] is z]
        image = Input(shape=(2,), min_value=3, max_value=4, dtype=torch.float64).v
        result += [str(image.dtype), bool((image >= 3).all() and (image <= 4).all())]
    """,
}

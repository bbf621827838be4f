"""Programs of functions, operators, indices, several results, and other things than tensors."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import CustomInput, Input
from tests.symbolic.hazards import add_or_call
from tests.symbolic.programs import Program, program, tensor_input


@program
def unpacked_results(execution: str) -> Program:
    lstm = nn.LSTM(3, 4, batch_first=True)
    linear = nn.Linear(2, 3)

    def forward(x: Any) -> Any:
        first, second, _third = torch.chunk(x, 3, dim=2)
        sequence, (hidden, _cell) = lstm(linear(first) + linear(second))
        values, indices = sequence.max(dim=1)
        parts = sequence.split([1, 4], dim=1)
        return hidden, values, indices, parts[1], next(iter(parts))

    return Program(forward, [tensor_input(5, 6)], [torch.rand(2, 5, 6)], [lstm, linear])


class ListOfTwo(nn.Module):
    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [x + 1, x * 2]


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, *, scale: float, shift: Any = 0) -> dict[str, Any]:
        return {"out": self.linear(x) * scale + shift, "pair": (x, [x.sum(), 3])}


@program
def layers_that_return_containers(execution: str) -> Program:
    pair, named = ListOfTwo(), Named()

    def forward(x: Any) -> Any:
        a, b = pair(x)
        (c,) = pair(a)[:1]
        result = named(b, scale=0.5, shift=c)
        first, (total, three) = result["pair"]
        return result["out"], first, total, three, result

    return Program(forward, [tensor_input(4)], [torch.rand(3, 4)], [pair, named])


@program
def rows_of_a_known_batch(execution: str) -> Program:
    def forward(x: Any) -> Any:
        total = 0
        for position, row in enumerate(x):
            total = total + row * (position + 1)
        return total, x[1], x[1:, ::2], x[..., None, 0]

    return Program(forward, [lambda: Input(batch_shape=(4, 6))], [torch.rand(4, 6)])


@program
def functions_of_torch(execution: str) -> Program:
    def forward(x: Any, weight: Any, bias: Any) -> Any:
        y = F.conv2d(input=x, weight=weight, bias=bias, padding=1)
        z = torch.cat([F.relu(y), torch.sigmoid(y), F.pad(y, (0, 0, 0, 0))], dim=1)
        z = torch.where(z > 0.5, z, torch.zeros_like(z))
        stacked = torch.stack((z.mean(dim=(2, 3)), z.amax((2, 3))), dim=1)
        product = torch.einsum("bij,bkj->bik", stacked, stacked)
        return F.softmax(product, dim=-1), torch.clamp(z, min=0.1, max=0.9).flatten(1), z.norm()

    inputs = [
        tensor_input(3, 5, 5),
        lambda: Input(batch_shape=(2, 3, 3, 3)),
        lambda: Input(batch_shape=(2,)),
    ]
    samples = [torch.rand(2, 3, 5, 5), torch.rand(2, 3, 3, 3), torch.rand(2)]
    return Program(forward, inputs, samples)


@program
def every_operator(execution: str) -> Program:
    def forward(x: Any, y: Any, i: Any, j: Any) -> Any:
        floats = (
            *(
                x + y,
                x - y,
                x * y,
                x / y,
                x % y,
                x.detach() // y.detach(),
                x**y,
                x @ y.transpose(0, 1),
            ),
            *(2 + x, 2 - x, 2 * x, 2 / x, 2 % x.detach(), 2 // x.detach(), 2**x),
            *(x + 2, x - 2, x * 2, x / 2, x % 2, x.detach() // 2, x**2, x - -1),
            *(-x, +x, abs(x)),
        )
        whole = (i & j, i | j, i ^ j, i << j, i >> j, ~i, i & 3, 5 | i, 5 ^ i, 64 >> j, 1 << j)
        truths = (x < y, x <= y, x > y, x >= y, x < 0.5, x > 0.5)
        return (*floats, *whole, *truths)

    whole = [torch.randint(1, 6, (3, 4)) for _ in range(2)]
    inputs = [tensor_input(4)] * 2 + [tensor_input(4, dtype=torch.int64)] * 2
    return Program(forward, inputs, [torch.rand(3, 4) + 0.1, torch.rand(3, 4) + 0.1, *whole])


@program
def methods_of_tensors(execution: str) -> Program:
    def forward(x: Any) -> Any:
        rows = x.view(x.size(0), -1)
        y = x.permute(0, 2, 1).contiguous().reshape(-1, 3)
        return (
            *(rows, y.t(), y.T, y.mT, x.transpose(1, 2)),
            *(x.sum(), x.sum(1), x.mean(dim=(1, 2), keepdim=True), x.argmax(dim=1), x.std()),
            *(
                x.clamp(0.2, 0.8),
                x.unsqueeze(1).squeeze(1),
                x.to(torch.float64),
                x.masked_fill(x > 1, 0),
            ),
            *(x.median(dim=1).values, x * x.dim() - x.size(1), x.flatten(1).softmax(-1)),
        )

    return Program(forward, [tensor_input(3, 4)], [torch.rand(2, 3, 4)])


@program
def symbolic_indices(execution: str) -> Program:
    def forward(x: Any, i: Any, n: Any, where: Any) -> Any:
        return (
            *(x[i], x[:, n:], x[i, n], x[..., i:n], x[:n:i]),
            *(x[where], x[torch.tensor([2, 0])], x[where, 0], x[[0, 2]]),
        )

    inputs = [
        lambda: Input(batch_shape=(4, 5)),
        lambda: CustomInput(1),
        lambda: CustomInput(2),
        lambda: CustomInput(torch.tensor([3, 1])),
    ]
    return Program(forward, inputs, [torch.rand(4, 5), 2, 3, torch.tensor([0, 3])])


@program
def constants_tensors_and_parameters(execution: str) -> Program:
    tensor = torch.rand(4)
    holder = nn.ParameterList([nn.Parameter(torch.rand(4, 4)), nn.Parameter(torch.rand(4))])

    def forward(x: Any) -> Any:
        y = x @ holder[0] + holder[1]
        y = torch.cat([y, tensor.expand(2, 4), x], dim=0) - 0.5
        y = tensor * y + torch.nn.functional.linear(y, holder[0], bias=holder[1])
        return y, torch.where(y > tensor, y, tensor.new_zeros(())), holder[1] - x, tensor**y

    return Program(forward, [tensor_input(4)], [torch.rand(2, 4)], [holder])


def described(x: Any, *more: Any, name: str, **options: Any) -> tuple[Any, ...]:
    return x * options["a-b"], name, more, options


@program
def arguments_in_containers(execution: str) -> Program:
    def forward(x: Any, y: Any) -> Any:
        odd = {"a-b": 2, "from": [x, {"deep": (y, "a0 k[0] {0} {l}")}]}
        return add_or_call(described, x, (y, [1, y], slice(0, 2)), -1, name="a1, k[0]", **odd)

    samples = [torch.rand(2, 3), torch.rand(2, 3)]
    return Program(forward, [tensor_input(3)] * 2, samples)


@program
def custom_data(execution: str) -> Program:
    def forward(table: Any, numbers: Any, members: Any, whole: Any, key: Any, tensor: Any) -> Any:
        first, second, third = numbers
        return (
            *(table["a"] + 1, table[key], table.get("missing", 7), numbers[1:], first - second),
            *((members | {9}) & {1, 9}, members - {1}, whole * 3 - 1, whole**2, -whole, 2 - whole),
            *(third * tensor, tensor * whole, numbers * 2, table["a"] < whole),
        )

    inputs = [
        lambda: CustomInput({"a": 1, "b": 2}),
        lambda: CustomInput([5, 6, 7]),
        lambda: CustomInput({1, 2}),
        lambda: CustomInput(5),
        lambda: CustomInput("b"),
        tensor_input(3),
    ]
    samples = [{"a": 4, "b": 8}, [1, 2, 3], {1, 3}, 11, "a", torch.rand(2, 3)]
    return Program(forward, inputs, samples)

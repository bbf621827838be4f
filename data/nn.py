"""The lecture's network of two layers, in today's PyTorch: 500 steps of gradient descent.

    python -m cProfile -s time nn.py            where the time goes
    python -m cProfile -o nn.prof nn.py         the same into a file: snakeviz nn.prof
    python -m memory_profiler nn.py             memory by line, slower: nn.py 50 takes 50 steps

What differs from the slides: tensors need no Variable any more, size_average=False is called
reduction="sum", loss.data[0] is loss.item(), and setup and learn, which the slides call, are here.
"""

import sys

import torch

N, D_in, H, D_out = 64, 1000, 100, 10

if "profile" not in globals() and not hasattr(__builtins__, "profile"):

    def profile(function):  # memory_profiler brings its own
        return function


def setup(N, D_in, H, D_out):
    x = torch.randn(N, D_in)
    y = torch.randn(N, D_out)
    model = torch.nn.Sequential(
        torch.nn.Linear(D_in, H),
        torch.nn.ReLU(),
        torch.nn.Linear(H, D_out),
    )
    loss_fn = torch.nn.MSELoss(reduction="sum")
    return x, y, model, loss_fn


@profile
def learn(x, y, model, loss_fn, steps=500):
    learning_rate = 1e-4
    for t in range(steps):
        y_pred = model(x)

        loss = loss_fn(y_pred, y)
        print(t, loss.item())

        model.zero_grad()

        loss.backward()

        for param in model.parameters():
            param.data -= learning_rate * param.grad.data


def main():
    x, y, model, loss_fn = setup(N, D_in, H, D_out)
    learn(x, y, model, loss_fn, int(sys.argv[1]) if len(sys.argv) > 1 else 500)


if __name__ == "__main__":
    main()

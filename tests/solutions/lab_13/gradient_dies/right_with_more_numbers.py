import torch


def gradient_dies(activation, interval):
    for count in (1001, 1002, 4096):
        x = torch.linspace(*interval, count).reshape(1, -1).requires_grad_()
        y = activation(x)
        (slope,) = torch.autograd.grad(y, x, torch.full_like(y, 1.0))
        if slope.count_nonzero():
            return torch.tensor(False)
    return torch.tensor(True)

"""Count the bytes of the tensors alive while a function runs: exact, and always the same."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten


class LiveBytes(TorchDispatchMode):
    """Follow every tensor that an operator returns until its last name is gone."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self._holders: dict[int, int] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        results = func(*args, **(kwargs or {}))
        for tensor in tree_flatten(results)[0]:
            if isinstance(tensor, torch.Tensor):
                self._follow(tensor)
        return results

    def _follow(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
        if address not in self._holders:
            self._holders[address] = 0
            self.now += size
            self.peak = max(self.peak, self.now)
        self._holders[address] += 1
        weakref.finalize(tensor, self._gone, address, size)

    def _gone(self, address: int, size: int) -> None:
        self._holders[address] -= 1
        if not self._holders[address]:
            del self._holders[address]
            self.now -= size


def peak_bytes(run: Callable[..., Any], *inputs: torch.Tensor) -> int:
    """Return the most bytes alive at once among the tensors that ``run`` makes."""
    gc.disable()  # what only the collector would free counts as alive
    try:
        with torch.no_grad(), LiveBytes() as live:
            result = run(*inputs)
            del result
        return live.peak
    finally:
        gc.enable()

"""Turn the user's calls into nodes: intercept a call, infer the shape of its result, record it.

`interception` notices a call, `arguments` splits its arguments, `inference` finds the shape of its
result by a rule (`layer_rules`) or by running a copy of the layer, `recording` makes the node, and
`handles` defines the symbolic data that the user holds.

Limits while a graph is built; for these write ``add_to_graph(function, x)`` or a module:

- A decision by anything but symbolic data, such as ``self.training``, is made once, as with
  ``torch.fx``.
- ``isinstance(x, torch.Tensor)`` and ``torch.is_tensor(x)`` are false for symbolic data.
- Symbolic data in a container is not noticed after a real tensor, among the positional arguments
  of a module or in another container.
- A size that a function computes from floating-point data, ``x[:, : int(x.max())]``, may be
  inferred wrongly: give ``output_shape=``.
- A forward that changes caches or counters outside of its layer changes them during inference. What
  a cache keeps then is a meta tensor, without data. With ``output_shape=`` it does not run.
- A list, or another object, that is passed to a module or to a function of yours is not copied, so
  a later change of it is visible.
- A function keeps what it captured, and the modules among it are part of the model, with the
  exceptions that `captures` lists.

An ``if`` on ``x.device.type == "cpu"``, ``x.is_cuda``, ``x.is_contiguous()`` or ``x.requires_grad``
is refused, because the answer depends on the data and the machine. Layers that take their shapes
from their first call are refused: write ``nn.Linear(x.features, 4)``, not ``nn.LazyLinear(4)``.
"""

from __future__ import annotations

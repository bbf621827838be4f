"""From what the student writes to nodes: calls are noticed, their shapes found, nodes made.

`interception` notices a call, `arguments` takes it apart, `inference` finds the shape of its
result by a rule (`layer_rules`) or by running a copy of the layer, `recording` makes the node, and
`handles` is what the student holds of it.

Not watched while a graph is built; write ``add_to_graph(function, x)`` or the forward of a module:

- code that decides by something other than symbolic data, such as a method of a module that reads
  ``self.training``: the decision is made once, as with ``torch.fx``
- ``isinstance(x, torch.Tensor)`` and ``torch.is_tensor(x)``, which are false for symbolic data
- symbolic data in a container that comes behind a real tensor, among the positional arguments of a
  module or in another container
- a result whose size is the largest number in the data: give ``F.one_hot`` its ``num_classes``
- caches and counters outside of a layer that its forward changes: with ``output_shape=`` it does
  not run
- modules and parameters that a function finds elsewhere: give them as arguments,
  ``add_to_graph(function, x, layer)``, else they are no part of the model

Refused in an ``if``, because only the data and the machine decide: ``x.device.type == "cpu"``,
``x.is_cuda``, ``x.is_contiguous()``, ``x.requires_grad``. Refused too are layers that take their
shapes from their first call, such as ``nn.LazyLinear(4)``: write ``nn.Linear(x.features, 4)``.
"""

from __future__ import annotations

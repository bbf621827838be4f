"""From what the student writes to nodes: calls are noticed, their shapes found, nodes made.

`interception` notices a call, `arguments` takes it apart, `inference` finds the shape of its
result by a rule (`layer_rules`) or by running a copy of the layer, `recording` makes the node, and
`handles` is what the student holds of it.
"""

from __future__ import annotations

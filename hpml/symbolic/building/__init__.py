"""From what the student writes to nodes: calls are noticed, their shapes found, nodes made.

`interception` notices a call, `arguments` takes it apart, `inference` finds the shape of its result
with the `layer_rules` or by running the layer in a `preserved_state`, `node_making` makes the node,
and `handles` is what the student holds of it.
"""

"""Pictures of graphs: a layout, and its drawing.

A graph has inputs, calls, outputs and numbered values (`Drawable`): the graph of a model, or a
`Dataflow` from a dictionary. `lay_out` computes the positions, and `draw` draws them with
matplotlib; the widgets draw the same layout as SVG.

>>> diamond = dataflow({"x": [], "left": ["x"], "right": ["x"], "join": ["left", "right"]})
>>> layout = lay_out(diamond, diamond.names.__getitem__, lambda call: "", rotated=True)
>>> [box.text for box in layout.boxes]
['x', 'left', 'right', 'join']
>>> figure = draw(layout, Look(inputs={0}, outputs={3}))
"""

from __future__ import annotations

from hpml.base.drawing.figure import Look, draw
from hpml.base.drawing.graph import Dataflow, Drawable, DrawingError, NamedCall, dataflow
from hpml.base.drawing.layout import Layout, lay_out
from hpml.base.drawing.routing import fold_chains

__all__ = [
    "Dataflow",
    "Drawable",
    "DrawingError",
    "Layout",
    "Look",
    "NamedCall",
    "dataflow",
    "draw",
    "fold_chains",
    "lay_out",
]

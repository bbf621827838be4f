"""Pictures of graphs: one placement, and what paints it.

A graph is whatever has inputs, calls and outputs, numbered values between them (`Drawable`): that
of a model, or a `Dataflow` made from a dictionary. `lay_out` says where everything stands, and
`draw` paints it with matplotlib; the widgets paint the same places for a page.

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

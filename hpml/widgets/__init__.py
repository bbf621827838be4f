"""Interactive views of the library's values, which also print as text.

A widget computes its states in Python. Its first state is visible in exported pages, without a
kernel.

>>> from hpml.widgets import explore
>>> explore(lambda n: n * n, n=[3, 4, 5])
9

Most widgets are an `Animation`, which plays in any page, without a kernel:

>>> from hpml.widgets import execution_player
>>> execution_player({"x": [], "y": ["x"]}, ["lazy"], title="One operation")
One operation: 5 steps
  1. lazy: Nothing has happened yet.
  2. lazy: You ask for y.
  3. lazy: y asks for x: it is known.
  4. lazy: y is executed.
  5. lazy: Done after 3 steps.

The stepper animates a function, instruction by instruction:

>>> from hpml.widgets import stepper
>>> [frame.line for frame in stepper(lambda a, b: a * b, 3, 4).keyframes if "*" in frame.line]
['BINARY_OP * takes 3 and 4 off the stack and pushes 12.']
"""

from __future__ import annotations

from hpml.widgets.animation.animation import Animation, Keyframe
from hpml.widgets.code_view.view import code_view
from hpml.widgets.errors import WidgetError
from hpml.widgets.explore.explore import explore
from hpml.widgets.graph_browser.browser import graph_browser
from hpml.widgets.player.player import execution_player
from hpml.widgets.stepper.stepper import stepper

__all__ = [
    "Animation",
    "Keyframe",
    "WidgetError",
    "code_view",
    "execution_player",
    "explore",
    "graph_browser",
    "stepper",
]

"""Lab 07: generated source of networks, its bytecode, its memory and its time."""

from hpml.base import style

style.draw_as({"loop": "handwritten"})

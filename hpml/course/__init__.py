"""What every lab is made of: predictions, exercises, an explanation, and running a notebook.

A question is asked and locked before a measurement (``predictions``), an exercise is declared and
judged (``exercises``), a lab ends with an experiment to choose (``explanation``), and a notebook is
run without being opened (``execute``). What only one lab needs is in its folder of ``hpml.labs``.

>>> from hpml.course.predictions.quantity import find_unit
>>> find_unit("ms").name
'ms'
"""

from __future__ import annotations

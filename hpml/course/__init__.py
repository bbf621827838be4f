"""What every lab is made with: questions before measurements, exercises, an explanation, a run.

A question is asked and locked before a measurement (``predictions``), an exercise is declared and
judged (``exercises``), a lab ends with an experiment to choose (``explanation``), and a notebook is
run without being opened (``execute``). What belongs to one lab only stands in its room, in
``hpml.labs``, which also gathers what a notebook imports.

>>> from hpml.course.predictions.quantity import find_unit
>>> find_unit("ms").name
'ms'
"""

from __future__ import annotations

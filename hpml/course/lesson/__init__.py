"""The machinery shared by all labs: predictions, exercises, the explanation, running a notebook.

``predictions`` asks for a number before it is measured, ``exercises`` declares and judges the
functions to write, ``explanation`` ends a lab, and ``execute`` runs a notebook.

>>> from hpml.course.lesson.predictions.quantity import find_unit
>>> find_unit("ms").name
'ms'
"""

from __future__ import annotations

"""The course that stands on the library: what every notebook imports.

A notebook opens its lab, asks for predictions, reveals results, and ends with a calibration:

>>> from hpml.course import calibration, forget, lab_head, predict
>>> _ = lab_head("try-labs", "Trying things out")
>>> guess = predict("How many bytes has an empty list?", unit="B", key="list", answer=100)
Predict: How many bytes has an empty list?
Locked: 100 B.
>>> import sys
>>> guess.reveal(sys.getsizeof([]))
You said 100 B, the result is 56 B: 1.8 times too high.
>>> calibration().table.column("your guess")
('1.8 times too high',)
>>> forget()
1

Nothing blocks: without an answer, a result is shown as not predicted. A name is imported from its
module when it is first used, so that a part of the course, such as the worker beside a submission,
loads only itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpml.base.page import say, show_code
    from hpml.course.labs.checking import check, explain, hint
    from hpml.course.labs.kept import mine
    from hpml.course.labs.overview import course_calibration, progress
    from hpml.course.labs.questions import ten_questions
    from hpml.course.lesson.challenge import challenge
    from hpml.course.lesson.errors import AnswerError, LabError, PredictionLocked
    from hpml.course.lesson.predictions.calibration import Calibration, calibration
    from hpml.course.lesson.predictions.prediction import Prediction, predict
    from hpml.course.lesson.predictions.session import forget, lab_head
    from hpml.course.this_run import quick

__all__ = [
    "AnswerError",
    "Calibration",
    "LabError",
    "Prediction",
    "PredictionLocked",
    "calibration",
    "challenge",
    "check",
    "course_calibration",
    "explain",
    "forget",
    "hint",
    "lab_head",
    "mine",
    "predict",
    "progress",
    "quick",
    "say",
    "show_code",
    "ten_questions",
]

_NAMES = {
    "hpml.base.page": ("say", "show_code"),
    "hpml.course.labs.checking": ("check", "explain", "hint"),
    "hpml.course.labs.kept": ("mine",),
    "hpml.course.labs.overview": ("course_calibration", "progress"),
    "hpml.course.labs.questions": ("ten_questions",),
    "hpml.course.lesson.challenge": ("challenge",),
    "hpml.course.lesson.errors": ("AnswerError", "LabError", "PredictionLocked"),
    "hpml.course.lesson.predictions.calibration": ("Calibration", "calibration"),
    "hpml.course.lesson.predictions.prediction": ("Prediction", "predict"),
    "hpml.course.lesson.predictions.session": ("forget", "lab_head"),
    "hpml.course.this_run": ("quick",),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name of `__all__` from its module (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""The labs, one folder each, and the functions that all notebooks import.

A notebook opens its lab, asks for predictions, reveals results, and ends with a calibration:

>>> from hpml.labs import calibration, lab_head, predict
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

Nothing blocks: without an answer, a result is shown as not predicted.
"""

from __future__ import annotations

from hpml.base.page import say, show_code
from hpml.course.challenge import challenge
from hpml.course.errors import AnswerError, LabError, PredictionLocked
from hpml.course.predictions.calibration import Calibration, calibration
from hpml.course.predictions.prediction import Prediction, predict
from hpml.course.predictions.session import forget, lab_head
from hpml.labs.checking import check, explain, hint
from hpml.labs.kept import mine
from hpml.labs.overview import course_calibration, progress
from hpml.labs.questions import ten_questions

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
    "say",
    "show_code",
    "ten_questions",
]

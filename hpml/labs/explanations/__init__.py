"""The explanation at each lab's end, one file a lab, kept out of the notebook that asks it.

A student reads the notebook's cells, so the reasons cannot stand in them. ``lab_00.EXPLANATION`` is
what ``explain()`` asks in lab 00; a new lab adds a file of the same form.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass

from hpml.base.errors import describe
from hpml.labs.errors import LabError
from hpml.labs.hypotheses import Hypotheses, hypotheses
from hpml.labs.session import current_lab

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """An observation, hypotheses about it, and experiments of which one tells them apart.

    Attributes:
        question: the observation to be explained.
        claims: the hypotheses, called A, B, C in this order.
        experiments: for each experiment, what it would show under these hypotheses.
        best: the experiment that tells them apart.
    """

    question: str
    claims: tuple[str, ...]
    experiments: Mapping[str, str]
    best: str


def explain() -> Hypotheses:
    """Ask the closing explanation of the open lab; it shows itself.

    Raises:
        LabError: if the open lab has none.

    >>> from hpml.labs import lab_head
    >>> _ = lab_head("try-explain", "Trying things out")
    >>> explain()
    Traceback (most recent call last):
    hpml.labs.errors.LabError: There is no explanation for lab 'try-explain'; ...
    """
    lab = current_lab().name
    module = f"{__name__}.lab_{lab}"
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise LabError(
            f"There is no explanation for lab {describe(lab)}; expected one in the file "
            f"hpml/labs/explanations/lab_{lab}.py. Did the lab's first cell, lab_head(...), run?"
        ) from None
    item: Explanation = found.EXPLANATION
    return hypotheses(
        item.question, claims=item.claims, experiments=item.experiments, best=item.best
    )

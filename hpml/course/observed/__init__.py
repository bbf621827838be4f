"""What a class did, from the records that students hand in voluntarily, beside the estimates.

Three steps, one file each; each passes plain values to the next:

1. ``records``: find and read the files ``progress.json`` and ``predictions.json`` of each student,
   in folders, zips or single files: `Records`;
2. ``figures``: minutes per section and exercise, first checks, known wrong answers and predictions,
   each as the values of all students: `Figure`;
3. ``page``: a table for programs, ``observed.csv``, and one to read, ``observed.md``.

The records have no names, are not signed and prove nothing: do not grade them.
"""

from __future__ import annotations

from hpml.base.errors import UsageError
from hpml.course.lesson.errors import LabError


class NoRecords(LabError, UsageError):
    """The folder of a class has no record of any student."""

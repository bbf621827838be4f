"""Make what is handed out: the students' copy, and the book for everyone.

``student_copy`` and ``book`` return files by name; ``folder`` writes them atomically and replaces
only files that it wrote before.

>>> from hpml.course.release.student_copy import for_students
>>> for_students("## Labs\\n\\nSixteen.\\n\\n## For instructors: grading\\n\\nAlone.\\n")
'## Labs\\n\\nSixteen.\\n'
"""

from __future__ import annotations

"""What is handed out of the course: the student's copy, and the book that anyone can read.

``student_copy`` and ``book`` each make the files of what is handed out, by name; ``folder`` writes
them whole or not at all, and replaces nothing but what it wrote before.

>>> from hpml.release.student_copy import for_students
>>> for_students("## Labs\\n\\nSixteen.\\n\\n## For instructors: grading\\n\\nAlone.\\n")
'## Labs\\n\\nSixteen.\\n'
"""

from __future__ import annotations

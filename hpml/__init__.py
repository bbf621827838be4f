"""hpml: measure, understand and improve the performance of Python and PyTorch programs.

Two halves. The **library** works without the course::

    base                                errors, files, tables, charts; imports no torch
    bytecode  symbolic  benchmark  jit  stack machine, model builder, comparisons, compilers
    profiling  widgets                  where time and memory go; interactive views

The **course**, `hpml.course`, stands on it: what every notebook imports, and the packages behind
the labs, grading and the students' copy. No file of the library imports from the course, and each
package imports only from those of earlier lines.

Importing ``hpml`` loads the standard library and nothing else, and changes nothing in the world:

>>> import hpml
>>> hpml.__version__
'1.0.0'
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "1.0.0"

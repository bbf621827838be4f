"""hpml: measure, understand and improve the performance of Python and PyTorch programs.

The notebooks of the course hold the prose and the exercises; this package holds everything that is
too long for a notebook cell. It is built in layers, each of which imports only from those below::

    base  sandbox                           files, figures, tables · what runs a submission
    bytecode  symbolic  benchmark  jit  datasets    the tools, which do not know each other
    models  profiling  training  runtimes  doctor   what the experiments run
    suites                                      the experiments
    course  widgets  server                     what every lab is made with
    labs                                        one folder a lab
    grading  release                            points, the student copy
    cli                                         the command ``hpml``

Importing ``hpml`` loads the standard library and nothing else, and changes nothing in the world:

>>> import hpml
>>> hpml.__version__
'1.0.0'
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "1.0.0"

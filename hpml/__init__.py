"""hpml: measure, understand and improve the performance of Python and PyTorch programs.

The notebooks of the course hold the prose and the exercises; this package holds everything that is
too long for a notebook cell. It is built in storeys, each of which imports only from those below::

    base                                        files, environment, figures, tables; no torch
    bytecode  symbolic  benchmark  jit  datasets    the tools, which do not know each other
    models  profiling  training  doctor             what the experiments run
    suites                                          the experiments
    labs  widgets                                   what a notebook uses
    cli                                             the command ``hpml``

Importing ``hpml`` loads the standard library and nothing else, and changes nothing in the world:

>>> import hpml
>>> hpml.__version__
'0.1.0'
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"

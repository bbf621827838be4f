"""``python -m hpml``: the command line where the script ``hpml`` is not on the search path."""

from __future__ import annotations

import sys

from hpml.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -P -s -B -m hpml.sandbox FDIN FDOUT``: serve one submission's function."""

from __future__ import annotations

import sys

from hpml.sandbox.serve import main

if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

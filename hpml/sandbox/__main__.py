"""``python -P -s -B -m hpml.sandbox``: serve one submission's function."""

from __future__ import annotations

from hpml.sandbox.serve import main

if __name__ == "__main__":
    main()

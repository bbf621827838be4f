"""``python -m hpml``: the command line where the script ``hpml`` is not on the search path."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # Python looks first into the folder it is run in, where a user's `argparse.py` may be.
    # The package itself has been found already.
    if not sys.flags.safe_path:
        del sys.path[0]

    from hpml.cli import main

    sys.exit(main())

"""The graph of an ONNX file in Netron, on this machine alone, for as long as it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import RuntimesError, require
from .quiet import quiet


@contextmanager
def netron_page(path: str | Path, *, port: int = 0) -> Iterator[str]:
    """Serve the graph of a file inside the ``with``; gives the address to open in a browser.

    Raises:
        RuntimesError: there is no such file.
        NotInstalledError: netron is not installed.

    Source: https://github.com/lutzroeder/netron
    """
    if not Path(path).is_file():
        raise RuntimesError(f"netron_page expected a file, received {str(path)!r}: save it first")
    (netron,) = require("netron")
    with quiet():
        host, chosen = netron.start(str(path), address=("127.0.0.1", port or None), browse=False)
    try:
        yield f"http://{host}:{chosen}"
    finally:
        netron.stop((host, chosen))

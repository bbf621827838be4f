"""What an honest claim says, looked for in a student's sentence."""

from __future__ import annotations

import platform
import re

from hpml.base.tables import Table
from hpml.benchmark import Comparison


def claim_parts(claim: str, measured: Comparison, name: str, baseline: str) -> Table:
    """Return which parts of an honest claim a sentence has, each with what the measurement says."""
    ratio = measured.ratio(name, baseline)
    numbers = [float(text) for text in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)", claim)]
    machine = str(measured.measurements[0].environment.get("cpu"))
    python = platform.python_version()

    def says(*values: float) -> bool:
        # As they are, or the other way round: who is n times as fast takes 1/n of the time.
        left = list(numbers)
        for value in values:
            near = [n for n in left if n and min(abs(n / value - 1), abs(n * value - 1)) < 0.03]
            if not near:
                return False
            left.remove(near[0])
        return True

    ends = f"{ratio.low:.3g} to {ratio.high:.3g} (or {1 / ratio.high:.3g} to {1 / ratio.low:.3g})"
    parts = [
        ("who is compared", f"{name} and {baseline}", name in claim and baseline in claim),
        ("the ratio", f"{ratio.value:.3g} (or {ratio.speed_up:.3g})", says(ratio.value)),
        ("its interval", ends, says(ratio.value, ratio.low, ratio.high)),
        ("how many rounds", str(measured.rounds), measured.rounds in numbers),
        ("the size of the job", "how many numbers", bool(re.search(r"\d[\d,_]* numbers", claim))),
        ("Python's version", python, python.rpartition(".")[0] in claim),
        ("the machine", machine, machine.lower() in claim.lower()),
    ]
    rows = [[part, wanted, "✓" if there else "missing"] for part, wanted, there in parts]
    return Table(["an honest claim says", "by your measurement", "yours"], rows)

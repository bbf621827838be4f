"""Check a Chrome trace against the parts of the format's documentation that we write.

Source: "Trace Event Format" (Duan, Sinclair and others, Google), sections "JSON Object Format",
"Duration events", "Complete events", "Flow events" and "Metadata events". No schema is published.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

METADATA = {"process_name": "name", "thread_name": "name", "thread_sort_index": "sort_index"}


def read_trace(path: Path) -> list[dict[str, Any]]:
    """Return a trace's events other than metadata, after asserting what the format asks for."""
    content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    assert content["displayTimeUnit"] in ("ms", "ns")
    flows: defaultdict[object, list[str]] = defaultdict(list)
    spans: defaultdict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    shown = []
    for event in content["traceEvents"]:
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        if event["ph"] == "M":
            assert METADATA[event["name"]] in event["args"]
            continue
        assert isinstance(event["tid"], int)
        assert isinstance(event["cat"], str)
        assert math.isfinite(event["ts"])
        shown.append(event)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            assert isinstance(event["args"], dict)
            spans[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        else:
            flows[event["id"]].append(event["ph"])
            if event["ph"] == "f":
                assert event["bp"] == "e"
            # An arrow begins and ends in a span of its row.
            row = spans[event["pid"], event["tid"]]
            assert any(start <= event["ts"] <= end for start, end in row)
    assert all(phases == ["s", "f"] for phases in flows.values())
    for row in spans.values():
        _assert_nested(row)
    return shown


def _assert_nested(spans: list[tuple[float, float]]) -> None:
    """Assert that of two spans of a row one contains the other, or they do not overlap."""
    open_spans: list[float] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_spans and open_spans[-1] <= start + 1e-6:
            open_spans.pop()
        assert not open_spans or end <= open_spans[-1] + 1e-6
        open_spans.append(end)


def _no_constant(name: str) -> float:
    raise AssertionError(f"{name} is not JSON")

"""What sampling costs, and how heavy a large icicle is: ``python -m tests.benchmarks.profilers``.

Sampling as a ratio of interleaved rounds on the lecture's nn.py, one thread; the icicle of 5,000
functions as the size of its page, and as the time until Chromium has drawn it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import sync_playwright

from hpml.base.tables import Table, format_seconds
from hpml.benchmark import compare
from hpml.labs.lab_09_profiling.network import learning, profile_command
from hpml.profiling import sample
from hpml.profiling.call_tree import CallTree
from hpml.profiling.icicle import icicle
from tests.browser.chromium import chromium

FUNCTIONS = 5000


def large_tree() -> CallTree:
    """Return a call tree of so many functions, of which none is too small to be kept."""
    groups = []
    for group in range(FUNCTIONS // 10):
        below = tuple(
            CallTree(f"function_{group}_{each}", f"module_{group}.py:{10 * each}", 1.0, (), each)
            for each in range(9)
        )
        groups.append(CallTree(f"group_{group}", f"module_{group}.py:1", 1.0, below, group))
    return CallTree("main", "main.py:1", 0.0, tuple(groups), 1)


def drawn(browser: Any, html: str, times: int = 5) -> float:
    """Return the median time in seconds from the request of a page until it is drawn."""
    found: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "icicle.html")
        file.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
        for _ in range(times):
            page = browser.new_page()
            page.goto(file.as_uri())
            page.locator("[data-set=cutoff]").wait_for()
            found.append(page.evaluate("new Promise(done => requestAnimationFrame(() => "
                                       "setTimeout(() => done(performance.now()))))"))  # fmt: skip
            page.close()
    return statistics.median(found) / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    learn = learning(500)
    runs = {"unprofiled": learn, "sample": lambda: sample(learn)}
    found = compare(runs, rounds=rounds).ratio("sample")
    rows: list[list[object]] = [["sample / unprofiled, nn.py", str(found), "1.05"]]
    real = profile_command()
    pages = {
        f"{FUNCTIONS:,} functions, all of a size": icicle(large_tree()).html,
        f"python -m cProfile nn.py, {len(real.stats):,} functions": real.icicle().html,
    }
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for name, html in pages.items():
            rows.append([f"icicle, {name}", f"{len(html.encode()) / 1e3:.0f} kB", "600 kB"])
            rows.append(["  until drawn", format_seconds(drawn(browser, html)), "2 s"])
        browser.close()
    print(Table(["what", "measured", "goal"], rows))


if __name__ == "__main__":
    main()

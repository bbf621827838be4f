"""Which Chromium the browser tests use, if this machine has one."""

from __future__ import annotations

import functools
import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@functools.cache
def chromium() -> str | None:
    """Return the path of Chromium: the machine's, or the one that playwright has installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        with sync_playwright() as driver:
            found = shutil.which(driver.chromium.executable_path)
    return found

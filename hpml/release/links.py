"""Whether every link of the book leads somewhere, and whether it needs nothing from the network."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

_LOADED = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
}


class _Links(HTMLParser):
    """The places of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places = {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            elif (tag, name) in _LOADED:
                self.loaded.append(value or "")
            elif (tag, name) == ("a", "href"):
                self.links.append(value or "")


def broken_links(files: Mapping[str, str]) -> Iterator[str]:
    """Yield one line for each link of a page that leads nowhere, or loads from elsewhere."""
    pages = {name: _Links(text) for name, text in files.items() if name.endswith(".html")}
    for name, page in pages.items():
        for target in page.loaded:
            if not target.startswith("data:") and target not in files:
                yield f"{name} loads {target[:80]!r}, which is not in the book"
        for target in page.links:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = parts.path or name
            # As a browser looks for it: as it is written, then decoded.
            places = {parts.fragment, urllib.parse.unquote(parts.fragment)}
            if there not in files:
                yield f"{name} links to {target!r}, which is not in the book"
            elif there in pages and not places & pages[there].places:
                yield f"{name} links to {target!r}, but {there} has no such place"

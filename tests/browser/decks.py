"""What is wrong with a deck on a screen of 1,280 by 720, and what moves on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# Each slide that is larger than its box, or whose text is smaller than some pixels.
_PROBLEMS = """least => [...document.querySelectorAll("section")].flatMap((slide, index) => {
    const CAPTIONS = ".fit > p, .origin, p small, .hpml-animation-caption, .hpml-icicle p";
    const found = [], name = `slide ${index + 1}, ${slide.firstElementChild.innerText}: `;
    if (slide.scrollHeight > slide.clientHeight) found.push(name + "too high");
    if (slide.scrollWidth > slide.clientWidth) found.push(name + "too wide");
    const zoom = Number(slide.querySelector(".fit").style.zoom);
    for (const text of slide.querySelectorAll(CAPTIONS)) {
        if (!text.checkVisibility() || text.clientWidth === 1) continue;  // for screen readers
        if (zoom * parseFloat(getComputedStyle(text).fontSize) < least)
            found.push(name + "small print: " + text.innerText.slice(0, 40));
    }
    return found;
})"""


def opened(browser: Any, path: Path, scheme: str = "light") -> Any:
    """Return a deck on a page without a network; `page.asked` has what it asks for, and errors."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, offline=True, color_scheme=scheme
    )
    page = context.new_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.asked.append(str(error)))
    page.goto(path.as_uri())
    return page


def problems(page: Any, *, least: int) -> list[str]:
    """Return what does not fit, with all answers open, and what was asked of the network.

    Captions and paragraphs are to have letters of at least `least` pixels.
    """
    page.evaluate("document.querySelectorAll('.fit > details').forEach(each => each.open = true)")
    page.wait_for_timeout(200)  # until what has grown was fitted again
    found: list[str] = page.evaluate(_PROBLEMS, least)
    return found + [url[:80] for url in page.asked if not url.startswith(("file:", "data:"))]


def move_all(page: Any) -> list[str]:
    """Operate each widget of a deck, and return those in which nothing changes."""
    still = []
    for widget in page.locator(".fit :is(.hpml-animation, .hpml-icicle)").all():
        if not widget.is_visible():
            continue
        before, kind = widget.inner_html(), str(widget.get_attribute("class"))
        if "hpml-explore" in kind:
            control = widget.locator(":scope > .hpml-animation-controls :is(select, input)").first
            if control.evaluate("control => control.tagName") == "SELECT":
                chosen = control.evaluate("control => control.selectedIndex")
                control.select_option(index=0 if chosen else 1)
            else:
                control.press("End")
        elif "hpml-icicle" in kind:
            widget.locator("select").first.select_option(index=1)
        elif "hpml-code-view" not in kind:
            widget.locator(":is(.step, .next)").first.click()
        elif (lines := widget.locator(".source li[data-calls]")).count():
            lines.first.hover()  # lights the layers of the line
        else:
            continue
        if widget.inner_html() == before:
            still.append(kind)
    return still

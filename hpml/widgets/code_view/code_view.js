(() => {
  const root = document.currentScript.closest(".hpml-code-view");
  const parts = [...root.querySelectorAll("[data-calls]")];
  const spans = new Map(parts.map(part => [part, part.dataset.calls.split(" ").map(Number)]));
  const light = (from) => {
    const [start, end] = spans.get(from) ?? [0, 0];
    const there = from?.tagName === "LI" ? "g" : "LI";
    let shown = false;
    for (const part of parts) {
      const [first, last] = spans.get(part);
      // A layer's label and its values are highlighted together.
      const same = part.tagName === "g" && part.dataset.calls === from?.dataset.calls;
      const lit = first < end && start < last
        && (part === from || same || part.tagName === there);
      part.classList.toggle("lit", lit);
      if (lit && !shown && part.tagName === there) { shown = true; reveal(part); }
    }
  };
  const reveal = (part) => {
    const side = part.closest(".side"), at = part.getBoundingClientRect();
    const seen = side.getBoundingClientRect();
    if (at.top < seen.top) side.scrollTop -= seen.top - at.top + 30;
    if (at.bottom > seen.bottom) side.scrollTop += at.bottom - seen.bottom + 30;
  };
  // Ignore mouse events caused by the page scrolling under a resting mouse.
  let mouse = "";
  const rests = (event) => mouse === (mouse = `${event.screenX},${event.screenY}`);
  root.addEventListener("mousemove", rests);
  root.addEventListener("mouseover", (event) => {
    const part = event.target.closest("[data-calls]");
    if (!rests(event) && part) light(part);
  });
  root.querySelector(".sides").addEventListener("mouseleave", (event) => {
    if (!rests(event)) light(null);
  });
  const along = (side, stops) => {
    let at = -1;
    side?.addEventListener("keydown", (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (!step || !stops.length) return;
      event.preventDefault();
      event.stopPropagation();
      at = Math.min(Math.max(at + step, 0), stops.length - 1);
      light(stops[at]);
      reveal(stops[at]);
    });
    side?.addEventListener("blur", () => { at = -1; light(null); });
  };
  const first = (part) => spans.get(part)[0];
  along(root.querySelector(".source"), parts.filter(part => part.tagName === "LI"));
  // The parts of a layer (its label and values) are one stop for the arrow keys.
  const layers = new Map(parts.filter(part => part.tagName === "g")
    .map(part => [first(part), part]));
  along(root.querySelector(".graph"),
    [...layers.values()].sort((one, other) => first(one) - first(other)));
})();

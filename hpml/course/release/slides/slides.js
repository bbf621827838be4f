// Arrow keys, Page Up and Page Down go from slide to slide, unless a widget has the focus and takes
// the arrows; Escape leaves a widget. S opens the speaker's notes in a window of their own.
(() => {
"use strict";
const slides = [...document.querySelectorAll("section")];
const steps = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1};
const moves = "[data-lm-suppress-shortcuts], .hpml-icicle";
const widgets = moves + ", .tall, table, select, input, button, summary";
let speaker = null;

// Shrinks what is on a slide until it fits; a widget begins enlarged, and may grow while it moves.
function fit(slide) {
  const box = slide.querySelector(".fit");
  const overflows = () => slide.scrollHeight > slide.clientHeight || slide.scrollWidth > slide.clientWidth;
  let size = Number(box.style.zoom || 1);
  while (overflows() && size > 0.3) zoom(box, size -= 0.04);
}
// Captions stay legible: their least size is divided by --zoom.
function zoom(box, size) {
  box.style.zoom = size;
  box.style.setProperty("--zoom", size);
}
function fitAll() {
  slides.forEach((slide) => {
    const box = slide.querySelector(".fit");
    zoom(box, box.querySelector(moves) ? 1.3 : 1);
    fit(slide);
  });
}
function current() {
  return slides.findIndex((each) => each.getBoundingClientRect().bottom > innerHeight / 2);
}
function tell() {
  if (!speaker || speaker.closed) return;
  const now = current(), next = slides[now + 1]?.firstElementChild.textContent ?? "the end";
  speaker.document.title = "Notes";
  speaker.document.body.innerHTML = slides[now].firstElementChild.outerHTML +
    slides[now].querySelector(".notes").innerHTML + "<hr><p></p>";
  speaker.document.body.lastChild.textContent = `${now + 1} of ${slides.length}. Next: ${next}`;
}
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const inside = document.activeElement.closest(widgets);
  if (event.key === "Escape") return document.activeElement.blur();
  if (event.key === "s" && !inside) { speaker = open("", "notes", "width=700,height=600"); return tell(); }
  const step = steps[event.key];
  if (!step || (inside && !event.key.startsWith("Page"))) return;
  event.preventDefault();
  event.stopPropagation();
  const now = current(), answer = slides[now].querySelector(".fit > details:not([open])");
  if (answer && step > 0) answer.open = true;
  else slides[Math.min(Math.max(now + step, 0), slides.length - 1)].scrollIntoView();
}, true);
addEventListener("scroll", tell);
addEventListener("resize", fitAll);
const grows = new ResizeObserver((changes) => changes.forEach((change) => fit(change.target.parentElement)));
slides.forEach((slide) => grows.observe(slide.querySelector(".fit")));
addEventListener("load", fitAll);
})();

// Shows the state that the reader chooses. The script creates the controls, so a page without
// scripts has no dead ones; it defines no globals and loads nothing.
// Its attribute data-choices: controls as [name, texts, whether they are on a slider, index of the
// first shown]; places (the number of the state for each combination, the last control changing
// fastest).
(() => {
"use strict";
function start(root) {
  const {controls, places} = JSON.parse(root.dataset.choices);
  // A page saved by the browser contains the controls of an earlier run.
  root.querySelectorAll(":scope > :is(.hpml-animation-controls, .hpml-before)")
    .forEach((old) => old.remove());
  const states = Array.from(root.querySelectorAll(":scope > [data-state]"));
  const chosen = controls.map((control) => control[3]);
  const bar = document.createElement("div"), before = document.createElement("div");
  bar.className = "hpml-animation-controls";
  before.className = "hpml-before";

  // Below a new picture or headline the previous one stays.
  function keep(state) {
    const part = state.querySelector(".hpml-figure, .hpml-headline");
    before.replaceChildren();
    if (!part) return;
    const copy = part.cloneNode(true);
    copy.classList.remove("hpml-headline");
    if (copy.alt) copy.alt = "The picture of the previous choice";
    before.append("Before: ", copy);
  }
  function show() {
    const old = states.find((state) => !state.hidden);
    const place = controls.reduce((sum, control, i) => sum * control[1].length + chosen[i], 0);
    const next = states[places[place]];
    if (next !== old) keep(old);
    old.hidden = true;
    next.hidden = false;
  }
  controls.forEach(([name, texts, slides, first], index) => {
    const label = document.createElement("label");
    const control = document.createElement(slides ? "input" : "select");
    const value = document.createElement("output");
    label.append(name, control);
    if (slides) {
      Object.assign(control, {type: "range", min: "0", max: String(texts.length - 1)});
      label.append(value);
    } else texts.forEach((text, i) => control.add(new Option(text, i)));
    control.setAttribute("aria-label", name);
    function choose(at) {
      chosen[index] = at;
      if (!slides) return;
      value.textContent = texts[at];
      control.setAttribute("aria-valuetext", texts[at]);
    }
    control.value = String(first);
    choose(first);
    control.addEventListener("input", () => { choose(Number(control.value)); show(); });
    bar.append(label);
  });
  // Keep the keys from Jupyter, where x would cut the cell.
  bar.addEventListener("keydown", (event) => event.stopPropagation());
  states[0].before(bar);
  root.append(before);
  show();
}

document.querySelectorAll(".hpml-explore").forEach((root) => {
  if (root.hpmlExplore) return;
  root.hpmlExplore = true;
  start(root);
});
})();

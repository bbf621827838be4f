"""The style and the script of every film: what makes frames move in a page, without a kernel.

The script makes the controls itself, so that a page where scripts are off shows no dead buttons.
It leaves no name behind, loads nothing, and starts each copy of a film on a page by itself.
"""

from __future__ import annotations

__all__ = ["SCRIPT", "STYLE"]

# Colours are the page's own where it names them (JupyterLab, VS Code), else the browser's; so a
# film reads in light and dark themes. Paper is white.
STYLE = """\
.hpml-film {--film-paper: var(--jp-layout-color0, var(--vscode-editor-background, Canvas));
 --film-ink: var(--jp-content-font-color1, var(--vscode-editor-foreground, CanvasText));
 --film-line: color-mix(in srgb, var(--film-ink) 45%, var(--film-paper));
 --film-accent: #C4500B; color: var(--film-ink); margin: 0.5em 0; padding: 0.3em 0.5em;
 border-radius: 6px; max-width: 100%; box-sizing: border-box;}
.hpml-film:focus {outline: none;}
.hpml-film:focus-visible {outline: 2px solid var(--film-accent); outline-offset: -2px;}
.hpml-film .hpml-film-title {font-weight: bold; margin: 0 0 0.4em;}
.hpml-film-scene, .hpml-film-scroll {overflow-x: auto;}
.hpml-film .hpml-film-caption {margin: 0.4em 0; min-height: 1.5em;}
.hpml-film-controls {display: flex; flex-wrap: wrap; align-items: center; gap: 0.3em;
 margin: 0.3em 0;}
.hpml-film-controls button, .hpml-film-controls select {color: inherit; font: inherit;
 background: color-mix(in srgb, var(--film-ink) 7%, var(--film-paper));
 border: 1px solid var(--film-line); border-radius: 4px; height: 2.1em; min-width: 2.4em;
 padding: 0 0.5em; cursor: pointer;}
.hpml-film-controls button:hover {
 background: color-mix(in srgb, var(--film-ink) 17%, var(--film-paper));}
.hpml-film-controls button:disabled {opacity: 0.4; cursor: default;}
.hpml-film-controls :focus-visible, .hpml-film [data-go]:focus-visible {
 outline: 2px solid var(--film-accent); outline-offset: 1px;}
.hpml-film-controls option {color: CanvasText; background: Canvas;}
.hpml-film-controls svg {width: 1em; height: 1em; fill: none; stroke: currentColor;
 stroke-width: 2; vertical-align: -0.12em;}
.hpml-film-controls .play {background: var(--film-accent); border-color: var(--film-accent);
 color: white;}
.hpml-film-controls .play:hover {background: #A8420A;}
.hpml-film-controls .play svg {fill: currentColor;}
.hpml-film-controls input {flex: 1 1 9em; max-width: 26em; min-width: 6em; margin: 0 0.4em;
 accent-color: var(--film-accent);}
.hpml-film-place {font-variant-numeric: tabular-nums; min-width: 5em; text-align: center;}
.hpml-film [data-go] {cursor: pointer;}
.hpml-film details {margin-top: 0.3em;}
@media (prefers-reduced-motion: no-preference) {
 .hpml-film [data-part] {transition: fill 0.15s, stroke 0.15s, background-color 0.15s;}}
@media print {.hpml-film {--film-paper: white; --film-ink: black; break-inside: avoid;
 print-color-adjust: exact; -webkit-print-color-adjust: exact;}
 .hpml-film-controls, .hpml-film details {display: none;}}
"""

# `film`: id, scene (null where the page holds it), parts, texts, pieces (names), strings, frames
# as [caption, changes of parts, of texts, of pieces], each a flat list of name and string numbers,
# labels (null for a player).
SCRIPT = """\
(function (film) {
"use strict";
const icons = {
  first: "M3 3v10M13 3L8 8l5 5M8 3L3 8l5 5", back: "M10 3L5 8l5 5", play: "M4 2l10 6-10 6z",
  pause: "M5 3v10M11 3v10", step: "M6 3l5 5-5 5", last: "M13 3v10M3 3l5 5-5 5M8 3l5 5-5 5"};
const names = {first: "First step", back: "One step back", play: "Play", pause: "Pause",
  step: "One step on", last: "Last step"};
const chooses = film.labels !== null, count = film.frames.length;

// A frame holds only what changed: add up, so that any frame can be shown from any other.
const states = [];
let sum = [film.parts, film.texts, film.pieces].map((list) => list.map(() => ""));
for (const frame of film.frames) {
  sum = sum.map((list, kind) => {
    const next = list.slice(), changes = frame[kind + 1];
    for (let i = 0; i < changes.length; i += 2) next[changes[i]] = film.strings[changes[i + 1]];
    return next;
  });
  states.push(sum);
}

function start(root) {
  const scene = root.querySelector(".hpml-film-scene");
  const caption = root.querySelector(".hpml-film-caption");
  // A page saved by the browser holds the controls of an earlier run.
  root.querySelectorAll(".hpml-film-controls").forEach((old) => old.remove());
  if (film.scene !== null) scene.innerHTML = film.scene;
  const places = ["part", "slot", "slot"].map((kind, at) => {
    const found = new Map([film.parts, film.texts, film.pieces][at].map((name) => [name, []]));
    scene.querySelectorAll("[data-" + kind + "]").forEach((element) => {
      const list = found.get(element.dataset[kind]);
      if (list) list.push(element);
    });
    return Array.from(found.values());
  });
  const put = [
    (element, text) => {
      if (text) element.dataset.on = text; else delete element.dataset.on;
    },
    (element, text) => { element.textContent = text; },
    (element, text) => { element.innerHTML = text; }];
  let now = 0, shown = null, timer = null, speed = 1;

  const bar = document.createElement("div");
  bar.className = "hpml-film-controls";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", chooses ? "Choose" : "Player");
  function draw(button, name) {
    button.innerHTML = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="' + icons[name] +
      '"/></svg>';
    const label = chooses ? {back: "Previous", step: "Next"}[name] : names[name];
    button.setAttribute("aria-label", label);
    button.title = label;
  }
  function button(name, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = name;
    draw(made, name);
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  }
  function menu(label, options, value, act) {
    const made = document.createElement("select");
    made.setAttribute("aria-label", label);
    options.forEach((pair) => made.add(new Option(pair[1], pair[0])));
    made.value = value;
    made.addEventListener("change", () => act(Number(made.value)));
    bar.append(made);
    return made;
  }

  // What is marked "here" stays in sight where the scene is larger than its place on the page.
  function bring(element) {
    const box = element.closest(".hpml-film-scroll");
    if (!box) return;
    const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.left < outer.left + 20 || inner.right > outer.right - 20)
      box.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
    if (inner.top < outer.top + 20 || inner.bottom > outer.bottom - 20)
      box.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
  }
  // "3 9 15" leads to the next of these frames, seen from here, and from the last to the first.
  function leads(text) {
    const list = text.split(" ").map(Number);
    const next = list.find((index) => index > now);
    return next === undefined ? list[0] : next;
  }
  // A list of places shows the one that was reached last.
  function place_in(list) {
    let latest = -1;
    Array.from(list.options).forEach((option) => {
      option.value.split(" ").map(Number).forEach((index) => {
        if (index <= now && index > latest) { latest = index; option.selected = true; }
      });
    });
  }
  function show(index) {
    now = Math.max(0, Math.min(count - 1, index));
    states[now].forEach((list, kind) => list.forEach((text, i) => {
      if (shown === null || shown[kind][i] !== text)
        places[kind][i].forEach((element) => put[kind](element, text));
    }));
    shown = states[now];
    scene.querySelectorAll('[data-on~="here"]').forEach(bring);
    scene.querySelectorAll("select.hpml-film-go").forEach(place_in);
    caption.textContent = film.strings[film.frames[now][0]];
    place.textContent = (now + 1) + " / " + count;
    if (chooses) list.value = String(now);
    else {
      slider.value = String(now);
      slider.setAttribute("aria-valuetext", "step " + (now + 1) + " of " + count);
    }
    [[first, 0], [back, 0], [step, count - 1], [last, count - 1]].forEach((pair) => {
      // The button in use stays enabled, or the keyboard would lose its place.
      if (pair[0]) pair[0].disabled = now === pair[1] && document.activeElement !== pair[0];
    });
  }
  function go(index) { stop(); show(index); }
  function stop() {
    clearTimeout(timer);
    timer = null;
    if (play) draw(play, "play");
    caption.setAttribute("aria-live", "polite");
  }
  function tick() {
    if (!root.isConnected || now === count - 1) return stop();
    show(now + 1);
    timer = now === count - 1 ? (stop(), null) : setTimeout(tick, 1000 / speed);
  }
  function toggle() {
    if (timer !== null) return stop();
    if (now === count - 1) show(0);
    draw(play, "pause");
    caption.setAttribute("aria-live", "off");  // nobody can listen that fast
    timer = setTimeout(tick, 500 / speed);
  }

  const first = chooses ? null : button("first", () => go(0));
  const back = button("back", () => go(now - 1));
  const play = chooses ? null : button("play", toggle);
  const step = button("step", () => go(now + 1));
  const last = chooses ? null : button("last", () => go(count - 1));
  let slider = null, list = null;
  if (chooses) list = menu("Choose", film.labels.map((text, i) => [i, text]), "0", go);
  else {
    slider = document.createElement("input");
    slider.type = "range";
    slider.min = "0";
    slider.max = String(count - 1);
    slider.setAttribute("aria-label", "Step");
    slider.addEventListener("input", () => go(Number(slider.value)));
    bar.append(slider);
  }
  const place = document.createElement("span");
  place.className = "hpml-film-place";
  bar.append(place);
  if (!chooses) menu("Speed", [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"]], "1", (value) => {
    speed = value;
  });
  scene.before(bar);

  function target(event) {
    const found = event.target.closest("[data-go]");
    return found && scene.contains(found) ? found : null;
  }
  scene.addEventListener("click", (event) => {
    const found = target(event);
    if (found) go(leads(found.dataset.go));
  });
  scene.addEventListener("change", (event) => {
    if (event.target.matches("select.hpml-film-go")) go(leads(event.target.value));
  });
  scene.querySelectorAll("[data-go][aria-label]:not(button)").forEach((element) => {
    element.setAttribute("role", "button");
    element.setAttribute("tabindex", "0");
  });
  root.tabIndex = 0;
  root.addEventListener("keydown", (event) => {
    // Jupyter must not take the keys: x would cut the cell.
    event.stopPropagation();
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const on = event.target, pressed = target(event);
    if (event.key === "Enter" && on.matches("select.hpml-film-go")) {
      go(leads(on.value));
      event.preventDefault();
    }
    if (on.tagName === "SELECT" || on.tagName === "SUMMARY") return;
    const moves = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: count - 1};
    if (event.key in moves) go(moves[event.key]);
    else if (event.key !== " " && event.key !== "Enter") return;
    else if (on.tagName === "BUTTON") return;
    else if (pressed) go(leads(pressed.dataset.go));
    else if (event.key === " " && !chooses) toggle();
    else return;
    event.preventDefault();
  });
  show(0);
}

document.querySelectorAll('[data-film="' + film.id + '"]').forEach((root) => {
  if (root.hpmlFilm) return;
  root.hpmlFilm = true;
  start(root);
});
})"""

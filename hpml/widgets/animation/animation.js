// Plays the keyframes of an animation without a kernel. The script creates the controls, so a page
// without scripts has no dead buttons; it defines no globals, loads nothing, and starts each copy of
// an animation separately.
// `animation`: id; parts and fills (names); strings; keyframes as [caption, changes of parts, changes
// of fills], with changes as flat lists of name and string indices; labels (null for a player);
// columns; start (the keyframe shown first).
(function (animation) {
"use strict";
const icons = {
  first: "M3 3v10M13 3L8 8l5 5M8 3L3 8l5 5", back: "M10 3L5 8l5 5", play: "M4 2l10 6-10 6z",
  pause: "M5 3v10M11 3v10", step: "M6 3l5 5-5 5", last: "M13 3v10M3 3l5 5-5 5M8 3l5 5-5 5"};
const names = {first: "First step", back: "One step back", play: "Play", pause: "Pause",
  step: "One step on", last: "Last step"};
const chooses = animation.labels !== null, count = animation.keyframes.length;

// Keyframes store changes only: compute all states, to show any keyframe after any other.
const states = [];
let sum = [animation.parts, animation.fills].map((list) => list.map(() => ""));
for (const keyframe of animation.keyframes) {
  sum = sum.map((list, kind) => {
    const next = list.slice(), changes = keyframe[kind + 1];
    for (let i = 0; i < changes.length; i += 2) next[changes[i]] = animation.strings[changes[i + 1]];
    return next;
  });
  states.push(sum);
}

function start(root) {
  const template = root.querySelector(".hpml-animation-template");
  const caption = root.querySelector(".hpml-animation-caption");
  // A page saved by the browser contains the controls of an earlier run.
  root.querySelectorAll(".hpml-animation-controls").forEach((old) => old.remove());
  const places = ["part", "fill"].map((kind) => {
    const found = new Map(animation[kind + "s"].map((name) => [name, []]));
    template.querySelectorAll("[data-" + kind + "]").forEach((element) => {
      const list = found.get(element.dataset[kind]);
      if (list) list.push(element);
    });
    return Array.from(found.values());
  });
  const put = [
    (element, text) => {
      if (text) element.dataset.on = text; else delete element.dataset.on;
    },
    (element, text) => { element.innerHTML = text; }];
  let now = 0, shown = null, timer = null, speed = 1;

  const bar = document.createElement("div");
  bar.className = "hpml-animation-controls";
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

  // Scrolls an element marked "here" into view.
  function bring(element) {
    const box = element.closest(".hpml-animation-scroll");
    if (!box) return;
    const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.left < outer.left + 20 || inner.right > outer.right - 20)
      box.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
    if (inner.top < outer.top + 20 || inner.bottom > outer.bottom - 20)
      box.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
  }
  // Returns the next keyframe in a list such as "3 9 15", or the first after the last.
  function leads(text) {
    const list = text.split(" ").map(Number);
    const next = list.find((index) => index > now);
    return next === undefined ? list[0] : next;
  }
  function show(index) {
    now = Math.max(0, Math.min(count - 1, index));
    states[now].forEach((list, kind) => list.forEach((text, i) => {
      if (shown === null || shown[kind][i] !== text)
        places[kind][i].forEach((element) => put[kind](element, text));
    }));
    shown = states[now];
    template.querySelectorAll('[data-on~="here"]').forEach(bring);
    caption.textContent = animation.strings[animation.keyframes[now][0]];
    place.textContent = (now + 1) + " / " + count;
    if (chooses) list.value = String(now);
    else {
      slider.value = String(now);
      slider.setAttribute("aria-valuetext", "step " + (now + 1) + " of " + count);
    }
    [[first, 0], [back, 0], [step, count - 1], [last, count - 1]].forEach((pair) => {
      // The focused button stays enabled, or the focus would be lost.
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
    caption.setAttribute("aria-live", "off");  // playing is too fast for a screen reader
    timer = setTimeout(tick, 500 / speed);
  }

  const first = chooses ? null : button("first", () => go(0));
  const back = button("back", () => go(now - 1));
  const play = chooses ? null : button("play", toggle);
  const step = button("step", () => go(now + 1));
  const last = chooses ? null : button("last", () => go(count - 1));
  let slider = null, list = null;
  if (chooses) list = menu("Choose", animation.labels.map((text, i) => [i, text]), "0", go);
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
  place.className = "hpml-animation-place";
  bar.append(place);
  if (!chooses) menu("Speed", [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"]], "1", (value) => {
    speed = value;
  });
  template.before(bar);

  function target(event) {
    const found = event.target.closest("[data-go]");
    return found && template.contains(found) ? found : null;
  }
  template.addEventListener("click", (event) => {
    const found = target(event);
    if (found) go(leads(found.dataset.go));
  });
  template.querySelectorAll("[data-go][aria-label]:not(button)").forEach((element) => {
    element.setAttribute("role", "button");
    element.setAttribute("tabindex", "0");
  });
  root.tabIndex = 0;
  root.addEventListener("keydown", (event) => {
    // Keep the keys from Jupyter, where x would cut the cell.
    event.stopPropagation();
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const on = event.target, pressed = target(event);
    if (on.tagName === "SELECT" || on.tagName === "SUMMARY") return;
    const across = chooses ? animation.columns : 0;  // in a list, all four arrow keys move
    const moves = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: count - 1};
    if (across) Object.assign(moves, {ArrowUp: now - across, ArrowDown: now + across});
    if (event.key in moves) {
      // A focus outline on another part would contradict the mark of the current one.
      if (pressed && pressed.tagName !== "BUTTON") root.focus();
      if (moves[event.key] in states) go(moves[event.key]);
    }
    else if (event.key !== " " && event.key !== "Enter") return;
    else if (on.tagName === "BUTTON") return;
    else if (pressed) go(leads(pressed.dataset.go));
    else if (event.key === " " && !chooses) toggle();
    else return;
    event.preventDefault();
  });
  show(animation.start);
}

document.querySelectorAll('[data-animation="' + animation.id + '"]').forEach((root) => {
  if (root.hpmlAnimation) return;
  root.hpmlAnimation = true;
  start(root);
});
})
(() => {
  const root = document.currentScript.closest(".hpml-icicle");
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const frames = data.rows.map(([name, place, own, calls, caller, colour, estimated, label, says]) => (
    {name: data.texts[name], place: data.texts[place], own, calls, caller, colour: data.colours[colour],
      label: label ?? data.texts[name], says,
      about: estimated ? "≈ " : "", total: own, below: []}));
  for (const frame of [...frames].reverse()) {
    const caller = frames[frame.caller];
    if (caller) { caller.total += frame.total; caller.below.unshift(frame); }
  }
  const tree = frames[0], svg = root.querySelector(".hpml-icicle-picture svg"), about = root.querySelector(".hpml-icicle-about");
  const state = {style: "icicle", depth: 10, cutoff: 1000};
  let top = tree, chosen = tree, shown = [], height = 0;
  const amount = (value) => {
    if (data.unit !== "s") return `${+value.toPrecision(4)} ${data.unit}`;
    const [unit, size] = value >= 1 ? ["s", 1] : value >= 1e-3 ? ["ms", 1e-3] : ["µs", 1e-6];
    return `${(value / size).toPrecision(3)} ${unit}`;
  };
  const called = (frame) => frame.place ? `${frame.name} (${frame.place})` : frame.name;
  const path = (frame) => frame ? [...path(frames[frame.caller]), frame] : [];
  const share = (frame) => `${(100 * frame.total / tree.total).toFixed(1)}%`;
  const make = (kind, attributes, text = "") => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    part.textContent = text;
    return part;
  };
  const layout = () => {
    const found = [], waiting = [[top, 0, 0]];
    while (waiting.length) {
      const [frame, depth, left] = waiting.pop();
      const width = frame.total / top.total;
      if (width < 1 / state.cutoff || depth > state.depth) continue;
      found.push({frame, depth, left, width});
      let at = left;
      for (const child of frame.below) { waiting.push([child, depth + 1, at]); at += child.total / top.total; }
    }
    return found;
  };
  const icicle = ({frame, depth, left, width}) => {
    const group = make("g", {}), x = left * 960, size = width * 960;
    group.append(make("rect", {x, y: depth * 30, width: size, height: 29, fill: frame.colour}));
    const letters = Math.floor(size / 8.5) - 1;
    if (letters > 2) {
      const label = frame.label.length <= letters ? frame.label : `${frame.label.slice(0, letters - 1)}…`;
      group.append(make("text", {x: x + 4, y: depth * 30 + 20}, label));
    }
    return group;
  };
  const sunburst = (ring) => ({frame, depth, left, width}) => {
    const group = make("g", {}), inner = depth * ring, outer = inner + ring;
    const point = (turn, r) => `${480 + r * Math.sin(2 * Math.PI * turn)} ${300 - r * Math.cos(2 * Math.PI * turn)}`;
    // An arc of a full turn starts and ends in one point and would draw nothing.
    const end = left + Math.min(width, 0.99999), large = width > 0.5 ? 1 : 0;
    group.append(make("path", {fill: frame.colour, d: `M ${point(left, inner)} L ${point(left, outer)} `
      + `A ${outer} ${outer} 0 ${large} 1 ${point(end, outer)} L ${point(end, inner)} `
      + `A ${inner} ${inner} 0 ${large} 0 ${point(left, inner)} Z`}));
    const middle = depth ? left + width / 2 : 0, r = depth ? inner + ring / 2 : 0;
    const letters = Math.floor((depth ? 2 * Math.PI * r * Math.min(width, 0.5) : 2 * ring) / 8.5) - 1;
    if (letters > 3 && ring > 14) {
      const label = frame.label.length <= letters ? frame.label : `${frame.label.slice(0, letters - 1)}…`;
      const [x, y] = point(middle, r).split(" "), upside = middle > 0.25 && middle < 0.75;
      group.append(make("text", {x, y, "text-anchor": "middle", "dominant-baseline": "middle",
        transform: `rotate(${360 * middle + (upside ? 180 : 0)} ${x} ${y})`}, label));
    }
    return group;
  };
  const choose = (frame) => {
    chosen = frame;
    for (const part of shown) part.group.firstChild.classList.toggle("hpml-chosen", part.frame === frame);
    shown.find(part => part.frame === frame)?.group.parentNode.append(shown.find(part => part.frame === frame).group);
    const calls = frame.calls == null ? "" : `, ${frame.calls} call${frame.calls === 1 ? "" : "s"}`;
    const says = frame.says ?? `${frame.about}${amount(frame.total)} (${share(frame)}), `
      + `own ${frame.about}${amount(frame.own)}${calls}`;
    about.textContent = `${called(frame)}: ${says}. Call stack: ${path(frame).map(one => one.name).join(" > ")}`;
  };
  const draw = () => {
    const found = layout(), deepest = Math.max(...found.map(part => part.depth)) + 1;
    const round = state.style === "sunburst";
    height = Math.max(height, deepest * 30);  // keeps the page below in place when a frame opens
    svg.setAttribute("viewBox", round ? "0 0 960 600" : `0 0 960 ${height}`);
    const drawn = found.map(part => {
      const group = (round ? sunburst(295 / deepest) : icicle)(part);
      if (part.frame.about) {
        const over = group.firstChild.cloneNode();
        over.removeAttribute("fill");
        over.classList.add("hpml-estimated");
        group.firstChild.after(over);
      }
      group.firstChild.append(make("title", {}, `${called(part.frame)}: `
        + (part.frame.says ?? `${part.frame.about}${amount(part.frame.total)} (${share(part.frame)})`)));
      group.addEventListener("click", () => { open(part.frame); });
      // Ignore events of a picture that moves below a resting mouse.
      group.addEventListener("mousemove", (event) => {
        if ((event.movementX || event.movementY) && chosen !== part.frame) choose(part.frame);
      });
      return {frame: part.frame, group};
    });
    svg.replaceChildren(...drawn.map(part => part.group));
    shown = drawn;
    choose(drawn.some(part => part.frame === chosen) ? chosen : top);
  };
  const open = (frame) => {
    // Opening the top frame goes back to its caller.
    top = frame === top ? frames[frame.caller] ?? tree : frame;
    chosen = frame;
    draw();
  };
  root.querySelector(".hpml-icicle-controls").hidden = false;
  for (const select of root.querySelectorAll("[data-set]")) {
    select.addEventListener("change", () => {
      const name = select.dataset.set;
      state[name] = name === "style" ? select.value : Number(select.value);
      height = 0;
      draw();
    });
  }
  root.querySelector("[data-reset]").addEventListener("click", () => { top = chosen = tree; draw(); });
  root.addEventListener("keydown", (event) => {
    if (event.target !== root) return;
    const seen = (frame) => frame && shown.some(part => part.frame === frame) ? frame : null;
    const beside = (step) => {
      const row = frames[chosen.caller]?.below ?? [];
      return chosen === top ? null : seen(row[row.indexOf(chosen) + step]);
    };
    const moves = {ArrowDown: () => seen(chosen.below[0]), ArrowUp: () => seen(frames[chosen.caller]),
      ArrowLeft: () => beside(-1), ArrowRight: () => beside(1)};
    if (moves[event.key]) { const next = moves[event.key](); if (next) choose(next); }
    else if (event.key === "Enter") open(chosen);
    else if (event.key === "Escape" && top !== tree) open(top);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  draw();
})();

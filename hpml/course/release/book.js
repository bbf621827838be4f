// The search of the index: every word typed must stand in a piece or its heading; headings first.
(function () {
"use strict";
const field = document.getElementById("search"), list = document.getElementById("found");
const said = document.getElementById("said"), most = 40;
const cells = SECTIONS.map(([page, title, place, heading, text]) => ({
  page, place, label: `${title} › ${heading}`, text,
  head: `${title} ${heading}`.toLowerCase(), all: `${title} ${heading} ${text}`.toLowerCase()}));

function entry(found, word) {
  const item = document.createElement("li"), link = document.createElement("a");
  link.href = `${found.page}#${found.place}`;
  link.textContent = found.label;
  const at = Math.max(0, found.text.toLowerCase().indexOf(word) - 60);
  const around = document.createElement("small");
  around.textContent = (at ? "… " : "") + found.text.slice(at, at + 180);
  item.append(link, document.createElement("br"), around);
  return item;
}

field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length ? cells.filter((cell) => words.every((w) => cell.all.includes(w))) : [];
  const inHead = (cell) => words.every((word) => cell.head.includes(word));
  hits.sort((a, b) => inHead(b) - inHead(a));
  list.replaceChildren(...hits.slice(0, most).map((cell) => entry(cell, words[0])));
  const more = hits.length > most ? `, the first ${most} shown` : "";
  said.textContent = words.length ? `${hits.length} found${more}` : "";
});
})();

(() => {
const cell = document.currentScript?.closest(".jp-Cell");
if (!cell || cell.dataset.hpmlLocks) return;
cell.dataset.hpmlLocks = "yes";
cell.addEventListener("focusin", (event) => {
  if (event.target.type === "radio")
    event.target.closest(".hpml-answer").dataset.lmSuppressShortcuts = "true";
});
cell.addEventListener("keydown", (event) => {
  if (event.target.type !== "radio") return;
  event.stopPropagation();
  if (event.key !== "Enter") return;
  event.preventDefault();
  event.target.closest(".hpml-answer")?.querySelector("button")?.click();
});
})()

const slides = [...document.querySelectorAll("section")];
addEventListener("keydown", event => {
  const step = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}[event.key];
  if (!step) return;
  event.preventDefault();
  const now = slides.findIndex(each => each.getBoundingClientRect().bottom > innerHeight / 2);
  const answer = slides[now].querySelector("details:not([open])");
  if (answer && step > 0) answer.open = true;
  else slides[Math.min(Math.max(now + step, 0), slides.length - 1)].scrollIntoView();
});

// Predictions of a page: an answer is locked, then compared with the result that the page shows.
// Nothing is stored; a page that is loaded again asks again. The sentences are those of
// `hpml.course.lesson.predictions.state`.
(function () {
"use strict";

const near = 1.25;

function rounded(number) {
  return Number(number.toPrecision(2)).toLocaleString("en");
}

function judged(answer, result) {
  if (answer === result) return "right";
  const isNear = answer > 0 && result > 0 && Math.max(answer / result, result / answer) <= near;
  return isNear ? "right" : answer > result ? "high" : "low";
}

// How far a number is from the result, of which only the interval is known if it is wide.
function distance(answer, {right, ends: [low, high], wide, exact, unit}) {
  const nearest = wide ? Math.min(Math.max(answer, low), high) : right;
  if (exact) return answer === right ? "right" : "not this time";
  if (answer === nearest) return "exactly right";
  const side = answer > nearest ? "high" : "low";
  if (answer <= 0 || nearest <= 0) return `${quantity(Math.abs(answer - nearest), unit)} too ${side}`;
  const times = Math.max(answer / nearest, nearest / answer);
  if (times <= near) return `right to within ${5 * Math.ceil(20 * (times - 1))} percent`;
  const least = nearest === right ? "" : "at least ";
  return `${least}${times < 10 ? times.toFixed(1) : rounded(times)} times too ${side}`;
}

function quantity(number, unit) {
  const text = Number(number.toPrecision(12)).toLocaleString("en", {maximumSignificantDigits: 12});
  return unit === "×" ? `${text}×` : `${text} ${unit}`;
}

function whyNotScored(answer, {ends, exact, unsure}) {
  if (unsure || exact || ends === undefined) return unsure;
  const [low, high] = ends.map((end) => judged(answer, end));
  return low === high ? "" : "the ends of its interval judge differently.";
}

function verdict(answer, known) {
  const isNumber = known.unit !== null, number = Number(answer);
  const said = isNumber ? quantity(number, known.unit) : answer;
  if (!("right" in known)) return `You said: ${said}. ${known.result}`;
  const unclear = whyNotScored(number, known);
  if (isNumber) {
    const score = unclear ? `. Not scored: ${unclear}` : `: ${distance(number, known)}.`;
    return `You said ${said}, the result is ${known.result}${score}`;
  }
  const score = answer === known.right ? "right" : "not this time";
  return `You said: ${said}. The answer: ${known.result}. ` +
    (unclear ? `Not scored: ${unclear}` : `So: ${score}.`);
}

for (const form of document.querySelectorAll(".hpml-asked")) {
  const known = JSON.parse(form.dataset.known), said = form.querySelector(".hpml-said");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    said.textContent = verdict(new FormData(form).get(known.key), known);
    form.querySelector("fieldset").disabled = true;
    said.focus();
    const result = document.getElementById(`result-${known.key}`);
    if (!result) return;
    result.querySelector("b:not(small b)").textContent = said.textContent;
    const link = document.createElement("a");
    link.href = `#${result.id}`;
    link.textContent = "Where it is measured";
    said.append(" ", link);
  });
}
})();

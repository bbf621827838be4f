"""Ten questions about cause and effect, asked before the course and again after it (ungraded)."""

from __future__ import annotations

from typing import NamedTuple

from hpml.base.tables import Table
from hpml.course.errors import LabError
from hpml.course.progress import FILE, keep_answers

BEFORE, AFTER = "00", "15"


class Question(NamedTuple):
    """A question with three answers, the letter of the right one, and its lab."""

    text: str
    a: str
    b: str
    c: str
    right: str
    lab: str


QUESTIONS = (
    Question(
        "The same Python loop takes longer over a NumPy array than over a list. Why?",
        "The array's numbers are further apart in memory.",
        "Each access to the array makes a new object.",
        "The list keeps its numbers in registers.",
        "b", "01",
    ),
    Question(
        "Function f executes half as many bytecode instructions as g. What follows for its time?",
        "f takes half the time.", "f takes less time.", "f may take longer.",
        "c", "02",
    ),
    Question(
        "Two threads each run a loop in pure Python, on two free cores. Together they take",
        "half of the time of running both loops in sequence.",
        "about the time of running both loops in sequence.",
        "twice the time of running both loops in sequence.",
        "b", "02",
    ),
    Question(
        "Why is the first call of a function that Numba compiles slow?",
        "It is compiled for the types of its arguments.",
        "Its data is not in the cache yet.",
        "The interpreter runs it once for comparison.",
        "a", "04",
    ),
    Question(
        "Three elementwise operators are fused into one loop. What saves most of the time?",
        "There is less arithmetic.", "Less data goes through memory.", "More threads are used.",
        "b", "08",
    ),
    Question(
        "Under cProfile a tiny function with 20,000 calls has 60 % of the time. Without it, it has",
        "about 60 %.", "more.", "less.",
        "c", "09",
    ),
    Question(
        "Program A is timed for a minute, then B. B takes 5 % longer. What do you know of B?",
        "B is slower than A.", "B may be as fast as A.", "B is at most 5 % slower than A.",
        "b", "10",
    ),
    Question(
        "A small network takes equally long on a GPU for images of 16 and of 64 pixels. Why?",
        "The GPU waits for the CPU, which launches the kernels.",
        "The arithmetic is the same for both sizes.",
        "The images are in the GPU's cache.",
        "a", "11",
    ),
    Question(
        "One training in 16 bits is 1.3 points more accurate than one in 32 bits. What follows?",
        "Rounding acts as useful noise.", "Nothing yet: another seed may differ as much.",
        "The training in 32 bits was too short.",
        "b", "12",
    ),
    Question(
        "A part takes a third of the time, and you make it ten times as fast. The whole becomes",
        "3.3 times as fast.", "1.5 times as fast.", "1.4 times as fast.",
        "c", "15",
    ),
)  # fmt: skip


def ten_questions(answers: str = "", *, after: bool = False) -> Table:
    """Return the ten questions with their answers; at the end of the course also what changed.

    Args:
        answers: a letter for each question, such as ``"abc-abcabc"``; ``-`` where you do not know.
            Empty before you answer.
        after: whether the course is over. Then the right answers are shown.

    Raises:
        LabError: if `answers` is not empty and has other letters, or not ten of them.
    """
    given = answers.replace(" ", "").lower()
    if given and (len(given) != len(QUESTIONS) or set(given) - set("abc-")):
        raise LabError(
            f"ten_questions expected {len(QUESTIONS)} letters (a, b, c or -), got {answers!r}."
        )
    if given:
        keep_answers(AFTER if after else BEFORE, given)
    blank = "-" * len(QUESTIONS)
    before = str(FILE.labs().get(BEFORE, {}).get("questions", blank))
    rows: list[list[object]] = []
    for number, each in enumerate(QUESTIONS, start=1):
        row: list[object] = [number, each.text, f"a) {each.a} b) {each.b} c) {each.c}"]
        now = (given or blank)[number - 1]
        row += [before[number - 1], now, each.right, each.lab] if after and given else [now]
        rows.append(row)
    columns = ["", "question", "answers", "yours"]
    caption = "Write ten letters between the quotes." if not given else "Kept with your progress."
    if after and given:
        columns = [*columns[:3], "lab 00", "now", "right", "see lab"]
        first, last = (
            sum(letter == each.right for letter, each in zip(letters, QUESTIONS, strict=True))
            for letters in (before, given)
        )
        caption = f"Right before the course: {first} of {len(QUESTIONS)}. Now: {last}."
    return Table(columns, rows, caption=caption, align=["right", *["left"] * (len(columns) - 1)])

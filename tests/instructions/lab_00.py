from __future__ import annotations

import linecache
from typing import Any

from hpml.course.labs.catalogue import exercises
from hpml.course.lesson.exercises.check import check_exercise
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import (
    CHALLENGED,
    CHECKED,
    EXPLAINED,
    NONE,
    THINK,
    Change,
    Followed,
    Moved,
    Nothing,
    seen,
)

LABS = "tests/browser/test_labs.py"
KEYS = "tests/browser/test_instructions.py"
RHYTHM = Nothing("one of the three steps that a lab consists of; the sentences below say how")


def the_wrong_answer_on_purpose_is_diagnosed() -> None:
    """The body that the text gives is put into the function, and checked."""
    (hello,) = [each for each in exercises("00") if each.name == "hello"]
    source = 'def hello(name):\n    return "Hello, Ada!"\n'
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
    cell: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), cell)
    checked = check_exercise(hello, cell["hello"])
    assert not checked.right
    assert "right for one name only" in " ".join(checked.text.split())


FOLLOWED: Followed = {
    "Run a cell with Shift+Enter; its result appears below it.": CHECKED,
    "Work through the cells one at a time.": OwnedBy(
        LABS, "test_a_lab_runs_from_the_menu_without_an_error"
    ),
    "Answer before you go on: the next cell shows the result.": OwnedBy(
        LABS, "test_a_prediction_stays_locked_and_outlives_kernel_and_page"
    ),
    "(Cells that only ask a question hide their code; click the three dots to see it.)": (
        OwnedBy(KEYS, "test_a_hidden_question_is_opened_with_its_three_dots"),
        OwnedBy(
            "tests/notebooks/test_notebooks.py", "test_a_cell_that_only_asks_a_question_is_hidden"
        ),
    ),
    "The task is simple: add the numbers from 0 to 99,999.": NONE,
    "First make a prediction.": OwnedBy(
        LABS, "test_a_prediction_stays_locked_and_outlives_kernel_and_page"
    ),
    "The next cell shows a field: type a number and press Enter.": OwnedBy(
        LABS, "test_what_is_typed_while_the_kernel_works_is_locked_whole"
    ),
    "In the table, look at one column first: the **median** is how long each contender took.": seen(
        "00-07", r"contender +median", r"formula +[\d.]+ [nµm]s"
    ),
    "Think first.": THINK,
    "**Predict**: a number, locked before you see the result.": RHYTHM,
    "**Measure**: with the tools of the course, which keep every sample.": RHYTHM,
    "Where the answer is folded away, think first, then open it.": THINK,
    "**Write and check**: a few lines of your own, and you learn at once whether they are right.": (
        RHYTHM
    ),
    "Remember the result: in lab 06 you count the calls of a whole forward pass.": seen(
        "00-13", r"The result: [\d.]+"
    ),
    "Look at the three times that it prints.": seen(
        "00-13", r"empty call: [\d.]+ [nµ]s \(25 to 75 %: [\d.]+ [nµ]s to [\d.]+ [nµ]s"
    ),
    "Give the function below something to do: one addition, one `len([])`, one call of "
    "`nothing()`.": (
        Change("00-15", "    nothing()", "    1 + 2", "more than an empty call"),
        Change("00-15", "    nothing()", "    len([])", "more than an empty call"),
    ),
    "Change the body, run the cell, and change it again.": (
        Change("00-15", "    nothing()", "    len([])", "something: "),
        Change("00-15", "    nothing()", "    n = 1\n    n + 2", "something: "),
    ),
    "To make the addition happen at run time, use a name: write `n = 1`, then `n + 2`.": Change(
        "00-15", "    nothing()", "    n = 1\n    n + 2", "more than an empty call"
    ),
    "To start a lab again, write `from hpml.course import forget` and call `forget()`.": (
        Change("00-04", "numpy_guess", "from hpml.course import forget\nforget()\nnumpy_guess"),
        OwnedBy(
            "tests/course/lesson/predictions/test_prediction.py",
            "test_forgetting_opens_the_question_again",
        ),
    ),
    "Run the cell a second time: how far apart are the two samples?": Change(
        "00-21", "import_guess", "import_guess", r"The result: [\d.]+ m?s"
    ),
    "Choose a line below, then lock it.": OwnedBy(LABS, "test_a_choice_is_made_from_the_keyboard"),
    "(With the keyboard: Tab moves on, Space selects.)": OwnedBy(
        KEYS, "test_a_choice_is_made_with_tab_and_space"
    ),
    "Read the table from left to right:": seen(
        "00-25", r"contender +median +25 % +75 % +ratio +95 % interval +answer"
    ),
    "Use `sum(map(square, values))`, with a function `square` that you define.": Change(
        "00-30",
        "    return sum([n * n for n in values])  # replace this line",
        "    return sum(map(square, values))\n\n\ndef square(n):\n    return n * n",
        r"yours +[\d.]+ µs",
    ),
    "Write it into `with_map`, predict its place in the table, then run the cell.": seen(
        "00-30", r"yours +[\d.]+ µs"
    ),
    "After `import operator`, try `sum(map(operator.mul, values, values))`: it stays in C all the "
    "time.": Change(
        "00-30",
        "    return sum([n * n for n in values])  # replace this line",
        "    import operator\n    return sum(map(operator.mul, values, values))",
        r"yours +[\d.]+ µs",
    ),
    "Look at the dots, not only at the bands.": seen("00-35", "first: .*; second: "),
    "Move the slider.": (
        Moved("00-41", {"slowdown": 1.0}, r"one after the other +1\.[34]\d+ +[34]\d\.\d%"),
        Moved("00-41", {"slowdown": 0.0}, r"one after the other +(?:0\.99|1\.00)"),
    ),
    "Finish it and run the cell; the cell below passes your function to `check`.": seen(
        "00-47", "✓ hello: right"
    ),
    "It lets you see a check fail, and then pass.": CHECKED,
    "First run both cells unchanged.": OwnedBy(
        LABS, "test_a_lab_runs_from_the_menu_without_an_error"
    ),
    "Now give a wrong answer on purpose.": the_wrong_answer_on_purpose_is_diagnosed,
    'Put `return "Hello, Ada!"` into the function, run its cell, then the check.': (
        the_wrong_answer_on_purpose_is_diagnosed
    ),
    "Then correct the function and see it pass.": seen("00-47", "✓ hello: right"),
    "The ■ in the toolbar stops it at once.": OwnedBy(
        KEYS, "test_the_square_in_the_toolbar_stops_a_check"
    ),
    "Find the **one experiment that tells them apart**: they must predict different results for "
    "it.": EXPLAINED,
    "Run the cell, choose an experiment, write its number in place of `None`, and run the cell "
    "again.": EXPLAINED,
    "Choose before you go on: the next cell runs one of the three experiments.": EXPLAINED,
    "Watch how that changes from lab to lab.": OwnedBy(
        "tests/course/labs/test_overview.py",
        "test_predictions_of_all_labs_are_compared_by_their_factor",
    ),
    "`hpml run 00` in a terminal runs the whole lab without a browser and prints this table.": (
        OwnedBy("tests/project/test_instructors.py", "test_a_command_works_as_it_is_printed")
    ),
    "Write `yours` so that it returns the same number for any list of ints in at most a twentieth "
    "of the time.": CHALLENGED,
    "`hpml progress` prints it in a terminal.": OwnedBy(
        "tests/course/lesson/test_progress.py",
        "test_a_lab_is_begun_run_and_its_passed_exercises_stay",
    ),
    "Answer as well as you can now.": Change(
        "00-ten-code", 'MY_ANSWERS = ""', 'MY_ANSWERS = "abc-abcabc"', "Kept with your progress"
    ),
}

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml.course.verdicts import count_verdicts, verdicts_of, wording


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It took 3 ns.", "It took 4.25 µs."),
        ("1,020 B, 12 %", "7 MiB, 3%"),
        ("between -1.2e-05 s and 7 ms", "between 0 s and 800 ns"),
        ("**1.32** times [1.1, 1.5]", "**2** times [1, 2]"),
    ],
)
def test_two_sentences_that_differ_in_figures_are_one_conclusion(one: str, other: str) -> None:
    assert wording(one) == wording(other)


def test_two_sentences_that_differ_in_a_word_are_two() -> None:
    assert wording("It grows by 3 ms.") != wording("It falls by 3 ms.")
    assert wording("A fits 3 runs") != wording("B fits 3 runs")


def test_only_tagged_cells_conclude_and_under_which_heading_is_kept() -> None:
    def cell(text: str, *tags: str) -> object:
        output = new_output("execute_result", {"text/plain": text})
        return new_code_cell(outputs=[output], metadata={"tags": list(tags)})

    cells = [new_markdown_cell("# One\n## Two"), cell("It is 3."), cell("So 4.", "verdict")]
    assert verdicts_of(new_notebook(cells=cells)) == (("Two", "So …."),)


def test_a_run_that_stopped_early_does_not_hide_the_others() -> None:
    table = count_verdicts([[("A", "x"), ("B", "y")], [("A", "x")]])
    assert table.rows == ((1, "A", "2 of 2", "x"), (2, "B", "1 of 2", "y"))

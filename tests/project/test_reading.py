from __future__ import annotations

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hpml.course.labs.catalogue import find
from hpml.course.release.reading import count_words, length_of
from tests.project.sentences import long_sentences


def estimate(name: str) -> float:
    return find(name).minutes


def test_the_core_and_what_goes_further_are_counted_apart() -> None:
    further = {"metadata": {"tags": ["further"]}}
    exercise = {"metadata": {"tags": ["exercise"]}}
    cells = [
        new_markdown_cell("Two words."),
        new_code_cell("measure()"),
        new_code_cell("def hello(name):\n    return None", **exercise),
        new_code_cell("check(hello)"),
        new_code_cell("explanation = None\nexplain(explanation)", **exercise),
        new_markdown_cell("Only three words.", **further),
        new_code_cell("def crossing_point(): ...", metadata={"tags": ["exercise", "further"]}),
        new_code_cell("more()", **further),
    ]
    length = length_of(new_notebook(cells=cells))
    assert length.core == (2, 2, estimate("hello"))
    assert length.further == (3, 1, estimate("crossing_point"))
    assert length.core.minutes == 2 / 130 + 2 * 1.5 + estimate("hello")


def test_listings_comments_and_tags_are_no_prose() -> None:
    text = (
        "<details><summary><b>Why?</b></summary>\n\nIt is `so + so`.\n\n```python\na b c d\n```\n"
    )
    assert count_words(text + "<!-- not -->") == 4
    assert count_words("| a | b |\n|:--|:--|\n| one two | 3 |") == 5


def test_a_sentence_ends_at_its_stop_its_paragraph_or_its_item() -> None:
    assert long_sentences("one two three\n\nfour five six", at_most=3) == []
    assert long_sentences("- one two three\n- four five six", at_most=3) == []
    assert long_sentences("**One two three.** Four five six.", at_most=3) == []
    assert long_sentences("See fig. 3 here, e.g. this", at_most=3) == ["3 here, e.g. this"]
    assert long_sentences("| one two three four five |", at_most=3) == []

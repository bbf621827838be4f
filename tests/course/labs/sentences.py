"""The statements of exercises, sentence by sentence, and the wrong forms that break one each.

``tests/sentences/lab_NN/NAME.py`` is a module for each exercise. ``SAYS`` gives the sentences that
require nothing, by their beginning or by four words of each, with the reason. Each public function
is a *wrong form*: the exercise's function, right in everything but the sentence that its docstring
quotes, whole or in part. A form whose name begins with ``forbidden`` is refused by what it uses;
one that begins with ``slow`` loses only points for speed, which the grader measures; one that
begins with ``late`` loses by a deadline. ``EQUIVALENT`` explains mutants that no case refuses.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hpml.course.files import course_folder
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.exercise import Exercise
from hpml.course.lesson.exercises.wrong_answers import WrongAnswer
from hpml.course.release.reading import RULES

FOLDER = course_folder() / "tests" / "sentences"
FEWEST_WORDS = 4  # of a quotation that is not the whole sentence
_END = re.compile(r"(?<=[.!?])[*\"”)_]*\s+(?=[\W_]*[A-Z0-9])|(?<=\.\))\s+(?=[A-Z])")


@dataclass(frozen=True)
class Sentences:
    """What the tests know of an exercise's statement."""

    says: dict[str, str]
    forms: tuple[WrongAnswer, ...]  # the diagnosis is the sentence that the form breaks
    # By a mutant of a right solution that is right too (see mutants.py): why it is
    equivalent: dict[str, str] = field(default_factory=dict)


def statement(exercise: Exercise) -> tuple[str, ...]:
    """Return the sentences of an exercise's statement, in order.

    The statement is the text from its title to the stub: Markdown only, without the title and
    without the rules that are made from the declaration.
    """
    title = f"**Exercise {exercise.lab}.{exercise.number} `{exercise.name}`**"
    texts, inside = [], False
    for cell in _cells(exercise.lab):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            if inside and f"def {exercise.name}(" in source:
                return sentences("\n\n".join(texts))
            continue
        if title in source:
            inside = True
            source = source.partition(title)[2]
            source = re.sub(r"\A \([^)]*\)\.", "", source)
        if inside:
            texts.append(RULES.sub("", source))
    raise LookupError(f"No statement of exercise {exercise.lab}.{exercise.number}.")


def sentences(markdown: str) -> tuple[str, ...]:
    """Return the sentences of a Markdown text; a row of a table is one, a listing is none.

    >>> sentences("One `a. B` is. Two:\\n\\n- three: x. y = 1\\n- four.")
    ('One `a. B` is.', 'Two:', 'three: x. y = 1', 'four.')
    """
    text = re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S)
    text = re.sub(r"<[^>\n]+>", "", text)
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s?)", text):
        line = " ".join(re.sub(r"\A\s*(?:[-*]|\d+\.)\s", "", block).split())
        if not line or set(line) <= set("|:- "):
            continue
        if line.startswith("|"):
            found.append(line)
            continue
        # Code and formulas hide their dots; a code span may begin a sentence.
        masked = re.sub(r"`[^`]*`|\$[^$]*\$", lambda match: "X" * len(match[0]), line)
        start = 0
        for end in _END.finditer(masked):
            found.append(line[start : end.end()].strip())
            start = end.end()
        found.append(line[start:].strip())
    return tuple(found)


def read(exercise: Exercise) -> Sentences:
    """Return the reasons and the wrong forms of an exercise; FileNotFoundError without a file."""
    return _read(path_of(exercise))


@cache
def _read(path: Path) -> Sentences:
    source = path.read_text(encoding="utf-8")
    lists: dict[str, dict[str, str]] = {"SAYS": {}, "EQUIVALENT": {}}
    forms = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if ast.unparse(target) in lists:
                lists[ast.unparse(target)] = ast.literal_eval(node.value)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            quoted = _plain(ast.get_docstring(node) or "")
            forms.append(WrongAnswer(node.name, quoted, source))
    says = {_plain(key): reason for key, reason in lists["SAYS"].items()}
    return Sentences(says, tuple(forms), lists["EQUIVALENT"])


def path_of(exercise: Exercise) -> Path:
    """Return the file of an exercise's sentences."""
    return FOLDER / f"lab_{exercise.lab}" / f"{exercise.name}.py"


def quoted_in(quotation: str, said: tuple[str, ...]) -> list[str]:
    """Return the sentences in which a quotation occurs: one of a few words only if it is whole."""
    if quotation in said:
        return [quotation]
    if len(quotation.split()) < FEWEST_WORDS:
        return []
    return [each for each in said if quotation in each]


def rules(exercise: Exercise) -> tuple[str, ...]:
    """Return the sentences that the statement has from the declaration; a form may quote them."""
    return sentences(exercise.rules.strip("*"))


def problems(
    said: tuple[str, ...], known: Sentences, declared: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield what is wrong with the lists of an exercise: nothing if each sentence has an entry."""
    broken: set[str] = set()
    for form in known.forms:
        places = quoted_in(form.diagnosis, said) or quoted_in(form.diagnosis, declared)
        if len(places) != 1:
            yield f"{form.key} quotes {len(places)} sentences: {form.diagnosis!r}"
        broken.update(places)
    excused: set[str] = set()
    for quotation, reason in known.says.items():
        places = [each for each in said if each.startswith(quotation)]
        places = places or quoted_in(quotation, said)
        if len(places) != 1:
            yield f"SAYS quotes {len(places)} sentences: {quotation!r}"
        elif places[0] in broken:
            yield f"SAYS has a sentence that has wrong forms: {quotation!r}"
        elif not reason.strip():
            yield f"SAYS has no reason for {quotation!r}"
        if len(places) == 1:
            excused.update(places)
    for sentence in said:
        if sentence not in broken | excused:
            yield f"no wrong form and no reason: {sentence!r}"


@cache
def _cells(lab: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(find_lab(lab).read_text(encoding="utf-8"))["cells"]
    return cells


def _plain(text: str) -> str:
    return " ".join(text.split())

from __future__ import annotations

import functools
import graphlib
import inspect
import linecache
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from hpml.base import Table
from hpml.course import check, hint, lab_head
from hpml.course.labs import checking
from hpml.course.labs.catalogue import find
from hpml.course.lesson.exercises import check as check_module
from hpml.course.lesson.exercises import sources
from hpml.course.lesson.predictions.prediction import Lab
from tests.course.sandbox.test_plain import EqualToAll

SOLUTIONS = Path(__file__).parents[3] / "solutions"
RIGHT = """
def dead_nodes(edges, outputs):
    live, size = set(outputs), -1
    while len(live) > size:
        size = len(live)
        live |= {name for name in edges if live & set(edges[name])}
    return set(edges).union(*edges.values()) - live
"""


@pytest.fixture(autouse=True)
def _failures_count_within_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_module, "_tried", defaultdict(check_module._Tried))


def written(source: str, name: str = "dead_nodes", **more: Any) -> Callable[..., Any]:
    """Return a function as a cell of a notebook makes it: its source is to be had."""
    file = f"<cell {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": "__main__", **more}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]  # type: ignore[no-any-return]


def returning(value: object) -> Callable[..., Any]:
    def dead_nodes(edges: object, outputs: object) -> object:
        return value

    return dead_nodes


def test_a_right_answer_is_said_to_be_right(capsys: pytest.CaptureFixture[str]) -> None:
    checked = check(written(RIGHT))
    assert checked.right
    assert re.fullmatch(r"✓ dead_nodes: right, all \d+ cases pass.\n", capsys.readouterr().out)
    assert "Check · exercise 05.2" in checked.page.html


def test_a_wrong_answer_shows_the_smallest_case_and_the_diagnosis() -> None:
    checked = check(written(RIGHT.replace("- live", "& live")))
    lines = checked.text.splitlines()
    assert lines[0].startswith("✗ dead_nodes: not right yet, ")
    assert [line.split()[0] for line in lines[1:5]] == ["case", "call", "expected", "received"]
    assert lines[2].endswith("dead_nodes(edges={'x': ['y', 'z']}, outputs=['y'])")
    assert "Those are the nodes that an output needs." in checked.text
    assert "<table>" in checked.page.html
    assert "Those are the nodes" in checked.page.html


def test_a_hint_is_offered_from_the_second_failure_on_and_given_when_asked_for() -> None:
    wrong = returning(set())
    assert ["hint(dead_nodes)" in check(wrong).text for _ in range(3)] == [False, True, True]
    assert check(written(RIGHT)).right
    assert "hint(" not in check(wrong).text
    texts = [hint(wrong).plain for _ in range(9)]
    assert texts[0].startswith("Hint 1 of ")
    assert "Hint 2" in texts[1]
    assert "Hint 2" not in texts[0]
    assert texts[-1] == texts[-2]


def test_hints_are_about_the_part_that_failed() -> None:
    source = (SOLUTIONS / "lab_02" / "execute" / "right.py").read_text(encoding="utf-8")
    assert "with pencil and paper" in hint(written(source, "execute")).plain
    check(written(source.replace("raise ValueError", "print"), "execute"))
    assert "to a name that none of its branches" in hint(written(source, "execute")).plain


def test_after_a_right_answer_hints_are_about_its_speed() -> None:
    numba = pytest.importorskip("numba")
    from hpml.course.labs.lab_08_fusion_and_compilers import rungs

    source = inspect.getsource(rungs.fused).replace("fused", "product")
    product = numba.njit(written(source, "product", Any=Any, TEN=rungs.TEN, HUNDRED=rungs.HUNDRED))
    assert "Begin with the loops" in hint(product).plain
    assert "A hint on speed" in check(product).text
    assert "one load and one store" in hint(product).plain


def test_a_stub_is_not_done_yet_and_counts_as_no_failure() -> None:
    stub = written("def dead_nodes(edges, outputs):\n    '''Doc.'''\n    ...")
    for _ in range(3):
        checked = check(stub)
    assert checked.text.startswith("… dead_nodes: not done yet.")
    assert "hint(" not in checked.text
    assert checked.verdict is not None
    assert checked.verdict.not_done


def test_an_exception_is_shown_by_its_line_and_not_as_a_traceback() -> None:
    checked = check(written("def dead_nodes(edges, outputs):\n    return edges['nowhere']"))
    assert "raises KeyError: 'nowhere'" in checked.text
    assert "raised in line 2: return edges['nowhere']" in checked.text
    assert "Traceback" not in checked.text


@pytest.mark.parametrize(
    ("what", "said"),
    [("raise KeyboardInterrupt", "You stopped it"), ("pass", "more than 0.2 seconds")],
)
def test_a_slow_answer_gets_a_verdict_on_what_it_passed(
    what: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_module, "_AT_LEAST", 0.2)
    exercise = replace(find("dead_nodes"), seconds=0.2, wrong_answers=None)
    slow = written(RIGHT.replace("    live,", f"    while not outputs: {what}\n    live,"))
    text = check_module.check_exercise(exercise, slow).text
    cases = check_module.visible_cases(exercise)
    tried = [bool(case.data["outputs"]) for case in cases].index(False) + 1
    assert 1 < tried < len(cases)
    assert f"not right yet, 1 of {tried} cases fail" in text
    assert "dead_nodes(edges={'x': ['y'], 'y': []}, outputs=[])" in text
    assert said in text
    assert "more cases were not tried" in text
    assert "hint(dead_nodes)" in check_module.check_exercise(exercise, slow).text


def test_the_beginning_of_what_it_prints_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    check(written(RIGHT.replace("    live,", "    print('looking ' * 1000)\n    live,")))
    shown = capsys.readouterr().out
    assert 1900 < shown.count("looking") * len("looking ") < 2100
    assert shown.index("left out") < shown.index("✓")


ORDER = "def topological_order(edges):\n    "


@pytest.mark.parametrize(
    ("source", "more", "use"),
    [
        (f"{ORDER}import graphlib as g\n    return g", {}, "line 2: import graphlib"),
        (f"{ORDER}return g.x(edges)", {"g": graphlib}, "import graphlib, outside of the function"),
        (
            f"{ORDER}return T(edges)",
            {"T": graphlib.TopologicalSorter},
            "from graphlib import TopologicalSorter, outside of the function",
        ),
        (
            f"def helper(edges):\n    return g.x(edges)\n{ORDER}return helper(edges)",
            {"g": graphlib},
            "import graphlib, outside of the function",
        ),
        (
            f"class Helper:\n    def x(self):\n        import graphlib\n{ORDER}return Helper()",
            {},
            "line 3: import graphlib",
        ),
    ],
)
def test_what_is_forbidden_is_found_also_in_helpers_and_behind_other_names(
    source: str, more: dict[str, Any], use: str
) -> None:
    checked = check(written(source, "topological_order", **more))
    assert checked.text.splitlines()[:2] == [
        "✗ topological_order: it uses something that this exercise forbids.",
        use,
    ]
    assert checked.verdict is not None
    assert checked.verdict.points == 0


def test_a_function_without_source_is_checked_all_the_same() -> None:
    namespace: dict[str, Any] = {}
    exec(RIGHT, namespace)
    assert check(namespace["dead_nodes"]).right


@pytest.mark.parametrize("what", ["dead_nodes", 3, None, lambda: 1, EqualToAll()])
def test_what_is_no_exercise_gets_no_verdict(what: Any) -> None:
    assert check(what).verdict is None


def test_an_object_that_calls_is_found_by_its_name_in_the_notebook_and_read(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab_head(5, "Graphs")
    right = functools.partial(written(RIGHT, extra=1))
    sorts = "import graphlib\ndef f(edges):\n    return graphlib.TopologicalSorter(edges)"
    sorting = functools.partial(written(sorts, "f"))
    names = {"dead_nodes": right, "topological_order": sorting}
    shell = SimpleNamespace(user_ns=names, execution_count=1)
    monkeypatch.setattr(checking, "notebook_shell", lambda: shell)
    assert check(right).right
    assert "import graphlib" in check(sorting).text


def test_a_value_that_was_made_with_what_is_forbidden_is_said_as_grading_says_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = ["", "LIVE = 0", "import graphlib as g\nLIVE = len([g])", "check(dead_nodes)"]
    shell = SimpleNamespace(user_ns={"In": cells})
    monkeypatch.setattr(sources, "notebook_shell", lambda: shell)
    written_with_it = written(RIGHT.replace("    live,", "    LIVE\n    live,"), LIVE=1)
    assert "import graphlib, outside of the function" in check(written_with_it).text
    cells.append("LIVE = 1")
    assert check(written_with_it).right


def test_a_value_of_a_package_that_grading_does_without_is_named() -> None:
    uses = RIGHT.replace("    live,", "    TABLE.title\n    live,")
    assert "graded without hpml" in check(written(uses, TABLE=Table(["a"], []))).text
    numbers = RIGHT.replace("    live,", "    NUMBERS.sum()\n    live,")
    assert check(written(numbers, NUMBERS=numpy.zeros(3))).right


def test_a_case_that_takes_longer_than_grading_waits_is_said() -> None:
    exercise = replace(find("dead_nodes"), seconds=1e-9)
    assert "and grading waits 1e-09 s" in check_module.check_exercise(exercise, written(RIGHT)).text


def test_a_misspelt_name_is_told_the_near_ones() -> None:
    def dead_node(edges: object) -> None: ...

    assert "Did you mean dead_nodes" in check(dead_node).text


def test_what_a_student_wrote_is_escaped() -> None:
    page = check(returning("<img src=x onerror=alert(1)>")).page
    assert "<img" not in page.html
    assert "&lt;img" in page.html


def test_a_package_that_grading_does_without_is_named_wherever_it_is_imported() -> None:
    inside = RIGHT.replace("    live,", "    import matplotlib.pyplot as plt\n    live,")
    before = "import matplotlib" + RIGHT.replace("    live,", "    matplotlib.__name__\n    live,")
    for source in (inside, before):
        verdict = check(written(source)).verdict
        assert verdict is not None
        assert ["graded without matplotlib" in use for use in verdict.forbidden] == [True]
        assert verdict.forbidden_why == ""


def test_a_file_of_the_students_is_not_graded_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_tools.py").write_text("from builtins import set as make\n")
    monkeypatch.syspath_prepend(tmp_path)
    checked = check(written("import my_tools" + RIGHT.replace("= set(", "= my_tools.make(")))
    assert checked.right
    assert "It imports my_tools from your own files." in checked.text

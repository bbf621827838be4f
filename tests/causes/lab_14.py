from __future__ import annotations

import platform
import random

import numpy as np
import pytest

from tests.causes.shown import DESIGN, RANGES, OwnedBy, Shown, Source, python
from tests.questions.answers import ratio_of_times, solution


def a_reshape_copies_nothing() -> None:
    """Two operators in a graph: one that makes a view, and one that makes numbers."""
    x = np.ones((8, 8))
    assert np.shares_memory(x, x.reshape(64))
    assert not np.shares_memory(x, x * 2)


def one_of_ten_equal_settings_is_often_excluded() -> None:
    """How often is an equal setting excluded, of two and of ten, in few rounds and many?"""
    best_setting = solution("lab_14/best_setting")

    def excluded(settings: int, rounds: int, runs: int = 300) -> float:
        rng, wrong = random.Random(14), 0
        for _ in range(runs):
            table = {str(k): [rng.random() for _ in range(rounds)] for k in range(settings)}
            wrong += len(best_setting(table)[1]) < settings - 1
        return wrong / runs

    assert excluded(2, 25) < 0.1
    assert 0.15 < excluded(10, 25) < 0.35
    assert excluded(10, 9) > 0.6
    assert excluded(10, 200, 60) == 0


def three_quarters_ask_for_more_than_a_sign_test() -> None:
    """18 of 25 rounds: lab 10's rule says "faster", this one says "rival"; and 130 of 200."""
    is_faster, best_setting = solution("lab_10/is_faster"), solution("lab_14/best_setting")
    for wins, rounds, rival in ((18, 25, True), (19, 25, False), (130, 200, True)):
        a, b = [1.0] * wins + [3.0] * (rounds - wins), [2.0] * rounds
        assert is_faster(a, b) == "faster"
        assert best_setting({"a": a, "b": b}) == ("a", ["b"] * rival)


@pytest.mark.thorough
def the_variable_affects_pytorchs_own_loops() -> None:
    """The time of four operators at the level `default`, divided by that at the best level."""
    code = (
        "import os, torch, timeit\ntorch.set_num_threads(1)\nx = torch.randn(10000)\n"
        "A, f = torch.randn(100, 100), torch.nn.functional\n"
        "runs = [x.sigmoid, lambda: f.gelu(x, approximate='tanh')]\n"
        "runs += [lambda: f.gelu(x), lambda: A @ A]\n"
        "print(*[min(timeit.repeat(run, number=50, repeat=15)) for run in runs])"
    )
    from hpml.course import runtimes

    if len(runtimes.available_levels()) == 1 or platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("needs a processor with AVX2")
    level = "import os\nos.environ['ATEN_CPU_CAPABILITY'] = 'default'\n"
    slow, fast = (list(map(float, python(text).stdout.split())) for text in (level + code, code))
    own, tanh, exact, product = (a / b for a, b in zip(slow, fast, strict=True))
    assert min(own, tanh) > 1.7
    assert max(exact, product) < 1.5


@pytest.mark.thorough
def weights_of_usual_size_take_as_long() -> None:
    """The lab's network with its random weights, and with weights a thousand times as large."""
    import torch

    from hpml.course.models.convnext import convnext

    image, model, other = torch.rand(1, 3, 64, 64), convnext("small").eval(), convnext("small")
    with torch.no_grad():
        for weight in other.eval().parameters():
            weight.mul_(1000)
        low, high = ratio_of_times(lambda: other(image), lambda: model(image), rounds=60)
    assert low < 1.1
    assert high > 0.9


@pytest.mark.thorough
def the_level_is_chosen_once() -> None:
    """The variable set before PyTorch is imported, before it looks, and after that."""
    first = (
        "import os\nos.environ['ATEN_CPU_CAPABILITY'] = 'default'\nimport torch\n"
        "print(torch.backends.cpu.get_cpu_capability())"
    )
    before = (
        "import os, torch\nos.environ['ATEN_CPU_CAPABILITY'] = 'default'\n"
        "print(torch.backends.cpu.get_cpu_capability())"
    )
    late = (
        "import os, torch\na = torch.backends.cpu.get_cpu_capability()\n"
        "os.environ['ATEN_CPU_CAPABILITY'] = 'default'\n"
        "print(a == torch.backends.cpu.get_cpu_capability())"
    )
    for early in (first, before):
        assert python(early).stdout.strip() in ("DEFAULT", "NO AVX")
    assert python(late).stdout.strip() == "True"


@pytest.mark.thorough
def training_mode_keeps_its_layers_in_the_graph() -> None:
    """One network, exported in training mode and without."""
    pytest.importorskip("onnxscript")
    import torch
    from torch import nn

    from hpml.course import runtimes

    layers = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout())
    kinds = {
        training: [
            kind
            for kind, _, _ in runtimes.export_onnx(
                layers.train(training), torch.rand(1, 3, 64, 64), training=training
            ).nodes
        ]
        for training in (True, False)
    }
    assert kinds[False] == ["Conv"]
    assert {"Conv", "BatchNormalization", "Dropout"} <= set(kinds[True])
    assert kinds[True].count("Constant") == 2


SHOWN: dict[str, Shown] = {
    "Three quarters of 25 are 19: this rule asks for a little more, since you choose the best only "
    "after the measurement.": three_quarters_ask_for_more_than_a_sign_test,
    "The ConvNeXt has no such layers, so here are two.": DESIGN,
    "So for small operators two sleeping threads can be slower than one thread.": Source(
        "https://onnxruntime.ai/docs/performance/tune-performance/threading.html"
        "#thread-spinning-behavior; the lab's own cell races them"
    ),
    "So the number of operators says little about time.": a_reshape_copies_nothing,
    "So measure again before you claim that one is slower.": (
        one_of_ten_equal_settings_is_often_excluded
    ),
    "So each level below has a process of its own.": the_level_is_chosen_once,
    "A and B both predict that it stays as it is, so they cannot be told apart.": RANGES,
    "A predicts twice the extra time, because there are twice as many calls.": RANGES,
    "So does B, because there is twice as much work.": RANGES,
}
ALSO: dict[str, Shown] = {
    "Causal attention lets no character read a later one (lab 12's transformer): nothing changes "
    "at earlier positions.": OwnedBy(
        "tests/course/models/test_characters.py",
        "test_a_later_character_changes_no_earlier_score",
    ),
    "Smaller groups round by less, though these few digits hardly show it.": OwnedBy(
        "tests/course/labs/lab_14/test_helpers.py", "test_smaller_groups_round_by_less"
    ),
    "`partial_run` with a known prompt of 100 characters stores exactly these.": OwnedBy(
        "tests/course/models/test_characters.py",
        "test_what_a_known_prompt_leaves_is_the_work_of_one_character",
    ),
    "Both write the same text.": OwnedBy(
        "tests/course/models/test_characters.py",
        "test_generation_with_a_cache_gives_the_same_characters_also_beyond_the_context",
    ),
    "The two constants belong to the dropout: its probability and its mode. With `training=False` "
    "one `Conv` is left: try it.": training_mode_keeps_its_layers_in_the_graph,
    "With 25 rounds of ten equal settings, the best beats at least one in three quarters of them, "
    "in about one run of four. With 200 rounds that hardly happens.": (
        one_of_ten_equal_settings_is_often_excluded
    ),
    "With more rounds it is stricter still: a setting that is slower by little stays a rival, "
    "however sure that is.": three_quarters_ask_for_more_than_a_sign_test,
    "The network of this lab is a small ConvNeXt, with random weights; trained ones of usual size "
    "would take as long.": weights_of_usual_size_take_as_long,
    "Matrix products and convolutions of `float32`, and the exact GELU, come from other "
    "libraries.": the_variable_affects_pytorchs_own_loops,
}

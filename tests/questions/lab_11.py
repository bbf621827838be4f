from __future__ import annotations

from tests.questions.answers import solution

SOURCES = {
    1: "https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution",
    6: "https://docs.pytorch.org/docs/stable/notes/cuda.html#constraints (CUDA graphs)",
}
timeline, graph_speedup = solution("lab_11/timeline"), solution("lab_11/graph_speedup")


def question_2() -> object:
    return timeline(10, [4] * 6)[-1][1]


def question_3() -> object:
    assert timeline(10, [4] * 5 + [2])[-1][1] == timeline(10, [2] * 6)[-1][1], "the last one alone"
    return timeline(10, [2] * 6)[-1][1]


def question_4() -> object:
    by_timeline = timeline(10, [4] * 6)[-1][1] / (10 + 6 * 4)
    assert abs(by_timeline - graph_speedup(6, 10, 4)) < 1e-9
    return by_timeline


def question_5() -> None:
    graph = {16: 110, 32: 190, 64: 530}
    assert 2.5 < graph[64] / graph[32] < 3
    at_128 = graph[64] * (128 / 64) ** 2
    assert round(at_128 / 1000) == 2
    assert at_128 > 645, "more than the launches take"
    # 64 launches of 10 µs; kernels of 4 µs, and kernels of 33 µs, which take 2 ms together.
    few, many = (timeline(10, [kernel] * 64)[-1][1] for kernel in (4, 33))
    assert few == 64 * 10 + 4, "the launches decide"
    assert many > 2000, "the kernels decide"

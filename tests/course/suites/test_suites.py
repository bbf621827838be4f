"""Each suite end to end, with the smallest sizes: that it runs and is honest, not how fast."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from matplotlib.text import Text

from hpml import cli
from hpml.base.charts import Dot, dots
from hpml.benchmark import BenchmarkError, Comparison, read_cases
from hpml.benchmark.sampling import sizes
from hpml.course.suites import deep_linear, peer, toy_resnet
from hpml.course.suites.forwards import ForwardResult
from hpml.course.suites.pictures import figure_of
from hpml.course.suites.settings import SuiteError
from hpml.profiling import fit_launches
from hpml.symbolic import EXECUTIONS, Input
from tests.course.suites import readme_picture
from tests.parts import raises

ORIGINAL = torch.nn.Module.__call__
FAST = {"rounds": 6, "min_sample_time": 1e-5}


@pytest.mark.parametrize(
    ("run", "settings", "names"),
    [
        (deep_linear.run, {}, ("handwritten", "sequential", *EXECUTIONS, *peer.names())),
        (toy_resnet.run, {"batch": 2, "grad": True}, ("handwritten", *EXECUTIONS, *peer.names())),
    ],
)
def test_everyone_is_measured_in_one_comparison(
    run: Callable[..., ForwardResult], settings: dict[str, Any], names: tuple[str], tmp_path: Path
) -> None:
    result = run([8], **settings, **FAST, out=tmp_path / "r.jsonl")
    (case,) = result.cases
    assert case.comparison.names == names
    assert settings.items() <= dict(case.parameters).items()
    assert {m.environment["torch"] for m in case.comparison} == {torch.__version__}
    assert read_cases(tmp_path / "r.jsonl").cases == result.cases


def test_a_contender_that_computes_something_else_is_not_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = torch.nn.Sequential
    monkeypatch.setattr(torch.nn, "Sequential", lambda *layers: whole(*layers[:-1]))
    with pytest.raises(BenchmarkError) as raised:
        deep_linear.run([3], **FAST, contenders=["sequential"])
    assert raised.value.object.startswith("result of contender")


@pytest.mark.skipif(not peer.names(), reason="needs pytorch-symbolic: pip install it")
@pytest.mark.parametrize("run", [deep_linear.run, toy_resnet.run])
def test_the_peer_is_measured_and_patches_nothing(run: Callable[..., ForwardResult]) -> None:
    alive = Input(shape=(4,))
    assert torch.nn.Module.__call__ is not ORIGINAL, "hpml notices module calls meanwhile"
    before = torch.nn.Module.__call__, torch.nn.Module.__dict__.get("__new__"), dict(os.environ)
    result = run([8], **FAST, contenders=[peer.NAME])
    assert result.cases[0].comparison.names == ("handwritten", peer.NAME)
    assert (
        torch.nn.Module.__call__,
        torch.nn.Module.__dict__.get("__new__"),
        dict(os.environ),
    ) == before
    del alive


def test_a_missing_peer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "installed_version", lambda name: None)
    result = deep_linear.run([3], **FAST)
    assert peer.NAME not in result.cases[0].comparison.names
    assert peer.NAME in result.notes[-1]


def test_the_kernel_is_measured_on_request() -> None:
    kernels = deep_linear.KERNELS
    result = deep_linear.run([3], **FAST, contenders=["inlined"], also=kernels)
    assert result.cases[0].comparison.names == ("handwritten", "inlined", *kernels)
    received = ", ".join(sorted(kernels))
    with raises(SuiteError, object="contenders", expected="inlined", received=received):
        deep_linear.run([3], **FAST, also=kernels, grad=True)
    with raises(SuiteError, object="settings of run", expected="rounds", received="round"):
        deep_linear.run([3], round=6)


def test_the_result_is_a_text_a_page_and_a_picture(tmp_path: Path) -> None:
    result = deep_linear.run([250, 300], **FAST, contenders=["sequential"])
    text = str(result)
    assert "Intel i7-12700KF, one core" in text
    assert "measured here" in text
    assert result._repr_html_().count("<table") == 2
    figure = result.plot()
    figure.savefig(tmp_path / "p.png")
    (ax,) = figure.axes
    own = [case.comparison.ratio("sequential") for case in result.cases]
    drawn, crosses = ax.get_lines()[:2]
    assert list(drawn.get_ydata()) == [each.value for each in own]
    # 651.4 batches/s hand-written, 643.6 sequential, at 250 layers; nothing published at 300.
    assert list(crosses.get_ydata()) == pytest.approx([651.4 / 643.6])
    assert [text.get_text() for text in ax.texts] == [f"sequential  {own[-1].shown} ×"]
    assert f"{own[0].with_interval} at 250 (published 1.01)" in figure.description
    assert f"{own[1].with_interval} at 300." in figure.description


def test_the_readme_s_picture_labels_each_line_once_and_no_text_covers_another() -> None:
    figure = readme_picture.draw()
    figure.canvas.draw()
    named = {text.get_text().split()[0] for ax in figure.axes for text in ax.texts}
    assert named == set(readme_picture.recorded_ratios())
    for ax in figure.axes:
        assert len(ax.texts) <= 6
        assert ax.get_legend() is None
        boxes = [Text.get_window_extent(text) for text in ax.texts]  # without their leaders
        heights = sorted((box.y0, box.y1) for box in boxes)
        assert all(a[1] <= b[0] + 1 for a, b in itertools.pairwise(heights))
        own = ax.get_window_extent()
        assert all(box.x0 >= own.x1 for box in boxes), "labels are in the margin"
    frozen = readme_picture.recorded_ratios()["numba-frozen"][50]
    assert f"numba-frozen: {frozen.with_interval} at 50" in figure.description
    assert "(published 1.01)" in figure.description


def test_all_sizes_of_the_toy_resnet_share_their_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Comparison] = []
    original = sizes.compare

    def keeping(*args: Any, **more: Any) -> Comparison:
        compared.append(original(*args, **more))
        return compared[-1]

    monkeypatch.setattr(sizes, "compare", keeping)
    cases = toy_resnet.run([16, 8], **FAST, contenders=["inlined"]).cases
    assert [each.comparison.names for each in cases] == [("handwritten", "inlined")] * 2
    (together,) = compared
    expected = [m.samples for each in cases for m in each.comparison]
    assert [each.samples for each in together] == expected


def test_a_gpu_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: None)
    with raises(SuiteError, object="device", expected="cpu", received="'cuda'"):
        toy_resnet.run([8], device="cuda")
    with raises(SuiteError, object="contenders", received="cuda-graphs"):
        toy_resnet.run([8], also=["cuda-graphs"])


def test_a_resolution_that_cannot_be_halved_twice_is_refused() -> None:
    with raises(SuiteError, object="resolutions", expected="4", received="6, 0"):
        toy_resnet.run([8, 6, 0])


@pytest.mark.gpu
def test_cuda_graphs_compute_the_same_as_the_hand_written_module() -> None:
    names = ("cuda-graphs", toy_resnet.REPLAY, toy_resnet.REDUCED)
    result = toy_resnet.run([8], **FAST, device="cuda", contenders=names)
    assert result.cases[0].comparison.names == ("handwritten", *names)


def test_one_launch_is_a_replay_alone_where_it_was_measured() -> None:
    eager, graph = {16: 1e-3, 64: 1.2e-3}, {16: 3e-4, 64: 4e-4}
    alone = {size: seconds - 1e-4 for size, seconds in graph.items()}

    class Result(toy_resnet.ToyResNetResult):
        def times(self) -> dict[str, dict[int, float]]:
            return {toy_resnet.BASELINE: eager, toy_resnet.CUDA_GRAPHS: graph, **more}

    more: dict[str, dict[int, float]] = {}
    by_calls = Result(()).fit()
    more[toy_resnet.REPLAY] = alone
    assert Result(()).fit() == fit_launches(eager, alone, toy_resnet.launches())
    assert Result(()).fit() != by_calls


# --- the commands ---


def test_the_command_prints_a_table_and_leaves_a_file_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--layers", "3", "--rounds", "6", "--contenders", "sequential"]
    picture = tmp_path / "pictures" / "p.png"
    assert cli.main(["bench", "deep-linear", *words, "--plot", str(picture)]) == 0
    out = Path(os.environ["HPML_RESULTS"]) / "deep-linear.jsonl"
    assert len(read_cases(out)) == 1
    assert picture.read_bytes().startswith(b"\x89PNG")
    shown = capsys.readouterr().out
    assert "sequential" in shown
    assert str(out) in shown

    assert cli.main(["bench", "deep-linear", *words, "--resume"]) == 0
    assert len(read_cases(out)) == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["deep-linear", "--contenders", "magic"], ("handwritten", "magic")),
        (["deep-linear", "--device", "gpu"], ("cpu", "'gpu'")),
        (["deep-linear", "--plot", "picture.bmp"], (".png, .svg, .pdf", "picture.bmp")),
        (["toy-resnet", "--resolutions", "8", "18"], ("4", "18")),
    ],
)
def test_arguments_that_do_not_fit_end_with_2(
    words: list[str], named: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["bench", *words]) == 2
    shown = capsys.readouterr().err
    assert all(each in shown for each in named)


@pytest.mark.parametrize("entries", [2, 12])
def test_a_long_caption_and_a_long_legend_take_no_height_from_the_axes(
    entries: int, tmp_path: Path
) -> None:
    marks = [Dot("name", 1.0 + n, label=f"label {n}") for n in range(entries)]
    chart = dots(marks, title="title", x="x")
    heights = []
    for caption in ("short", "a longer sentence " * 60):
        figure = figure_of(chart, caption=caption)
        figure.savefig(tmp_path / "p.png")  # warns where the axes have no height
        heights.append(figure.axes[0].get_position().height * figure.get_figheight())
    assert heights[1] == pytest.approx(heights[0], rel=0.2)
    assert heights[0] > chart.height / 3

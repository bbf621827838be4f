from __future__ import annotations

import itertools
import os
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from hpml.base import style

# How the eye sees linear RGB: normal, and without one kind of cone (Machado et al. 2009).
EYES = {
    "normal": np.eye(3),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
CONTENDERS = tuple(style.CONTENDERS)


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
def test_any_two_contenders_are_told_apart_by_every_eye(eye: str) -> None:
    seen = {name: lab(EYES[eye] @ linear(style.PALETTE[name])) for name in CONTENDERS}
    near = {
        (a, b): distance
        for a, b in itertools.combinations(CONTENDERS, 2)
        if (distance := float(np.linalg.norm(seen[a] - seen[b]))) < 11.9
    }
    assert near == {}


@pytest.mark.parametrize("name", style.PALETTE)
def test_every_colour_stands_out_from_white_paper(name: str) -> None:
    luminance = linear(style.PALETTE[name]) @ [0.2126, 0.7152, 0.0722]
    assert 1.05 / (luminance + 0.05) > 2.4


@pytest.mark.parametrize(
    ("written", "role"),
    [
        ("hand-written", "handwritten"),
        ("nn.Sequential", "sequential"),
        ("torch.compile", "compiled"),
        ("pytorch-symbolic", "peer"),
        ("CUDA graphs", "cudagraph"),
    ],
)
def test_a_contender_has_its_colour_however_it_is_written(written: str, role: str) -> None:
    assert style.colour(written) == style.PALETTE[role]


def test_a_program_names_what_is_drawn_as_a_known_contender(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(style, "_ALIASES", dict(style._ALIASES))
    style.draw_as({"C, -O3": "codegen"})
    assert style.colour("c (-o3)") == style.PALETTE["codegen"]
    assert style.marker("C, -O3") == style.CONTENDERS["codegen"][1]
    assert style.series(["C, -O3", "Rust"])["C, -O3"] == style.GREEN


def test_figures_leave_the_settings_of_matplotlib_alone() -> None:
    before = dict(mpl.rcParams)
    fig, ax = style.figure(1, 2)
    style.finish(ax[0], title="t", x="x", y="y")
    style.caption(fig, "c")
    fig.canvas.draw()
    assert dict(mpl.rcParams) == before


def test_a_figure_is_opaque_white_whatever_the_student_has_set() -> None:
    with mpl.rc_context({"figure.facecolor": "none", "axes.facecolor": "black"}):
        fig, ax = style.figure()
    assert fig.get_facecolor() == (1, 1, 1, 1)
    assert ax.get_facecolor() == (1, 1, 1, 1)


def test_a_long_caption_is_wrapped_below_the_axes_and_a_second_replaces_it() -> None:
    fig, ax = style.figure(width=4)
    style.finish(ax, title="t", x="the x axis", y="y")
    style.caption(fig, "first")
    style.caption(fig, "word " * 60)
    fig.canvas.draw()
    (label,) = [text for text in fig.texts if text is fig._supxlabel]
    box = label.get_window_extent()
    assert "\n" in label.get_text()
    assert box.x1 <= fig.bbox.x1
    assert box.y0 >= 0
    assert box.y1 <= ax.xaxis.get_tightbbox().y0


def test_an_unknown_name_has_the_same_colour_and_marker_in_another_process() -> None:
    code = (
        "from hpml.base.style import colour, marker;"
        "print(colour('my contender'), marker('my contender'))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert out.stdout.split() == [style.colour("my contender"), style.marker("my contender")]


def test_each_line_of_a_figure_has_a_colour_of_its_own() -> None:
    names = ["numba", *"abcdefg"]
    assert len({*style.series(names).values()}) == len(names)

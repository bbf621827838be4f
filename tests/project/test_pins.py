"""pyproject.toml, constraints.txt and environment.yml say the same."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from hpml.course import doctor, packages

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = PROJECT["optional-dependencies"]
OPTIONAL = [Requirement(text) for text in (*EXTRAS["lab"], *EXTRAS["runtimes"])]
DEVELOPMENT = [*OPTIONAL, *(Requirement(text) for text in EXTRAS["dev"][1:])]
PIN_LINES = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PINS = {
    canonicalize_name(name): Version(version)
    for name, version in (line.split("==") for line in PIN_LINES)
}
COLAB = {
    canonicalize_name(line.partition("==")[0]): Version(line.partition("==")[2])
    for line in (ROOT / "tests" / "project" / "colab_packages.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    if line and not line.startswith("#")
}
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA_PACKAGES = dict(
    re.fullmatch(r"([\w-]+)=?(.*)", line).groups()
    for line in CONDA["dependencies"]
    if isinstance(line, str)
)
(CONDA_PIP,) = [entry["pip"] for entry in CONDA["dependencies"] if isinstance(entry, dict)]


def test_every_direct_dependency_is_pinned_inside_its_range() -> None:
    wrong = [
        str(requirement)
        for requirement in (*RUNTIME, *DEVELOPMENT)
        if (pin := PINS.get(canonicalize_name(requirement.name))) is None
        or pin not in requirement.specifier
    ]
    assert wrong == []


def test_development_brings_everything_optional() -> None:
    assert EXTRAS["dev"][0] == f"{PROJECT['name']}[lab,runtimes]"


def test_the_oldest_runtimes_are_those_that_hpml_names() -> None:
    ranges = {r.name: r.specifier for r in map(Requirement, EXTRAS["runtimes"])}
    oldest = {name: str(range_).split(">=")[1].split(",")[0] for name, range_ in ranges.items()}
    assert oldest == packages.OLDEST


def test_every_runtime_dependency_has_a_range_closed_above() -> None:
    for requirement in (*RUNTIME, *OPTIONAL):
        operators = {specifier.operator for specifier in requirement.specifier}
        assert operators == {">=", "<"}, str(requirement)


def test_every_indirect_dependency_installed_here_is_pinned() -> None:
    """Walk what the direct ones require, with the extras they ask for, as pip does."""
    waiting = [(canonicalize_name(r.name), r.extras) for r in (*RUNTIME, *DEVELOPMENT)]
    seen: set[str] = set()
    while waiting:
        name, extras = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for text in metadata.requires(name) or ():
            needed = Requirement(text)
            wanted = {"", *extras}
            if needed.marker and not any(needed.marker.evaluate({"extra": e}) for e in wanted):
                continue
            waiting.append((canonicalize_name(needed.name), needed.extras))
    # The CUDA build of torch pins these itself, one build for each version of CUDA.
    unpinned = {n for n in seen - PINS.keys() if not re.match("nvidia-|cuda-|triton", n)}
    assert unpinned == set()


def test_what_colab_has_installed_is_inside_every_range() -> None:
    """`.ci/run colab` also asks pip, which sees what the dependencies require of each other."""
    admitted = {canonicalize_name(r.name): r.specifier for r in RUNTIME}
    assert admitted.keys() - COLAB.keys() == {
        "memory-profiler",
        "py-spy",
        "pyinstrument",
        "snakeviz",
    }
    outside = [n for n, range_ in admitted.items() if n in COLAB and COLAB[n] not in range_]
    assert outside == []


def test_every_pin_admits_the_first_patch_of_each_python() -> None:
    """Debian 12 has 3.11.2. `.ci/run pins` resolves them for other systems as well."""
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    here = {canonicalize_name(d.metadata["Name"]): d for d in metadata.distributions()}
    tried = {
        name: here[name]
        for name, pin in PINS.items()
        if name in here and Version(Version(here[name].version).public) == pin
    }
    assert {"nbconvert", "numpy", "torch"} <= tried.keys()
    refused = [
        f"{name} on {version}.0"
        for name, distribution in tried.items()
        for version in named
        if f"{version}.0" not in SpecifierSet(distribution.metadata["Requires-Python"] or "")
    ]
    assert refused == []


def test_pins_are_exact_public_and_sorted_and_name_no_index() -> None:
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in PIN_LINES)
    assert len(PINS) == len(PIN_LINES)
    names = [line.partition("==")[0].lower() for line in PIN_LINES]
    assert names == sorted(names)
    assert all(pin.local is None for pin in PINS.values())


def test_nothing_that_jupyter_imports_builds_a_parser_each_time() -> None:
    # jsonschema 4.25 and later use it where it is installed: more than half of JupyterLab's start.
    assert "rfc3987-syntax" not in PINS, "pin jsonschema 4.24, the last that does without"


def test_conda_takes_python_and_pytorch_from_conda_forge_alone() -> None:
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]
    assert set(CONDA_PACKAGES) == {"python", "pip", "pytorch"}


def test_conda_has_the_python_of_the_tests() -> None:
    pinned = CONDA_PACKAGES["python"].removesuffix(".*")
    assert pinned == "3.11"
    assert PROJECT["requires-python"] == f">={pinned}"
    assert sys.version_info >= tuple(map(int, pinned.split(".")))


def test_the_tested_versions_are_the_same_everywhere() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    versions = [tuple(map(int, version.split("."))) for version in named]
    assert versions == [(3, minor) for minor in range(versions[0][1], versions[-1][1] + 1)]
    assert PROJECT["requires-python"] == f">={named[0]}"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"OLDEST := {versions[0]}\nNEWEST := {versions[-1]}\n" in makefile
    assert (versions[0], versions[-1]) == (doctor._OLDEST_PYTHON, doctor._NEWEST_PYTHON)
    said = f"tested with Python {named[0]} to {named[-1]}"
    for page in ("Makefile", "README.md"):
        assert said in (ROOT / page).read_text(encoding="utf-8"), page


def test_conda_has_the_pinned_pytorch() -> None:
    assert Version(CONDA_PACKAGES["pytorch"]) == PINS["torch"]


def test_conda_installs_every_other_runtime_dependency_at_its_pin() -> None:
    assert CONDA_PIP[0] == "-c constraints.txt"
    assert CONDA_PIP[-1] == "-e ."
    expected = sorted(r.name for r in (*RUNTIME, *OPTIONAL) if r.name != "torch")
    assert CONDA_PIP[1:-1] == expected

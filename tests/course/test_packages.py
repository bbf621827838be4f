from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from hpml.course import doctor, packages
from hpml.course.packages import Host, host, install_command, too_old
from hpml.course.runtimes import NotInstalledError
from hpml.course.runtimes.errors import require

if TYPE_CHECKING:
    from pathlib import Path

COLAB = Host("Google Colab", ("ipykernel", "pandas"))


@pytest.fixture(autouse=True)
def no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, _ in packages._HOSTS.values():
        monkeypatch.delenv(variable, raising=False)


def add_distribution(folder: Path, name: str, *lines: str) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    head = ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0")
    (info / "METADATA").write_text("\n".join((*head, *lines, "")), encoding="utf-8")


def without_a_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_pins", lambda: None)


def test_an_ordinary_machine_is_no_host() -> None:
    assert host() is None
    assert doctor._host() == ()


@pytest.mark.parametrize(
    ("variable", "name"),
    [("COLAB_RELEASE_TAG", "Google Colab"), ("KAGGLE_KERNEL_RUN_TYPE", "Kaggle")],
)
def test_a_host_is_known_by_its_variable(
    variable: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "Interactive")
    assert host() == Host(name, ())
    (found,) = doctor._host()
    assert (found.name, found.value) == ("hosted notebook", name)
    assert "its packages" in found.cost


def test_what_the_hosts_own_package_fixes_is_read_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    required = ("pandas==2.2.3", "ipykernel==6.17.1", "numpy>=2")
    add_distribution(tmp_path, "google-colab", *(f"Requires-Dist: {each}" for each in required))
    monkeypatch.syspath_prepend(tmp_path)
    assert host() == COLAB
    assert "ipykernel, pandas" in doctor._host()[0].cost


def test_in_a_clone_the_pins_decide() -> None:
    assert install_command("onnx", "netron") == "pip install -c constraints.txt onnx netron"


def test_without_a_clone_what_is_installed_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_clone(monkeypatch)
    command = "pip list --format=freeze > hpml_kept.txt && pip install -c hpml_kept.txt no-such"
    assert install_command("no-such") == command
    monkeypatch.setattr(packages, "host", lambda: COLAB)
    assert install_command("no-such") == f"!{command}"


def test_a_package_to_replace_does_not_constrain_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_clone(monkeypatch)
    assert install_command("numpy>=2") == 'pip install --no-deps "numpy>=2"'


@pytest.mark.parametrize(
    ("version", "old"),
    [("0.10.0", True), ("0.17.9", True), ("0.18.0", False), ("0.18.0+cpu", False), ("1.0", False)],
)
def test_releases_are_compared_as_numbers(
    version: str, old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "installed_version", lambda package: version)
    assert (too_old("torchao") != "") == old
    assert too_old("a-package-without-a-range") == ""


def test_an_old_runtime_is_named_with_both_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colab has torchao 0.10, which imports but lacks what lab 14 quantises with."""
    monkeypatch.setattr(packages, "installed_version", lambda package: "0.10.0")
    monkeypatch.setattr(doctor, "installed_version", lambda package: "0.10.0")
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchao"]:
        monkeypatch.delitem(sys.modules, name)
    module = type(sys)("torchao")  # without submodules
    monkeypatch.setitem(sys.modules, "torchao", module)
    monkeypatch.setattr("hpml.base.optional._FAILED", {})
    with pytest.raises(NotInstalledError) as raised:
        require("torchao.quantization.pt2e")
    assert {"0.10.0", "0.18"} <= set(str(raised.value).replace(":", " ").split())
    assert "torchao>=0.18" in str(raised.value)
    (found,) = doctor._packages({"torchao": doctor.OPTIONAL["torchao"]}, "absent")
    assert (found.state, found.value) == ("absent", "0.10.0")
    assert found.cost.startswith(doctor.OPTIONAL["torchao"])


def test_a_package_that_is_not_there_is_never_old() -> None:
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("no-such")
    assert too_old("no-such") == ""

"""The first cell of a notebook, and each way to install that it and the README name.

What is installed comes from the students' copy, into an environment of its own, without network.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement

import hpml
from hpml.base.errors import UsageError
from hpml.course.release.address import (
    address_of,
    checked,
    first_cell,
    with_project_address,
    with_readme_address,
)
from hpml.course.release.student_copy import release
from tests.parts import check_parts
from tests.project.notebooks import ADDRESS as PROJECT_ADDRESS
from tests.project.notebooks import LONGEST_CELL, ROOT

WHEEL = f"hpml_labs-{hpml.__version__}-py3-none-any.whl"
UNINSTALL = "%pip uninstall --yes hpml hpml-labs"
ADDRESS = "https://github.com/OWNER/REPOSITORY"
PROGRAM = """
try:
    exec(open({cell!r}, encoding="utf-8").read())
except Exception as error:
    print(*error._render_traceback_(), sep="\\n")
"""
# The files of hpml 1.9.0 on the package index, Hosker's Poetical Markup Language.
FOREIGN = {
    "hpml/__init__.py": "from .hpml_compiler import HPMLCompiler\n",
    "hpml/hpml_compiler.py": "raise ImportError('the first cell must not import it')\n",
    "hpml/lookups.py": "",
    "hpml/utils.py": "",
    "hpml/data/hpml.lang": "",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def said(
    folder: Path, cell: str, *path: Path, python: str | os.PathLike[str] = sys.executable
) -> list[str]:
    """Run a first cell in a folder with nothing but `path` installed; return what it shows."""
    (folder / "cell.py").write_text(cell, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    # -S: what these tests have installed is not there.
    options = ["-S"] if python == sys.executable else []
    ran = subprocess.run(
        [python, *options, "-c", PROGRAM.format(cell=str(folder / "cell.py"))],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_without_wheel_and_address_it_says_what_to_ask_for(tmp_path: Path) -> None:
    (tmp_path / f"{WHEEL[:-4]} (1).whl").touch()  # pip refuses this name
    (tmp_path / "hpml" / "results").mkdir(parents=True)  # a student's own folder is no package
    head, ask = said(tmp_path, first_cell(""))[0], said(tmp_path, first_cell(""))[-1]
    assert head.startswith("hpml is not installed")
    assert "hpml_labs-*-none-any.whl" in ask
    assert not ask.startswith("%")


def test_a_wheel_beside_the_notebook_comes_before_the_address(tmp_path: Path) -> None:
    command = f'%pip install "hpml-labs @ git+{ADDRESS}"'
    assert said(tmp_path, first_cell(ADDRESS))[1:] == [command]
    (tmp_path / WHEEL).touch()
    assert said(tmp_path, first_cell(ADDRESS))[1:] == [f"%pip install ./{WHEEL}"]


@pytest.mark.parametrize("state", ["alone", "over ours", "ours without its first file", "module"])
def test_another_hpml_is_recognised_without_importing_it_and_replaced(
    state: str, tmp_path: Path
) -> None:
    (tmp_path / WHEEL).touch()
    site = tmp_path / "site"
    if state == "module":
        write(site, {"hpml.py": "__version__ = '3'\nraise ImportError\n"})
    elif state == "alone":
        write(site, FOREIGN)
    else:
        shutil.copytree(ROOT / "hpml" / "base", site / "hpml" / "base")
        if state == "over ours":
            write(site, FOREIGN)
    head, *steps = said(tmp_path, first_cell(""), site)
    assert steps == [UNINSTALL, f"%pip install ./{WHEEL}"]
    assert ("another project" in head) == (state != "ours without its first file")


def test_it_says_nothing_where_the_course_is_installed_and_is_short(tmp_path: Path) -> None:
    assert said(tmp_path, first_cell(ADDRESS), ROOT) == []
    for address in ("", ADDRESS):
        assert len(first_cell(address).splitlines()) <= LONGEST_CELL


def test_ipython_shows_the_lines_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    shell = InteractiveShell()
    shown = shell.run_cell(first_cell(ADDRESS), silent=True)
    assert shown.error_in_exec is not None
    out = capsys.readouterr().out
    assert out.splitlines() == str(shown.error_in_exec).splitlines()
    assert out.startswith("hpml is not installed")


@pytest.mark.parametrize(
    ("address", "received"),
    [
        ("github.com/OWNER/REPOSITORY", "'github.com/OWNER/REPOSITORY'"),
        ("git@github.com:OWNER/REPOSITORY", "'git@github.com:OWNER/REPOSITORY'"),
        ("../students", "'../students'"),
        ('https://localhost/a"b', "'https://localhost/a\"b'"),
        ("https://localhost/a#egg=b", "'https://localhost/a#egg=b'"),
        ("https:///course", "'https:///course'"),
        ("https://[course", "'https://[course'"),
        ("https://teacher:secret@localhost/course", "with them for localhost"),
        ("https://secret@localhost/course", "with them for localhost"),
        ("ssh://git:secret@localhost/course", "with them for localhost"),
    ],
)
def test_an_address_that_pip_cannot_use_or_that_tells_a_password_is_refused(
    address: str, received: str
) -> None:
    with pytest.raises(UsageError) as refused:
        checked(address)
    check_parts(refused.value, object="--address", received=received)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "address", [ADDRESS, f"{ADDRESS}.git", "ssh://git@localhost/a/b", "file:///shared/course.git"]
)
def test_an_address_that_git_and_pip_take_is_kept(address: str) -> None:
    assert checked(address) == address


def test_an_address_is_written_and_taken_out_again() -> None:
    readme, project = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "pyproject.toml")
    )
    published = with_readme_address(readme, ADDRESS)
    assert f'pip install "hpml-labs @ git+{ADDRESS}"' in published
    badges = re.findall(r"^\[!\[.*\]\(.*\)\]\((.*)\)$", published, re.MULTILINE)
    assert len(badges) == 2
    assert all("/OWNER/REPOSITORY/" in badge for badge in badges)
    elsewhere = with_readme_address(published, "https://git.localhost/course")
    assert "git+https://git.localhost/course" in elsewhere
    assert "[![" not in elsewhere, "Colab and Binder open what is on GitHub"
    assert with_readme_address(elsewhere, "") == with_readme_address(readme, "")
    assert "[![" not in with_readme_address(readme, "")
    written = with_project_address(project, ADDRESS)
    assert address_of(written) == ADDRESS
    assert address_of(with_project_address(written, "")) == ""


class Environment:
    """A fresh environment with pip and what builds a wheel, but no network and no packages."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True, symlinks=os.name != "nt")
        self.home = folder / "home"
        self.home.mkdir()
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.programs / "python"
        (self.site,) = (Path(each) for each in self.run("-c", _SITE).stdout.splitlines())
        waiting, seen = ["hatchling"], set()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for file in metadata.files(name) or ():
                if file.parts[0] != ".." and "__pycache__" not in file.parts:
                    target = self.site / file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(str(file.locate()), target)
            needed = map(Requirement, metadata.requires(name) or ())
            waiting += [each.name for each in needed if not each.marker or each.marker.evaluate()]

    def run(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return self.shell(shlex.join([str(self.python), *words]), cwd)

    def shell(self, command: str, cwd: Path | None) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        kept.pop("PYTHONPATH", None)
        # "0" for a --no-… option switches it on: pip reads the variable as the setting's value.
        offline = {
            "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "HOME": str(self.home), "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
        }  # fmt: skip
        ran = subprocess.run(
            command, shell=True, cwd=cwd, env={**kept, **offline}, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran

    def cell(self, step: str, folder: Path) -> None:
        """Run a printed ``%pip`` command as IPython does."""
        assert step.startswith("%pip ")
        self.shell(f'"{self.python}" -m {step.removeprefix("%")}', folder)


_SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(autouse=True)
def _nothing_installed(request: pytest.FixtureRequest) -> None:
    if "environment" in request.fixturenames:
        request.getfixturevalue("environment").run(
            "-m", "pip", "uninstall", "--yes", "hpml-labs", "hpml"
        )


@pytest.fixture(scope="module")
def students(tmp_path_factory: pytest.TempPathFactory, environment: Environment) -> Path:
    """Return the students' copy as a repository, which git also finds at ADDRESS."""
    folder = tmp_path_factory.mktemp("published") / "students"
    release(folder, ADDRESS)
    author = ["-c", "user.name=teacher", "-c", "user.email=teacher@localhost"]
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "First release"]):
        subprocess.run(["git", *author, *words], cwd=folder, check=True)
    instead = f'[url "{folder.as_uri()}"]\n    insteadOf = {ADDRESS}\n'
    (environment.home / ".gitconfig").write_text(instead, encoding="utf-8")
    return folder


def first_cells(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        found[path.name] = next(cell.source for cell in cells if cell.cell_type == "code")
    return found


def install_as_told(cell: str, folder: Path, environment: Environment) -> list[str]:
    """Run the cell, do what it says, and run it again; return the steps."""
    _, *steps = said(folder, cell, python=environment.python)
    for step in steps:
        environment.cell(step, folder)
    assert said(folder, cell, python=environment.python) == []
    version = environment.shell("hpml --version", folder).stdout
    assert version == f"hpml {hpml.__version__}\n"
    return steps


@pytest.mark.needs("git", "ensurepip")
def test_a_wheel_beside_the_notebook_replaces_another_hpml(
    students: Path, environment: Environment, tmp_path: Path
) -> None:
    about = {
        "hpml-1.9.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hpml\nVersion: 1.9.0\n",
        "hpml-1.9.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n",
        "hpml-1.9.0.dist-info/RECORD": "",
    }
    foreign = tmp_path / "hpml-1.9.0-py3-none-any.whl"
    with zipfile.ZipFile(foreign, "w") as archive:
        for name, text in {**FOREIGN, **about}.items():
            archive.writestr(name, text)
    environment.run("-m", "pip", "install", str(foreign))
    folder = tmp_path / "downloads"
    folder.mkdir()
    notebooks = students / "notebooks"
    shutil.copy(notebooks / WHEEL, folder)
    cells = first_cells(notebooks)
    steps = install_as_told(cells["00_start_here.ipynb"], folder, environment)
    assert steps == [UNINSTALL, f"%pip install ./{WHEEL}"]
    for name, cell in cells.items():
        assert said(folder, cell, python=environment.python) == [], name
    assert not (environment.site / "hpml" / "hpml_compiler.py").exists()


@pytest.mark.needs("git", "ensurepip")
def test_a_repository_is_installed_from_its_address(
    students: Path, environment: Environment, tmp_path: Path
) -> None:
    cell = first_cells(students / "notebooks")["06_forward_order.ipynb"]
    steps = install_as_told(cell, tmp_path, environment)
    assert steps == [f'%pip install "hpml-labs @ git+{ADDRESS}"']
    packaged = environment.site / "hpml" / "_course" / "notebooks"
    assert len(list(packaged.glob("*.ipynb"))) == 16
    assert list(packaged.glob("*.whl")) == []


@pytest.mark.needs("git", "ensurepip")
def test_a_repository_in_a_folder_is_installed(
    students: Path, environment: Environment, tmp_path: Path
) -> None:
    steps = install_as_told(first_cell(checked(students.as_uri())), tmp_path, environment)
    assert steps == [f'%pip install "git+{students.as_uri()}"']


@pytest.mark.needs("git", "ensurepip", "make")
def test_the_commands_of_the_readme_install_the_course(
    students: Path, environment: Environment, tmp_path: Path
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wheel, lab, repository = re.findall(r"^ {4}(pip \S+ .*|hpml lab)$", readme, re.MULTILINE)
    assert "`make wheel`" in readme
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", students.as_uri(), str(clone)], check=True)
    environment.shell(f"make -o {sys.prefix}/.installed wheel VENV={sys.prefix}", clone)
    shutil.copy(clone / "dist" / WHEEL, tmp_path)
    environment.shell(wheel, tmp_path)
    environment.shell(f"{lab} --help", tmp_path)
    environment.run("-m", "pip", "uninstall", "--yes", "hpml-labs")
    shown = f"git+{PROJECT_ADDRESS or 'ADDRESS'}"
    assert shown in repository
    environment.shell(repository.replace(shown, f"git+{ADDRESS}"), tmp_path)
    environment.shell("hpml --version", tmp_path)

"""uv and pip as installers of environments."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.models.environments import EnvironmentSpec, create
from auricle.models.environments.installers import explain_uv, select_installer
from tests.support import wheels

PYTHON = """
import sys
match sys.argv[1:]:
    case "-c", *_:
        print("3.12.1")
    case "-m", "pip", "config", "list":
        print({settings!r})
    case "-m", "venv", _:
        sys.exit("venv was used")
"""
UV = """
import sys
from pathlib import Path
arguments = sys.argv[1:]
with Path(__file__).with_name("log").open("a") as log:
    log.write(" ".join(arguments) + "\\n")
match arguments:
    case "venv", "--python", _, path:
        info = Path(path) / "lib/python3.12/site-packages/Ear_Model-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: Ear_Model\\nVersion: 1.0\\n")
    case "pip", "install", "--python", _, "orjson", "broken":
        print("error: No solution found\\n  cause: Because broken was not found,\\n         nothing can be done.")
        sys.exit(1)
    case "pip", "freeze", *_:
        print("Using Python 3.12.1\\near-model==1.0\\norjson==3.0")
"""


def write_script(path: Path, code: str) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{code}")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def python(tmp_path: Path) -> str:
    return write_script(tmp_path / "python", PYTHON.format(settings="global.timeout='60'"))


@pytest.fixture
def fake_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a fake uv on the PATH and return the file in which it lists its calls."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    write_script(tmp_path / "bin" / "uv", UV)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin" / "log"


def test_uv_creates_the_environment_where_it_is_installed(fake_uv: Path, python: str) -> None:
    environment, _ = create("mine", EnvironmentSpec(python=python, packages=("Ear_Model",)))
    created, installed, listed = fake_uv.read_text().splitlines()
    assert created == f"venv --python {python} {environment.path}"
    assert installed == f"pip install --python {environment.python} orjson Ear_Model"
    assert listed == f"pip freeze --python {environment.python}"
    assert environment.metadata["installed"] == ["Ear_Model==1.0", "orjson==3.0"]


def test_failure_of_uv_is_explained_in_one_sentence(fake_uv: Path, python: str) -> None:
    with pytest.raises(SpecError) as error:
        create("mine", EnvironmentSpec(python=python, packages=("broken",)))
    expected = "uv could not install the packages: Because broken was not found, nothing can be done."
    assert str(error.value) == expected


@pytest.mark.parametrize("settings", ["global.index-url='https://me@example.org'", ":env:.find-links='/wheels'"])
def test_pip_is_used_where_it_has_package_sources_of_its_own(fake_uv: Path, tmp_path: Path, settings: str) -> None:
    python = write_script(tmp_path / "configured", PYTHON.format(settings=settings))
    assert select_installer(python, tmp_path / "mine").name == "pip"


def test_pip_is_used_without_uv(tmp_path: Path, python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert select_installer(python, tmp_path / "mine").name == "pip"


OUTPUTS = {
    "× No solution found when resolving dependencies:\n╰─▶ Because you require a,\nwe conclude no.": (
        "Because you require a, we conclude no."
    ),
    "error: Failed\ncause: A folder exists\nhint: Use --clear": "A folder exists",
    "Using Python 3.12\nerror: The wheel filename is invalid": "The wheel filename is invalid",
    "something else": "something else",
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_cause_is_read_from_the_output_of_uv(output: str) -> None:
    assert explain_uv(output.splitlines()) == OUTPUTS[output]


@pytest.fixture
def offline_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Build wheels, and return the variables with which uv and pip find nothing else."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    wheels.packed_again(shelf, "orjson")
    wheels.made(shelf, "Ear_Model", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return {"UV_OFFLINE": "1", "UV_FIND_LINKS": str(shelf), "UV_CACHE_DIR": str(tmp_path / "cache")}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed")
def test_uv_and_pip_give_the_same_digest(
    offline_sources: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = str(tmp_path / "shelf" / "Ear_Model-1.0-py3-none-any.whl")
    spec = EnvironmentSpec(packages=(wheel,))
    for name, value in offline_sources.items():
        monkeypatch.setenv(name, value)
    with_uv, _ = create("mine", spec)
    assert not (with_uv.path / "bin" / "pip").exists()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    with_pip, _ = create("mine", spec, force=True)
    assert (with_pip.path / "bin" / "pip").exists()
    assert with_uv.metadata["installed"] == with_pip.metadata["installed"]
    assert with_uv.digest == with_pip.digest

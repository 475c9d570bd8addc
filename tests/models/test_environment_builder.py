"""Creating and removing environments, with real virtual environments and no network."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from auricle import Generation, load_model
from auricle.core.errors import SpecError
from auricle.models.environment_builder import create, explain_failure, list_packages, remove, select_installer
from auricle.models.environments import EnvironmentSpec, all_environments, find
from tests.support import wheels
from tests.support.environment_folders import SECRET, finished, unfinished

pytestmark = pytest.mark.slow

QUICK = """
import os, shutil, sys
from pathlib import Path

match sys.argv[1:]:
    case "-m", "venv", folder:
        (Path(folder) / "bin").mkdir()
        shutil.copy(__file__, Path(folder) / "bin" / "python")
    case "-m", "pip", "config", "list":
        print(".index-url='https://example.org'")
    case "-m", "pip", *_:
        pass
    case asked:
        os.execv(sys.executable, [sys.executable, *asked])
"""


@pytest.fixture
def quick(tmp_path: Path) -> Any:
    """Write a fake Python whose environments contain the same fake and whose pip has an index and does nothing."""
    path = tmp_path / "quick"
    path.write_text(f"#!{sys.executable}\n{QUICK}")
    path.chmod(0o755)
    return str(path)


def stand_in(path: Any, pip: Any, venv: str = "") -> Any:
    """Write a fake Python that creates a virtual environment whose pip runs this script instead of uv."""
    made = path.with_name("made")
    made.write_text(f"#!/bin/sh\n{pip}\n")
    venv = venv or f'mkdir -p "$3/bin"; cp {made} "$3/bin/python"'
    configured = """[ "$2" = pip ] && echo ".index-url='https://example.org'" && exit"""
    path.write_text(f'#!/bin/sh\n[ "$1" = -c ] && echo 3.12.0 && exit\n{configured}\n{venv}\n')
    made.chmod(0o755)
    path.chmod(0o755)
    return path


def test_created_environment_describes_its_content(with_ear: Any) -> None:
    about = json.loads((with_ear / "environment.json").read_text())
    assert about["environment"]["packages"] == ["earmodel"]
    assert {line.partition("=")[0] for line in about["installed"]} == {"earmodel", "orjson"}
    assert find("ear").is_finished
    assert not [item.name for item in with_ear.parent.glob("*.old")]


def test_environment_is_readable_only_by_its_owner(with_ear: Any) -> None:
    assert with_ear.stat().st_mode & 0o077 == 0


def test_creating_an_equal_environment_does_nothing(with_ear: Any, auricle: Any, tmp_path: Path) -> None:
    before = (with_ear / "environment.json").stat().st_mtime_ns
    (tmp_path / "ear.yaml").write_text("environment: {packages: [earmodel], variables: {EAR: big, TOKEN: sesame}}")
    done = auricle("env", "create", "ear", "--from", "ear.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert "already exists with the same definition" in done.stdout
    assert (with_ear / "environment.json").stat().st_mtime_ns == before


def test_different_definition_under_an_existing_name_is_refused(with_ear: Any, auricle: Any) -> None:
    done = auricle("env", "create", "ear", "--package", "earmodel", "--package", "numpy")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "packages: existing earmodel, requested earmodel, numpy; variables: EAR" in done.stderr
    assert "--force" in done.stderr
    assert SECRET not in done.stderr


def test_failed_installation_leaves_nothing_and_reports_the_error(nowhere: Any, auricle: Any) -> None:
    done = auricle("env", "create", "bad", "--package", "no-such-package")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "No matching distribution found for no-such-package" in done.stderr
    assert all_environments() == []
    assert not (nowhere / "bad").exists()


TALK = {
    "Collecting x\nERROR: Could not find it\nERROR: No match for x\n\n[notice] Get pip 99": ("No match for x"),
    "ERROR: Cannot install a==1 and b==2\n\nERROR: ResolutionImpossible: see a page": ("Cannot install a==1 and b==2"),
    "error: subprocess-exited\n× Building x did not run\n│ exit code: 1\nnote: not pip's": ("× Building x did not run"),
    "ERROR: nothing at https://me:sesame@example.org/x": "nothing at https://…@example.org/x",
    "Usage: pip\n\nno such option": "no such option",
    "": "no output",
}


@pytest.mark.parametrize("output", TALK)
def test_most_helpful_line_of_pip_is_reported(nowhere: Any, tmp_path: Path, output: Any) -> None:
    stand_in(tmp_path / "python", f"cat <<'END'\n{output}\nEND\nexit 1")
    with pytest.raises(SpecError) as error:
        create("mine", EnvironmentSpec(python=str(tmp_path / "python")))
    assert str(error.value) == f"pip could not install the packages: {TALK[output]}"


def test_interrupted_creation_leaves_no_files_and_no_process(nowhere: Any, tmp_path: Path) -> None:
    stand_in(tmp_path / "python", "echo $$; sleep 60")

    def stop(line: Any) -> None:
        raise KeyboardInterrupt(line)

    with pytest.raises(KeyboardInterrupt) as stopped:
        create("mine", EnvironmentSpec(python=str(tmp_path / "python")), log=stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(stopped.value)), 0)
    assert all_environments() == []


def test_failed_rebuild_keeps_the_old_environment(nowhere: Any, tmp_path: Path) -> None:
    path = finished(nowhere, "old")
    broken = stand_in(tmp_path / "python", "", venv="echo no venv; echo advice; exit 1")
    with pytest.raises(SpecError, match=r"cannot create a virtual environment: no venv$"):
        create("old", EnvironmentSpec(python=str(broken)), force=True)
    assert find("old").spec == EnvironmentSpec()
    assert [item.name for item in nowhere.iterdir() if item.is_dir()] == [path.name]


def test_force_and_unfinished_environments_are_rebuilt(nowhere: Any, quick: Any) -> None:
    unfinished(nowhere, "mine")
    result, new = create("mine", EnvironmentSpec(python=quick))
    assert (result.is_finished, new) == (True, True)
    other, new = create("mine", EnvironmentSpec(python=quick, variables={"A": "1"}), force=True)
    assert (other.spec.variables, new) == ({"A": "1"}, True)
    assert other.digest != result.digest
    assert [item.name for item in all_environments()] == ["mine"]


def test_concurrent_creation_is_refused(nowhere: Any) -> None:
    import fcntl

    nowhere.mkdir(parents=True)
    with (nowhere / ".mine.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SpecError, match="Another process is creating or removing"):
            create("mine", EnvironmentSpec())


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("/no/where/python", "/no/where/python cannot be run"),
        ("3.99", r"python3\.99 is not on the PATH"),
        ("/bin/echo", "/bin/echo is not a Python interpreter"),
    ],
)
def test_invalid_python_is_refused(nowhere: Any, python: str, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        create("mine", EnvironmentSpec(python=python))
    assert all_environments() == []


def test_too_old_python_is_refused(nowhere: Any, tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho 3.8.10\n")
    old.chmod(0o755)
    with pytest.raises(SpecError, match=r"is Python 3\.8\.10, .* needs Python 3\.11 or later"):
        create("mine", EnvironmentSpec(python=str(old)))


def test_environments_are_listed_finished_or_not(with_ear: Any, auricle: Any) -> None:
    half = unfinished(with_ear.parent)
    try:
        done = auricle("env", "list")
        _, _, first, second = done.stdout.splitlines()
        assert first.split()[0::4] == ["ear", "finished"]
        assert second.split()[0] == "half"
        assert second.endswith("unfinished")
    finally:
        (half / "bin").rmdir()
        half.rmdir()


def test_empty_list_explains_how_to_create_an_environment(nowhere: Any, auricle: Any) -> None:
    done = auricle("env", "list")
    assert done.returncode == 0
    assert "auricle env create" in done.stdout


def test_env_show_hides_secrets(with_ear: Any, auricle: Any) -> None:
    done = auricle("env", "show", "ear")
    assert "EAR=… TOKEN=…" in done.stdout
    assert "earmodel==1.0" in done.stdout
    machine = auricle("env", "show", "ear", "--json")
    assert json.loads(machine.stdout)["digest"] == find("ear").digest
    assert SECRET not in done.stdout + machine.stdout


def test_environment_is_removed(nowhere: Any, auricle: Any) -> None:
    path = finished(nowhere, "mine")
    done = auricle("env", "remove", "mine")
    assert (done.returncode, done.stderr) == (0, "")
    assert not path.exists()
    assert all_environments() == []


@pytest.mark.parametrize("command", ["show", "remove"])
def test_unknown_environment_error_lists_existing_ones(nowhere: Any, auricle: Any, command: str) -> None:
    finished(nowhere, "mine")
    done = auricle("env", command, "yours")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Unknown environment 'yours'. Existing: mine." in done.stderr


def test_model_runs_in_its_environment(with_ear: Any, auricle: Any, quiz: Any, tmp_path: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "earmodel:Ear", "-M", "environment=ear", "-o", "run")
    assert done.returncode == 0, done.stderr
    (line,) = (tmp_path / "run" / "outputs.jsonl").read_text().splitlines()
    assert json.loads(line)["outputs"][0]["text"] == f"{with_ear} big"
    written = (tmp_path / "run" / "spec.json").read_text()
    spec = json.loads(written)
    assert spec["identity"]["environment"] == find("ear").digest == spec["environment"]["digest"]
    assert "earmodel==1.0" in spec["environment"]["installed"]
    assert SECRET not in written


def test_run_is_not_resumed_in_another_environment(with_ear: Any, auricle: Any, quiz: Any, tmp_path: Path) -> None:
    words = ["run", quiz, "--as", "qa", "-m", "earmodel:Ear", "-M", "environment=ear", "-o", "run"]
    assert auricle(*words).returncode == 0
    spec = tmp_path / "run" / "spec.json"
    spec.write_text(spec.read_text().replace(find("ear").digest, "0123456789abcdef"))
    done = auricle(*words)
    assert done.returncode == 2
    assert "environment was '0123456789abcdef', now" in done.stderr


def test_ask_command_uses_the_environment(with_ear: Any, auricle: Any) -> None:
    done = auricle("ask", "-m", "earmodel:Ear", "-M", "environment=ear", "--text", "hello")
    assert done.stdout == f"{with_ear} big\n", done.stderr


def test_ask_command_uses_the_given_python(with_ear: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAR", "small")
    with load_model("earmodel:Ear", python=str(with_ear / "bin" / "python")) as model:
        assert cast(Generation, model.ask(text="hello")).text == f"{with_ear} small"


def test_doctor_checks_an_environment(with_ear: Any, auricle: Any) -> None:
    done = auricle("doctor", "-m", "earmodel:Ear", "-M", "environment=ear")
    assert "ok  earmodel:Ear can generate" in done.stdout
    assert "pip install numpy soundfile" in done.stdout
    assert "Traceback" not in done.stderr


def test_missing_model_error_names_the_environment(with_ear: Any, auricle: Any) -> None:
    done = auricle("ask", "-m", "nosemodel:Nose", "-M", "environment=ear", "--text", "hello")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "There is no module 'nosemodel'" in done.stderr
    assert f"under {with_ear / 'bin' / 'python'}" in done.stderr


def test_missing_package_error_names_the_environment(with_ear: Any, auricle: Any) -> None:
    done = auricle("ask", "-m", "vosk", "-M", "model=x", "-M", "environment=ear", "--text", "hello")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "The model vosk needs an optional package" in done.stderr
    assert f"under {with_ear / 'bin' / 'python'}" in done.stderr


def test_cached_responses_belong_to_one_environment(with_ear: Any) -> None:
    from auricle.engine.factory import model_identity
    from auricle.engine.spec import Spec

    spec = Spec(task="demo", model="earmodel:Ear", model_args={"environment": "ear", "a": 1})
    assert model_identity(spec) == {"environment": find("ear").digest, "a": 1}


def test_removal_during_creation_is_refused(nowhere: Any) -> None:
    import fcntl

    finished(nowhere, "mine")
    with (nowhere / ".mine.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SpecError, match="Another process"):
            remove("mine")


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
    created, installed = fake_uv.read_text().splitlines()
    assert created == f"venv --python {python} {environment.path}"
    assert installed == f"pip install --python {environment.python} orjson Ear_Model"
    assert environment.metadata["installed"] == ["Ear_Model==1.0"]


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


@pytest.mark.parametrize(
    ("origin", "pin"),
    [
        ("", "Ear==1.0"),
        ('{"url": "https://example.org/ear.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}', "git+https"),
        ('{"url": "file:///no/where/ear.whl"}', "Ear @ file:///no/where/ear.whl"),
    ],
)
def test_package_is_listed_with_its_origin(tmp_path: Path, origin: str, pin: str) -> None:
    info = tmp_path / "lib/python3.12/site-packages/Ear-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Ear\nVersion: 1.0\n")
    (info / "direct_url.json").write_text(origin)
    (package,) = list_packages(tmp_path)
    assert pin in package


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
    assert explain_failure(output.splitlines()) == OUTPUTS[output]


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

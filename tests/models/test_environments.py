"""The `environment:` block, stored environments and the choice of an interpreter."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.models.environment_builder import create
from auricle.models.environments import EnvironmentSpec, compute_digest, find, find_usable, resolve_interpreter
from tests.support.environment_folders import finished, unfinished


def read(tmp_path: Path, text: Any) -> Any:
    (tmp_path / "mine.yaml").write_text(text)
    return EnvironmentSpec.read(tmp_path / "mine.yaml")


def test_block_is_read_from_a_file(tmp_path: Path) -> None:
    text = "environment:\n  python: '3.12'\n  packages: [funasr==1.2, numpy<2]\n"
    block = read(tmp_path, text + "  variables: {THREADS: 2}\n")
    assert block == EnvironmentSpec("3.12", ("funasr==1.2", "numpy<2"), {"THREADS": "2"})


def test_other_keys_of_the_file_are_ignored(tmp_path: Path) -> None:
    assert read(tmp_path, "model: whisper\nenvironment: {packages: [x]}\n").packages == ("x",)


def test_missing_block_error_lists_the_keys(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"missing block `environment:`. Keys in the file: enviroment\."):
        read(tmp_path, "enviroment: {}\n")


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    for name in ("a.whl", "wheels/b.whl"):
        (tmp_path / name).touch()
    block = read(tmp_path, "environment: {packages: [a.whl, './wheels/b.whl[extra]', ./wheels]}")
    full = ["a.whl", "wheels/b.whl[extra]", "wheels"]
    assert [*block.packages] == [str(tmp_path / item) for item in full]


def test_command_line_paths_are_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.whl").touch()
    monkeypatch.chdir(tmp_path)
    block = EnvironmentSpec(packages=("numpy",)).with_packages(["./a.whl", "numpy"], "3.12")
    assert block == EnvironmentSpec("3.12", ("numpy", str(tmp_path / "a.whl")))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("mine", "must be a mapping of `name: value` lines"),
        ({"index_url": "x"}, "unknown field in environment: index_url. Accepted: python, packages, variables"),
        ({"python": 3.1}, r"python must be text, not 3\.1\. Write a version in quotes"),
        ({"packages": "numpy"}, "packages must be a list of requirements, not 'numpy'"),
        ({"packages": [1]}, "packages must be a list of requirements"),
        ({"packages": ["-r more.txt"]}, "'-r more.txt' is not a requirement"),
        ({"packages": ["--index-url=x"]}, "Options belong in the configuration of pip or uv"),
        ({"packages": [" "]}, "'' is not a requirement"),
        ({"packages": ["./gone.whl"]}, r"packages: no such file: .*/gone\.whl"),
        ({"variables": ["A=1"]}, "variables must be a mapping of `NAME: value` lines"),
        ({"variables": {"A B": "1"}}, "invalid name 'A B'"),
        ({"variables": {"PYTHONPATH": "x"}}, "it is set by Auricle"),
        ({"variables": {"A": True}}, "the value of A must be text. Write it in quotes"),
    ],
)
def test_invalid_block_is_refused_in_one_line(given: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words) as error:
        EnvironmentSpec.parse(given, "mine.yaml")
    assert str(error.value).startswith("mine.yaml: ")
    assert "\n" not in str(error.value)


def test_equal_blocks_have_no_differences() -> None:
    one = EnvironmentSpec("", ("a", "b"), {"A": "1"})
    assert one.describe_differences(EnvironmentSpec("", ("b", "a"), {"A": "1"})) == ""


def test_differences_name_variables_without_values() -> None:
    one = EnvironmentSpec("3.11", ("a",), {"A_TOKEN": "sesame", "B": "1"})
    other = EnvironmentSpec("3.12", ("a",), {"A_TOKEN": "open", "B": "1"})
    assert one.describe_differences(other) == ("python: existing 3.11, requested 3.12; variables: A_TOKEN")


def test_public_description_hides_secrets() -> None:
    url = "mine @ https://me:sesame@example.org/mine.whl"
    shown = str(EnvironmentSpec("", (url,), {"PLAIN": "sesame"}).public())
    assert "sesame" not in shown
    assert "PLAIN" in shown


def test_symbolic_link_to_a_python_is_kept(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(Path("/usr/bin/env"))
    block = read(tmp_path, "environment: {python: ./python}")
    assert block.python == str(tmp_path / "python")


@pytest.mark.parametrize("name", ["../up", ".hidden", "a b", "", "a/b"])
def test_invalid_name_is_refused(nowhere: Any, name: str) -> None:
    with pytest.raises(SpecError, match="Invalid environment name"):
        create(name, EnvironmentSpec())


def test_unknown_environment_error_explains_how_to_create_it(
    nowhere: Any, auricle: Any, quiz: Any, tmp_path: Path
) -> None:
    finished(nowhere, "mine")
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "environment=yours", "-o", "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Existing: mine. Create it with: auricle env create yours --package PACKAGE" in done.stderr
    assert not (tmp_path / "run").exists()


def test_unfinished_environment_is_refused(nowhere: Any, auricle: Any) -> None:
    unfinished(nowhere)
    done = auricle("ask", "-m", "echo", "-M", "environment=half", "--text", "hello")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'half' is unfinished" in done.stderr
    assert "auricle env create half" in done.stderr


def test_environment_without_its_python_is_refused(nowhere: Any) -> None:
    path = finished(nowhere, "mine")
    (path / "bin" / "python").symlink_to("/no/where/python")
    with pytest.raises(SpecError, match=r"no longer exists \(/no/where/python\)"):
        find_usable("mine")


def test_damaged_metadata_counts_as_unfinished(nowhere: Any) -> None:
    (finished(nowhere, "mine") / "environment.json").write_text('{"digest": ')
    assert not find("mine").is_finished


def test_python_and_environment_exclude_each_other() -> None:
    with pytest.raises(SpecError, match=r"exclude each other. Remove one"):
        resolve_interpreter({"python": "/a/python", "environment": "ear"})


def test_model_without_python_and_environment_runs_in_process() -> None:
    assert resolve_interpreter({"model": "x"}) is None


def test_digest_depends_on_packages_and_hides_secrets() -> None:
    plain, secret = (EnvironmentSpec(variables={"A": "1"}), EnvironmentSpec(variables={"A": "1", "TOKEN": "x"}))
    other = EnvironmentSpec(variables={"A": "1", "TOKEN": "y"})
    assert compute_digest(plain, "3.11.1", []) != compute_digest(plain, "3.11.1", ["numpy==2"])
    assert compute_digest(plain, "3.11.1", []) != compute_digest(plain, "3.12.0", [])
    assert compute_digest(plain, "3.11.1", []) != compute_digest(secret, "3.11.1", [])
    assert compute_digest(secret, "3.11.1", []) == compute_digest(other, "3.11.1", [])

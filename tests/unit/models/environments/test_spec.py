"""What an `environment:` block may say."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.models.environments import EnvironmentSpec


def read(tmp_path: Path, text: Any) -> Any:
    (tmp_path / "mine.yaml").write_text(text)
    return EnvironmentSpec.read(tmp_path / "mine.yaml")


def test_a_block_is_read_from_a_file(tmp_path: Path) -> None:
    text = "environment:\n  python: '3.12'\n  packages: [funasr==1.2, numpy<2]\n"
    block = read(tmp_path, text + "  variables: {THREADS: 2}\n")
    assert block == EnvironmentSpec("3.12", ("funasr==1.2", "numpy<2"), {"THREADS": "2"})


def test_what_else_a_file_holds_is_for_others(tmp_path: Path) -> None:
    assert read(tmp_path, "model: whisper\nenvironment: {packages: [x]}\n").packages == ("x",)


def test_a_file_without_a_block_is_told_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"has no `environment:` block; it has enviroment\."):
        read(tmp_path, "enviroment: {}\n")


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    for name in ("a.whl", "wheels/b.whl"):
        (tmp_path / name).touch()
    block = read(tmp_path, "environment: {packages: [a.whl, './wheels/b.whl[extra]', ./wheels]}")
    whole = ["a.whl", "wheels/b.whl[extra]", "wheels"]
    assert [*block.packages] == [str(tmp_path / each) for each in whole]


def test_paths_on_a_command_line_are_relative_to_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.whl").touch()
    monkeypatch.chdir(tmp_path)
    block = EnvironmentSpec(packages=("numpy",)).with_packages(["./a.whl", "numpy"], "3.12")
    assert block == EnvironmentSpec("3.12", ("numpy", str(tmp_path / "a.whl")))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("mine", "should hold `name: value` lines"),
        ({"index_url": "x"}, "takes no index_url; it takes python, packages, variables"),
        ({"python": 3.1}, r"python should be a text, not 3\.1: write a version in quotes"),
        ({"packages": "numpy"}, "packages should be a list of requirements, not 'numpy'"),
        ({"packages": [1]}, "packages should be a list of requirements"),
        ({"packages": ["-r more.txt"]}, "'-r more.txt' is no requirement"),
        ({"packages": ["--index-url=x"]}, "options belong in pip's own configuration"),
        ({"packages": [" "]}, "'' is no requirement"),
        ({"packages": ["./gone.whl"]}, r"packages: there is no .*/gone\.whl"),
        ({"variables": ["A=1"]}, "variables should hold `NAME: value` lines"),
        ({"variables": {"A B": "1"}}, "'A B' is no name for one"),
        ({"variables": {"PYTHONPATH": "x"}}, "which Auricle sets itself"),
        ({"variables": {"A": True}}, "A should be a text; write it in quotes"),
    ],
)
def test_what_a_block_cannot_say_is_refused_in_one_line(given: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words) as error:
        EnvironmentSpec.parse(given, "mine.yaml")
    assert str(error.value).startswith("mine.yaml: ")
    assert "\n" not in str(error.value)


def test_equal_blocks_differ_in_nothing() -> None:
    one = EnvironmentSpec("", ("a", "b"), {"A": "1"})
    assert one.describe_differences(EnvironmentSpec("", ("b", "a"), {"A": "1"})) == ""


def test_differences_name_variables_and_show_no_value() -> None:
    one = EnvironmentSpec("3.11", ("a",), {"A_TOKEN": "sesame", "B": "1"})
    other = EnvironmentSpec("3.12", ("a",), {"A_TOKEN": "open", "B": "1"})
    assert one.describe_differences(other) == ("python: 3.11 there, 3.12 asked for; variables: A_TOKEN")


def test_nothing_secret_is_public() -> None:
    url = "mine @ https://me:sesame@example.org/mine.whl"
    shown = str(EnvironmentSpec("", (url,), {"PLAIN": "sesame"}).public())
    assert "sesame" not in shown
    assert "PLAIN" in shown


def test_a_link_to_a_python_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(Path("/usr/bin/env"))
    block = read(tmp_path, "environment: {python: ./python}")
    assert block.python == str(tmp_path / "python")

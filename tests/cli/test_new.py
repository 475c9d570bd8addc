"""`auricle new`: names, files and refusals; what is written is installed and tested in `tests/contract`."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.new import REGISTRIES, TEMPLATE_SUFFIX, TEMPLATES, build_names, write_package
from auricle.core.errors import SpecError


@pytest.mark.parametrize(
    ("name", "distribution", "class_name", "function"),
    [
        ("city-noise", "auricle-city-noise", "CityNoise", "city_noise"),
        ("word_count2", "auricle-word-count2", "WordCount2", "word_count2"),
        ("auricle-quiz", "auricle-quiz", "AuricleQuiz", "auricle_quiz"),
        ("auricle", "auricle-auricle", "Auricle", "auricle"),
    ],
)
def test_names_follow_from_one(name: str, distribution: str, class_name: str, function: str) -> None:
    names = build_names("model", name)
    assert (names["distribution"], names["class_name"], names["function"]) == (distribution, class_name, function)
    assert names["package"] == distribution.replace("-", "_")


@pytest.mark.parametrize("name", ["", "City", "2tones", "city noise", "city--noise", "-city", "../city", "città"])
def test_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match=r"Invalid name .* Use words of lower-case letters and digits"):
        build_names("metric", name)


def test_keyword_of_python_is_refused() -> None:
    with pytest.raises(SpecError, match="Invalid name 'lambda': it is a keyword of Python"):
        build_names("metric", "lambda")


def test_name_that_exists_is_refused_with_its_package(install: Any) -> None:
    with pytest.raises(SpecError, match="There is already a metric 'wer' in Auricle"):
        build_names("metric", "wer")
    install("auricle-tiny", {"models": {"tiny": "auricle_tiny:Tiny"}})
    with pytest.raises(SpecError, match=r"There is already a model 'tiny' in auricle-tiny 1\.0"):
        build_names("model", "tiny")
    assert build_names("metric", "tiny")


@pytest.mark.parametrize(("kind", "group"), [("benchmark", "tasks"), ("model", "models"), ("metric", "metrics")])
def test_every_kind_declares_its_entry_point(kind: str, group: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["new", kind, "city-noise", "--to", str(tmp_path / "made")])
    assert result.exit_code == 0, result.output
    settings = tomllib.loads((tmp_path / "made" / "pyproject.toml").read_text())
    (path,) = settings["project"]["entry-points"][f"auricle.{group}"].values()
    module, _, attribute = path.partition(":")
    assert attribute in (tmp_path / "made" / "src" / module / "__init__.py").read_text()
    assert list((tmp_path / "made" / "tests").glob("test_*.py"))
    assert "city-noise" in (tmp_path / "made" / "README.md").read_text()
    assert f"pip install -e '{tmp_path}/made[test]'" in result.output


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_template_is_written(kind: str, tmp_path: Path) -> None:
    write_package(kind, tmp_path, build_names(kind, "city-noise"))
    templates = [path for path in (TEMPLATES / kind).rglob("*") if path.is_file()]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == len(templates) >= 4
    assert not [path for path in written if path.suffix == TEMPLATE_SUFFIX]
    assert not [path for path in written if path.suffix != ".wav" and "$" in path.read_text()]


def test_folder_with_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SpecError, match=r"already exists and is not an empty folder\. Choose another one with --to"):
        write_package("metric", tmp_path, build_names("metric", "city-noise"))
    with pytest.raises(SpecError, match="already exists"):
        write_package("metric", tmp_path / "mine.txt", build_names("metric", "city-noise"))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_default_folder_is_named_after_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output = CliRunner().invoke(cli, ["new", "model", "city-noise"]).output
    assert (tmp_path / "auricle-city-noise" / "src" / "auricle_city_noise" / "__init__.py").is_file()
    assert "auricle run demo -m city-noise" in output


def test_json_names_files_and_commands(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["new", "metric", "hum", "--to", str(tmp_path / "hum"), "--json"])
    document = json.loads(result.output)
    assert all(Path(file).is_file() for file in document["files"])
    assert [command.split()[0] for command in document["commands"]] == ["pip", "pytest", "auricle"]

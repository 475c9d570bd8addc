"""YAML files with line numbers."""

from pathlib import Path

import pytest

from auricle import SpecError
from auricle.core.yaml_files import read_yaml, read_yaml_with_extends, read_yaml_with_locations


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [1\n", "is not valid YAML"),
        ("- a\n", "should hold `name: value` lines"),
        ("a: 1\nb:\n  c: 1\n  c: 2\n", r"x\.yaml:4: c is given twice"),
    ],
)
def test_invalid_file_is_rejected(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.yaml").write_text(content)
    with pytest.raises(SpecError, match=message):
        read_yaml(tmp_path / "x.yaml")


def test_missing_file_folder_and_binary_file_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    for path, message in [("gone.yaml", "There is no file"), (".", "is a folder"), ("binary.yaml", "is not UTF-8")]:
        with pytest.raises(SpecError, match=message):
            read_yaml(tmp_path / path)


def test_error_is_prefixed_with_the_line_of_the_nearest_value(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\nb:\n  - c: 1\n  - d: 2\n")
    _, locations = read_yaml_with_locations(path)
    assert locations.locate(("b", 1, "d", "deeper")) == f"{path}:4"
    assert locations.locate(("unknown",)) == str(path)
    with pytest.raises(SpecError, match=r"x\.yaml:3: wrong"), locations.annotate_errors("a"):
        raise SpecError("wrong", ("b", 0))


def test_extended_values_are_merged_and_null_removes_a_key(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("a: {x: 1, y: 2}\nb: [1]\nc: 3\n")
    path = tmp_path / "x.yaml"
    path.write_text("extends: base.yaml\na: {y: 5}\nb: [2]\nc: null\n")
    values, locations = read_yaml_with_extends(path, lambda _, values: values)
    assert values == {"a": {"x": 1, "y": 5}, "b": [2]}
    assert locations.locate(("a", "x")) == f"{tmp_path / 'base.yaml'}:1"

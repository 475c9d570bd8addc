"""YAML files with line numbers."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from auricle import SpecError
from auricle.core.yaml_files import read_foreign_yaml, read_yaml, read_yaml_with_extends, read_yaml_with_locations


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


ALIAS_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{inner}'] * 9)}]\n" for inner, name in pairwise("abcdefghi")
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ALIAS_BOMB, r"more than 100,000 values \(line 6"),
        ("a: &a [*a]\n", "an alias refers to a value that contains it"),
        ("a: &a {b: *a}\n", "an alias refers to a value that contains it"),
        ("a: " + "[" * 100_000, "nested more than 50 levels deep"),
        ("a: " + "[" * 900 + "]" * 900, "nested more than 50 levels deep"),
        ("".join(" " * depth + "k:\n" for depth in range(900)), "nested more than 50 levels deep"),
        ("data: 2024-13-45\n", r"invalid timestamp; put the value in quotes if it is text \(line 1, column 7\)"),
        ("seed: " + "9" * 5000, "invalid int"),
        ("seed: 0x" + "f" * 5000, "invalid int"),
        ("a: !!binary ====x\n", "is not valid YAML"),
        ("a: !!timestamp x\n", "invalid timestamp"),
        ('a: "x \\ud800"\n', "invalid str"),
        ('"\\udfff": x\n', "invalid str"),
        ("a: !!bool x\n", "invalid bool"),
        ("a: !!int ''\n", "invalid int"),
        ("a: !!float x\n", "invalid float"),
        ("a: 1\n" * 300_000, "is larger than 1 MB"),
        ("a: \x00\n", "is not valid YAML: invalid characters"),
    ],
)
def test_a_file_that_would_take_unbounded_time_or_memory_is_rejected(
    tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "x.yaml").write_text(content)
    with pytest.raises(SpecError, match=message):
        read_yaml(tmp_path / "x.yaml")


def test_a_few_aliases_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: &a {x: 1}\nb: [*a, *a]\nc: {<<: *a, y: 2}\n")
    assert read_yaml(tmp_path / "x.yaml") == {"a": {"x": 1}, "b": [{"x": 1}, {"x": 1}], "c": {"x": 1, "y": 2}}


def test_a_named_pipe_a_device_and_an_impossible_path_are_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    for path, message in [
        (tmp_path / "pipe.yaml", "not a regular file"),
        (Path("/dev/zero"), "not a regular file"),
        (tmp_path / "a\0b.yaml", r"Cannot read '.*a\\x00b.yaml': embedded null byte"),
    ]:
        with pytest.raises(SpecError, match=message):
            read_yaml(path)


@pytest.mark.parametrize(
    "content", ["SECRET:$y$j9T:19000::\nSECRET:*:1\n", "SECRET: [\n", "a: *SECRET\n", "a: !SECRET x\n", "%SECRET\n"]
)
def test_an_error_does_not_quote_the_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.yaml").write_text(content)
    with pytest.raises(SpecError) as caught:
        read_yaml(tmp_path / "x.yaml")
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_foreign_files_may_repeat_keys_and_have_tags(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: 1\na: !shout hello\n")
    assert read_foreign_yaml(tmp_path / "x.yaml", {"!shout": str.upper}) == {"a": "HELLO"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a: {b: What is it?, c: d}\n", "expected ',' or '}', but got '?' (line 1, column 18). If this '?' is part of"),
        ("a: Answer this: yes\n", "mapping values are not allowed here (line 1, column 15). If this ':' is part of"),
        ("a: [b\nc: d\n", "expected ',' or ']', but got ':' (line 2, column 2). If this ':' is part of"),
        ("a: b\n\tc: d\n", "found character '\\t' that cannot start any token (line 2, column 1)."),
        ("a: 'b\n", "a quoted scalar (line 1, column 4), found unexpected end of stream (line 2, column 1)."),
    ],
)
def test_an_error_of_the_parser_is_passed_on_with_its_places_and_a_hint(
    tmp_path: Path, content: str, expected: str
) -> None:
    (tmp_path / "x.yaml").write_text(content)
    with pytest.raises(SpecError) as caught:
        read_yaml(tmp_path / "x.yaml")
    assert expected in str(caught.value)
    assert ("in quotes" in str(caught.value)) == expected.endswith("part of")

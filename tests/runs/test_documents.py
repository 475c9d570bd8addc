"""Documents: what is written can be read, and what is damaged is reported in one line."""

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.core.errors import DataError
from auricle.runs.documents import OMITTED, decode, encode_document, read_document, write_document


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    format: int = 1
    count: int
    items: tuple[Inner, ...] = ()
    extra: dict[str, int] = field(default_factory=dict)


DOCUMENT = Outer(count=2, items=(Inner("a", 0.5), Inner("b")), extra={"x": 1})


def test_document_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_document(tmp_path / "d.json", DOCUMENT)
    assert read_document(tmp_path / "d.json", Outer) == DOCUMENT
    assert orjson.loads((tmp_path / "d.json").read_bytes())["items"][1] == {"name": "b", "value": None}


def test_values_that_json_cannot_express_are_null() -> None:
    assert orjson.loads(encode_document(Inner("a", math.nan)))["value"] is None
    assert orjson.loads(encode_document(Inner("a", math.inf)))["value"] is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"nonsense", "is not valid JSON"),
        (b"", "is not valid JSON"),
        (b"[]", "is not a JSON object"),
        (b"{}", "count: the field is missing"),
        (b'{"count": "2"}', "count: expected a whole number, not text"),
        (b'{"count": 2, "items": [{"name": 3}]}', "items.0.name: expected text, not a whole number"),
        (b'{"count": true}', "count: expected a whole number, not true or false"),
        (b'{"count": 2, "items": {}}', "items: expected a list, not an object"),
        (b'{"count": 2, "extra": {"x": 0.5}}', "extra.x: expected a whole number, not a number"),
        (b'{"count": 2, "format": 99}', "has format 99, which a newer version of Auricle wrote"),
        (b'{"count": 2, "format": "new"}', "unknown format 'new'"),
        (b'{"count": 2, "format": 0}', "unknown format 0"),
        (b'{"count": 2, "format": true}', "unknown format True"),
    ],
)
def test_damaged_document_is_reported_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "d.json").write_bytes(content)
    with pytest.raises(DataError) as error:
        read_document(tmp_path / "d.json", Outer, remedy="Score again.")
    assert str(error.value).startswith(str(tmp_path / "d.json"))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_remedy_follows_the_message(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(b"{}")
    with pytest.raises(DataError, match=r"\. Score again\.$"):
        read_document(tmp_path / "d.json", Outer, remedy="Score again.")


def test_large_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(encode_document(DOCUMENT).ljust(50_000_000))
    assert read_document(path, Outer) == DOCUMENT
    with path.open("ab") as file:
        file.write(b" ")
    with pytest.raises(DataError, match="is larger than 50 MB"):
        read_document(path, Outer)


@pytest.mark.parametrize(("options", "is_synced"), [({}, True), ({"is_derived": True}, False)])
def test_documents_that_cannot_be_derived_again_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool], is_synced: bool
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    write_document(tmp_path / "d.json", DOCUMENT, **options)
    assert bool(synced) is is_synced
    assert read_document(tmp_path / "d.json", Outer) == DOCUMENT


def test_missing_document_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_document(tmp_path / "d.json", Outer)


def test_unknown_fields_are_ignored_and_whole_numbers_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(b'{"count": 1, "items": [{"name": "a", "value": 3}], "later": []}')
    assert read_document(tmp_path / "d.json", Outer) == Outer(count=1, items=(Inner("a", 3.0),))


@dataclass(frozen=True)
class Version:
    """Stored as text, such as `2.1`."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> "Version":
        return cls(*map(int, text.split(".")))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True, kw_only=True)
class Varied:
    size: int | str | None = None
    anything: Any = None
    numbers: list[int] = field(default_factory=list)
    by_name: dict[str, Inner] = field(default_factory=dict)
    class_name: str = field(default="", metadata={"name": "class"})
    version: Version = Version(1, 0)


@pytest.mark.parametrize(
    "document",
    [
        Varied(size=3),
        Varied(size="big"),
        Varied(anything={"a": [1, "x", None]}),
        Varied(numbers=[1, 2], by_name={"a": Inner("x", 0.5)}),
        Varied(class_name="Whisper", version=Version(2, 7)),
    ],
)
def test_every_kind_of_field_is_read_as_it_was_written(tmp_path: Path, document: Varied) -> None:
    write_document(tmp_path / "d.json", document)
    assert read_document(tmp_path / "d.json", Varied) == document
    content = orjson.loads((tmp_path / "d.json").read_bytes())
    assert (content["class"], content["version"]) == (document.class_name, str(document.version))
    assert "class_name" not in content


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Varied, {"size": 0.5}, "size: expected a whole number, not a number"),
        (Varied, {"numbers": [1, "2"]}, r"numbers\.1: expected a whole number, not text"),
        (Varied, {"by_name": {"a": {}}}, r"by_name\.a\.name: the field is missing"),
        (Varied, {"version": {"major": 1}}, r"version\.minor: the field is missing"),
        (Varied, {"class": None}, "class: expected text, not null"),
        (Inner, 3, "document: expected an object, not a whole number"),
        (Inner, b"x", "document: expected an object, not bytes"),
    ],
)
def test_error_names_the_field_and_both_types(kind: type, value: object, message: str) -> None:
    with pytest.raises(DataError, match=f"^{message}$"):
        decode(kind, value)


def test_objects_of_other_libraries_are_written_as_numbers_lists_or_text() -> None:
    values = {"array": np.arange(3), "number": np.float32(0.5), "path": Path("a/b"), "class": Inner}
    content = orjson.loads(encode_document(values))
    assert content == {"array": [0, 1, 2], "number": 0.5, "path": "a/b", "class": str(Inner)}


def test_missing_document_has_its_own_message(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^not scored yet$"):
        read_document(tmp_path / "d.json", Outer, missing="not scored yet")
    write_document(tmp_path / "d.json", DOCUMENT)
    assert read_document(tmp_path / "d.json", Outer, missing="not scored yet") == DOCUMENT


def test_documents_are_indented(tmp_path: Path) -> None:
    assert encode_document(Inner("a")) == b'{\n  "name": "a",\n  "value": null\n}'


def test_fields_that_are_omitted_are_not_written() -> None:
    @dataclass(frozen=True)
    class Partial:
        name: str
        record: object = field(metadata={OMITTED: True})

    assert orjson.loads(encode_document(Partial("a", object()))) == {"name": "a"}

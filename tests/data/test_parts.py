"""Parts of data: together they are the whole, whatever the cuts."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.core.errors import DataError
from auricle.core.types import RejectedRow, Sample
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.parts import DataPart, PartSource, read_part
from auricle.data.sources import DataSource
from tests.support.tar_shards import write_shar, write_webdataset

COLUMNS = ColumnMapping(target_columns=("text",), requires_target=False, default_question="?")


def open_data(location: Path | str) -> Manifest:
    return Manifest(Path(location), COLUMNS, source=DataSource(str(location)))


def read_parts(manifest: Manifest, target_bytes: int) -> list[Sample | RejectedRow]:
    return [sample for part in manifest.plan_parts(target_bytes) for sample in manifest.restrict(part)]


def write_rows(folder: Path, name: str, rows: Sequence[dict[str, Any]]) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([*rows]), path, row_group_size=2)
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(lines.encode()))
    elif name.endswith(".csv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text(lines)


# --- every format -----------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet", ".csv"])
@pytest.mark.parametrize("target_bytes", [1, 40, 1 << 20])
def test_parts_in_order_are_the_whole_data(tmp_path: Path, suffix: str, target_bytes: int) -> None:
    for number in range(3):
        rows = [{"text": f"line {number} {row}\nsecond"} for row in range(5)]
        write_rows(tmp_path, f"{number % 2}/part-{number}{suffix}", rows)
    manifest = open_data(f"{tmp_path}/*/*{suffix}")
    whole = [*manifest]
    assert read_parts(manifest, target_bytes) == whole
    assert len(whole) == 15
    assert len({sample.id for sample in whole if isinstance(sample, Sample)}) == 15
    assert all(isinstance(sample, Sample) for sample in whole)


def test_parts_of_tars_and_shar_are_whole_files(tmp_path: Path) -> None:
    for number in range(2):
        write_webdataset(tmp_path / f"tars/{number}.tar", {f"{number}-{row}": f"text {row}" for row in range(3)})
    write_shar(tmp_path / "shar", [f"text {row}" for row in range(7)])
    for folder, count in (("tars", 2), ("shar", 3)):
        manifest = open_data(f"{tmp_path}/{folder}/")
        assert len([*manifest.plan_parts(1)]) == count
        assert read_parts(manifest, 1) == [*manifest]


def test_a_single_file_has_the_indices_of_its_rows_as_ids_where_they_are_known(tmp_path: Path) -> None:
    write_rows(tmp_path, "x.parquet", [{"text": str(row)} for row in range(5)])
    manifest = Manifest(tmp_path / "x.parquet", COLUMNS)
    assert [part.rows for part in manifest.plan_parts(1)] == [2, 2, 1]
    samples = read_parts(manifest, 1)
    assert [sample.id for sample in samples if isinstance(sample, Sample)] == ["0", "1", "2", "3", "4"]
    assert samples == [*manifest]


def test_an_empty_file_among_others_has_no_parts(tmp_path: Path) -> None:
    write_rows(tmp_path, "a.jsonl", [{"id": "1", "text": "x"}])
    (tmp_path / "b.jsonl").touch()
    manifest = open_data(tmp_path)
    assert [Path(part.source).name for part in manifest.plan_parts(1 << 20)] == ["a.jsonl"]
    assert read_parts(manifest, 1 << 20) == [*manifest]


def test_small_row_groups_share_a_part(tmp_path: Path) -> None:
    write_rows(tmp_path, "x.parquet", [{"text": str(row)} for row in range(20)])
    parts = [*Manifest(tmp_path / "x.parquet", COLUMNS).plan_parts(1 << 20)]
    assert [(part.unit, part.start, part.end, part.rows) for part in parts] == [("row_groups", 0, 10, 20)]


def test_files_of_the_same_name_in_two_folders_have_different_ids_and_origins(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_rows(tmp_path, f"{folder}/x.jsonl", [{"text": "1"}])
        with (tmp_path / folder / "x.jsonl").open("a") as file:
            file.write("not json\n")
    samples = [*open_data(f"{tmp_path}/**/*.jsonl")]
    assert [getattr(sample, "id", "") for sample in samples] == ["a/x.jsonl@0", "", "b/x.jsonl@0", ""]
    assert [sample.origin for sample in samples] == ["a/x.jsonl@0", "a/x.jsonl@14", "b/x.jsonl@0", "b/x.jsonl@14"]


# --- byte ranges ---------------------------------------------------------------------

TEXTS = st.text(st.sampled_from("aü語 😀\n"), max_size=6)
LINES = st.one_of(
    TEXTS.map(lambda text: json.dumps({"text": text}, ensure_ascii=False)), st.sampled_from(["", "  ", "x"])
)


@st.composite
def files_of_lines(draw: Callable[..., Any]) -> bytes:
    lines = draw(st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n"])), max_size=12))
    content = "".join(line + end for line, end in lines)
    if draw(st.booleans()):
        content = content.rstrip("\n")
    mark: bytes = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + content.encode()


@settings(max_examples=200, deadline=None)
@given(content=files_of_lines(), cuts=st.lists(st.integers(0, 200), max_size=8))
@pytest.mark.thorough
def test_every_line_is_in_exactly_one_range(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cuts: list[int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.jsonl"
    path.write_bytes(content)
    source = DataSource(str(path))
    bounds = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})

    def read(start: int, end: int | None) -> list[Any]:
        return [row for _, row in read_part(source, DataPart(str(path), "bytes", start, end))]

    whole = read(0, None)
    assert [row for start, end in pairwise(bounds) for row in read(start, end)] == whole
    texts = [
        line.removeprefix(b"\xef\xbb\xbf") if not number else line for number, line in enumerate(content.split(b"\n"))
    ]
    assert len(whole) == sum(bool(text.strip()) for text in texts)


def test_rows_of_a_range_are_named_by_their_offset(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n[1]\n')
    manifest = Manifest(tmp_path / "x.jsonl", COLUMNS)
    first, second, third = read_parts(manifest, 10)
    assert isinstance(first, Sample)
    assert (first.id, first.origin) == ("x.jsonl@0", "x.jsonl@0")
    assert isinstance(second, Sample)
    assert (second.id, second.origin) == ("x.jsonl@14", "x.jsonl@14")
    assert isinstance(third, RejectedRow)
    assert third.origin == "x.jsonl@28"


def test_a_json_array_is_refused_in_its_first_part(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('[{"text": "a"}]\n')
    with pytest.raises(DataError, match="is a JSON array"):
        read_parts(Manifest(tmp_path / "x.jsonl", COLUMNS), 100)


# --- restricted manifests ------------------------------------------------------------


def test_a_restricted_manifest_keeps_choices_and_checks_of_the_whole(tmp_path: Path) -> None:
    write_rows(tmp_path, "x.jsonl", [{"text": "a"}, {"text": "b"}])
    manifest = Manifest(tmp_path / "x.jsonl", COLUMNS, choices=lambda: ["a", "b"], check=lambda: ["a note"])
    assert isinstance(manifest, PartSource)
    part = manifest.restrict(next(manifest.plan_parts(10)))
    (sample,) = part
    assert isinstance(sample, Sample)
    assert sample.inputs["choices"] == ["a", "b"]
    assert part.notes() == ["a note"]
    assert part.whole_file_without_media().data_part is None
    assert part.revision != manifest.restrict([*manifest.plan_parts(10)][1]).revision


def test_a_file_that_changed_since_the_plan_is_refused(tmp_path: Path) -> None:
    write_rows(tmp_path, "x.jsonl", [{"text": "a"}])
    manifest = Manifest(tmp_path / "x.jsonl", COLUMNS)
    part = next(manifest.plan_parts(10))
    write_rows(tmp_path, "x.jsonl", [{"text": "longer"}])
    with pytest.raises(DataError, match=r"x\.jsonl has changed since the run was planned"):
        [*manifest.restrict(part)]


def test_a_range_of_rows_is_one_part(tmp_path: Path) -> None:
    write_rows(tmp_path, "x.jsonl", [{"text": str(row)} for row in range(5)])
    manifest = Manifest(tmp_path / "x.jsonl", COLUMNS, row_range=(1, 3))
    (part,) = manifest.plan_parts(1)
    assert (part.unit, part.start, part.end) == ("rows", 1, 3)
    assert [*manifest.restrict(part)] == [*manifest]

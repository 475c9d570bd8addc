"""Tables of sound events as DCASE and Audacity write them."""

from pathlib import Path

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import RejectedRow, Sample, list_parts
from auricle.data.manifest import ColumnMapping
from auricle.media import Audio
from auricle.tasks.sound_events.formats import EventManifest, read_event_table

DCASE = (
    "filename\tonset\toffset\tevent_label\na.wav\t0.5\t1.2\tdog\nb.wav\t\t\t\na.wav\t2.0\t3.5\train\nc.wav\t1\t2\tdog\n"
)
COLUMNS = ColumnMapping(target_columns=(), requires_target=False)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_lines_of_a_table_are_grouped_by_recording(tmp_path: Path) -> None:
    manifest = EventManifest(write(tmp_path / "all.tsv", DCASE), COLUMNS)
    samples = [row for row in manifest if isinstance(row, Sample)]
    assert [sample.id for sample in samples] == ["a.wav", "b.wav", "c.wav"]
    assert samples[0].meta["events"] == [
        {"onset": "0.5", "offset": "1.2", "label": "dog"},
        {"onset": "2.0", "offset": "3.5", "label": "rain"},
    ]
    assert samples[1].meta["events"] == []
    assert len(manifest) == 3
    (audio,) = list_parts(samples[0].inputs["audio"])
    assert isinstance(audio, Audio)
    assert audio.path == tmp_path / "a.wav"
    assert audio.start == 0.0  # `offset` is not the start of a clip here


def test_a_line_without_a_recording_is_rejected_and_counted(tmp_path: Path) -> None:
    text = "filename,onset,offset,event_label\n,1,2,dog\na.wav,1,2,dog\n"
    manifest = EventManifest(write(tmp_path / "all.csv", text), COLUMNS)
    rejected, sample = manifest
    assert isinstance(rejected, RejectedRow)
    assert rejected.reason == "no filename"
    assert isinstance(sample, Sample)


def test_other_tables_keep_their_rows(tmp_path: Path) -> None:
    manifest = EventManifest(write(tmp_path / "rows.csv", "audio,events\na.wav,a.tsv\nb.wav,b.tsv\n"), COLUMNS)
    assert [row.meta["events"] for row in manifest if isinstance(row, Sample)] == ["a.tsv", "b.tsv"]
    assert len(manifest) == 2
    lines = EventManifest(write(tmp_path / "rows.jsonl", '{"audio": "a.wav", "events": []}\n'), COLUMNS)
    assert len(lines) == 1


def test_the_events_of_one_recording_are_selected_from_a_table_of_many(tmp_path: Path) -> None:
    path = write(tmp_path / "all.tsv", DCASE)
    assert [event["label"] for event in read_event_table(path, "sounds/a.wav")] == ["dog", "rain"]
    assert read_event_table(path, "b.wav") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.txt", "0.5\t1.2\tdog\n\\\t100\t200\n2.0\t3.5\train\n"),
        ("labels.csv", "0.5,1.2,dog\n2.0,3.5,rain\n"),
        ("labels.tsv", "onset\toffset\tlabel\n0.5\t1.2\tdog\n2.0\t3.5\train\n"),
    ],
)
def test_a_table_of_one_recording_may_have_no_header(tmp_path: Path, name: str, text: str) -> None:
    events = read_event_table(write(tmp_path / name, text))
    assert [(event["onset"], event["label"]) for event in events] == [("0.5", "dog"), ("2.0", "rain")]


def test_an_empty_table_has_no_events(tmp_path: Path) -> None:
    assert read_event_table(write(tmp_path / "none.txt", "")) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [("name,size\ndog,1\n", "has no columns onset and offset"), ("0.5\n", "expected onset, offset and label")],
)
def test_another_table_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SampleError, match=message):
        read_event_table(write(tmp_path / "other.csv", text))


def test_a_missing_table_is_an_error_of_its_row(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match="cannot be read"):
        read_event_table(tmp_path / "missing.tsv")

"""Samples from the rows of a manifest."""

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Sample
from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.types import RejectedRow
from auricle.data import ColumnMapping, Manifest, Row
from auricle.data.manifest import check_storable
from auricle.data.sources import DataSource
from auricle.engine.catalogue import TASKS

ASR = ColumnMapping(target_columns=("text", "answer"), default_question="Write it down.")


QA = ColumnMapping(target_columns=("answer",), question_columns=("question", "text"))


def samples(path: Any, fields: Any = ASR, **options: Any) -> Any:
    return list(Manifest(path, fields, **options))


def test_kimi_columns_are_recognised(manifest: Any, tmp_path: Path) -> None:
    row = {
        "index": 3,
        "audio_path": "a.wav",
        "question": "What do you hear?",
        "answer": "hello",
        "subset": "clean",
        "audio_content": "spoken",
        "meta": {"lang": "en"},
    }
    (sample,) = samples(manifest([row]))
    assert sample.id == "3"
    assert sample.inputs["audio"][0].uri == str(tmp_path / "a.wav")
    assert sample.inputs["question"] == "What do you hear?"
    assert sample.target == "hello"
    assert sample.meta == {"subset": "clean", "audio_content": "spoken", "lang": "en"}
    assert sample.origin == "mine.jsonl:1"


def test_list_in_a_question_alias_stays_in_the_metadata(manifest: Any) -> None:
    rows = [
        {"audio": "a.wav", "text": "x", "instruction": ["punctuation:no_comma"]},
        {"audio": "a.wav", "text": "x", "instruction": ["a:b"], "question": ""},
        {"audio": "a.wav", "text": "x", "prompt": {"a": 1}, "instruction": "Listen."},
    ]
    remaining = [(item.inputs["question"], item.meta) for item in samples(manifest(rows))]
    assert remaining == [
        ("Write it down.", {"instruction": ["punctuation:no_comma"]}),
        ("Write it down.", {"instruction": ["a:b"]}),
        ("Listen.", {"prompt": {"a": 1}}),
    ]


def test_columns_that_the_prompt_shows_keep_their_name_besides_their_role(manifest: Any) -> None:
    path = manifest([{"index": 7, "text": "Add.", "question": "1 + 1?", "instruction": "Be brief.", "answer": "2"}])
    columns = ColumnMapping(target_columns=("answer",), question_columns=("text", "question", "instruction"))
    (plain,) = samples(path, columns)
    assert plain.meta == {}
    (sample,) = samples(path, columns, shown_columns=("text", "instruction", "question", "index", "answer"))
    assert (sample.id, sample.inputs["question"]) == ("7", "Add.")
    assert sample.meta == {"index": 7, "text": "Add.", "instruction": "Be brief."}


def test_a_text_with_all_options_is_shown_as_it_is(manifest: Any) -> None:
    path = manifest([{"question": "Which?", "options": "(A) one (B) two", "text": "A"}])
    (sample,) = samples(path, shown_columns=("options",))
    assert ("choices" in sample.inputs, sample.meta["options"]) == (False, "(A) one (B) two")


def test_the_path_of_a_recording_is_not_text_for_a_prompt(manifest: Any) -> None:
    (sample,) = samples(manifest([{"audio_path": "a.wav", "text": "x"}]), shown_columns=("audio_path",))
    assert sample.meta == {}


def test_common_column_names_are_recognised(manifest: Any) -> None:
    (sample,) = samples(manifest([{"id": "x", "audio": "a.wav", "text": "hello", "speaker": "s1"}]))
    assert (sample.id, sample.target, sample.meta) == ("x", "hello", {"speaker": "s1"})
    assert sample.inputs["question"] == "Write it down."


def test_row_may_have_several_audio_files(manifest: Any) -> None:
    (sample,) = samples(manifest([{"audio_path": ["a.wav", "b.wav"], "text": "x"}]))
    assert [sound.uri.rpartition("/")[2] for sound in sample.inputs["audio"]] == ["a.wav", "b.wav"]


def test_segment_from_start_and_end_or_offset_and_duration(manifest: Any) -> None:
    path = manifest(
        [
            {"audio": "a.wav", "start": 1.5, "end": 2, "text": "x"},
            {"audio": "a.wav", "offset": 1, "duration": 0.5, "text": "x"},
        ]
    )
    cuts = [(item.inputs["audio"][0].start, item.inputs["audio"][0].end) for item in samples(path)]
    assert cuts == [(1.5, 2.0), (1.0, 1.5)]


def test_segment_applies_to_the_video_and_not_to_the_image(manifest: Any) -> None:
    row = {"video": "a.mp4", "image": "a.png", "start": 1.5, "end": 2, "question": "x", "answer": "y"}
    (sample,) = samples(manifest([row]), QA)
    assert [(video.start, video.end) for video in sample.inputs["video"]] == [(1.5, 2.0)]
    assert sample.inputs["image"][0].uri.endswith("a.png")


def test_samples_do_not_share_metadata(manifest: Any) -> None:
    first, second = samples(manifest([{"text": "x", "audio": "a", "meta": {"k": 1}}, {"text": "y", "audio": "b"}]))
    first.meta["new"] = 1
    assert second.meta == {}


def test_rows_without_an_id_are_numbered(manifest: Any) -> None:
    assert [item.id for item in samples(manifest([{"audio": "a", "text": "x"}] * 2))] == ["0", "1"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("{broken", "not valid JSON"),
        ('["a"]', "expected a JSON object"),
        ({"audio": "a.wav"}, "no target: expected one of the columns text, answer"),
        ({"audio": 5, "text": "x"}, "int"),
        ({"audio": "a.wav", "text": {"a": 1}}, "the target must be text"),
        ({"audio": "a.wav", "text": "x", "id": [1]}, "the id must be text or a whole number"),
        ({"audio": "a.wav", "text": "x", "start": "soon"}, "start and end must be seconds"),
        ({"audio": "a.wav", "text": "x", "question": 7}, "the question must be text"),
        ({"audio": "a.wav", "text": "x", "choices": "one"}, "a list of at least two options"),
    ],
)
def test_bad_row_is_rejected_with_line_and_reason(manifest: Any, row: Any, reason: str) -> None:
    good = {"audio": "a.wav", "text": "x", "id": "good"}
    first, second, third = samples(manifest([good, row, {**good, "id": "also"}]))
    assert isinstance(first, Sample)
    assert isinstance(third, Sample)
    assert isinstance(second, RejectedRow)
    assert second.origin == "mine.jsonl:2"
    assert reason in second.reason


@pytest.mark.parametrize(
    ("row", "target"),
    [
        ({"audio": 5, "text": "x"}, "x"),
        ({"audio": "a.wav", "text": "x", "start": "soon"}, "x"),
        ({"audio": "a.wav"}, None),
        ({"audio": "a.wav", "text": {"a": 1}}, None),
    ],
)
def test_rejected_row_keeps_a_target_that_can_be_read(manifest: Any, row: Any, target: str | None) -> None:
    """The bounds of metrics need it."""
    (rejected,) = samples(manifest([row]))
    assert isinstance(rejected, RejectedRow)
    assert rejected.target == target


def test_row_without_audio_and_question_is_rejected(manifest: Any) -> None:
    (row,) = samples(manifest([{"answer": "x"}]), QA)
    assert row.reason == "no audio and no question"


def test_csv_cells_may_contain_json_lists_or_bars(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "audio", "question", "choices", "answer"])
        table.writerow(["1", '["a.wav", "b.wav"]', "which?", "cat|dog", "A"])
        table.writerow(["2", "c.wav", "which?", '["x", "y"]', "B"])
    first, second = samples(path, QA)
    assert len(first.inputs["audio"]) == 2
    assert first.inputs["choices"] == ["cat", "dog"]
    assert second.inputs["choices"] == ["x", "y"]


def test_parquet_rows_with_embedded_audio_are_streamed(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "mine.parquet"
    table = pyarrow.table({"id": ["1", "2"], "audio": [{"bytes": b"RIFF", "path": "x.wav"}] * 2, "text": ["a", None]})
    pyarrow.parquet.write_table(table, path)
    first, second = samples(path)
    assert first.inputs["audio"][0].data == b"RIFF"
    assert isinstance(second, RejectedRow)
    assert len(Manifest(path, ASR)) == 2


def test_choices_may_be_an_object_of_letters(manifest: Any) -> None:
    (sample,) = samples(manifest([{"question": "?", "choices": {"A": "x", "B": "y"}, "answer": "A"}]), QA)
    assert sample.inputs["choices"] == ["x", "y"]


def test_images_and_videos_are_not_loaded(manifest: Any, tmp_path: Path) -> None:
    (sample,) = samples(manifest([{"image": "a.png", "video": "b.mp4", "question": "?", "answer": "x"}]), QA)
    assert sample.inputs["image"][0].uri == str(tmp_path / "a.png")
    assert sample.inputs["video"][0].uri == str(tmp_path / "b.mp4")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.jsonl", None, "No such file:"),
        ("mine.txt", "x", r"Supported suffixes: \.jsonl"),
        ("array.jsonl", '[{"a": 1}]', "is a JSON array. Convert it to one object per line"),
        ("empty.jsonl", "", "has no rows"),
        ("bad.parquet", "not parquet", "is not a Parquet file"),
        ("latin.csv", b"id,text\n1,caf\xe9\n", "latin.csv:2: not UTF-8 text"),
    ],
)
def test_unusable_file_is_refused_with_advice(tmp_path: Path, name: str, content: Any, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=words):
        Manifest(path, ASR).validate()


def test_missing_column_error_lists_existing_columns(manifest: Any) -> None:
    path = manifest([{"sound": "a.wav", "words": "x"}] * 3)
    with pytest.raises(DataError, match=r"none of the first 3 rows.*Columns: sound, words"):
        Manifest(path, ASR).validate()


def test_missing_audio_files_point_to_the_root_option(manifest: Any) -> None:
    path = manifest([{"audio": "sub/a.wav", "text": "x"}] * 3)
    with pytest.raises(DataError, match=r"None of the first 3 audio files exist.*-T root=DIR"):
        Manifest(path, ASR).validate()


def test_one_missing_audio_file_does_not_refuse_the_manifest(manifest: Any, tone: Any) -> None:
    tone("a.wav")
    Manifest(manifest([{"audio": "a.wav", "text": "x"}, {"audio": "b.wav", "text": "x"}]), ASR).validate()


def test_an_empty_id_rejects_the_row(manifest: Any) -> None:
    (row,) = samples(manifest([{"id": "", "audio": "a.wav", "text": "x"}]))
    assert row.reason == "the id is empty"


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"extra": nested(600)}, "nested too deeply"),
        ({"text": nested(600)}, "a list of targets must contain"),
        ({"audio": {"path": 5}}, "invalid audio: expected str, bytes or os.PathLike object, not int"),
        ({"audio": 5}, "Cannot create audio from int"),
        ({"audio": [["a.wav"]]}, "An array needs its sample rate"),
        ({"audio": {"bytes": "x"}}, "must be bytes, not str"),
        ({"end": "inf"}, "start and end must be seconds, not 'inf'"),
        ({"end": "nan"}, "start and end must be seconds, not 'nan'"),
        ({"end": 10**400}, "start and end must be seconds"),
        ({"start": {"a": 1}}, "start and end must be seconds"),
        ({"text": 1e999}, "the target must be a finite number"),
        ({"text": {"a": 1}}, "the target must be text, a number or a list"),
        ({"id": [1]}, "the id must be text or a whole number, not list"),
        ({"id": True}, "the id must be text or a whole number, not bool"),
        ({"question": 5}, "the question must be text, not int"),
        ({"choices": 5}, "the choices must be a list of at least two options"),
        ({"image": 5}, "Cannot create Image from int"),
        ({"extra": 2**70}, "cannot be stored as JSON: Integer exceeds 64-bit range"),
        ({"extra": {1: "x"}}, "cannot be stored as JSON: Dict key must be"),
    ],
)
def test_whatever_a_row_contains_costs_that_row(values: Any, reason: str) -> None:
    valid = {"id": "1", "audio": "a.wav", "text": "x"}
    row = Manifest(Path("mine.jsonl"), ASR).make_sample(0, Row("mine.jsonl:1", {**valid, **values}))
    assert isinstance(row, RejectedRow)
    assert row.origin == "mine.jsonl:1"
    assert reason in row.reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"target": 2**70}, "Integer exceeds 64-bit range"),
        ({"meta": {"extra": 2**70}}, "Integer exceeds 64-bit range"),
        ({"meta": {1: "x"}}, "Dict key must be"),
        ({"meta": {"extra": {"nested": {1: "x"}}}}, "Dict key must be"),
    ],
)
def test_a_sample_of_texts_is_refused_for_any_value_that_cannot_be_stored(fields: Any, reason: str) -> None:
    with pytest.raises(SampleError, match=f"cannot be stored as JSON: {reason}"):
        check_storable(Sample(id="1", inputs={"question": "x"}, **fields))


def test_a_sample_of_plain_values_is_stored_as_it_is() -> None:
    sample = Sample(id="1", inputs={"question": "x\ud800"}, target=0.5, meta={"a": None, "b": True, "c": 2**63})
    assert check_storable(sample) is sample


def test_a_transform_that_fails_costs_its_row_and_a_long_reason_is_cut() -> None:
    def fail(sample: Sample) -> Sample:
        raise ValueError("x" * 10_000)

    row = Manifest(Path("mine.jsonl"), ASR, transform=fail).make_sample(0, Row("m:1", {"audio": "a.wav", "text": "x"}))
    assert isinstance(row, RejectedRow)
    assert row.reason.startswith("invalid value (ValueError: xxx")
    assert len(row.reason) < 600


def test_an_error_that_concerns_the_whole_file_is_raised() -> None:
    def fail(sample: Sample) -> Sample:
        raise DataError("wrong file")

    with pytest.raises(DataError, match="wrong file"):
        Manifest(Path("m.jsonl"), ASR, transform=fail).make_sample(0, Row("m:1", {"audio": "a.wav", "text": "x"}))


def test_binary_values_are_left_out_of_the_metadata_however_deep() -> None:
    values = {"audio": "a.wav", "text": "x", "pages": [{"bytes": b"PNG"}], "speaker": "s1", "thumbnail": b"PNG"}
    row = Manifest(Path("mine.jsonl"), ASR).make_sample(0, Row("m:1", values))
    assert isinstance(row, Sample)
    assert row.meta == {"speaker": "s1"}


def test_a_run_continues_past_rows_with_any_value(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    valid = {"question": "x", "answer": "x"}
    wrong: list[Any] = [{"extra": nested(600)}, {"audio": {"path": 5}}, {"audio": "a.wav", "end": "inf"}, {"id": [1]}]
    path = manifest([{"id": "good", **valid}, *({**valid, **values} for values in wrong)])
    process = auricle("run", path, "--as", "qa", "-m", "echo", "-o", "run")
    assert process.returncode == 3
    assert "Traceback" not in process.stderr
    outcomes = json.loads((tmp_path / "run" / "metrics.json").read_text())["outcomes"]
    assert (outcomes["answered"], outcomes["failed"]) == (1, 4)


def test_a_row_that_names_another_file_does_not_put_its_content_into_the_run(
    auricle: Any, manifest: Any, tone: Any, tmp_path: Path
) -> None:
    tone("a.wav", seconds=0.1)
    (tmp_path / "shadow").write_text("SECRET:$y$j9T:19000::\n")
    os.mkfifo(tmp_path / "pipe.wav")
    rows = [{"id": name, "audio": name, "text": "x"} for name in ("a.wav", "shadow", "pipe.wav")]
    process = auricle("run", manifest(rows), "--as", "asr", "-m", "fake-api", "-o", "run")
    assert process.returncode == 3
    written = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert b"SECRET" not in written + process.stdout.encode() + process.stderr.encode()
    assert b"not an audio file of any known format" in written
    assert b"not a regular file" in written


def test_columns_can_be_chosen_and_are_compared_without_case(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("Recording;Spoken words;File\na.wav;hello;x\n", encoding="utf-8-sig")
    fields = ColumnMapping(("text",), chosen={"audio": "recording", "target": "SPOKEN WORDS"})
    (sample,) = Manifest(tmp_path / "mine.csv", fields)
    assert isinstance(sample, Sample)
    assert sample.inputs["audio"] == [Audio(str(tmp_path / "a.wav"))]
    assert sample.target == "hello"
    assert sample.meta == {"File": "x"}  # one of the usual names for audio, which was chosen otherwise


def test_usual_columns_are_found_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"Audio": "a.wav", "TEXT": "hello", "Speaker": "anna", "ID": "7"}')
    (sample,) = Manifest(tmp_path / "mine.jsonl", ColumnMapping(("text",)))
    assert isinstance(sample, Sample)
    assert (sample.id, sample.target, sample.meta) == ("7", "hello", {"Speaker": "anna"})


def test_of_columns_that_differ_in_case_the_exact_one_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"Audio": "b.wav", "audio": "a.wav", "text": "hello"}')
    (sample,) = Manifest(tmp_path / "mine.jsonl", ColumnMapping(("text",)))
    assert isinstance(sample, Sample)
    assert sample.inputs["audio"] == [Audio(str(tmp_path / "a.wav"))]


def test_chosen_column_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"Recording": "a.wav", "text": "hello"}')
    manifest = Manifest(tmp_path / "mine.jsonl", ColumnMapping(("text",), chosen={"audio": "Recordings"}))
    with pytest.raises(
        SpecError, match=r"no column 'Recordings'\. Columns: Recording, text\. Did you mean 'Recording'"
    ):
        manifest.validate()


def test_columns_are_read_without_building_samples(manifest: Any) -> None:
    rows = Manifest(manifest([{"text": "a", "speaker": "x"}, {"answer": "b"}]), ASR, row_range=(1, None))
    assert list(rows.iter_columns()) == [({"target": "b"}, {})]
    assert list(rows.whole_file_without_media().iter_columns()) == [
        ({"target": "a"}, {"speaker": "x"}),
        ({"target": "b"}, {}),
    ]


def test_notes_are_added_to_those_of_the_check(manifest: Any) -> None:
    rows = Manifest(manifest([]), ASR, check=lambda: ["first"])
    assert rows.with_notes("second", "").notes() == ["first", "second"]


def test_only_the_first_rows_of_large_data_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.data.manifest.ROWS_OF_LARGE_DATA", 2)
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text('{"text": "x", "question": "y"}\n' * 3, encoding="utf-8")
    rows = Manifest(tmp_path, QA, source=DataSource(f"{tmp_path}/"))
    assert len(list(rows.whole_file_without_media().iter_columns())) == 6
    monkeypatch.setattr("auricle.data.manifest.MAX_HASHED_BYTES", 1)
    assert len(list(rows.whole_file_without_media().iter_columns())) == 2


def test_an_empty_reference_is_called_empty_and_its_row_keeps_id_and_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,audio,text,speaker\nx1,a.wav,,anna\n")
    (tmp_path / "a.jsonl").write_text('{"id": "x1", "audio": "a.wav", "text": null, "speaker": "anna"}\n')
    (tmp_path / "b.jsonl").write_text('{"id": "x1", "audio": "a.wav", "speaker": "anna"}\n')
    fields = ColumnMapping(target_columns=("text",))
    rejected = [row for name in ("a.csv", "a.jsonl", "b.jsonl") for row in Manifest(tmp_path / name, fields)]
    assert [row.reason for row in rejected if isinstance(row, RejectedRow)] == [
        *["the reference is empty (column text)"] * 2,
        "no target: expected one of the columns text",
    ]
    assert [(row.id, row.meta) for row in rejected] == [("x1", {"speaker": "anna"})] * 3


def test_a_row_with_an_invalid_id_is_rejected_without_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": [1], "audio": "a.wav", "text": "x"}\n')
    (row,) = Manifest(tmp_path / "a.jsonl", ColumnMapping(target_columns=("text",)))
    assert isinstance(row, RejectedRow)
    assert row.id == ""


def test_a_row_without_the_chosen_column_names_a_similar_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("audio,spelled\na.wav,one\n")
    fields = ColumnMapping(target_columns=("text",), chosen={"target": "speled"})
    (row,) = Manifest(tmp_path / "a.csv", fields)
    assert isinstance(row, RejectedRow)
    assert row.reason == "no target: expected the column speled. Did you mean 'spelled'?"


@pytest.mark.parametrize("kind", ["tag", "reward", "preference"])
def test_kinds_that_read_their_targets_themselves_name_a_similar_column(kind: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("audio,audio_b,spelled\na.wav,b.wav,a\n")
    (row,) = TASKS.get(kind)(data=str(tmp_path / "a.csv"), target="speled").samples
    assert row.reason.endswith("Did you mean 'spelled'?")

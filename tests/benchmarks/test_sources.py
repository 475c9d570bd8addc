"""Tests of reading rows from archives and from Hugging Face."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from auricle import Sample, Spec, evaluate
from auricle.benchmarks.base import Benchmark, HubDataset, make_item
from auricle.benchmarks.commands import load_benchmarks, prepare_data
from auricle.benchmarks.sources import read_table
from auricle.core.errors import DataError
from auricle.data.huggingface import CONVERTED_REVISION_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.engine.catalogue import TASKS
from tests.support.extras import require_extra
from tests.support.miniatures import write_lines, write_tone
from tests.support.miniatures_suite import find_miniature, get_benchmark, get_hub
from tests.support.miniatures_understanding import hub_audio, write_parquet

AUDIO = {"bytes": b"RIFF", "path": "17.wav"}
ROWS: dict[str, tuple[dict[str, Any], tuple[str, str, dict[str, str]]]] = {
    "librispeech": ({"id": "61-70968-0000", "text": "HE", "speaker_id": 61, "chapter_id": 70968},
                    ("61-70968-0000", "HE", {"speaker": "61", "chapter": "70968"})),
    "fleurs": ({"id": 9, "path": "x/17.wav", "transcription": "hi", "raw_transcription": "Hi!",
                "gender": 1},
               ("17", "hi", {"sentence": "9", "gender": "female", "raw_text": "Hi!"})),
    "common-voice": ({"path": "en_1.mp3", "sentence": "Hi.", "client_id": "a", "age": ""},
                     ("en_1", "Hi.", {"speaker": "a"})),
    "covost2": ({"id": "en_1", "file": "en_1.mp3", "translation": "Hallo", "sentence": "Hi",
                 "client_id": "a"},
                ("en_1", "Hallo", {"speaker": "a", "sentence": "Hi"})),
    "voxpopuli": ({"audio_id": "2009-1", "normalized_text": "mr", "speaker_id": "28",
                   "gender": "male", "accent": "None"},
                  ("2009-1", "mr", {"speaker": "28", "gender": "male"})),
    "ami": ({"audio_id": "AMI_1", "text": "YEAH", "speaker_id": "MEE1", "meeting_id": "ES2004a"},
            ("AMI_1", "YEAH", {"speaker": "MEE1", "meeting": "ES2004a"})),
    "earnings22": ({"file_id": "432", "transcription": "Good."}, ("432", "Good.", {})),
    "spgispeech": ({"wav_filename": "07a/1.wav", "transcript": "We."},
                   ("07a_1", "We.", {"call": "07a"})),
    "open-asr": ({"id": "1.wav", "text": "yes", "dataset": "ami"},
                 ("1.wav", "yes", {"dataset": "ami"})),
    "esb": ({"id": "1.wav", "text": "yes", "dataset": "ami"},
            ("1.wav", "yes", {"dataset": "ami"})),
}  # fmt: skip
SPEECH_BENCHMARKS = [name for name, benchmark in load_benchmarks().items() if benchmark.kind in ("asr", "translate")]


def test_every_speech_benchmark_on_the_hub_has_an_example_row() -> None:
    assert {name for name in SPEECH_BENCHMARKS if load_benchmarks()[name].hub} == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_hub_rows_are_converted(name: Any) -> None:
    bench, hub = get_benchmark(name), get_hub(name)
    row, (id_, target, meta) = ROWS[name]
    item = hub.convert_row({**row, "audio": AUDIO})
    assert item is not None
    assert (item["id"], item["target"], item["audio"]) == (id_, target, AUDIO)
    assert item.get("meta", {}) == meta
    config, split = hub.locate(bench.resolve_part({})[0])
    assert split.startswith("test")
    assert config


@pytest.fixture
def saved_dataset(tmp_path: Path) -> Any:
    require_extra("huggingface")
    import datasets

    names = [f"{number}.wav" for number in range(3)]
    rows = {
        "audio": [{"bytes": write_tone(tmp_path / name).read_bytes(), "path": name} for name in names],
        "id": ["1", "2", "3"],
        "text": ["yes", "", "no"],
        "dataset": ["a", "a", "b"],
    }
    folder = tmp_path / "saved"
    datasets.DatasetDict({"test": datasets.Dataset.from_dict(rows)}).save_to_disk(folder)
    return folder


@pytest.mark.parametrize(("name", "first"), [("open-asr", "ami_cleaned"), ("esb", "ami")])
def test_a_saved_hub_dataset_can_be_evaluated(saved_dataset: Any, tmp_path: Path, name: str, first: str) -> None:
    options = {"copy": f"hf:{saved_dataset}"}
    numbers = evaluate(Spec(task=name, task_args=options, model="echo"), tmp_path / "run").numbers
    assert numbers[0].scored == 2
    assert f"saved.{first}.test@unpinned" in str(numbers[0].signature)


def test_a_missing_package_is_reported_with_the_official_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", ModuleType("datasets"))  # a module without the library's functions
    with pytest.raises(DataError, match=r"auricle\[huggingface\].*To read the official archive of LibriSpeech"):
        TASKS.get("librispeech")().samples.validate()


def test_a_missing_split_is_reported_with_the_official_archive(saved_dataset: Any) -> None:
    task = TASKS.get("librispeech")(copy=f"hf:{saved_dataset}", split="dev-clean")
    with pytest.raises(DataError) as error:
        task.samples.validate()
    assert "has no split 'validation'. Splits: test" in str(error.value)
    assert "To read the official archive of LibriSpeech (openslr.org/12), use -T root=DIR" in str(error.value)


def test_a_hub_dataset_is_prepared_with_its_audio(
    saved_dataset: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made.jsonl"
    assert prepare_data("open-asr", None, [f"copy=hf:{saved_dataset}"], out, False) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["id"], row["target"]) for row in rows] == [("1", "yes"), ("3", "no")]
    assert all((tmp_path / row["audio"]).is_file() for row in rows)
    assert "--as asr" in capsys.readouterr().out


def test_hub_rows_are_filtered_by_part_and_missing_columns_reported(saved_dataset: Any) -> None:
    hub = HubDataset(
        "x", None, locate=lambda _: (None, "test"), convert_row=lambda row: make_item(row["id"], AUDIO, "x")
    )
    benchmark = Benchmark(
        name="some", title="Some", kind="asr", licence="", source="x", splits={"test": 2},
        layout="x", read=lambda _root, _part: [], hub=hub,
    )  # fmt: skip
    filtered = HubDataset(**{**_field_values(hub), "row_filter": lambda _part: {"dataset": "a"}})
    task = Benchmark(**{**_field_values(benchmark), "hub": filtered})(copy=f"hf:{saved_dataset}")
    assert [sample.id for sample in task.samples if isinstance(sample, Sample)] == ["1", "2"]
    incomplete = HubDataset(**{**_field_values(hub), "convert_row": lambda row: make_item(row["key"], AUDIO, "x")})
    task = Benchmark(**{**_field_values(benchmark), "hub": incomplete})(copy=f"hf:{saved_dataset}")
    with pytest.raises(DataError, match=r"missing column 'key' \(columns: .*dataset"):
        cast(Manifest, task.samples).validate()


def _field_values(instance: Any) -> Any:
    return {name: getattr(instance, name) for name in instance.__dataclass_fields__}


def test_only_the_files_of_a_converted_split_are_loaded() -> None:
    calls = []
    library = SimpleNamespace(load_dataset=lambda *names, **options: calls.append((names, options)))
    for revision in ("abc", f"{CONVERTED_REVISION_PREFIX}parquet"):
        dataset = HuggingFaceDataset(
            Path("hf:google/fleurs"),
            ColumnMapping(target_columns=()),
            config="en_us",
            split="test",
            pinned_revision=revision,
        )
        dataset._load(library)
    assert calls == [
        (("google/fleurs", "en_us"), {"split": "test", "revision": "abc"}),
        (
            ("google/fleurs",),
            {"data_files": {"test": "en_us/test/*.parquet"}, "split": "test", "revision": "refs/convert/parquet"},
        ),
    ]


def test_read_table_keeps_quotation_marks_and_reports_missing_columns(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "test.tsv", "path\tsentence", 'a.mp3\t"Yes" she added')
    assert list(read_table(path)) == [{"path": "a.mp3", "sentence": '"Yes" she added'}]
    with pytest.raises(DataError, match=r"missing column 'client_id' \(columns: path, sentence\)"):
        list(read_table(path, required=("client_id",)))


def test_the_hub_copy_has_the_rows_of_the_archive(tmp_path: Path) -> None:
    for mini in (find_miniature("esc50"), find_miniature("air-bench-foundation"), find_miniature("air-bench-chat")):
        mini.build(tmp_path)
    dog = {"filename": "1-100032-A-0.wav", "fold": 1, "category": "dog", "audio": hub_audio("dog")}
    chat = {"task_name": "sound_QA", "dataset_name": "clotho", "uniq_id": 3, "audio": hub_audio("a")}
    question = {"question": "What is it?", "answer_gt": "A bell.", "meta_info": "A bell rings."}
    for name, row in (("esc50", dog), ("air-bench-chat", {**chat, **question})):
        samples: Any = get_benchmark(name)(root=str(tmp_path)).samples
        archive_item, hub_item = next(iter(samples.items())), get_hub(name).convert_row(row)
        assert hub_item is not None
        assert {**archive_item, "audio": None} == {**hub_item, "audio": None}
    assert get_hub("esc50").row_filter({"split": "fold2"}) == {"fold": 2}


def test_a_missing_column_is_reported(tmp_path: Path) -> None:
    write_parquet(tmp_path / "bbh/test-00000-of-00001.parquet", [{"audio": hub_audio("a"), "prompt": "?"}])
    with pytest.raises(DataError, match=r"missing column 'id' \(columns: audio, prompt\)"):
        TASKS.get("voicebench-bbh")(root=str(tmp_path)).samples.validate()


@pytest.mark.parametrize("name", ["clotho-aqa", "audiocaps"])
def test_a_table_without_usable_rows_is_reported(name: str, tmp_path: Path) -> None:
    find_miniature(name).build(tmp_path)
    for path in tmp_path.glob("*.csv"):
        path.write_text("something\nelse\n")
    with pytest.raises(DataError, match=r"no usable row\. .*\(columns: something\)"):
        TASKS.get(name)(root=str(tmp_path)).samples.validate()

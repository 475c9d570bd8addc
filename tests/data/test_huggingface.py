"""Hugging Face datasets in local folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("huggingface")

import datasets

from auricle import Sample, Spec, SpecError, evaluate
from auricle.core.errors import DataError
from auricle.engine.catalogue import TASKS


@pytest.fixture
def sounds(tone: Any) -> Any:
    return [str(tone(f"word_{at}.wav", seconds=0.2)) for at in range(3)]


@pytest.fixture
def saved(sounds: Any, tmp_path: Path) -> Any:
    table = datasets.Dataset.from_dict(
        {"audio": sounds, "text": [f"word {at}" for at in range(3)], "speaker": ["a", "b", "a"]}
    ).cast_column("audio", datasets.Audio())
    folder = tmp_path / "saved"
    datasets.DatasetDict({"test": table}).save_to_disk(folder)
    return folder


def test_saved_dataset_is_read_without_its_decoder(saved: Any) -> None:
    made = TASKS.get("asr")(data=f"hf:{saved}")
    samples = list(made.samples)
    assert len(samples) == len(made.samples) == 3
    assert all(isinstance(sample, Sample) for sample in samples)
    assert samples[0].inputs["audio"][0].seconds == pytest.approx(0.2)
    assert samples[1].meta == {"speaker": "b"}


def test_folder_of_files_is_read(sounds: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "data"
    folder.mkdir()
    rows = ({"audio": sound, "text": "x"} for sound in sounds)
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = TASKS.get("asr")(data=f"hf:{folder}")
    assert [type(item) for item in made.samples] == [Sample] * 3


def test_run_signature_names_the_dataset(saved: Any, tmp_path: Path) -> None:
    spec = Spec(task="asr", task_args={"data": f"hf:{saved}", "revision": "abc123"}, model="echo")
    wer, _ = evaluate(spec, tmp_path / "run")
    assert wer.scored == 3
    assert "saved.default.test@abc123" in str(wer.signature)


@pytest.fixture
def labelled(sounds: Any, tmp_path: Path) -> str:
    classes = datasets.ClassLabel(names=["angry", "happy"])
    table = datasets.Dataset.from_dict({"audio": sounds, "label": [1, 0, -1]})
    table.cast_column("audio", datasets.Audio()).cast_column("label", classes).save_to_disk(tmp_path / "labelled")
    return f"hf:{tmp_path / 'labelled'}"


def test_classes_are_read_by_their_names(labelled: str) -> None:
    happy, angry, unpublished = TASKS.get("classify")(data=labelled).samples
    assert (happy.target, angry.target) == ("happy", "angry")
    assert happy.inputs["choices"] == ["angry", "happy"]
    assert unpublished.reason.startswith("the reference is empty")


def test_classes_that_are_letters_need_no_decision_on_integers(tmp_path: Path) -> None:
    rows = {"question": ["Which?"] * 2, "choices": [["cat", "dog", "cow"]] * 2, "answer": [1, 2]}
    table = datasets.Dataset.from_dict(rows).cast_column("answer", datasets.ClassLabel(names=["A", "B", "C"]))
    table.save_to_disk(tmp_path / "quiz")
    task = TASKS.get("mcq")(data=f"hf:{tmp_path / 'quiz'}")
    assert [sample.target for sample in task.samples] == ["B", "C"]
    assert task.notes("echo", {}) == []


def test_media_can_be_left_unread(labelled: str) -> None:
    rows = TASKS.get("mcq")(data=labelled).samples.whole_file_without_media()
    assert rows._dataset().column_names == ["label"]


def test_columns_can_be_chosen_by_name(tmp_path: Path) -> None:
    datasets.Dataset.from_dict({"question": ["Which?"], "gold": ["cat"]}).save_to_disk(tmp_path / "quiz")
    task = TASKS.get("qa")(data=f"hf:{tmp_path / 'quiz'}", target="gold")
    task.samples.validate()
    assert next(iter(task.samples)).target == "cat"
    with pytest.raises(SpecError, match=r"has no column 'golden'.* Did you mean 'gold'"):
        TASKS.get("qa")(data=f"hf:{tmp_path / 'quiz'}", target="golden").samples.validate()


def test_missing_split_is_reported_with_existing_splits(saved: Any) -> None:
    made = TASKS.get("asr")(data=f"hf:{saved}", split="nowhere")
    with pytest.raises(DataError, match=r"has no split 'nowhere'. Splits: test"):
        list(made.samples)


def test_audio_folder_is_read_through_its_metadata(sounds: Any, tmp_path: Path) -> None:
    names = "".join(f"{sound.rpartition('/')[2]},x\n" for sound in sounds)
    (tmp_path / "metadata.csv").write_text("file_name,text\n" + names)
    made = TASKS.get("asr")(data=str(tmp_path / "metadata.csv"))
    assert [item.inputs["audio"][0].seconds for item in made.samples] == pytest.approx([0.2] * 3)


def test_root_cause_of_an_error_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: Any, **__: Any) -> None:
        reason = ImportError("To support encoding audio data, please install 'torchcodec'.")
        raise datasets.exceptions.DatasetGenerationError("An error occurred") from reason

    monkeypatch.setattr(datasets, "load_dataset", load)
    made = TASKS.get("asr")(data=f"hf:{tmp_path}")
    with pytest.raises(DataError, match=r"install 'torchcodec'\. For a folder with a metadata\.csv"):
        list(made.samples)


def test_the_script_of_all_references_is_read_without_media(sounds: Any, tmp_path: Path) -> None:
    table = datasets.Dataset.from_dict({"audio": sounds, "text": ["你好", "再见", "谢谢你"]})
    table.cast_column("audio", datasets.Audio()).save_to_disk(tmp_path / "saved")
    made = TASKS.get("asr")(data=f"hf:{tmp_path / 'saved'}", rows="[:1]")
    assert made.derived_args == {"scored_as": "zh"}

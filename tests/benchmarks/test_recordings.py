"""Tests of the code that the emotion corpora share."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.engine.catalogue import TASKS
from auricle.tasks.labels.kinds import EMOTION_METRICS
from tests.support.emotion_corpora import RAVDESS_SPEECH, build, by_id, notes


@pytest.fixture
def speech(corpus: Any) -> Any:
    return corpus(
        f"Actor_{actor:02}/03-01-{emotion:02}-01-01-01-{actor:02}.wav" for actor in (1, 2, 3) for emotion in range(1, 9)
    )


EMOTIONS = "neutral,calm,happy,sad,angry,fearful,disgust,surprised"
BILINGUAL = "生气/angry,厌恶/disgusted,恐惧/fearful,开心/happy,中立/neutral,其他/other,难过/sad,吃惊/surprised,<unk>"


def run_with_labels(auricle: Any, speech: Path, labels: str) -> Any:
    """Run RAVDESS with a model that has these labels; return the process and the metrics."""
    options = ["-T", f"root={speech}", "-m", "fake-labels", "-M", f"labels={labels}", "-o", "run"]
    process = auricle("run", "ravdess", *options)
    assert process.returncode == 0, process.stderr
    return process, json.loads((speech.parent / "run" / "metrics.json").read_text())


def test_a_sample_has_audio_label_and_speaker(corpus: Any) -> None:
    task = build("ravdess", corpus(RAVDESS_SPEECH))
    sample = by_id(task)["03-01-05-01-01-01-02"]
    assert sample.target == "angry"
    assert sample.inputs["audio"].seconds == pytest.approx(0.1)
    assert sample.inputs["choices"] == EMOTIONS.split(",")
    assert sample.meta["speaker"] == "02"
    assert sample.origin == "Actor_02/03-01-05-01-01-01-02.wav"
    assert task.cluster == "speaker"
    assert [metric.name for metric in task.metrics] == list(EMOTION_METRICS)


def test_ids_do_not_depend_on_the_location_of_the_folder(corpus: Any, tmp_path: Path) -> None:
    root = corpus(RAVDESS_SPEECH)
    before = list(by_id(build("ravdess", root)))
    shutil.move(root, tmp_path / "deep" / "er")
    after = build("ravdess", tmp_path / "deep")
    assert list(by_id(after)) == before
    assert after.revision.startswith("ravdess.speech@")


def test_the_first_samples_have_several_emotions_and_speakers(corpus: Any) -> None:
    first_samples = list(build("ravdess", corpus(RAVDESS_SPEECH)).samples)[:8]
    assert len({sample.target for sample in first_samples}) > 3
    assert len({sample.meta["speaker"] for sample in first_samples}) == 2


def test_missing_recordings_are_noted_by_label(corpus: Any) -> None:
    note = notes(build("ravdess", corpus(RAVDESS_SPEECH)))
    assert "RAVDESS speech: 16 recordings are here, 1,440 are published" in note
    assert "neutral 2 of 96" in note
    assert "Zenodo" in note


def test_files_with_other_names_are_left_out_and_noted(corpus: Any) -> None:
    task = build("ravdess", corpus([*RAVDESS_SPEECH, "Actor_01/take 2.wav"]))
    assert len(task.samples) == 16
    assert "1 file is not named like this corpus" in notes(task)
    assert "Actor_01/take 2.wav" in notes(task)


def test_system_files_are_ignored(corpus: Any) -> None:
    root = corpus(RAVDESS_SPEECH, {f"__MACOSX/{RAVDESS_SPEECH[0]}": "x", "Actor_01/._03-01-05-01-01-01-01.wav": "x"})
    task = build("ravdess", root)
    assert len(task.samples) == 16
    assert "more than once" not in notes(task)


def test_an_empty_folder_is_rejected_with_an_example(corpus: Any) -> None:
    with pytest.raises(DataError, match=r"The folder is empty\..*Actor_12/03-01-06-01-02-01-12\.wav"):
        build("ravdess", corpus()).samples.validate()


def test_a_folder_with_an_archive_suggests_unpacking_it(corpus: Any) -> None:
    root = corpus(texts={"Audio_Speech_Actors_01-24.zip": "x"})
    with pytest.raises(DataError, match=r"Unpack Audio_Speech_Actors_01-24\.zip first"):
        len(build("ravdess", root).samples)


def test_recordings_of_another_part_are_mentioned(corpus: Any) -> None:
    with pytest.raises(DataError, match=r"No RAVDESS song recordings.*Other recordings of the corpus: 16"):
        build("ravdess", corpus(RAVDESS_SPEECH), part="song").samples.validate()


def test_a_missing_folder_is_rejected(tmp_path: Path) -> None:
    task = build("esd", tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"Folder not found: .*Set -T root=DIR to the folder of ESD"):
        task.samples.validate()


@pytest.mark.parametrize("name", ["ravdess", "esd", "crema-d", "tess", "savee", "emodb", "iemocap", "meld"])
def test_a_corpus_needs_its_folder(name: str) -> None:
    with pytest.raises(SpecError, match=f"auricle run {name} -T root=DIR"):
        TASKS.get(name)()


def test_an_unknown_option_is_rejected_with_the_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Unknown option of emotion: spilt\. Did you mean 'split'"):
        build("esd", tmp_path, spilt="test")


def test_options_of_classify_are_accepted(corpus: Any) -> None:
    task = build("ravdess", corpus(RAVDESS_SPEECH), metrics="uar", prompt="{audio}{options}", max_tokens=9)
    _, respond = task.inferencer.inferencers
    assert [metric.name for metric in task.metrics] == ["uar"]
    assert "neutral, calm, happy" in repr(respond)
    assert respond.max_tokens == 9


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("ravdess", {"part": "spoken"}),
        ("ravdess", {"modality": "sound"}),
        ("ravdess", {"fold": 7}),
        ("esd", {"language": "de"}),
        ("esd", {"split": "dev"}),
        ("esd", {"speakers": "0011,0021"}),
        ("iemocap", {"classes": 5}),
        ("iemocap", {"session": 6}),
        ("meld", {"split": "all"}),
    ],
)
def test_an_invalid_value_is_rejected(name: str, option: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=name):
        build(name, tmp_path, **option)


def test_duplicates_of_different_size_are_noted(corpus: Any) -> None:
    root = corpus(RAVDESS_SPEECH, {f"again/{RAVDESS_SPEECH[0]}": "short"})
    assert "1 of the copies differ in size" in notes(build("ravdess", root))


@pytest.mark.slow
def test_a_run_reports_missing_recordings(auricle: Any, speech: Any, tmp_path: Path) -> None:
    process, document = run_with_labels(auricle, speech, EMOTIONS)
    assert process.stderr.count("24 recordings are here, 1,440 are published") == 1
    assert document["numbers"][0]["scored"] == 24
    assert document["task"]["cluster"] == "speaker"
    assert "1,440 are published" in document["notes"][0]
    assert "1,440 are published" in (tmp_path / "run" / "report.html").read_text()
    assert "1,440 are published" in auricle("show", "run").stdout
    assert "sex=" in auricle("show", "run", "--by", "sex").stdout


@pytest.mark.slow
def test_notes_remain_when_the_data_is_gone(auricle: Any, speech: Any, tmp_path: Path) -> None:
    auricle("run", "ravdess", "-T", f"root={speech}", "-m", "fake-labels", "-o", "run")
    speech.rename(tmp_path / "elsewhere")
    process = auricle("score", "run")
    assert process.returncode == 0, process.stderr
    assert "1,440 are published" in process.stdout


def test_the_prompt_contains_the_labels(auricle: Any, speech: Any) -> None:
    process = auricle("preview", "ravdess", "-T", f"root={speech}", "-m", "echo", "-n", "1")
    assert "Which emotion does the speaker express?" in process.stdout
    assert "Answer with one of: neutral, calm, happy" in process.stdout


def test_a_wrong_folder_is_one_line_and_exit_code_2(auricle: Any, tmp_path: Path) -> None:
    process = auricle("run", "ravdess", "-T", f"root={tmp_path}", "-m", "fake-labels")
    assert process.returncode == 2
    assert "No RAVDESS speech recordings" in process.stderr
    assert "Traceback" not in process.stderr


def test_doctor_reports_missing_recordings(auricle: Any, speech: Any) -> None:
    process = auricle("doctor", "ravdess", "-T", f"root={speech}")
    assert "1,440 are published" in process.stdout


@pytest.mark.slow
def test_unmatched_labels_are_reported(auricle: Any, speech: Any, tmp_path: Path) -> None:
    process, document = run_with_labels(auricle, speech, BILINGUAL)
    details = {number["metric"]: number["details"] for number in document["numbers"] if not number["field"]}
    matrix = details["uar"]["matrix"]
    assert (matrix["shared"], matrix["rows"][7:]) == (7, ["calm"])
    assert matrix["columns"][7:] == ["其他/other", "<unk>"]
    assert details["accuracy"]["ceiling"] == pytest.approx(21 / 24)
    assert "at most 87.50 %" in process.stdout
    assert "calm has no counterpart among the model's labels" in process.stdout
    page = (tmp_path / "run" / "report.html").read_text()
    assert "calm has no counterpart among the model" in page
    assert ">unknown</text>" in page


@pytest.mark.slow
def test_skipped_dimension_metrics_take_one_line(auricle: Any, speech: Any) -> None:
    process = auricle("run", "ravdess", "-T", f"root={speech}", "-m", "fake-labels", "-o", "run")
    (message,) = [line for line in process.stdout.splitlines() if "needs dimensions" in line]
    assert message.startswith("eta2: ")


@pytest.mark.slow
def test_a_dimensional_model_is_scored_by_separation(auricle: Any, speech: Any, tmp_path: Path) -> None:
    (tmp_path / "dimensions.py").write_text(
        "from auricle import BatchModel, Prediction\n"
        "class Dimensions(BatchModel):\n"
        "    def predict(self, requests):\n"
        "        values = {'arousal': 0.1, 'dominance': 0.2, 'valence': 0.3}\n"
        "        return [Prediction(values={n: v + at / 9 for n, v in values.items()},\n"
        "                           scale='continuous') for at, _ in enumerate(requests)]\n"
    )
    process = auricle("run", "ravdess", "-T", f"root={speech}", "-m", "dimensions.py:Dimensions", "-o", "run")
    assert process.returncode == 0, process.stderr
    assert "eta2_arousal" in process.stdout
    (message,) = [line for line in process.stdout.splitlines() if "needs class scores" in line]
    assert message.startswith("accuracy, uar, macro_f1, weighted_f1, ")
    page = (tmp_path / "run" / "report.html").read_text()
    assert "arousal by emotion" in page
    rows = (tmp_path / "run" / "metrics_detail.csv").read_text()
    assert "arousal.mean,emotion,calm," in rows


@pytest.mark.slow
def test_a_requested_metric_that_does_not_apply_fails_the_run(auricle: Any, speech: Any) -> None:
    process = auricle(
        "run", "ravdess", "-T", f"root={speech}", "-T", "metrics=uar,eta2", "-m", "fake-labels",
        "-o", "run",
    )  # fmt: skip
    assert process.returncode == 3


@pytest.mark.slow
def test_synonyms_can_be_disabled(auricle: Any, speech: Any, tmp_path: Path) -> None:
    process = auricle(
        "run", "ravdess", "-T", f"root={speech}", "-T", "synonyms=false", "-m", "fake-labels",
        "-M", "labels=joy,sad", "-o", "run",
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "accuracy:5.no-synonyms" in document["numbers"][0]["signature"]
    assert "different words" not in process.stdout

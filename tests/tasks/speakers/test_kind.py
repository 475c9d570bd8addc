"""Trials of speaker verification from manifests and lists."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.engine.task import Task
from auricle.media import Audio
from auricle.tasks.speakers.kind import speaker_of_path, speaker_of_prefix, verify


def write_sounds(folder: Path, names: Iterable[str]) -> None:
    for index, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(folder / name, np.full(80, 0.01 * (index + 1)), 8_000)


def build(path: Path, text: str, **options: Any) -> Task:
    path.write_text(text, encoding="utf-8")
    return verify(data=str(path), **options)


def samples(task: Task) -> list[Any]:
    return list(task.samples)


def names(sample: Sample) -> dict[str, str]:
    return {name: Path(value.uri).name for name, value in sample.inputs.items() if isinstance(value, Audio)}


VOX = "1 id1/x/1.wav id1/y/2.wav\n0 id1/x/1.wav id2/z/3.wav\n"


def test_a_voxceleb_list_has_the_speakers_of_its_folders(tmp_path: Path) -> None:
    task = build(tmp_path / "veri_test.txt", VOX)
    same, other = samples(task)
    assert (same.target, other.target) == ("same", "different")
    assert names(other) == {"a": "1.wav", "b": "3.wav"}
    assert other.inputs["b"].uri == str(tmp_path / "id2/z/3.wav")
    assert other.meta == {"speaker_a": "id1", "speaker_b": "id2"}
    assert task.notes("", {}) == ["Speakers are the first folder of each path, for example 'id1'."]


def test_folders_that_contradict_a_label_are_not_speakers(tmp_path: Path) -> None:
    task = build(tmp_path / "trials.txt", "1 wav/1.wav wav/2.wav\n0 wav/1.wav wav/3.wav\n")
    assert all(sample.meta == {} for sample in samples(task))
    (note,) = task.notes("", {})
    assert note.startswith("The speakers of the trials are unknown, so that intervals treat trials as independent")


@pytest.mark.parametrize(
    "columns",
    [
        ("audio_a", "audio_b", "label"),
        ("enrol", "test", "target"),
        ("path1", "path2", "same_speaker"),
        ("modelid", "segmentid", "targettype"),
        ("Wav1", "Wav2", "Label"),
    ],
)
def test_columns_have_the_usual_names(tmp_path: Path, columns: tuple[str, str, str]) -> None:
    row = dict(zip(columns, ("1.wav", "2.wav", 1), strict=True))
    (sample,) = samples(build(tmp_path / "t.jsonl", json.dumps({**row, "noise": "high"})))
    assert names(sample) == {"a": "1.wav", "b": "2.wav"}
    assert (sample.target, sample.meta) == ("same", {"noise": "high"})


def test_trials_of_one_class_are_noted(tmp_path: Path) -> None:
    write_sounds(tmp_path, ["a.wav", "b.wav"])
    manifest = build(tmp_path / "trials.txt", "1 a.wav b.wav\n1 b.wav a.wav\n").samples
    assert isinstance(manifest, Manifest)
    assert "All trials have the label same: rates of errors are undefined" in manifest.check()[-1]


def test_speakers_come_from_columns(tmp_path: Path) -> None:
    text = "audio_a,audio_b,label,speaker_a,speaker_b\n1.wav,2.wav,0,anna,bob\n1.wav,3.wav,1,anna,bob\n"
    good, bad = samples(build(tmp_path / "t.csv", text))
    assert good.meta == {"speaker_a": "anna", "speaker_b": "bob"}
    assert isinstance(bad, RejectedRow)
    assert bad.reason == "the label is same, but the speakers are 'anna' and 'bob'"


def test_speakers_may_be_left_out(tmp_path: Path) -> None:
    assert all(not sample.meta for sample in samples(build(tmp_path / "t.txt", VOX, speakers="none")))


def test_kaldi_files_have_recordings_and_speakers(tmp_path: Path) -> None:
    (tmp_path / "wav.scp").write_text("u1 sounds/1.wav\nu2 sounds/2.wav\n")
    (tmp_path / "utt2spk").write_text("u1 anna\nu2 bob\n")
    options = {"wav_scp": str(tmp_path / "wav.scp"), "utt2spk": str(tmp_path / "utt2spk")}
    good, bad = samples(build(tmp_path / "trials", "u1 u2 nontarget\nu1 u9 target\n", **options))
    assert names(good) == {"a": "1.wav", "b": "2.wav"}
    assert good.meta == {"speaker_a": "anna", "speaker_b": "bob"}
    assert bad.reason == "'u9' is not in the wav.scp file"


def test_commands_in_wav_scp_are_not_executed(tmp_path: Path) -> None:
    (tmp_path / "wav.scp").write_text("u1 sox 1.sph -t wav - |\n")
    with pytest.raises(DataError, match="u1 is a command, which is not executed"):
        build(tmp_path / "trials", "u1 u1 target\n", wav_scp=str(tmp_path / "wav.scp"))


def test_a_model_may_have_several_recordings(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("m1 1.wav 2.wav\n")
    task = build(tmp_path / "t.txt", "m1 3.wav target\nm2 3.wav target\n", enrolment=str(tmp_path / "models"))
    good, bad = samples(task)
    assert names(good) == {"a": "1.wav", "a_2": "2.wav", "b": "3.wav"}
    assert bad.reason == "the model 'm2' has no recordings in the enrolment file"
    assert task.metrics[0].signature == "eer:1.convex-hull.several-enrolments"


def test_a_row_may_list_several_recordings(tmp_path: Path) -> None:
    row = {"enrol": ["1.wav", "2.wav"], "test": "3.wav", "label": "target"}
    (sample,) = samples(build(tmp_path / "t.jsonl", json.dumps(row)))
    assert names(sample) == {"a": "1.wav", "a_2": "2.wav", "b": "3.wav"}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"a": "1.wav", "b": "2.wav"}, "no label: expected one of the columns label, target"),
        ({"a": "1.wav", "b": "2.wav", "label": "maybe"}, "invalid label 'maybe': expected 1, target or same"),
        ({"a": "1.wav", "label": 1}, "no recording b: expected one of the columns audio_b, b"),
        ({"b": "1.wav", "label": 1}, "no recording a: expected one of the columns audio_a, a"),
        ({"a": [], "b": "1.wav", "label": 1}, "no recording a: the list is empty"),
    ],
)
def test_a_wrong_row_is_rejected_with_its_reason(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    (rejected,) = samples(build(tmp_path / "t.jsonl", json.dumps(row)))
    assert isinstance(rejected, RejectedRow)
    assert rejected.reason.startswith(reason)


def test_metrics_follow_the_options(tmp_path: Path) -> None:
    task = build(tmp_path / "t.txt", VOX)
    assert [metric.name for metric in task.metrics] == ["eer", "min_dcf", "min_dcf_05", "min_cllr"]
    task = build(tmp_path / "t.txt", VOX, llr=True, p_target=0.1, c_miss=2)
    by_name = {metric.name: metric.signature for metric in task.metrics}
    assert by_name["act_dcf"] == "act_dcf:1.ptar-0.1-cmiss-2-cfa-1.natural-log"
    assert by_name["min_dcf"] == "min_dcf:1.ptar-0.1-cmiss-2-cfa-1"
    assert {"cllr", "cllr_loss", "dcf_loss"} <= by_name.keys()
    task = build(tmp_path / "t.txt", VOX, metrics="eer_interpolated,min_dcf_sre16")
    assert [metric.name for metric in task.metrics] == ["eer_interpolated", "min_dcf_sre16"]


@pytest.mark.parametrize(
    "wrong", [{"speakers": "guess"}, {"p_target": 1}, {"c_miss": 0}, {"llr": "yes"}, {"c_fa": "x"}]
)
def test_wrong_options_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=next(iter(wrong))):
        build(tmp_path / "t.txt", VOX, **wrong)


def test_speakers_of_names() -> None:
    assert [speaker_of_path(name) for name in ("id1/a/1.wav", "/id1/1.wav", "1.wav", "./1.wav")] == ["id1", "", "", ""]
    assert [speaker_of_prefix(name) for name in ("id1-a-1", "x/id1_a.wav", "id1.wav", "-x")] == ["id1", "id1", "", ""]


def test_a_prefix_can_be_the_speaker(tmp_path: Path) -> None:
    task = build(tmp_path / "trials", "id1-a id1-b target\nid1-a id2-b nontarget\n", speakers="prefix")
    assert [sample.meta["speaker_b"] for sample in samples(task)] == ["id1", "id2"]
    assert "the text before the first - or _" in task.notes("", {})[0]


def test_a_rule_for_names_that_contradicts_a_label_is_refused_with_the_trial(tmp_path: Path) -> None:
    trials = "0 7_theo_0.wav 3_anna_0.wav\n1 7_theo_0.wav 3_theo_1.wav\n"
    message = (
        r"t\.txt:2: with speakers=prefix, the speakers of 7_theo_0\.wav and 3_theo_1\.wav are '7' and '3', but .* same"
    )
    with pytest.raises(SpecError, match=message):
        build(tmp_path / "t.txt", trials, speakers="prefix").notes("", {})
    assert all("speaker_a" not in sample.meta for sample in samples(build(tmp_path / "t.txt", trials, speakers="none")))

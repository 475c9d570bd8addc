"""Tests of IEMOCAP and MELD."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow
from tests.support.emotion_corpora import build, by_id, notes
from tests.support.miniatures_suite import UnderstandingSuite

IEMOCAP_LINES = (
    "% [START_TIME - END_TIME] TURN_NAME EMOTION [V, A, D]\n"
    "\n"
    "[6.2901 - 8.2357]\tSes01F_impro01_F000\tneu\t[2.5000, 2.0000, 3.5000]\n"
    "C-E2:\tNeutral;\t()\n"
    "[10.0100 - 11.3925]\tSes01F_impro01_M000\texc\t[4.5000, 3.5000, 3.0000]\n"
    "[14.8872 - 18.0175]\tSes01F_impro01_F001\txxx\t[2.5000, 2.5000, 2.5000]\n"
    "[19.2900 - 20.7875]\tSes01F_impro01_F002\tfru\t[2.0000, 3.0000, 3.0000]\n"
)


@pytest.fixture
def iemocap(corpus: Any) -> Any:
    session = "IEMOCAP_full_release/Session1"
    names = ("F000", "M000", "F001", "F002")
    wavs = [f"{session}/sentences/wav/Ses01F_impro01/Ses01F_impro01_{name}.wav" for name in names]
    evaluation = f"{session}/dialog/EmoEvaluation"
    return corpus(
        [*wavs, f"{session}/dialog/wav/Ses01F_impro01.wav"],
        {
            f"{evaluation}/Ses01F_impro01.txt": IEMOCAP_LINES,
            f"{evaluation}/._Ses01F_impro01.txt": b"\x00\x05\x16\x07",
            f"{evaluation}/Categorical/Ses01F_impro01_e2_cat.txt": "Ses01F_impro01_F000 :Neutral;",
        },
    )


def test_excited_counts_as_happy(iemocap: Any) -> None:
    samples = by_id(build("iemocap", iemocap))
    assert {name: sample.target for name, sample in samples.items()} == {
        "Ses01F_impro01_F000": "neutral",
        "Ses01F_impro01_M000": "happy",
    }
    meta = samples["Ses01F_impro01_M000"].meta
    assert (meta["valence"], meta["arousal"], meta["dominance"]) == (4.5, 3.5, 3.0)
    assert (meta["speaker"], meta["sex"], meta["session"]) == ("Ses01M", "male", 1)
    assert (meta["style"], meta["code"]) == ("improvised", "exc")


def test_ratings_can_be_scaled_to_0_1(iemocap: Any) -> None:
    meta = by_id(build("iemocap", iemocap, ratings="0-1"))["Ses01F_impro01_M000"].meta
    assert (meta["valence"], meta["arousal"], meta["dominance"]) == (0.875, 0.625, 0.5)
    with pytest.raises(SpecError, match="invalid ratings '1-7': expected one of 1-5, 0-1"):
        build("iemocap", iemocap, ratings="1-7")


def test_all_classes_can_be_selected(iemocap: Any) -> None:
    task = build("iemocap", iemocap, classes="all")
    assert sorted(sample.target for sample in task.samples) == ["excited", "frustrated", "neutral"]
    assert "1 turns are left out because listeners did not agree" in notes(task)


def test_the_published_counts_of_iemocap_are_expected(tmp_path: Path) -> None:
    assert build("iemocap", tmp_path).samples.expected_rows == 5531
    sessions = [build("iemocap", tmp_path, session=number).samples.expected_rows for number in range(1, 6)]
    assert sum(sessions) == 5531


def test_a_turn_without_audio_is_rejected(iemocap: Any) -> None:
    next(iemocap.rglob("*_M000.wav")).unlink()
    task = build("iemocap", iemocap)
    (rejected,) = [sample for sample in task.samples if isinstance(sample, RejectedRow)]
    assert rejected.origin == "Ses01F_impro01.txt:5"
    assert "Ses01F_impro01_M000.wav is missing" in rejected.reason


def test_a_session_is_compared_with_its_own_count(iemocap: Any) -> None:
    assert "1,085 are published" in notes(build("iemocap", iemocap, session=1))


MELD_ROWS = (
    "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID,Season,Episode,"
    "StartTime,EndTime\n"
    '1,"Why, oh why?",Mark,surprise,positive,0,0,3,19,"00:14:38,127","00:14:40,378"\n'
    '2,Push!,Rachel,joy,positive,0,1,3,19,"00:14:41,127","00:14:42,378"\n'
)


class TestMeldChoice(UnderstandingSuite):
    tasks = ("meld-choice",)


def test_only_videos_of_the_split_are_used(corpus: Any) -> None:
    folders = ("output_repeated_splits_test", "train_splits", "dev_splits_complete")
    texts = {f"{folder}/dia0_utt{number}.mp4": folder for folder in folders for number in (0, 1)}
    texts["output_repeated_splits_test/final_videos_testdia0_utt0.mp4"] = "x"
    task = build("meld", corpus(texts={"test_sent_emo.csv": MELD_ROWS, **texts}))
    samples = by_id(task)
    assert samples["test/dia0_utt1"].target == "joy"
    assert samples["test/dia0_utt0"].meta["speaker"] == "Mark"
    assert samples["test/dia0_utt0"].meta["text"] == "Why, oh why?"
    assert {sample.origin.split("/")[0] for sample in task.samples} == {folders[0]}


def test_audio_files_are_preferred_to_videos(corpus: Any) -> None:
    videos = {f"output_repeated_splits_test/dia0_utt{number}.mp4": "x" for number in (0, 1)}
    root = corpus(["test/dia0_utt0.wav"], {"test_sent_emo.csv": MELD_ROWS, **videos})
    origins = {sample.origin for sample in build("meld", root).samples}
    assert origins == {"test/dia0_utt0.wav", "output_repeated_splits_test/dia0_utt1.mp4"}


def test_a_row_without_a_recording_is_rejected(corpus: Any) -> None:
    task = build("meld", corpus(["dia0_utt0.wav"], {"test_sent_emo.csv": MELD_ROWS}))
    accepted, rejected = task.samples
    assert accepted.id == "test/dia0_utt0"
    assert rejected == RejectedRow("test_sent_emo.csv, row 3", "no dia0_utt1.mp4 or .wav")


def test_a_missing_table_is_reported(corpus: Any) -> None:
    with pytest.raises(DataError, match=r"No dev_sent_emo\.csv.*test_sent_emo\.csv"):
        build("meld", corpus(texts={"test_sent_emo.csv": MELD_ROWS}), split="dev").samples.validate()


def test_the_published_counts_of_meld_are_expected(tmp_path: Path) -> None:
    counts = [build("meld", tmp_path, split=split).samples.expected_rows for split in ("train", "dev", "test")]
    assert counts == [9988, 1108, 2610]
    assert sum(counts) == 13_706


def test_utterances_without_usable_audio_are_left_out(corpus: Any) -> None:
    row = MELD_ROWS.replace(",0,0,", ",110,7,")
    task = build("meld", corpus(["dev/dia0_utt1.wav"], {"dev_sent_emo.csv": row}), split="dev")
    assert [sample.id for sample in task.samples] == ["dev/dia0_utt1"]
    assert "dia110_utt7 has no usable audio" in notes(task)


def test_tables_saved_by_a_spreadsheet_are_read(corpus: Any) -> None:
    table = MELD_ROWS.replace("Push!", "Don’t!").encode("cp1252")
    task = build("meld", corpus(["dia0_utt0.wav", "dia0_utt1.wav"], {"test_sent_emo.csv": table}))
    assert by_id(task)["test/dia0_utt1"].meta["text"] == "Don’t!"


def test_audio_is_decoded_from_a_video(corpus: Any) -> None:
    rows = "Speaker,Emotion,Dialogue_ID,Utterance_ID,Utterance\nA,joy,0,0,Hi\n"
    root = corpus(texts={"test_sent_emo.csv": rows})
    with av.open(root / "dia0_utt0.mp4", "w", format="mp4") as video:
        stream = video.add_stream("aac", rate=16_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16_000), np.float32), "fltp", "mono")
        frame.sample_rate = 16_000
        video.mux(stream.encode(frame))
        video.mux(stream.encode(None))
    sample: Any
    (sample,) = build("meld", root).samples
    assert len(sample.inputs["audio"].decode(16_000)) == pytest.approx(16_000, rel=0.2)


def test_a_missing_recording_is_a_failure_not_a_wrong_answer(auricle: Any, corpus: Any, tmp_path: Path) -> None:
    rows = "Speaker,Emotion,Dialogue_ID,Utterance_ID,Utterance\nA,joy,0,0,Hi\nB,anger,0,1,No\n"
    root = corpus(["dia0_utt0.wav"], {"test_sent_emo.csv": rows})
    process = auricle("run", "meld", "-T", f"root={root}", "-m", "fake-labels", "-o", "run")
    assert process.returncode == 3
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert document["outcomes"]["failed"] == 1
    assert document["numbers"][0]["scored"] == 1

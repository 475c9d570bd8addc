"""Emotion corpora from the command line to the report, and what models have seen of them."""

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from auricle.tasks.emotion.contamination import find_contamination
from auricle.tasks.emotion.meld import meld

EMOTIONS = "neutral,calm,happy,sad,angry,fearful,disgust,surprised"


@pytest.fixture
def speech(corpus: Any) -> Any:
    return corpus(
        f"Actor_{actor:02}/03-01-{emotion:02}-01-01-01-{actor:02}.wav" for actor in (1, 2, 3) for emotion in range(1, 9)
    )


def test_a_classifier_is_run_on_a_folder_and_the_shortfall_is_told(auricle: Any, speech: Any, tmp_path: Path) -> None:
    done = auricle(
        "run", "ravdess", "-T", f"root={speech}", "-m", "fake-labels", "-M", f"labels={EMOTIONS}",
        "-o", "run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("24 recordings are here, 1,440 are published") == 1
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert told["numbers"][0]["scored"] == 24
    assert told["task"]["cluster"] == "speaker"
    assert "1,440 are published" in told["notes"][0]
    assert "1,440 are published" in (tmp_path / "run" / "report.html").read_text()
    assert "1,440 are published" in auricle("show", "run").stdout
    assert "sex=" in auricle("show", "run", "--by", "sex").stdout


def test_notes_outlive_the_data(auricle: Any, speech: Any, tmp_path: Path) -> None:
    auricle("run", "ravdess", "-T", f"root={speech}", "-m", "fake-labels", "-o", "run")
    speech.rename(tmp_path / "elsewhere")
    done = auricle("score", "run")
    assert done.returncode == 0, done.stderr
    assert "1,440 are published" in done.stdout


def test_a_model_that_writes_is_told_the_labels(auricle: Any, speech: Any) -> None:
    done = auricle("preview", "ravdess", "-T", f"root={speech}", "-m", "echo", "-n", "1")
    assert "Which emotion does the speaker express?" in done.stdout
    assert "Answer with one of: neutral, calm, happy" in done.stdout


def test_a_wrong_folder_is_one_line_and_exit_code_two(auricle: Any, tmp_path: Path) -> None:
    done = auricle("run", "ravdess", "-T", f"root={tmp_path}", "-m", "fake-labels")
    assert done.returncode == 2
    assert "No RAVDESS speech recordings" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_sound_is_a_failure_and_not_a_wrong_answer(auricle: Any, corpus: Any, tmp_path: Path) -> None:
    rows = "Speaker,Emotion,Dialogue_ID,Utterance_ID,Utterance\nA,joy,0,0,Hi\nB,anger,0,1,No\n"
    root = corpus(["dia0_utt0.wav"], {"test_sent_emo.csv": rows})
    done = auricle("run", "meld", "-T", f"root={root}", "-m", "fake-labels", "-o", "run")
    assert done.returncode == 3
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert told["outcomes"]["failed"] == 1
    assert told["numbers"][0]["scored"] == 1


def test_the_sound_of_a_film_is_heard(corpus: Any) -> None:
    rows = "Speaker,Emotion,Dialogue_ID,Utterance_ID,Utterance\nA,joy,0,0,Hi\n"
    root = corpus(texts={"test_sent_emo.csv": rows})
    with av.open(root / "dia0_utt0.mp4", "w", format="mp4") as film:
        stream = film.add_stream("aac", rate=16_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16_000), np.float32), "fltp", "mono")
        frame.sample_rate = 16_000
        film.mux(stream.encode(frame))
        film.mux(stream.encode(None))
    (sample,) = meld(root=str(root)).samples
    assert len(sample.inputs["audio"].decode(16_000)) == pytest.approx(16_000, rel=0.2)


def test_doctor_tells_what_is_missing(auricle: Any, speech: Any) -> None:
    done = auricle("doctor", "ravdess", "-T", f"root={speech}")
    assert "1,440 are published" in done.stdout


def test_a_model_trained_on_a_corpus_is_flagged() -> None:
    (seed,) = find_contamination("ravdess", "emotion2vec", {"model": "seed"})
    (large,) = find_contamination("esd", "emotion2vec", {})
    assert "seed was fine-tuned" in seed
    assert "base and large" in large
    assert find_contamination("msp-podcast", "audeering", {})


def test_a_model_is_known_by_its_folder_too() -> None:
    assert find_contamination("iemocap", "mine.py:Wrapper", {"weights": "./emotion2vec_plus_large"})


def test_a_model_nothing_is_known_of_is_not_flagged() -> None:
    assert find_contamination("ravdess", "fake-labels", {"labels": "a,b"}) == []
    assert find_contamination("ravdess", "audeering", {}) == []


def test_the_flag_stands_beside_the_numbers(auricle: Any, speech: Any, tmp_path: Path) -> None:
    (tmp_path / "emotion2vec.py").write_text("def rate(audio):\n    return {'sad': 1.0}\n")
    auricle("run", "ravdess", "-T", f"root={speech}", "-m", "emotion2vec.py:rate", "-o", "run")
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert any("Possibly seen in training" in each for each in told["notes"])
    assert "Possibly seen in training" in auricle("show", "run").stdout


BILINGUAL = "生气/angry,厌恶/disgusted,恐惧/fearful,开心/happy,中立/neutral,其他/other,难过/sad,吃惊/surprised,<unk>"


def test_ravdess_beside_emotion2vec_s_labels_tells_what_is_matched(auricle: Any, speech: Any, tmp_path: Path) -> None:
    done = auricle(
        "run", "ravdess", "-T", f"root={speech}", "-m", "fake-labels", "-M", f"labels={BILINGUAL}",
        "-o", "run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    found = {each["metric"]: each["details"] for each in told["numbers"] if not each["field"]}
    matrix = found["uar"]["matrix"]
    assert (matrix["shared"], matrix["rows"][7:]) == (7, ["calm"])
    assert matrix["columns"][7:] == ["其他/other", "<unk>"]
    assert found["accuracy"]["ceiling"] == pytest.approx(21 / 24)
    assert "at most 87.50 %" in done.stdout
    assert "calm has no counterpart among the model's labels" in done.stdout
    page = (tmp_path / "run" / "report.html").read_text()
    assert "calm has no counterpart among the model" in page
    assert ">unknown</text>" in page


def test_metrics_of_dimensions_are_refused_in_one_line(auricle: Any, speech: Any) -> None:
    done = auricle("run", "ravdess", "-T", f"root={speech}", "-m", "fake-labels", "-o", "run")
    (line,) = [each for each in done.stdout.splitlines() if "needs dimensions" in each]
    assert line.startswith("eta2: ")


def test_a_model_of_dimensions_is_scored_by_what_they_separate(auricle: Any, speech: Any, tmp_path: Path) -> None:
    (tmp_path / "felt.py").write_text(
        "from auricle import BatchModel, Prediction\n"
        "class Felt(BatchModel):\n"
        "    def predict(self, requests):\n"
        "        values = {'arousal': 0.1, 'dominance': 0.2, 'valence': 0.3}\n"
        "        return [Prediction(values={n: v + at / 9 for n, v in values.items()},\n"
        "                           scale='continuous') for at, _ in enumerate(requests)]\n"
    )
    done = auricle("run", "ravdess", "-T", f"root={speech}", "-m", "felt.py:Felt", "-o", "run")
    assert done.returncode == 0, done.stderr
    assert "eta2_arousal" in done.stdout
    (line,) = [each for each in done.stdout.splitlines() if "needs class scores" in each]
    assert line.startswith("accuracy, uar, macro_f1, weighted_f1, ")
    page = (tmp_path / "run" / "report.html").read_text()
    assert "arousal by emotion" in page
    rows = (tmp_path / "run" / "metrics_detail.csv").read_text()
    assert "arousal.mean,emotion,calm," in rows


def test_a_metric_that_was_asked_for_and_does_not_suit_is_a_failure(auricle: Any, speech: Any) -> None:
    done = auricle(
        "run", "ravdess", "-T", f"root={speech}", "-T", "metrics=uar,eta2", "-m", "fake-labels",
        "-o", "run",
    )  # fmt: skip
    assert done.returncode == 3


def test_synonyms_can_be_switched_off(auricle: Any, speech: Any, tmp_path: Path) -> None:
    done = auricle(
        "run", "ravdess", "-T", f"root={speech}", "-T", "synonyms=false", "-m", "fake-labels",
        "-M", "labels=joy,sad", "-o", "run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "accuracy:2.no-synonyms" in told["numbers"][0]["signature"]
    assert "different words" not in done.stdout

"""`auricle samples`: all, the worst and the failed samples of a run."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
import soundfile

from tests.support.cli_types import RunAuricle


def test_worst_samples_are_listed(auricle: RunAuricle, quiz: Path) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "wrong=0.3", "-o", "run")
    (sample,) = json.loads(auricle("samples", "run", "--worst", "1", "--json").stdout)
    assert sample["stats"]["exact_match"] == 0.0
    assert len(json.loads(auricle("samples", "run", "--json").stdout)) == 5


def test_failed_samples_are_listed_with_their_error(auricle: RunAuricle, quiz: Path) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "fake-api", "-M", "fail=1", "-o", "run")
    assert auricle("samples", "run", "--failed").stdout.count("  failed    SampleError: ") == 5


def test_sample_is_printed_with_target_answer_and_score(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    lines = auricle("samples", "run").stdout.splitlines()
    assert lines[1:4] == ["  target    say number 0", "  answer    say number 0", "  exact_match 100.00 %"]


def test_worst_and_failed_cannot_be_combined(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("samples", "run", "--worst", "1", "--failed")
    assert done.returncode == 2
    assert "--worst and --failed cannot be combined" in done.stderr


@pytest.fixture
def transcripts(auricle: RunAuricle, tmp_path: Path) -> RunAuricle:
    """A run with word errors of three kinds, by two speakers."""
    rows: list[dict[str, object]] = [
        {"id": "a", "speaker": "anna", "text": "one", "reply": "one two", "level": 3},
        {"id": "b", "speaker": "bob", "text": "one two", "reply": "one two", "level": 1},
        {"id": "c", "speaker": "anna", "text": "one two three four", "reply": "won too four", "level": 2},
    ]
    for row in rows:
        soundfile.write(tmp_path / f"{row['id']}.wav", np.zeros(800, np.float32), 8_000)
        row["audio"] = f"{row['id']}.wav"
    (tmp_path / "model.py").write_text("def transcribe(reply):\n    return reply\n")
    (tmp_path / "clips.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments = ("-T", "profile=basic", "-m", "model.py:transcribe", "-o", "run")
    done = auricle("run", "clips.jsonl", "--as", "asr", *arguments)
    assert done.returncode == 0, done.stderr
    return auricle


def list_ids(output: str) -> list[str]:
    return [sample["id"] for sample in json.loads(output)]


def test_error_rates_are_shown_with_their_counts_and_the_audio(transcripts: RunAuricle, tmp_path: Path) -> None:
    output = transcripts("samples", "run", "--metric", "wer").stdout
    assert "  wer       100.00 % (0 sub, 0 del, 1 ins of 1, profile basic)" in output
    assert "  wer       75.00 % (2 sub, 1 del, 0 ins of 4, profile basic)" in output
    assert f"  audio     {tmp_path / 'a.wav'}" in output
    assert "cer" not in output


def test_words_on_silence_are_shown_in_rows_and_in_the_table(auricle: RunAuricle, tmp_path: Path) -> None:
    rows = [{"id": "a", "question": "thank you", "answer": "..."}, {"id": "b", "question": "one", "answer": "one"}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = auricle("run", "rows.jsonl", "--as", "qa", "-T", "metrics=wer", "-m", "echo", "-o", "silent")
    assert "S 0 D 0 I 2, 2 inserted on silence (1 of 1 samples)" in done.stdout
    assert "200.00 %" in done.stdout  # two insertions per reference word
    output = auricle("samples", "silent").stdout
    assert "  wer       2 inserted on silence (profile basic)" in output


def test_scores_name_the_profile_that_the_run_was_scored_with(transcripts: RunAuricle) -> None:
    transcripts("score", "run", "--profile", "whisper-en")
    output = transcripts("samples", "run", "--metric", "wer").stdout
    assert "(1 sub, 0 del, 2 ins of 1, profile whisper-en)" in output


def test_samples_are_filtered_and_sorted(transcripts: RunAuricle) -> None:
    assert list_ids(transcripts("samples", "run", "--where", "speaker=anna", "--json").stdout) == ["a", "c"]
    assert list_ids(transcripts("samples", "run", "--sort", "wer", "--metric", "cer", "--json").stdout) == [
        "a",
        "c",
        "b",
    ]
    assert list_ids(transcripts("samples", "run", "--sort", "level", "--json").stdout) == ["b", "c", "a"]
    assert transcripts("samples", "run", "--where", "speaker=carl").stderr == "No sample matches.\n"
    for text, ids in (
        ("level<3 speaker=anna", ["c"]),
        ("wer>80", ["a"]),
        ("-speaker=anna", ["b"]),
        ("correct:yes", ["b"]),
    ):
        assert list_ids(transcripts("samples", "run", "--where", text, "--json").stdout) == ids
    worst = ("samples", "run", "--worst", "1", "--where", "level=2", "--json")
    assert list_ids(transcripts(*worst).stdout) == ["c"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--metric", "bleu"), "The run has no metric 'bleu'. Metrics: wer, cer."),
        (("--where", "speeker=anna"), "Unknown field 'speeker' in the filter. Fields: id, reference, answer"),
        (("--where", "wer>high"), "Not a number in the filter"),
        (("--sort", "loudness"), "Cannot sort by 'loudness': it is neither a metric (wer, cer), nor a metadata"),
    ],
)
def test_wrong_selections_are_refused(transcripts: RunAuricle, words: tuple[str, ...], message: str) -> None:
    done = transcripts("samples", "run", *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_scores_are_shown_as_stored_if_the_task_is_gone(transcripts: RunAuricle, tmp_path: Path) -> None:
    spec = json.loads((tmp_path / "run" / "spec.json").read_text())
    spec["spec"]["task"] = "gone.py:task"
    (tmp_path / "run" / "spec.json").write_text(json.dumps(spec))
    assert "  wer       [0, 0, 1, 1, 1.0, 1.0]" in transcripts("samples", "run").stdout


def test_samples_are_selected_by_outcome_and_strength(auricle: RunAuricle, tmp_path: Path) -> None:
    replies = {"a": "The answer is A.", "b": "A", "c": "hm"}
    rows = [
        {"id": name, "question": reply, "choices": ["cat", "dog"], "target": "A"} for name, reply in replies.items()
    ]
    (tmp_path / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "model.py").write_text("def answer(question):\n    return question\n")
    auricle("run", "quiz.jsonl", "--as", "mcq", "-m", "model.py:answer", "-o", "run")
    assert list_ids(auricle("samples", "run", "--outcome", "unreadable", "--json").stdout) == ["c"]
    assert list_ids(auricle("samples", "run", "--outcome", "answered", "--json").stdout) == ["a", "b"]
    assert list_ids(auricle("samples", "run", "--strength", "whole-reply", "--json").stdout) == ["b"]
    printed = auricle("samples", "run", "--strength", "marker").stdout
    assert "  read      marker" in printed
    assert "is not one of 'structure', 'marker'" in auricle("samples", "run", "--strength", "strong").stderr


JUDGES = """
def kind(text: str) -> str:
    return "Verdict: yes"


def strict(text: str) -> str:
    return f"Verdict: {'yes' if 'right' in text.partition('<answer>')[2] else 'no'}"
"""


def test_samples_on_which_judges_disagree_are_listed(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "judges.py").write_text(JUDGES)
    rows = [{"id": name, "question": name, "answer": "x"} for name in ("right", "wrong", "odd")]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judges = ("--judge", "judges.py:kind", "--judge", "judges.py:strict")
    auricle("run", "rows.jsonl", "--as", "qa", "-m", "echo", "-T", "metrics=judge-reference", "-o", "run", *judges)
    assert list_ids(auricle("samples", "run", "--disagree", "--json").stdout) == ["wrong", "odd"]
    auricle("score", "run", "--judge", "judges.py:kind")
    done = auricle("samples", "run", "--disagree")
    assert (done.returncode, "needs the verdicts of several judges" in done.stderr) == (2, True)


def test_calls_are_shown_with_their_own_latency(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "latency.py").write_text(
        "from auricle.metrics.base import Metric\n"
        "from auricle.metrics.pooling import PooledQuantile\n"
        "latency = Metric('latency', lambda sample, output: ((0.5, 0.7), ()), PooledQuantile(0.5, ('a', 'b')))\n"
    )
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", "--add-metrics", "latency.py:latency")
    assert done.returncode == 0, done.stderr
    assert auricle("samples", "run").stdout.count("  latency   0.60") == 5

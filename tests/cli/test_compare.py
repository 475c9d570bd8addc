"""`auricle compare`: the table, the page and the errors."""

import json
import re
from pathlib import Path

import pytest

from tests.support.cli_types import RunAuricle, WriteManifest, WriteTone

pytestmark = pytest.mark.slow


@pytest.fixture
def speech(manifest: WriteManifest, tone: WriteTone) -> Path:
    rows = []
    for index in range(12):
        words = f"sentence_number_{index}_is_here"
        subset = "odd" if index % 2 else "even"
        audio = str(tone(f"{words}.wav"))
        rows.append({"id": f"s{index}", "audio": audio, "text": words.replace("_", " "), "subset": subset})
    return manifest(rows, "spoken.jsonl")


@pytest.fixture
def runs(auricle: RunAuricle, speech: Path) -> tuple[str, str]:
    for name, wrong in (("A", 0.05), ("B", 0.4)):
        done = auricle("run", speech, "--as", "asr", "-m", "echo", "-M", f"wrong={wrong}", "-o", name)
        assert done.returncode == 0, done.stderr
    return "A", "B"


def test_comparison_is_printed_as_table_and_sentences(auricle: RunAuricle, runs: tuple[str, str]) -> None:
    done = auricle("compare", *runs)
    assert done.returncode == 0, done.stderr
    assert "12 pairs" in done.stdout
    assert re.search(r"wer ↓ +all .* pp … \+\d+\.\d+ pp", done.stdout)
    assert re.search(r"wer: B is worse by \d+\.\d+ pp \(\d+\.\d+ … \d+\.\d+\)\.", done.stdout)


def test_similar_runs_are_not_called_better_or_worse(auricle: RunAuricle, runs: tuple[str, str], speech: Path) -> None:
    auricle("run", speech, "--as", "asr", "-m", "echo", "-M", "wrong=0.06", "-o", "C")
    done = auricle("compare", "A", "C", "--metric", "wer")
    assert done.returncode == 0
    assert not re.search(r"wer: B is (better|worse)", done.stdout)


def test_field_metric_and_number_of_samples_can_be_chosen(auricle: RunAuricle, runs: tuple[str, str]) -> None:
    done = auricle("compare", *runs, "--by", "subset", "--metric", "wer", "--flips", "1")
    assert "subset=even" in done.stdout
    assert "cer" not in done.stdout
    assert done.stdout.count("    target") <= 2


def test_json_output_contains_nothing_else(auricle: RunAuricle, runs: tuple[str, str]) -> None:
    document = json.loads(auricle("compare", *runs, "--json").stdout)
    assert document["pairs"]["count"] == 12
    assert document["rows"][0]["metric"] == "wer"
    assert document["flips"]["wer"][0].keys() >= {"id", "answer_a", "answer_b", "stat_a", "stat_b"}


def test_page_is_one_file_with_audio_players(auricle: RunAuricle, runs: tuple[str, str], tmp_path: Path) -> None:
    done = auricle("compare", *runs, "--html", "out/page.html")
    assert f"Page: {tmp_path / 'out' / 'page.html'}" in done.stdout
    page = (tmp_path / "out" / "page.html").read_text()
    assert page.count("<audio") == page.count("data-rank=") > 0
    assert not re.search(r'(src|href)="(?!data:|#)', page)


def test_page_of_a_classification_shows_the_difference_of_confusion_matrices(
    auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path
) -> None:
    labels = ["happy", "sad"]
    rows = [
        {"id": str(index), "question": f"c{index}", "label": labels[index % 2], "choices": labels}
        for index in range(20)
    ]
    data = manifest(rows)
    for name, model_labels in (("A", "happy,sad"), ("B", "happiness,sadness,other")):
        auricle("run", data, "--as", "classify", "-m", "fake-labels", "-M", f"labels={model_labels}", "-o", name)
    assert auricle("compare", "A", "B", "--html", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "Difference of two confusion matrices" in page
    assert re.search("Not in A’s label set[^<]*: other", page)


def test_metrics_that_cannot_be_compared_are_explained(auricle: RunAuricle, runs: tuple[str, str]) -> None:
    auricle("score", "B", "--profile", "whisper-en")
    done = auricle("compare", *runs)
    assert done.returncode == 0
    assert "wer: not compared: " in done.stdout
    assert "auricle score B --profile basic" in done.stdout


def test_unknown_metric_is_an_error(auricle: RunAuricle, runs: tuple[str, str]) -> None:
    done = auricle("compare", *runs, "--metric", "blue")
    assert done.returncode == 2
    assert "'blue'" in done.stderr


def test_run_cannot_be_compared_with_a_load_test(auricle: RunAuricle, runs: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "load").mkdir()
    (tmp_path / "load" / "perf.json").write_text("{}")
    done = auricle("compare", "A", "load")
    assert done.returncode == 2
    assert "load is a measurement of `auricle perf`, but A is not." in done.stderr


def test_a_change_beyond_a_limit_fails(auricle: RunAuricle, runs: tuple[str, str]) -> None:
    done = auricle("compare", *runs, "--fail-if", "wer>+1pp", "--fail-if", "cer<-1pp")
    assert done.returncode == 3
    assert re.fullmatch(r"Failed: wer changed by \+[\d.]+ pp, limit \+1 pp\.\n", done.stderr)
    assert auricle("compare", *reversed(runs), "--fail-if", "wer>+1pp").returncode == 0
    wrong = auricle("compare", *runs, "--fail-if", "wer>much")
    assert wrong.returncode == 2
    assert "Invalid condition 'wer>much'" in wrong.stderr

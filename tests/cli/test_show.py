"""`auricle show`: metrics of runs, overall and by a field."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from auricle.cli.show import load_metrics
from tests.support.app_runs import make_run, write_speech_data
from tests.support.cli_types import RunAuricle, WriteManifest


def test_metrics_are_printed_by_field(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    assert "subset=a" in auricle("show", "run", "--by", "subset").stdout


def test_unknown_field_is_reported_with_the_available_ones(
    auricle: RunAuricle, finished: CompletedProcess[str]
) -> None:
    done = auricle("show", "run", "--by", "speaker")
    assert done.returncode == 2
    assert "No metrics by 'speaker'. Available fields: subset." in done.stderr


def test_run_without_metrics_is_scored_first(
    auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    (tmp_path / "run" / "metrics.json").unlink()
    assert load_metrics(tmp_path / "run").numbers[0].metric == "exact_match"


def test_signal_slices_and_gaps_are_printed(auricle: RunAuricle, tmp_path: Path) -> None:
    run = make_run(tmp_path / "speech", "asr", write_speech_data(tmp_path, 24), "Recogniser", {"metrics": "wer"})
    (run / "signals.jsonl").unlink(missing_ok=True)
    done = auricle("show", run, "--by", "level")
    assert "Measuring 24 recordings" in done.stderr
    assert "level=−20 dB or more" in done.stdout
    done = auricle("show", run, "--gaps", "--by", "accent", "--json")
    (document,) = json.loads(done.stdout)
    assert [(gap["field"], gap["group"], gap["n"]) for gap in document["gaps"]] == [
        ("accent", "north", 12),
        ("accent", "south", 12),
    ]
    assert "WER (lower is better)" in auricle("show", run, "--gaps").stdout
    failed = auricle("show", run, "--gaps", "--metric", "bleu")
    assert failed.returncode == 2
    assert "has no metric 'bleu'. Metrics: wer." in failed.stderr


def test_runs_on_data_files_of_the_same_name_are_distinguished(
    auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path
) -> None:
    for number, folder in enumerate(("en", "de")):
        (tmp_path / folder).mkdir()
        manifest([{"id": "x", "question": f"say {number}", "answer": "x"}], f"{folder}/test.jsonl")
    output = auricle("run", "en/test.jsonl", "de/test.jsonl", "--as", "qa", "-m", "echo").stdout
    assert output.startswith("task ")
    for folder in ("en", "de"):
        assert f"\nqa-test ({folder}/test.jsonl)  echo" in output
        assert f"echo on qa-test ({folder}/test.jsonl): Usage" in output

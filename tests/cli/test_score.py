"""`auricle score`: metrics from the journal, under another profile, without the data."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.cli_types import RunAuricle, WriteManifest

pytestmark = pytest.mark.slow


def test_another_profile_changes_values_and_signature(
    auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path
) -> None:
    path = manifest([{"id": "1", "question": "Don't!", "answer": "do not"}])
    auricle("run", path, "--as", "qa", "-T", "metrics=wer", "-m", "echo", "-o", "run")
    assert "100.00 %" in auricle("show", "run").stdout
    assert "0.00 %" in auricle("score", "run", "--profile", "whisper-en").stdout
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "wer:1.pooled.whisper-en:2" in metrics["numbers"][0]["signature"]


def test_run_can_be_scored_without_its_data(auricle: RunAuricle, finished: CompletedProcess[str], quiz: Path) -> None:
    quiz.unlink()
    assert "100.00 %" in auricle("score", "run").stdout


def test_judge_arguments_require_a_judge(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("score", "run", "-J", "temperature=0")
    assert done.returncode == 2
    assert "-J KEY=VALUE sets an argument of the judge, but none is given. Add --judge MODEL." in done.stderr


def test_other_metrics_are_computed_without_loading_the_model(
    auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path
) -> None:
    model = tmp_path / "model.py"
    model.write_text("def answer(text: str) -> str:\n    return text\n")
    path = manifest([{"id": "1", "question": "Don't!", "answer": "do not"}])
    auricle("run", path, "--as", "qa", "-m", "model.py:answer", "-o", "run")
    model.unlink()
    done = auricle("score", "run", "-T", "metrics=wer,cer", "--profile", "whisper-en", "--json")
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert [(number["metric"], number["value"]) for number in metrics["numbers"]] == [("wer", 0.0), ("cer", 0.0)]


def test_arguments_that_change_requests_are_refused(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("score", "run", "-T", "prompt=Hello")
    assert done.returncode == 2
    assert "prompt cannot change when a run is scored again: only profile, " in done.stderr


def test_a_judge_skips_runs_without_anything_to_judge(
    auricle: RunAuricle, manifest: WriteManifest, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    (tmp_path / "judge.py").write_text("def judge(text: str) -> str:\n    return 'Verdict: yes'\n")
    rows = manifest([{"id": "1", "question": "Who?", "answer": "Ann"}], "other.jsonl")
    auricle("run", rows, "--as", "qa", "-T", "metrics=judge-reference", "-m", "echo", "-o", "judged")
    assert auricle("score", "run", "--judge", "judge.py:judge").returncode == 2
    done = auricle("score", "run", "judged", "--judge", "judge.py:judge")
    assert done.returncode == 0, done.stderr
    assert "judge-reference" in done.stdout


def test_several_profiles_stand_side_by_side(auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path) -> None:
    path = manifest([{"id": "1", "question": "Don't!", "answer": "do not"}])
    auricle("run", path, "--as", "qa", "-T", "metrics=wer", "-m", "echo", "-o", "run")
    done = auricle("score", "run", "--profile", "basic", "--profile", "whisper-en")
    rows = [line.split() for line in done.stdout.splitlines() if "wer" in line]
    assert [(row[1], row[3], row[5]) for row in rows] == [
        ("wer", "basic", "100.00"),
        ("wer@whisper-en", "whisper-en", "0.00"),
    ]
    assert auricle("show", "run").stdout == done.stdout
    assert "WER (whisper-en)" in (tmp_path / "run" / "report.html").read_text()


def test_own_and_built_in_metrics_are_chosen_with_an_option(
    auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("def length(sample, output):\n    return len(output.text)\n")
    done = auricle("score", "run", "--metrics", "mine.py:length", "--metrics", "cer,empty", "--json")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    assert [number["metric"] for number in run["numbers"] if not number["field"]] == ["length", "cer", "empty"]
    assert run["scoring"]["task_args"]["metrics"] == f"{tmp_path / 'mine.py'}:length,cer,empty"


def test_another_field_or_none_can_be_the_cluster(auricle: RunAuricle, tmp_path: Path) -> None:
    rows = [{"question": f"q {i}", "answer": f"q {i}", "speaker": i % 3, "room": i % 2} for i in range(12)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run = ("run", "rows.jsonl", "--as", "qa", "-m", "echo", "-T", "metrics=exact_match", "-o", "run", "--json")
    for command, cluster, units in (
        (run, "speaker", 3),
        ((*run, "--cluster", "room"), "room", 2),
        (("score", "run", "--json", "--cluster", "none"), "", 12),
    ):
        (metrics,) = json.loads(auricle(*command).stdout)
        assert (metrics["task"]["cluster"], metrics["numbers"][0]["units"]) == (cluster, units)
    (metrics,) = json.loads(auricle("score", "run", "--json", "--add-metrics", "empty").stdout)
    assert [number["metric"] for number in metrics["numbers"] if not number["field"]] == ["exact_match", "empty"]
    row = json.loads(auricle("compare", "run", "run", "--cluster", "speaker", "--json").stdout)["rows"][0]
    assert (row["cluster"], row["units"]) == ("speaker", 3)


def test_scoring_exits_like_the_run_if_the_metric_that_ranks_models_cannot_be_computed(
    auricle: RunAuricle, manifest: WriteManifest
) -> None:
    path = manifest([{"id": "1", "question": "Who?", "answer": "Ann"}])
    for command in (
        ["run", path, "--as", "qa", "-T", "metrics=judge-reference", "-m", "echo", "-o", "run"],
        ["score", "run"],
    ):
        done = auricle(*command)
        assert done.returncode == 3, done.stderr
        assert "so the exit code is 3" in done.stderr

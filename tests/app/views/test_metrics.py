"""Tests of the metrics of a run."""

import json
import shutil
from pathlib import Path

from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text


def test_metrics_have_interval_coverage_and_signature(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="asr-small"))
    for part in ("95 % interval", "Coverage", "asr-speech:1|", "wer:1.pooled"):
        assert part in text


def test_highest_possible_accuracy_is_shown(draw: DrawRun, runs: Path) -> None:
    assert "maximum 87.50" in page_text(draw("benchmark", runs, run="emotion-first"))


def test_answers_that_could_not_be_parsed_are_listed_as_exclusions(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="quiz-bad")
    assert "Excluded from the metrics" in [header.value for header in app.header]
    assert "unreadable" in page_text(app)


def test_how_answers_were_read_is_shown_with_bounds_for_the_unread(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="quiz-bad"))
    for part in (
        "How answers were read",
        "Whole reply",
        "Refused",
        "If unread right – wrong",
        "if all unread answers were",
    ):
        assert part in text


def test_unfinished_stale_and_failed_runs_have_warnings(draw: DrawRun, runs: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(runs / "asr-small", tmp_path / "group" / "run"))
    document = json.loads((run / "metrics.json").read_text())
    document["complete"] = False
    document["outcomes"] |= {"failed": 2, "total": 16}
    (run / "metrics.json").write_text(json.dumps(document))
    lines = (run / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    (run / "outputs.jsonl").write_bytes(b"".join(lines[:-1]))
    warnings = "\n".join(warning.value for warning in draw("benchmark", tmp_path, run="group/run").warning)
    assert "This run is unfinished." in warnings
    assert "auricle score group/run" in warnings.replace("\\", "")
    assert "2 of 16 samples failed and are excluded. The reasons are below" in warnings


def test_page_of_a_run_whose_samples_all_failed_names_only_what_it_has(
    draw: DrawRun, runs: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(runs / "asr-small", tmp_path / "failed"))
    document = json.loads((run / "metrics.json").read_text())
    failures = [{"kind": "Rejected", "count": 16, "examples": [{"id": "1", "origin": "", "message": "no such model"}]}]
    document |= {"numbers": [], "outcomes": {"failed": 16, "total": 16}, "failures": failures}
    (run / "metrics.json").write_text(json.dumps(document))
    app = draw("benchmark", tmp_path, run="failed")
    warnings = "\n".join(warning.value for warning in app.warning)
    assert "16 of 16 samples failed" in warnings
    assert "The table shows" not in warnings
    title = warnings.partition("“")[2].partition("”")[0]
    assert title in [header.value for header in app.header]


def test_breakdown_shows_the_chosen_metric(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, fresh=True, run="asr-small")
    metric = next(box for box in app.selectbox if box.label == "Metric")
    assert metric.options == ["WER", "CER"]
    metric.set_value("cer").run()
    assert not app.exception


def test_metrics_can_be_downloaded_as_json(draw: DrawRun, runs: Path) -> None:
    buttons = draw("benchmark", runs, run="emotion-first").get("download_button")
    assert "metrics.json" in [button.proto.label for button in buttons]

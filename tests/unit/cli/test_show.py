"""`auricle show`: metrics of runs, overall and by a field."""

from pathlib import Path
from subprocess import CompletedProcess

from auricle.cli.show import load_metrics
from tests.support.cli_types import RunAuricle


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

import csv
from pathlib import Path
from typing import Any

import pytest

from auricle.perf.report.files import build_about, write_reports
from tests.unit.perf.report.conftest import Summary, build_request


@pytest.fixture
def document(tmp_path: Path, summaries: list[Summary]) -> dict[str, Any]:
    """Write the requests of a load point, and return the summary of the measurement."""
    point_folder = tmp_path / "00-constant-10"
    point_folder.mkdir()
    with (point_folder / "requests.jsonl").open("wb") as lines:
        lines.writelines(build_request(index).to_json_line() for index in range(300))
    accuracy = [{"metric": "wer", "value": 0.05, "low": 0.04, "high": 0.06, "scored": 294}]
    return {
        "task": "speech",
        "model": "fake",
        "interrupted": True,
        "points": [{**summaries[1], "folder": point_folder.name, "accuracy": accuracy}],
        "searches": [{"search": "search:rate,low=1,high=8", "best": 4.0, "beyond": 5.0, "tried": []}],
        "about": {"command": ["perf", "speech"], "created": "today", "spec": {}, "wanted": {"seed": 3}},
    }


def test_measurement_is_written_in_three_formats(tmp_path: Path, document: dict[str, Any]) -> None:
    write_reports(tmp_path, document)
    with (tmp_path / "summary.csv").open() as rows:
        assert next(csv.DictReader(rows))["load"] == "constant:10"
    text = (tmp_path / "summary.md").read_text()
    assert "4 met the SLOs, 5 missed them." in text
    assert "- Command: auricle perf speech" in text
    page = (tmp_path / "report.html").read_text()
    assert "Requests over time" in page
    assert "wer 0.05 (0.04 … 0.06) over 294 answers." in page
    assert "Interrupted" in page
    assert {path.name for path in tmp_path.iterdir()} == {
        "00-constant-10", "report.html", "summary.csv", "summary.md",
    }  # fmt: skip


def test_page_without_requests_has_no_charts(tmp_path: Path, document: dict[str, Any]) -> None:
    (tmp_path / "00-constant-10" / "requests.jsonl").unlink()
    write_reports(tmp_path, document)
    assert "<figure" not in (tmp_path / "report.html").read_text()


def test_unknown_facts_are_left_out(document: dict[str, Any]) -> None:
    about = build_about(document)
    assert about["created"] == "today"
    assert dict(about["facts"]) == {"Seed": "3", "Command": "auricle perf speech"}

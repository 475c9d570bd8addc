import csv
from dataclasses import replace
from pathlib import Path

import pytest

from auricle.perf.report.files import write_reports
from auricle.perf.summary import summarise
from auricle.runs.perf_files import Accuracy, PerfManifest, PerfSummary, SearchResult
from tests.unit.perf.report.conftest import build_columns, build_request


@pytest.fixture
def summary(tmp_path: Path) -> PerfSummary:
    """Write the requests of a load point, and return the summary of the measurement."""
    point_folder = tmp_path / "00-constant-10"
    point_folder.mkdir()
    with (point_folder / "requests.jsonl").open("wb") as lines:
        lines.writelines(build_request(index).to_json_line() for index in range(300))
    accuracy = Accuracy("wer", 0.05, 0.04, 0.06, 294, 300, False, "wer:1")
    point = replace(summarise(build_columns(), "constant:10"), folder=point_folder.name, accuracy=(accuracy,))
    return PerfSummary(
        task="speech",
        model="fake",
        interrupted=True,
        points=(point,),
        searches=(SearchResult("search:rate,low=1,high=8", 4.0, 5.0),),
        about=PerfManifest(spec={}, wanted={"seed": 3}, created="today", command=("perf", "speech")),
    )


def test_measurement_is_written_in_three_formats(tmp_path: Path, summary: PerfSummary) -> None:
    write_reports(tmp_path, summary)
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


def test_page_without_requests_has_no_charts(tmp_path: Path, summary: PerfSummary) -> None:
    (tmp_path / "00-constant-10" / "requests.jsonl").unlink()
    write_reports(tmp_path, summary)
    assert "<figure" not in (tmp_path / "report.html").read_text()

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from auricle.perf.measures import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report.chart_data import PointCharts
from auricle.perf.report.documents import flatten_point, render_csv, render_markdown, render_page, write_reports
from auricle.perf.summary import summarise
from auricle.runs.perf_files import Accuracy, LoadPointSummary, PerfManifest, PerfSummary, SearchResult, Validity
from tests.perf.report.conftest import PointWithCharts, build_columns, build_point, build_request, build_summary
from tests.support.report_pages import assert_policy_admits_only_the_page


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


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
    assert_policy_admits_only_the_page(page)
    assert "Requests over time" in page
    assert "WER 0.05 (0.04 … 0.06) over 294 answers." in page
    assert "Interrupted" in page
    assert {path.name for path in tmp_path.iterdir()} == {
        "00-constant-10", "report.html", "summary.csv", "summary.md",
    }  # fmt: skip


def test_page_without_requests_has_no_charts(tmp_path: Path, summary: PerfSummary) -> None:
    (tmp_path / "00-constant-10" / "requests.jsonl").unlink()
    write_reports(tmp_path, summary)
    assert "<figure" not in (tmp_path / "report.html").read_text()


def test_rows_of_a_table_have_the_same_number_of_cells(summaries: list[LoadPointSummary]) -> None:
    for block in render_markdown(build_summary(summaries)).split("\n\n"):
        if block.startswith("|"):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1


def test_markup_in_names_is_escaped(summaries: list[LoadPointSummary]) -> None:
    text = render_markdown(build_summary(summaries))
    assert "<b>" not in text
    assert "- Inferencer: a\\|b" in text


def test_only_measures_with_values_are_defined(summaries: list[LoadPointSummary]) -> None:
    text = render_markdown(build_summary(summaries))
    assert "## constant:10" in text
    assert REQUEST_DEFINITIONS["tpot_s"].text in text
    assert "ttfa_s |" not in text


class PageParser(HTMLParser):
    """Collects text and links, and checks that elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open_elements: list[str] = []
        self.texts: list[str] = []
        self.links: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open_elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_elements.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def render(points: Sequence[tuple[LoadPointSummary, PointCharts | None]]) -> str:
    return render_page(build_summary([point for point, _ in points]), [charts for _, charts in points])


def parse_page(page: str) -> PageParser:
    parser = PageParser()
    parser.feed(page)
    assert parser.open_elements == []
    return parser


def test_page_is_well_formed_and_loads_nothing(points: list[PointWithCharts]) -> None:
    parser = parse_page(render(points))
    assert all(link is not None and link.startswith("#") for link in parser.links)
    text = "".join(parser.texts)
    assert "<b>model</b>" in text
    assert "Transient: 503 | <busy>" in text
    assert "NaN" not in text
    assert "None" not in text


def test_several_points_are_compared_in_charts(points: list[PointWithCharts]) -> None:
    assert "Latency against throughput" in render(points)
    assert "Latency against throughput" not in render(points[:1])


def test_headline_is_the_highest_throughput_or_the_median(points: list[PointWithCharts]) -> None:
    assert "Highest throughput" in render(points)
    assert "Median time to first token" in render(points[:1])


def test_many_points_are_folded(points: list[PointWithCharts]) -> None:
    assert "<details" not in render(points)
    assert render(points * 2).count("<details") == 6


def test_invalid_point_is_reported_at_the_top(points: list[PointWithCharts]) -> None:
    point, charts = points[0]
    page = render([(replace(point, validity=Validity(False, ("It was late.",))), charts)])
    assert page.index("is not valid: It was late.") < page.index("Load points</h2>")


def test_page_without_points_is_well_formed() -> None:
    parse_page(render([]))


def test_page_without_successful_requests_is_well_formed() -> None:
    parse_page(render([(summarise([build_request(49)], "burst:1"), PointCharts((), ()))]))


def test_point_has_measures_breakdowns_and_failures(points: list[PointWithCharts]) -> None:
    page = render(points[:1])
    assert all(title in page for title in ("Request measure", "Run measure", "Seconds of audio sent"))
    assert "median time to failure, s" in page
    assert "Transient: 503 | &lt;busy&gt;" in page


def test_page_without_charts_has_all_numbers(points: list[PointWithCharts]) -> None:
    page = render([(points[0][0], None)])
    assert "<figure" not in page
    assert "sched_latency_s" in page


def test_measures_show_their_definitions(points: list[PointWithCharts]) -> None:
    page = render(points[:1])
    text = f"tpot_s: {REQUEST_DEFINITIONS['tpot_s'].text}"
    assert f'<th scope="row" title="{text}"><bdi>Time per output token, s</bdi>' in page


@pytest.mark.slow
def test_page_stays_small_with_many_requests() -> None:
    sizes = np.array([len(render([build_point(count=count)])) for count in (1_000, 50_000)])
    assert sizes.max() < 150_000
    assert sizes[1] < 1.1 * sizes[0]


def test_csv_has_a_row_per_point(summaries: list[LoadPointSummary]) -> None:
    rows = read_csv(render_csv(summaries))
    assert [row["load"] for row in rows] == ["constant:5", "constant:10", "constant:20"]
    assert float(rows[1]["offered_rate"]) == pytest.approx(10)
    assert float(rows[1]["ttft_s_p50"]) == pytest.approx(0.099)
    assert rows[1]["failed"] == "6"
    assert rows[1]["req_s_low"] != ""


def test_unknown_values_are_empty_in_csv(summaries: list[LoadPointSummary]) -> None:
    row = read_csv(render_csv(summaries))[0]
    assert row["ttfa_s_p50"] == ""
    assert row["ttfa_s_n"] == "0"
    assert row["slo_met"] == ""


def test_csv_always_has_all_columns(summaries: list[LoadPointSummary]) -> None:
    columns = set(read_csv(render_csv(summaries))[0])
    assert {f"{name}_p99" for name in REQUEST_DEFINITIONS} | set(RUN_DEFINITIONS) <= columns
    assert set(flatten_point(summaries[0])) <= columns

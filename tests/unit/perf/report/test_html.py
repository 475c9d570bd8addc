from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from auricle.perf.measure_definitions import REQUEST_DEFINITIONS
from auricle.perf.report.chart_data import PointCharts
from auricle.perf.report.html import render_page
from auricle.perf.summary import summarise
from auricle.runs.perf_files import LoadPointSummary, Validity
from tests.unit.perf.report.conftest import PointWithCharts, build_point, build_request, build_summary


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
    assert f'<th scope="row" title="{REQUEST_DEFINITIONS["tpot_s"].text}"><bdi>tpot_s</bdi>' in page


@pytest.mark.slow
def test_page_stays_small_with_many_requests() -> None:
    sizes = np.array([len(render([build_point(count=count)])) for count in (1_000, 50_000)])
    assert sizes.max() < 150_000
    assert sizes[1] < 1.1 * sizes[0]

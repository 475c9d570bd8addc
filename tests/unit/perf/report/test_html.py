from html.parser import HTMLParser

import numpy as np
import pytest

from auricle.perf.report.chart_data import build_chart_data
from auricle.perf.report.html import render_page
from auricle.perf.request_columns import RequestColumns
from auricle.perf.summary import summarise
from tests.unit.perf.report.conftest import ABOUT, PointWithChartData, build_point, build_request


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


def parse_page(page: str) -> PageParser:
    parser = PageParser()
    parser.feed(page)
    assert parser.open_elements == []
    return parser


def test_page_is_well_formed_and_loads_nothing(points: list[PointWithChartData]) -> None:
    parser = parse_page(render_page(ABOUT, points))
    assert all(link is not None and link.startswith("#") for link in parser.links)
    text = "".join(parser.texts)
    assert "<b>model</b>" in text
    assert "Transient: 503 | <busy>" in text
    assert "NaN" not in text
    assert "None" not in text


def test_several_points_are_compared_in_charts(points: list[PointWithChartData]) -> None:
    assert "Latency against throughput" in render_page(ABOUT, points)
    assert "Latency against throughput" not in render_page(ABOUT, points[:1])


def test_headline_is_the_highest_throughput_or_the_median(points: list[PointWithChartData]) -> None:
    assert "Highest throughput" in render_page(ABOUT, points)
    assert "Median time to first token" in render_page(ABOUT, points[:1])


def test_many_points_are_folded(points: list[PointWithChartData]) -> None:
    assert "<details" not in render_page(ABOUT, points)
    assert render_page(ABOUT, points * 2).count("<details") == 6


def test_invalid_point_is_reported_at_the_top(points: list[PointWithChartData]) -> None:
    summary, chart_data = points[0]
    invalid = {**summary, "validity": {"valid": False, "reasons": ["It was late."]}}
    page = render_page(ABOUT, [(invalid, chart_data)])
    assert page.index("is not valid: It was late.") < page.index("Load points</h2>")


def test_page_without_points_is_well_formed() -> None:
    parse_page(render_page({}, []))


def test_page_without_successful_requests_is_well_formed() -> None:
    failed = build_request(49)
    chart_data = build_chart_data(RequestColumns.from_records([]))
    parse_page(render_page({}, [(summarise([failed], "burst:1"), chart_data)]))


@pytest.mark.slow
def test_page_stays_small_with_many_requests() -> None:
    sizes = np.array([len(render_page(ABOUT, [build_point(count=count)])) for count in (1_000, 50_000)])
    assert sizes.max() < 150_000
    assert sizes[1] < 1.1 * sizes[0]

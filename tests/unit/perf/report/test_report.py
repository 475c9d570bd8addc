"""What a load test found, on a terminal, in a spreadsheet, as text and as a page."""

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import html, markdown, tables
from auricle.perf.report.chart_data import IN_FLIGHT_BINS, MAX_BARS, MAX_DOTS, QUANTILES, build_chart_data
from auricle.perf.report.files import write_reports
from auricle.perf.request_columns import RequestColumns
from auricle.perf.request_record import RequestRecord
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise
from tests.support.simulated_servers import streamed

ABOUT = {"task": "speech", "model": "<b>model</b>", "auricle": "1", "facts": [("Host", "a|b")]}


def exchange(index: Any, *, rate: float = 10.0, closed: bool = False, spoken: bool = False, **rest: Any) -> Any:
    """A request a tenth of a second after the one before; every fiftieth failed."""
    due = index / rate
    held = {
        "index": index,
        "sample": f"s{index}",
        "due": None if closed else due,
        "sent": due + 0.001,
        "user": index % 4 if closed else None,
        "done": due + 0.31,
        "body": f"b{index}",
        "bytes_sent": 100,
        "audio_seconds": 2.0 + index % 30,
    }
    if index % 50 == 49:
        return RequestRecord(**held, status="failed", error="Transient: 503 | <busy>")
    sound = [(due + 0.1 + 0.05 * at, 0.04) for at in range(3)] if spoken else ()
    streamed = {
        "streamed": True,
        "first_byte": due + 0.1,
        "first_token": due + 0.1,
        "first_content": due + 0.1,
        "first_audio": due + 0.1 if spoken else None,
        "last_content": due + 0.3,
        "gaps": (0.1, 0.1),
        "spoken": sound,
        "output_tokens": 3,
        "input_tokens": 7,
        "finish": "stop",
    }
    return RequestRecord(**{**held, **streamed, **rest})


def columns(count: int = 300, **how: Any) -> Any:
    return RequestColumns.from_records(exchange(at, **how) for at in range(count))


def point(load: str = "constant:10", slos: str = "", count: int = 300, **how: Any) -> Any:
    found = columns(count, **how)
    return summarise(found, load, slos=parse_slos(slos)), build_chart_data(found)


@pytest.fixture(scope="module")
def points() -> Any:
    return [point(f"constant:{rate}", rate=rate) for rate in (5, 10, 20)]


@pytest.fixture(scope="module")
def summaries(points: Any) -> Any:
    return [summary for summary, _ in points]


# --- the terminal ---------------------------------------------------------------------


def test_each_load_point_is_a_row(summaries: Any) -> None:
    lines = tables.format_summaries(summaries)
    assert [line.split()[0] for line in lines[3:6]] == ["constant:5", "constant:10", "constant:20"]
    assert " 292 " in lines[3]
    assert "0.299" in lines[3]


def test_columns_stand_below_their_titles(summaries: Any) -> None:
    lines = tables.format_summaries(summaries)[:6]
    ends = [at.end() for at in re.finditer("─+", lines[2])]
    assert all(len(line) <= ends[-1] for line in lines)
    assert all(line[end : end + 2].strip() == "" for line in lines for end in ends)


def test_what_nobody_has_a_number_for_has_no_column(summaries: Any) -> None:
    head = " ".join(tables.format_header(tables.select_columns(summaries)))
    assert "TTFT p50" in head
    assert "first audio" not in head
    assert "goodput" not in head


def test_what_was_due_has_no_column_in_a_closed_loop() -> None:
    summary, _ = point("closed:4", closed=True)
    head = tables.format_header(tables.select_columns([summary]))
    assert not {"offered/s", "sent/s", "from due p99, s"} & set(head)


def test_a_narrow_terminal_has_fewer_columns(summaries: Any) -> None:
    lines = tables.format_summaries(summaries, width=80)[:6]
    assert max(map(len, lines)) <= 80
    assert "latency" in lines[0]


def test_why_a_point_is_not_valid_is_told_below(summaries: Any) -> None:
    broken = {**summaries[0], "validity": {"valid": False, "reasons": ["It was late."]}}
    lines = tables.format_summaries([broken])
    assert lines[3].endswith("no")
    assert "constant:5 is not valid: It was late." in lines


def test_failures_are_told_with_an_example(summaries: Any) -> None:
    (told,) = [line for line in tables.format_summaries(summaries[:1]) if "failed with" in line]
    assert told == "constant:5: 6 failed with Transient: 503 | <busy>"


def test_promises_are_told_with_what_came_of_them() -> None:
    summary, _ = point(slos="p95(ttft_s)<0.05,latency_s<1,req_s>1")
    told = tables.format_slos(summary)
    assert told[0] == "p95(ttft_s)<0.05 was not met: 0.099."
    assert told[1].startswith("latency_s<1 of each request: 98 % kept")
    assert told[2].startswith("req_s>1 was met: ")


def test_definitions_come_on_demand(summaries: Any) -> None:
    assert not any("first piece of the answer" in line for line in tables.format_summaries(summaries))
    lines = tables.format_summaries(summaries, with_definitions=True)
    (told,) = [line for line in lines if line.startswith("TTFT p50")]
    assert REQUEST_DEFINITIONS["ttft_s"].text in told


def test_no_load_point_is_one_sentence() -> None:
    assert tables.format_summaries([]) == ["No load point was measured."]


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (None, "", "–"),
        (0.0, "s", "0"),
        (0.00001, "s", "<0.001"),
        (0.01234, "s", "0.0123"),
        (1234.5, "", "1,234"),
        (0.975, "share", "97.5 %"),
    ],
)
def test_numbers_have_three_digits(value: float | None, unit: str, said: str) -> None:
    assert tables.format_number(value, unit) == said


# --- the spreadsheet ------------------------------------------------------------------


def read(content: Any) -> Any:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_the_spreadsheet_has_a_row_a_point(summaries: Any) -> None:
    rows = read(tables.render_csv(summaries))
    assert [each["load"] for each in rows] == ["constant:5", "constant:10", "constant:20"]
    assert float(rows[1]["offered_rate"]) == pytest.approx(10)
    assert float(rows[1]["ttft_s_p50"]) == pytest.approx(0.099)
    assert rows[1]["failed"] == "6"
    assert rows[1]["req_s_low"] != ""


def test_what_is_unknown_is_empty_and_not_zero(summaries: Any) -> None:
    row = read(tables.render_csv(summaries))[0]
    assert row["ttfa_s_p50"] == ""
    assert row["ttfa_s_n"] == "0"
    assert row["slo_met"] == ""


def test_every_number_has_a_column_whatever_was_measured(summaries: Any) -> None:
    whole = set(read(tables.render_csv(summaries))[0])
    assert {f"{name}_p99" for name in REQUEST_DEFINITIONS} | set(RUN_DEFINITIONS) <= whole
    assert set(tables.flatten_summary(summaries[0])) <= whole


# --- text -----------------------------------------------------------------------------


def test_the_text_has_tables_whose_rows_are_all_as_wide(summaries: Any) -> None:
    text = markdown.render_markdown(ABOUT, summaries)
    for block in text.split("\n\n"):
        if block.startswith("|"):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1


def test_the_text_holds_nothing_that_is_read_as_markup(summaries: Any) -> None:
    text = markdown.render_markdown(ABOUT, summaries)
    assert "<b>" not in text
    assert "- Host: a\\|b" in text


def test_the_text_says_what_its_words_mean(summaries: Any) -> None:
    text = markdown.render_markdown(ABOUT, summaries)
    assert "## constant:10" in text
    assert REQUEST_DEFINITIONS["tpot_s"].text in text
    assert "ttfa_s |" not in text


# --- thinned --------------------------------------------------------------------------


def test_however_many_requests_pictures_get_a_few() -> None:
    found = build_chart_data(columns(20_000, spoken=True))
    assert len(found["bars"]) == MAX_BARS
    assert len(found["rtfx"]) == MAX_DOTS
    assert len(found["in_flight"]["most"]) == IN_FLIGHT_BINS
    assert len(found["spread"]["latency_s"]) == len(QUANTILES)
    assert len(found["rates"]["sent"]) <= 60


def test_thinning_hides_no_peak() -> None:
    together = [exchange(0, sent=500.0, done=500.001) for _ in range(70)]
    found = build_chart_data(RequestColumns.from_records([*(exchange(at) for at in range(10_000)), *together]))
    assert max(found["in_flight"]["most"]) >= 70


def test_rates_are_those_that_were(points: Any) -> None:
    _, found = points[1]
    assert found["rates"]["due"][3] == pytest.approx(10)
    assert found["rates"]["sent"][3] == pytest.approx(10)


def test_few_requests_have_a_course_all_the_same() -> None:
    said = [streamed(at, due=at + 0.5, sent=at + 0.5) for at in range(12)]
    rates = build_chart_data(RequestColumns.from_records(said))["rates"]
    assert rates["width_s"] == 5.0
    assert rates["sent"] == [1.0, 1.0]


def test_the_spread_begins_with_the_least_and_ends_with_the_most(points: Any) -> None:
    _, found = points[1]
    spread = found["spread"]["sched_latency_s"]
    assert spread == sorted(spread)
    assert spread[QUANTILES.index(0.5)] == pytest.approx(0.3)
    assert found["spread"]["ttfa_s"] == []


def test_nothing_at_all_is_drawn_as_nothing() -> None:
    found = build_chart_data(RequestColumns.from_records([]))
    assert found["bars"] == []
    assert found["rates"]["width_s"] is None
    assert html.render_page({}, [(summarise([exchange(49)], "burst:1"), found)])


# --- what is written ------------------------------------------------------------------


SEARCH = {"search": "search:rate,low=1,high=8", "best": 4.0, "beyond": 5.0, "tried": []}


def measured(folder: Any, summary: Any, found: Any) -> Any:
    """A measurement of one load point, in a folder as `auricle perf` leaves it."""
    place = folder / "00-constant-10"
    place.mkdir()
    with (place / "requests.jsonl").open("wb") as lines:
        lines.writelines(each.line() for each in found)
    accuracy = [{"metric": "wer", "value": 0.05, "low": 0.04, "high": 0.06, "scored": 294}]
    point = {**summary, "folder": place.name, "accuracy": accuracy}
    about = {"command": ["perf", "speech"], "created": "today", "spec": {}, "wanted": {"seed": 3}}
    named = {"task": "speech", "model": "fake", "interrupted": True}
    return {**named, "points": [point], "searches": [SEARCH], "about": about}


@pytest.fixture
def document(tmp_path: Path, summaries: Any) -> Any:
    return measured(tmp_path, summaries[1], (exchange(at) for at in range(300)))


def test_a_measurement_is_written_in_three_ways(tmp_path: Path, document: Any) -> None:
    write_reports(tmp_path, document)
    assert read((tmp_path / "summary.csv").read_bytes())[0]["load"] == "constant:10"
    text = (tmp_path / "summary.md").read_text()
    assert "4 kept what was promised, 5 did not." in text
    assert "- Command: auricle perf speech" in text
    whole = (tmp_path / "report.html").read_text()
    assert "Requests over time" in whole
    assert "wer 0.05 (0.04 … 0.06) over 294 answers." in whole
    assert "Interrupted" in whole
    assert not list(tmp_path.glob("*.part"))


def test_without_the_requests_there_are_numbers_and_no_pictures(tmp_path: Path, document: Any) -> None:
    (tmp_path / "00-constant-10" / "requests.jsonl").unlink()
    write_reports(tmp_path, document)
    assert "<figure" not in (tmp_path / "report.html").read_text()


def test_a_terminal_is_told_of_searches_accuracy_and_the_interruption(document: Any) -> None:
    text = tables.format_measurement(document)
    assert "search:rate,low=1,high=8: 4 kept what was promised, 5 did not." in text
    assert "constant:10: wer 0.05 (0.04 … 0.06) over 294 answers." in text
    assert text.endswith("Interrupted: what is told is of what was measured before.")


@pytest.mark.parametrize(("best", "beyond", "said"), [(None, 1.0, "not even the lowest"), (8.0, None, "try higher")])
def test_a_search_that_found_no_limit_says_so(best: float | None, beyond: float | None, said: str) -> None:
    assert said in tables.format_search({**SEARCH, "best": best, "beyond": beyond})


@pytest.mark.parametrize(
    ("best", "beyond", "said"),
    [
        (None, 1.0, "no load could be judged; measure longer"),
        (None, 2.0, "2 broke what was promised, and less could not be judged; measure longer"),
        (0.5, 1.0, "0.5 kept what was promised, 1 could not be judged; measure longer"),
    ],
)
def test_a_search_tells_broken_promises_from_those_nobody_could_judge(
    best: float | None, beyond: float, said: str
) -> None:
    tried = [{"value": 1.0, "met": [None] * 3}, {"value": 2.0, "met": [False]}]
    assert said in tables.format_search({**SEARCH, "best": best, "beyond": beyond, "tried": tried})


# --- the page -------------------------------------------------------------------------


class Balanced(HTMLParser):
    """Notes text, and complains about an element that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.text, self.links = [], [], []

    def handle_starttag(self, name: Any, attributes: Any) -> None:
        self.links += [value for key, value in attributes if key in ("src", "href")]
        if name != "meta":
            self.open.append(name)

    def handle_endtag(self, name: Any) -> None:
        assert self.open.pop() == name

    def handle_data(self, data: Any) -> None:
        self.text.append(data)


def parsed(text: Any) -> Any:
    reader = Balanced()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_the_page_is_whole_and_fetches_nothing(points: Any) -> None:
    reader = parsed(html.render_page(ABOUT, points))
    assert all(link.startswith("#") for link in reader.links)
    text = "".join(reader.text)
    assert "<b>model</b>" in text
    assert "Transient: 503 | <busy>" in text
    assert "NaN" not in text
    assert "None" not in text


def test_several_points_are_compared(points: Any) -> None:
    whole = html.render_page(ABOUT, points)
    assert "Latency against throughput" in whole
    assert "First word against load" in whole
    assert "Latency against throughput" not in html.render_page(ABOUT, points[:1])


def test_many_points_are_folded(points: Any) -> None:
    assert "<details" not in html.render_page(ABOUT, points)
    assert html.render_page(ABOUT, points * 2).count("<details") == 6


def test_silences_are_drawn_where_there_is_sound(points: Any) -> None:
    assert "Silences while playing" in html.render_page(ABOUT, [point(spoken=True)])
    assert "Silences while playing" not in html.render_page(ABOUT, points)


def test_a_point_that_is_not_valid_is_told_at_the_top(points: Any) -> None:
    summary, thinned = points[0]
    broken = {**summary, "validity": {"valid": False, "reasons": ["It was late."]}}
    text = html.render_page(ABOUT, [(broken, thinned)])
    assert text.index("is not valid: It was late.") < text.index("Load points</h2>")


def test_a_page_without_pictures_has_all_numbers(points: Any) -> None:
    text = html.render_page(ABOUT, [(points[0][0], None)])
    assert "<figure" not in text
    assert "sched_latency_s" in text


def test_a_page_without_points_is_a_page() -> None:
    parsed(html.render_page({}, []))


def test_the_page_stays_small_with_many_requests() -> None:
    sizes = np.array([len(html.render_page(ABOUT, [point(count=n)])) for n in (1_000, 50_000)])
    assert sizes.max() < 150_000
    assert sizes[1] < 1.1 * sizes[0]

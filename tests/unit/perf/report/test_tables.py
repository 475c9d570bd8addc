import csv
import io
import re

import pytest

from auricle.perf.measure_definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import tables
from tests.unit.perf.report.conftest import Summary, build_point

SEARCH = {"search": "search:rate,low=1,high=8", "best": 4.0, "beyond": 5.0, "tried": []}


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


# --- terminal -------------------------------------------------------------------------


def test_every_load_point_is_a_row(summaries: list[Summary]) -> None:
    lines = tables.format_summaries(summaries)
    assert [line.split()[0] for line in lines[3:6]] == ["constant:5", "constant:10", "constant:20"]
    assert " 292 " in lines[3]
    assert "0.299" in lines[3]


def test_columns_are_aligned_with_their_titles(summaries: list[Summary]) -> None:
    lines = tables.format_summaries(summaries)[:6]
    ends = [match.end() for match in re.finditer("─+", lines[2])]
    assert all(len(line) <= ends[-1] for line in lines)
    assert all(line[end : end + 2].strip() == "" for line in lines for end in ends)


def test_columns_without_numbers_are_left_out(summaries: list[Summary]) -> None:
    header = " ".join(tables.format_header(tables.select_columns(summaries)))
    assert "TTFT p50" in header
    assert "first audio" not in header
    assert "goodput" not in header


def test_closed_loop_has_no_columns_of_due_times() -> None:
    summary, _ = build_point("closed:4", closed=True)
    header = tables.format_header(tables.select_columns([summary]))
    assert not {"offered/s", "sent/s", "from due p99, s"} & set(header)


def test_narrow_terminal_has_fewer_columns(summaries: list[Summary]) -> None:
    lines = tables.format_summaries(summaries, width=80)[:6]
    assert max(map(len, lines)) <= 80
    assert "latency" in lines[0]


def test_reasons_of_an_invalid_point_are_listed(summaries: list[Summary]) -> None:
    invalid = {**summaries[0], "validity": {"valid": False, "reasons": ["It was late."]}}
    lines = tables.format_summaries([invalid])
    assert lines[3].endswith("no")
    assert "constant:5 is not valid: It was late." in lines


def test_failures_are_listed_with_an_example(summaries: list[Summary]) -> None:
    (line,) = [line for line in tables.format_summaries(summaries[:1]) if "failed with" in line]
    assert line == "constant:5: 6 failed with Transient: 503 | <busy>"


def test_slos_are_listed_with_their_outcome() -> None:
    summary, _ = build_point(slos="p95(ttft_s)<0.05,latency_s<1,req_s>1")
    sentences = tables.format_slos(summary)
    assert sentences[0] == "p95(ttft_s)<0.05 was not met: 0.099."
    assert sentences[1] == "latency_s<1 per request: 98 % of the requests met all per-request SLOs."
    assert sentences[2].startswith("req_s>1 was met: ")


def test_measurement_without_points_is_one_sentence() -> None:
    assert tables.format_summaries([]) == ["No load point was measured."]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "", "–"),
        (0.0, "s", "0"),
        (0.00001, "s", "<0.001"),
        (0.01234, "s", "0.0123"),
        (1234.5, "", "1,234"),
        (0.975, "share", "97.5 %"),
    ],
)
def test_numbers_have_three_digits(value: float | None, unit: str, text: str) -> None:
    assert tables.format_number(value, unit) == text


def test_window_is_described_in_one_sentence(summaries: list[Summary]) -> None:
    sentence = tables.describe_window(summaries[1])
    assert re.fullmatch(
        r"\d+ requests in [\d.]+ s \(steady window\): \d+ succeeded, 6 failed, 0 were cancelled\.", sentence
    )


@pytest.mark.parametrize(
    ("best", "beyond", "outcome"),
    [
        (4.0, 5.0, "4 met the SLOs, 5 missed them."),
        (None, 1.0, "even the lowest load missed the SLOs."),
        (8.0, None, "8, the highest load, met the SLOs; raise high=."),
    ],
)
def test_result_of_a_search_is_described(best: float | None, beyond: float | None, outcome: str) -> None:
    sentence = tables.format_search({**SEARCH, "best": best, "beyond": beyond})
    assert sentence == f"search:rate,low=1,high=8: {outcome}"


@pytest.mark.parametrize(
    ("best", "beyond", "outcome"),
    [
        (None, 1.0, "no load could be judged; measure longer"),
        (None, 2.0, "2 missed the SLOs, and lower loads could not be judged; measure longer"),
        (0.5, 1.0, "0.5 met the SLOs, 1 could not be judged; measure longer"),
    ],
)
def test_inconclusive_loads_of_a_search_are_named(best: float | None, beyond: float, outcome: str) -> None:
    tried = [{"value": 1.0, "met": [None] * 3}, {"value": 2.0, "met": [False]}]
    assert outcome in tables.format_search({**SEARCH, "best": best, "beyond": beyond, "tried": tried})


def test_terminal_shows_searches_metrics_and_the_interruption(summaries: list[Summary]) -> None:
    accuracy = [{"metric": "wer", "value": 0.05, "low": 0.04, "high": 0.06, "scored": 294}]
    document = {"points": [{**summaries[1], "accuracy": accuracy}], "searches": [SEARCH], "interrupted": True}
    text = tables.format_measurement(document)
    assert "search:rate,low=1,high=8: 4 met the SLOs, 5 missed them." in text
    assert "constant:10: wer 0.05 (0.04 … 0.06) over 294 answers." in text
    assert text.endswith("Interrupted: only what was measured before the interruption is shown.")


# --- CSV ------------------------------------------------------------------------------


def test_csv_has_a_row_per_point(summaries: list[Summary]) -> None:
    rows = read_csv(tables.render_csv(summaries))
    assert [row["load"] for row in rows] == ["constant:5", "constant:10", "constant:20"]
    assert float(rows[1]["offered_rate"]) == pytest.approx(10)
    assert float(rows[1]["ttft_s_p50"]) == pytest.approx(0.099)
    assert rows[1]["failed"] == "6"
    assert rows[1]["req_s_low"] != ""


def test_unknown_values_are_empty_in_csv(summaries: list[Summary]) -> None:
    row = read_csv(tables.render_csv(summaries))[0]
    assert row["ttfa_s_p50"] == ""
    assert row["ttfa_s_n"] == "0"
    assert row["slo_met"] == ""


def test_csv_always_has_all_columns(summaries: list[Summary]) -> None:
    columns = set(read_csv(tables.render_csv(summaries))[0])
    assert {f"{name}_p99" for name in REQUEST_DEFINITIONS} | set(RUN_DEFINITIONS) <= columns
    assert set(tables.flatten_summary(summaries[0])) <= columns

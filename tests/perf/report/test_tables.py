import re
import shlex
from dataclasses import replace

import pytest

from auricle.perf.report import tables
from auricle.perf.summary import summarise
from auricle.runs.perf_files import (
    Accuracy,
    LoadPointSummary,
    PerfManifest,
    RunMeasure,
    SearchResult,
    TriedValue,
    Validity,
)
from tests.perf.report.conftest import build_point, build_request, build_summary

SEARCH = SearchResult("search:rate,low=1,high=8", 4.0, 5.0)


# --- terminal -------------------------------------------------------------------------


def test_every_load_point_is_a_row(summaries: list[LoadPointSummary]) -> None:
    lines = tables.format_points(summaries)
    assert [line.split()[0] for line in lines[3:6]] == ["constant:5", "constant:10", "constant:20"]
    assert " 292 " in lines[3]
    assert "0.299" in lines[3]


def test_columns_are_aligned_with_their_titles(summaries: list[LoadPointSummary]) -> None:
    lines = tables.format_points(summaries)[:6]
    ends = [match.end() for match in re.finditer("─+", lines[2])]
    assert all(len(line) <= ends[-1] for line in lines)
    assert all(line[end : end + 2].strip() == "" for line in lines for end in ends)


def test_columns_without_numbers_are_left_out(summaries: list[LoadPointSummary]) -> None:
    header = " ".join(tables.build_overview(summaries).titles)
    assert "TTFT p50" in header
    assert "first audio" not in header
    assert "goodput" not in header


def test_closed_loop_has_no_columns_of_due_times() -> None:
    summary, _ = build_point("closed:4", closed=True)
    header = tables.build_overview([summary]).titles
    assert not {"offered/s", "sent/s", "from due p99, s"} & set(header)


def test_narrow_terminal_has_fewer_columns(summaries: list[LoadPointSummary]) -> None:
    lines = tables.format_points(summaries, width=80)[:6]
    assert max(map(len, lines)) <= 80
    assert "latency" in lines[0]


def test_reasons_of_an_invalid_point_are_listed(summaries: list[LoadPointSummary]) -> None:
    invalid = replace(summaries[0], validity=Validity(False, ("It was late.",)))
    lines = tables.format_points([invalid])
    assert lines[3].split()[1] == "no"
    assert "constant:5 is not valid: It was late." in lines


def test_failures_are_listed_with_an_example(summaries: list[LoadPointSummary]) -> None:
    (line,) = [line for line in tables.format_points(summaries[:1]) if "failed with" in line]
    assert line == "constant:5: 6 failed with Transient: 503 | <busy>"


def test_slos_are_listed_with_their_outcome() -> None:
    summary, _ = build_point(slos="p95(ttft_s)<0.05,latency_s<1,req_s>1")
    sentences = tables.format_slos(summary)
    assert sentences[0] == "p95(ttft_s)<0.05 was not met: 0.099."
    assert sentences[1] == "latency_s<1 per request: 98 % of the requests met all per-request SLOs."
    assert sentences[2].startswith("req_s>1 was met: ")


def test_slos_that_cannot_be_judged_say_why() -> None:
    summary, _ = build_point(slos="p99(latency_s)<1,ttfa_s<1,cost_hour<1", count=40)
    sentences = tables.format_slos(summary)
    assert sentences[0].startswith("p99(latency_s)<1 cannot be judged: too few requests for p99 (n = ")
    assert sentences[1] == "ttfa_s<1 cannot be judged: ttfa_s is unknown (no audio was received)."
    assert sentences[2].startswith("cost_hour<1 cannot be judged: cost_hour is unknown (no price is set")
    assert summary.run["goodput_req_s"].value is None
    failed, _ = build_point(slos="ttfa_s<1", count=60)  # a failed request can be judged
    assert failed.slo
    assert failed.slo.requests
    assert f"; {failed.slo.requests.not_evaluable} could not be judged" in tables.format_slos(failed)[0]


def test_withheld_percentiles_are_named_with_the_loads_that_lack_requests() -> None:
    points = [build_point(f"constant:{count}", count=count)[0] for count in (300, 60, 40)]
    (sentence,) = tables.describe_series(build_summary(points))
    few = {point.load: point.measures["latency_s"].n for point in points[1:]}
    assert sentence == (
        f"p99 is withheld below 100 successful requests: constant:60 ({few['constant:60']}),"
        f" constant:40 ({few['constant:40']})."
    )
    assert sentence in tables.format_measurement(build_summary(points))


def test_measurement_without_points_is_one_sentence() -> None:
    assert tables.format_points([]) == ["No load point was measured."]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "", "–"),
        (0.0, "s", "0"),
        (0.00001, "s", "<0.001"),
        (-0.00001, "s", ">-0.001"),
        (0.01234, "s", "0.0123"),
        (1234.5, "", "1,234"),
        (0.975, "share", "97.5 %"),
    ],
)
def test_numbers_have_three_digits(value: float | None, unit: str, text: str) -> None:
    assert tables.format_number(value, unit) == text


def test_window_is_described_in_one_sentence(summaries: list[LoadPointSummary]) -> None:
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
    sentence = tables.format_search(replace(SEARCH, best=best, beyond=beyond))
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
    tried = (TriedValue(1.0, (None, None, None)), TriedValue(2.0, (False,)))
    assert outcome in tables.format_search(replace(SEARCH, best=best, beyond=beyond, tried=tried))


def test_terminal_shows_searches_metrics_and_the_interruption(summaries: list[LoadPointSummary]) -> None:
    accuracy = Accuracy("wer", 0.05, 0.04, 0.06, 294, 300, False, "wer:1", "share")
    summary = build_summary([replace(summaries[1], accuracy=(accuracy,))])
    text = tables.format_measurement(replace(summary, searches=(SEARCH,), interrupted=True))
    assert "search:rate,low=1,high=8: 4 met the SLOs, 5 missed them." in text
    assert "constant:10: WER 5 % (4 % … 6 %) over 294 answers." in text
    assert text.endswith("is shown. Run the same command to continue.")


def test_first_metric_and_cost_are_columns_of_the_load_points_that_have_them(summaries: list[LoadPointSummary]) -> None:
    accuracies = [Accuracy(name, 0.05, 0.04, 0.06, 9, 9, False, "", "share") for name in ("wer", "cer")]
    run = summaries[1].run | {"cost_audio_hour": RunMeasure(0.25), "cost_1k_requests": RunMeasure(3.0)}
    priced = replace(summaries[1], accuracy=tuple(accuracies), run=run, currency="USD")
    table = tables.build_overview([summaries[0], priced])
    assert table.titles[-2:] == ["WER", "USD/h audio"]
    assert [row[-2:] for row in table.rows] == [["–", "–"], ["5 %", "0.25"]]
    assert len(table.definitions) == len(table.titles)
    assert "WER" not in tables.build_overview(summaries).titles


def test_mean_sizes_of_requests_are_stated(summaries: list[LoadPointSummary]) -> None:
    (sentence,) = tables.format_sizes(summaries[0])
    assert sentence.startswith("Mean per request (5th and 95th percentile): 7 input tokens (7 … 7), 3 output tokens")
    assert "s of audio sent" in sentence
    assert "received" not in sentence


def test_turns_and_conversations_are_counted_separately() -> None:
    requests = [build_request(index, turn=turn) for index in range(60) for turn in range(3)]
    point = summarise(requests, "constant:10", window_kind="all")
    table = tables.build_overview([point])
    assert table.titles[:5] == ["load", "valid", "chats ok", "turns ok", "turns failed"]
    assert table.rows[0][2:5] == ["59", "177", "3"]
    assert "180 turns in" in tables.describe_window(point)
    assert "60 conversations: 59 succeeded, 1 failed, 0 were cancelled." in tables.describe_window(point)


def test_command_can_be_pasted(summaries: list[LoadPointSummary]) -> None:
    command = ("perf", "my data.jsonl", "--slo", "p95(ttft_s)<0.3", "-M", "model=a b")
    summary = replace(build_summary(summaries), about=PerfManifest(spec={}, wanted={}, command=command))
    assert shlex.split(tables.format_command(summary)) == ["auricle", *command]


def test_unknown_facts_are_left_out(summaries: list[LoadPointSummary]) -> None:
    about = PerfManifest(spec={}, wanted={"seed": 3}, created="today", command=("perf", "speech"))
    facts = tables.list_facts(replace(build_summary(summaries), about=about))
    assert facts == [("Created", "today"), ("Seed", "3"), ("Command", "auricle perf speech")]


def test_overview_can_be_limited_to_the_most_important_columns(summaries: list[LoadPointSummary]) -> None:
    titles = tables.build_overview(summaries, max_columns=3).titles
    assert titles[:4] == ["load", "valid", "ok", "failed"]
    assert len(titles) < len(tables.build_overview(summaries).titles)
    assert "latency p99, s" in titles

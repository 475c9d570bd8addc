from dataclasses import replace

from auricle.perf.report.headline import choose_headline
from auricle.runs.perf_files import LoadPointSummary, Validity
from tests.perf.report.conftest import build_point


def invalidate(point: LoadPointSummary) -> LoadPointSummary:
    return replace(point, validity=Validity(False, ("It was late.",)))


def test_best_valid_load_within_the_slos_comes_first() -> None:
    slow, good, late = (build_point(f"constant:{rate}", "p95(latency_s)<1", rate=rate)[0] for rate in (5, 10, 20))
    headline = choose_headline([slow, good, invalidate(late)])
    assert headline.title == "Best load within the SLOs"
    assert headline.figure == "9.83/s"
    assert headline.detail == "at constant:10 (p95(latency_s)<1)"


def test_missed_slos_leave_no_best_load() -> None:
    point, _ = build_point("constant:5", "p95(latency_s)<0.1", rate=5)
    expected = "Best load within the SLOs: – no valid load point met them (p95(latency_s)<0.1)."
    assert str(choose_headline([point])) == expected


def test_slos_that_no_load_can_be_judged_by_are_not_called_missed() -> None:
    point, _ = build_point("constant:5", "p99.9(latency_s)<1", rate=5)
    assert choose_headline([point]).detail.startswith("no load point could be judged: too few requests for p99.9")
    missed, _ = build_point("constant:10", "p95(latency_s)<0.1")
    assert choose_headline([point, missed]).detail.startswith("no valid load point met them")


def test_without_slos_the_highest_valid_throughput_comes_first(summaries: list[LoadPointSummary]) -> None:
    assert choose_headline(summaries).detail == "at constant:20"
    assert choose_headline([*summaries[:2], invalidate(summaries[2])]).detail == "at constant:10"
    assert choose_headline([invalidate(point) for point in summaries]).detail == "no load point is valid"


def test_single_point_is_described_by_its_time_to_first_token(summaries: list[LoadPointSummary]) -> None:
    assert choose_headline(summaries[:1])[:2] == ("Median time to first token", "0.099 s")


def test_measurement_without_points_has_no_result() -> None:
    assert choose_headline([]).title == "No result"

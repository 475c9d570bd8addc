"""Compute all numbers of a load point from its recorded requests, and their variation between repeats of a load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from statistics import fmean, stdev
from typing import Any, cast

import numpy as np

from auricle.perf.breakdowns import (
    compute_breakdowns,
    count_conversations,
    count_finish_reasons,
    count_repeats,
    count_statuses,
    count_timeouts,
    summarise_failures,
)
from auricle.perf.intervals import IntervalEstimator
from auricle.perf.load_patterns import Load
from auricle.perf.load_syntax import parse_load
from auricle.perf.measures import (
    COST_MEASURES,
    POOLED_MEASURES,
    REQUEST_DEFINITIONS,
    RUN_DEFINITIONS,
    compute_measures,
    get_pooled_values,
)
from auricle.perf.percentiles import METHOD, describe_values
from auricle.perf.request_records import Floats, Mask, RequestColumns, RequestRecord
from auricle.perf.saturation import assess_saturation
from auricle.perf.server_metrics import ServerSamples, compute_server_measures
from auricle.perf.serving_cost import Pricing
from auricle.perf.slo import (
    DEFAULT_ATTAINMENT,
    Measures,
    RunMeasures,
    Slo,
    SloOutcomes,
    evaluate_requests,
    evaluate_run,
)
from auricle.perf.validity import collect_notes, find_invalid_reasons
from auricle.perf.windows import (
    Window,
    WindowKind,
    accumulate_at,
    choose_window,
    compute_achieved_rate,
    compute_cumulative_amounts,
    compute_offered_rate,
    count_in_flight,
)
from auricle.runs.perf_files import (
    LoadPointSummary,
    MeasureStatistics,
    RepeatedLoad,
    RepeatedNumber,
    RequestCounts,
    RunMeasure,
    SenderHealth,
    SloRequests,
    SloResult,
    SloSummary,
    Validity,
    WindowSummary,
)

REPEATED_STATISTICS = (
    *(("req_s", ""), ("tok_out_s", ""), ("audio_in_x", ""), ("audio_out_x", "")),
    *(("ttft_s", "p50"), ("ttft_s", "p95"), ("ttfa_s", "p50"), ("ttfa_s", "p95")),
    *(("latency_s", "p50"), ("latency_s", "p95"), ("sched_latency_s", "p95")),
)
"""Pairs of measure and statistic; run measures have no statistic."""


@dataclass(frozen=True, slots=True)
class _LoadPoint:
    """A load point and the inputs of its numbers."""

    columns: RequestColumns
    measures: Mapping[str, Floats]
    load: Load
    health: SenderHealth
    slos: tuple[Slo, ...]
    window: Window
    in_window: Mask
    """Requests of the measured phase that started in the window."""
    estimator: IntervalEstimator
    pricing: Pricing | None
    server: ServerSamples | None = None

    @property
    def has_request_slos(self) -> bool:
        return any(slo.is_per_request for slo in self.slos)

    def count_requests(self) -> RequestCounts:
        columns, phase = self.columns, self.columns.categorical["phase"]
        return RequestCounts(
            all=count_statuses(columns, np.ones(len(columns), dtype=bool)),
            by_phase={name: count_statuses(columns, phase.equals(name)) for name in phase.categories},
            window=count_statuses(columns, self.in_window),
            never_sent=int(np.isnan(columns["sent"]).sum()),
            conversations=count_conversations(columns, self.in_window),
        )


def summarise(  # noqa: PLR0913 - the inputs of a load point
    records: RequestColumns | Iterable[RequestRecord | Mapping[str, Any]],
    load: Load | str,
    health: SenderHealth | None = None,
    slos: Sequence[Slo] = (),
    window_kind: WindowKind = "steady",
    pricing: Pricing | None = None,
    server: ServerSamples | None = None,
) -> LoadPointSummary:
    """Summarise a load point: counts, measures with intervals, rates, SLOs and validity.

    Args:
        records: The requests of the load point.
        load: The load, or its name.
        health: What the senders measured about themselves.
        slos: SLOs to evaluate.
        window_kind: `steady` for the steady window, if there is one, or `all`.
        pricing: Prices from which costs are computed.
        server: What was read from the server while the load point ran.
    """
    columns = records if isinstance(records, RequestColumns) else RequestColumns.from_records(records)
    load = parse_load(load) if isinstance(load, str) else load
    measures = compute_measures(columns)
    window = choose_window(columns, measures["latency_s"], load, window_kind)
    rows = window.select_requests(columns)
    estimator = IntervalEstimator(columns, window, load)
    health = health or SenderHealth()
    point = _LoadPoint(columns, measures, load, health, tuple(slos), window, rows, estimator, pricing, server)
    summary = _summarise_point(point)
    reasons = tuple(find_invalid_reasons(summary, load, _count_slow_cancelled(point)))
    notes = tuple(collect_notes(summary, load))
    return cast(LoadPointSummary, round_floats(replace(summary, validity=Validity(not reasons, reasons), notes=notes)))


def _summarise_point(point: _LoadPoint) -> LoadPointSummary:
    """Compute the numbers of a load point; its validity and notes depend on them."""
    columns, rows, window = point.columns, point.in_window, point.window
    slo_outcomes = evaluate_requests(point.slos, columns, point.measures)
    measures, run = _summarise_measures(point), _summarise_run(point, slo_outcomes)
    requests = int(rows.sum())
    return LoadPointSummary(
        load=str(point.load),
        window=WindowSummary(window.kind, window.start, window.end, window.length, requests, window.not_steady_reason),
        counts=point.count_requests(),
        measures=measures,
        run=run,
        validity=Validity(True),
        saturation=assess_saturation(columns, point.measures, window),
        repeats=count_repeats(columns),
        slo=_summarise_slos(point, slo_outcomes, measures, run) if point.slos else None,
        breakdowns=compute_breakdowns(columns, point.measures, rows),
        finish=count_finish_reasons(columns, rows),
        failures=summarise_failures(columns, rows),
        health=point.health,
        currency=point.pricing.price.currency if point.pricing else None,
        method=METHOD,
    )


def round_floats(value: Any) -> Any:
    """Round every float in a document to seven significant digits; finer ones are rounding noise."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {name: round_floats(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: round_floats(getattr(value, field.name)) for field in fields(value)})
    return type(value)(map(round_floats, value)) if isinstance(value, list | tuple) else value


def _summarise_measures(point: _LoadPoint) -> dict[str, MeasureStatistics]:
    """Describe the measures of the successful requests in the window."""
    succeeded = point.in_window & point.columns.ok
    summary = {}
    for name in REQUEST_DEFINITIONS:
        if name in POOLED_MEASURES:
            summary[name] = _summarise_pooled(point, succeeded, name)
            continue
        values = point.measures[name]
        summary[name] = point.estimator.add_intervals(describe_values(values[succeeded]), values[point.in_window])
    return summary


def _summarise_pooled(point: _LoadPoint, succeeded: Mask, name: str) -> MeasureStatistics:
    gaps = get_pooled_values(point.columns, name)
    values = gaps.pool_rows(succeeded)
    counts = np.where(succeeded, gaps.counts, 0)[point.in_window]
    row_indices = np.repeat(np.arange(len(counts)), counts)
    statistics = replace(describe_values(values), undefined=int((gaps.counts[succeeded] == 0).sum()))
    return point.estimator.add_intervals(statistics, values, row_indices)


def _summarise_run(point: _LoadPoint, slo_outcomes: SloOutcomes) -> dict[str, RunMeasure]:
    """Compute the run measures, by the names of `RUN_DEFINITIONS`."""
    window, rows = point.window, point.in_window
    in_flight = count_in_flight(point.columns)
    counts = count_statuses(point.columns, rows)
    finished = counts.ok + counts.failed
    audio_seconds = point.columns["audio_seconds"][rows & point.columns.ok]
    rates = _summarise_rates(point, slo_outcomes)
    values = {
        "window_s": window.length,
        "in_flight_mean": in_flight.mean(window.start, window.end),
        "in_flight_max": in_flight.maximum(window.start, window.end),
        "offered_rate": compute_offered_rate(point.columns, rows),
        "achieved_rate": compute_achieved_rate(point.columns, rows),
        "late_p99_s": _compute_late_p99(point),
        "slo_attainment": slo_outcomes.select(rows).attainment if point.has_request_slos else None,
        "failed_share": counts.failed / finished if finished else None,
        "timeout_share": count_timeouts(point.columns, rows) / finished if finished else None,
        "audio_hours": None if np.isnan(audio_seconds).all() else float(np.nansum(audio_seconds)) / 3600,
        **(point.pricing.compute_costs(rates) if point.pricing else dict.fromkeys(COST_MEASURES)),
        **compute_server_measures(point.server, window, {name: rate.value for name, rate in rates.items()}),
    }
    return {name: rates[name] if name in rates else RunMeasure(values[name]) for name in RUN_DEFINITIONS}


def _summarise_rates(point: _LoadPoint, slo_outcomes: SloOutcomes) -> dict[str, RunMeasure]:
    columns, window = point.columns, point.window
    done = columns["done"][slo_outcomes.met]
    amounts = compute_cumulative_amounts(columns)
    has_goodput = point.has_request_slos and (slo_outcomes.met.any() or not slo_outcomes.not_evaluable.any())
    amounts["goodput_req_s"] = accumulate_at(done, np.ones(len(done))) if has_goodput else None
    rates: dict[str, RunMeasure] = {}
    for name, amount in amounts.items():
        if amount is None or not window.length:
            rates[name] = RunMeasure(None)
            continue
        start, end = amount(np.array([window.start, window.end]))
        rates[name] = point.estimator.estimate_rate(float(end - start) / window.length, amount)
    return rates


def _compute_late_p99(point: _LoadPoint) -> float | None:
    """Return what the senders measured; without that, and without a cap, the percentile of sent - due."""
    if not point.load.has_schedule:
        return None
    if point.health.late_p99_s is not None:
        return point.health.late_p99_s
    delays = (point.columns["sent"] - point.columns["due"])[point.in_window]
    delays = delays[~np.isnan(delays)]
    return None if point.load.cap or not len(delays) else float(np.percentile(delays, 99))


def _count_slow_cancelled(point: _LoadPoint) -> int:
    """Count requests cancelled after a longer wait than 95 % of the successful ones: the slowest, not measured."""
    waits = point.columns["done"] - point.columns.start_times
    successful_waits = waits[point.in_window & point.columns.ok]
    if not len(successful_waits):
        return 0
    cancelled = point.in_window & point.columns.categorical["status"].equals("cancelled")
    return int((waits[cancelled] > np.percentile(successful_waits, 95)).sum())


def _summarise_slos(point: _LoadPoint, slo_outcomes: SloOutcomes, measures: Measures, run: RunMeasures) -> SloSummary:
    """Summarise the SLOs and whether they were met."""
    requests = None
    if point.has_request_slos:
        in_window = slo_outcomes.select(point.in_window)
        requests = SloRequests(
            met=int(in_window.met.sum()),
            missed=int(in_window.missed.sum()),
            not_evaluable=int(in_window.not_evaluable.sum()),
            cancelled=count_statuses(point.columns, point.in_window).cancelled,
        )
    results = tuple(_summarise_slo(point, slo, measures, run) for slo in point.slos)
    return SloSummary(evaluate_run(point.slos, measures, run), results, requests)


def _summarise_slo(point: _LoadPoint, slo: Slo, measures: Measures, run: RunMeasures) -> SloResult:
    """Summarise one SLO; the value of a per-request SLO is the share of requests that met it."""
    if slo.is_per_request:
        value = evaluate_requests([slo], point.columns, point.measures).select(point.in_window).attainment
        of, met = "request", DEFAULT_ATTAINMENT.is_met_by(value)
    else:
        value = slo.read_value(measures, run)
        of, met = "run", slo.is_met_by(value)
    return SloResult(str(slo), of, value, met, slo.explain_missing_value(measures) if met is None else "")


# --- repeats ------------------------------------------------------------------------------


def summarise_repeats(points: Sequence[LoadPointSummary]) -> tuple[RepeatedLoad, ...]:
    """Compute mean, deviation, minimum and maximum of each number, for every load that ran more than once."""
    points_by_load: dict[str, list[LoadPointSummary]] = {}
    for point in points:
        points_by_load.setdefault(point.load, []).append(point)
    return tuple(
        RepeatedLoad(load, len(repeats), dict(_repeat_statistics(repeats)))
        for load, repeats in points_by_load.items()
        if len(repeats) > 1
    )


def _repeat_statistics(points: Sequence[LoadPointSummary]) -> Iterator[tuple[str, RepeatedNumber]]:
    for name, statistic in REPEATED_STATISTICS:
        values = [value for point in points if (value := point.read(name, statistic).value) is not None]
        if len(values) == len(points):
            number = RepeatedNumber(tuple(values), fmean(values), stdev(values), min(values), max(values))
            yield f"{name} {statistic}".strip(), number

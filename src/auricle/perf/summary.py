"""Compute all numbers of a load point from its recorded requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from auricle.perf.breakdowns import (
    compute_breakdowns,
    count_finish_reasons,
    count_repeats,
    count_statuses,
    count_timeouts,
    summarise_failures,
)
from auricle.perf.cumulative import accumulate_at, compute_cumulative_amounts
from auricle.perf.load_patterns import Load
from auricle.perf.load_syntax import parse_load
from auricle.perf.measure_definitions import COST_MEASURES, POOLED_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.percentiles import METHOD, BlockBootstrap, describe_values
from auricle.perf.request_columns import Floats, Mask, RaggedArray, RequestColumns
from auricle.perf.request_measures import compute_measures, get_pooled_values
from auricle.perf.request_record import RequestRecord
from auricle.perf.saturation import assess_saturation
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
from auricle.perf.validity import Evidence, collect_notes, find_invalid_reasons
from auricle.perf.windows import (
    Window,
    WindowKind,
    choose_window,
    compute_achieved_rate,
    compute_offered_rate,
    count_in_flight,
)
from auricle.runs.perf_files import (
    LoadPointSummary,
    RequestCounts,
    RunMeasure,
    SenderHealth,
    SloRequests,
    SloResult,
    SloSummary,
    Validity,
    WindowSummary,
)


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
    bootstrap: BlockBootstrap
    pricing: Pricing | None


def summarise(
    records: RequestColumns | Iterable[RequestRecord | Mapping[str, Any]],
    load: Load | str,
    health: SenderHealth | None = None,
    slos: Sequence[Slo] = (),
    window_kind: WindowKind = "steady",
    pricing: Pricing | None = None,
) -> LoadPointSummary:
    """Summarise a load point: counts, measures with intervals, rates, SLOs and validity.

    Args:
        records: The requests of the load point.
        load: The load, or its name.
        health: What the senders measured about themselves.
        slos: SLOs to evaluate.
        window_kind: `steady` for the steady window, if there is one, or `all`.
        pricing: Prices from which costs are computed.
    """
    point = _build_point(records, load, health or SenderHealth(), tuple(slos), window_kind, pricing)
    columns, rows = point.columns, point.in_window
    slo_outcomes = evaluate_requests(point.slos, columns, point.measures)
    measures, run = _summarise_measures(point), _summarise_run(point, slo_outcomes)
    evidence = _collect_evidence(point, measures, run)
    reasons = tuple(find_invalid_reasons(evidence))
    summary = LoadPointSummary(
        load=str(point.load),
        window=_summarise_window(point),
        counts=_count_requests(point),
        measures=measures,
        run=run,
        validity=Validity(not reasons, reasons),
        notes=tuple(collect_notes(evidence)),
        saturation=evidence.saturation,
        repeats=evidence.repeats,
        slo=_summarise_slos(point, slo_outcomes, measures, run) if point.slos else None,
        breakdowns=compute_breakdowns(columns, point.measures, rows),
        finish=count_finish_reasons(columns, rows),
        failures=summarise_failures(columns, rows),
        health=point.health,
        currency=point.pricing.price.currency if point.pricing else None,
        method=METHOD,
    )
    return cast(LoadPointSummary, _round_floats(summary))


def _round_floats(value: Any) -> Any:
    """Round every float in a document to seven significant digits; finer ones are rounding noise."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {name: _round_floats(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _round_floats(getattr(value, field.name)) for field in fields(value)})
    return type(value)(map(_round_floats, value)) if isinstance(value, list | tuple) else value


def _build_point(
    records: RequestColumns | Iterable[RequestRecord | Mapping[str, Any]],
    load: Load | str,
    health: SenderHealth,
    slos: tuple[Slo, ...],
    window_kind: WindowKind,
    pricing: Pricing | None,
) -> _LoadPoint:
    columns = records if isinstance(records, RequestColumns) else RequestColumns.from_records(records)
    parsed_load = parse_load(load) if isinstance(load, str) else load
    measures = compute_measures(columns)
    latency = measures["latency_s"]
    window = choose_window(columns, latency, parsed_load, window_kind)
    rows = window.select_requests(columns)
    defined = latency[rows & ~np.isnan(latency)]
    bootstrap = BlockBootstrap(window, columns.start_times[rows], float(defined.mean()) if len(defined) else 0.0)
    return _LoadPoint(columns, measures, parsed_load, health, slos, window, rows, bootstrap, pricing)


def _summarise_window(point: _LoadPoint) -> WindowSummary:
    window, requests = point.window, int(point.in_window.sum())
    return WindowSummary(window.kind, window.start, window.end, window.length, requests, window.not_steady_reason)


def _count_requests(point: _LoadPoint) -> RequestCounts:
    columns, phase = point.columns, point.columns.categorical["phase"]
    return RequestCounts(
        all=count_statuses(columns, np.ones(len(columns), dtype=bool)),
        by_phase={name: count_statuses(columns, phase.equals(name)) for name in phase.categories},
        window=count_statuses(columns, point.in_window),
        never_sent=int(np.isnan(columns["sent"]).sum()),
    )


def _summarise_measures(point: _LoadPoint) -> dict[str, dict[str, Any]]:
    """Describe the measures of the successful requests in the window."""
    succeeded = point.in_window & point.columns.ok
    summary = {}
    for name in REQUEST_DEFINITIONS:
        if name in POOLED_MEASURES:
            summary[name] = _summarise_pooled(point, succeeded, get_pooled_values(point.columns, name))
            continue
        values = point.measures[name]
        summary[name] = describe_values(values[succeeded])
        summary[name]["intervals"] = point.bootstrap.value_intervals(values[point.in_window])
    return summary


def _summarise_pooled(point: _LoadPoint, succeeded: Mask, gaps: RaggedArray) -> dict[str, Any]:
    values = gaps.pool_rows(succeeded)
    summary = describe_values(values)
    summary["undefined"] = int((gaps.counts[succeeded] == 0).sum())
    counts = np.where(succeeded, gaps.counts, 0)[point.in_window]
    row_indices = np.repeat(np.arange(len(counts)), counts)
    summary["intervals"] = point.bootstrap.value_intervals(values, row_indices)
    return summary


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
        "slo_attainment": _compute_attainment(point, slo_outcomes),
        "failed_share": counts.failed / finished if finished else None,
        "timeout_share": count_timeouts(point.columns, rows) / finished if finished else None,
        "audio_hours": None if np.isnan(audio_seconds).all() else float(np.nansum(audio_seconds)) / 3600,
        **(point.pricing.compute_costs(rates) if point.pricing else dict.fromkeys(COST_MEASURES)),
    }
    return {name: rates[name] if name in rates else RunMeasure(values[name]) for name in RUN_DEFINITIONS}


def _summarise_rates(point: _LoadPoint, slo_outcomes: SloOutcomes) -> dict[str, RunMeasure]:
    columns, window = point.columns, point.window
    done = columns["done"][slo_outcomes.met]
    amounts = compute_cumulative_amounts(columns)
    amounts["goodput_req_s"] = accumulate_at(done, np.ones(len(done))) if _has_request_slos(point) else None
    rates: dict[str, RunMeasure] = {}
    for name, amount in amounts.items():
        if amount is None or not window.length:
            rates[name] = RunMeasure(None)
            continue
        start, end = amount(np.array([window.start, window.end]))
        rates[name] = RunMeasure(float(end - start) / window.length, point.bootstrap.rate_interval(amount))
    return rates


def _has_request_slos(point: _LoadPoint) -> bool:
    return any(slo.is_per_request for slo in point.slos)


def _compute_late_p99(point: _LoadPoint) -> float | None:
    """Return what the senders measured; without that, and without a cap, the percentile of sent - due."""
    if not point.load.has_schedule:
        return None
    if point.health.late_p99_s is not None:
        return point.health.late_p99_s
    delays = (point.columns["sent"] - point.columns["due"])[point.in_window]
    delays = delays[~np.isnan(delays)]
    return None if point.load.cap or not len(delays) else float(np.percentile(delays, 99))


def _compute_attainment(point: _LoadPoint, slo_outcomes: SloOutcomes) -> float | None:
    if not _has_request_slos(point):
        return None
    return slo_outcomes.select(point.in_window).attainment


def _collect_evidence(point: _LoadPoint, measures: Measures, run: RunMeasures) -> Evidence:
    return Evidence(
        load=point.load,
        health=point.health,
        window=point.window,
        run=run,
        measures=measures,
        counts=count_statuses(point.columns, point.in_window),
        repeats=count_repeats(point.columns),
        slow_cancelled=_count_slow_cancelled(point),
        saturation=assess_saturation(point.columns, point.measures, point.window),
    )


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
    in_window = slo_outcomes.select(point.in_window)
    met, missed, not_evaluable = (
        int(mask.sum()) for mask in (in_window.met, in_window.missed, in_window.not_evaluable)
    )
    requests = SloRequests(met, missed, not_evaluable, count_statuses(point.columns, point.in_window).cancelled)
    return SloSummary(
        met=evaluate_run(point.slos, measures, run),
        promises=tuple(_summarise_slo(point, slo, measures, run) for slo in point.slos),
        requests=requests if _has_request_slos(point) else None,
    )


def _summarise_slo(point: _LoadPoint, slo: Slo, measures: Measures, run: RunMeasures) -> SloResult:
    """Summarise one SLO; the value of a per-request SLO is the share of requests that met it."""
    if not slo.is_per_request:
        value = slo.read_value(measures, run)
        return SloResult(str(slo), "run", value, slo.is_met_by(value))
    share = evaluate_requests([slo], point.columns, point.measures).select(point.in_window).attainment
    return SloResult(str(slo), "request", share, DEFAULT_ATTAINMENT.is_met_by(share))

"""All numbers of a load point, from its exchanges alone; any of them can be had again.

summarise(exchanges, load, health, slos, window) -> dict      JSON, with its own definitions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from auricle.perf.definitions import COST_MEASURES, POOLED_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.health import SenderHealth
from auricle.perf.loads import ClosedLoop, Load, parse_loads
from auricle.perf.measures import compute_measures, get_pooled_values
from auricle.perf.pricing import Pricing
from auricle.perf.request_columns import Floats, Mask, RaggedArray, RequestColumns
from auricle.perf.request_record import RequestRecord
from auricle.perf.saturation import assess_saturation
from auricle.perf.slo import DEFAULT_ATTAINMENT, Slo, SloOutcomes, evaluate_requests, evaluate_run
from auricle.perf.statistics import METHOD, BlockBootstrap, describe_values
from auricle.perf.validity import Evidence, collect_notes, find_invalid_reasons
from auricle.perf.windows import (
    Window,
    WindowKind,
    choose_window,
    compute_achieved_rate,
    compute_offered_rate,
    count_in_flight,
)

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class _LoadPoint:
    """A load point with all that its numbers are made from."""

    columns: RequestColumns
    measures: Mapping[str, Floats]
    load: Load
    health: SenderHealth
    slos: tuple[Slo, ...]
    window: Window
    in_window: Mask
    """Measured requests that began in the window."""
    bootstrap: BlockBootstrap
    pricing: Pricing | None


def summarise(
    records: RequestColumns | Iterable[RequestRecord | Mapping[str, Any]],
    load: Load | str,
    health: SenderHealth | None = None,
    slos: Sequence[Slo] = (),
    window_kind: WindowKind = "steady",
    pricing: Pricing | None = None,
) -> dict[str, Any]:
    """Counts, measures with intervals, rates, promises kept, and whether to believe them."""
    point = _build_point(records, load, health or SenderHealth(), tuple(slos), window_kind, pricing)
    found = {
        "schema": SCHEMA,
        "load": str(point.load),
        "window": _window_to_dict(point),
        "counts": _count_requests(point),
        "measures": _summarise_measures(point),
    }
    judged = evaluate_requests(point.slos, point.columns, point.measures)
    found["run"] = _summarise_run(point, judged)
    found |= _assess_validity(point, found)
    found["slo"] = _summarise_slos(point, judged, found)
    rows = point.in_window
    found["breakdowns"] = compute_breakdowns(point.columns, point.measures, rows)
    found["finish"] = count_finish_reasons(point.columns, rows)
    found["failures"] = summarise_failures(point.columns, rows)
    found["health"] = point.health.to_dict()
    found["currency"] = point.pricing.price.currency if point.pricing else None
    found["method"] = METHOD
    found["definitions"] = {name: each._asdict() for name, each in {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}.items()}
    tidied: dict[str, Any] = _round_floats(found)
    return tidied


def _round_floats(value: Any) -> Any:
    """Seven digits of every number: what is finer is the noise of subtracting."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {name: _round_floats(each) for name, each in value.items()}
    return [_round_floats(each) for each in value] if isinstance(value, list) else value


def _build_point(
    records: RequestColumns | Iterable[RequestRecord | Mapping[str, Any]],
    load: Load | str,
    health: SenderHealth,
    slos: tuple[Slo, ...],
    window_kind: WindowKind,
    pricing: Pricing | None,
) -> _LoadPoint:
    columns = records if isinstance(records, RequestColumns) else RequestColumns.from_records(records)
    loaded = parse_loads(load)[0] if isinstance(load, str) else load
    values = compute_measures(columns)
    latency = values["latency_s"]
    window = choose_window(columns, latency, loaded, window_kind)
    rows = window.select_requests(columns)
    known = latency[rows & ~np.isnan(latency)]
    blocks = BlockBootstrap(window, columns.start_times[rows], float(known.mean()) if len(known) else 0.0)
    return _LoadPoint(columns, values, loaded, health, slos, window, rows, blocks, pricing)


def _window_to_dict(point: _LoadPoint) -> dict[str, Any]:
    window = point.window
    return {
        "kind": window.kind,
        "start_s": window.start,
        "end_s": window.end,
        "length_s": window.length,
        "requests": int(point.in_window.sum()),
        "refused": window.not_steady_reason,
    }


def _count_requests(point: _LoadPoint) -> dict[str, Any]:
    phase = point.columns.categorical["phase"]
    everything = np.ones(len(point.columns), dtype=bool)
    return {
        "all": count_statuses(point.columns, everything),
        "by_phase": {name: count_statuses(point.columns, phase.equals(name)) for name in phase.categories},
        "window": count_statuses(point.columns, point.in_window),
        "never_sent": int(np.isnan(point.columns["sent"]).sum()),
    }


def _summarise_measures(point: _LoadPoint) -> dict[str, dict[str, Any]]:
    """Of requests that ended well: a failed one has no measure, and a count of its own."""
    ended = point.in_window & point.columns.ok
    told = {}
    for name in REQUEST_DEFINITIONS:
        if name in POOLED_MEASURES:
            told[name] = _summarise_pooled(point, ended, get_pooled_values(point.columns, name))
            continue
        values = point.measures[name]
        told[name] = describe_values(values[ended])
        told[name]["intervals"] = point.bootstrap.value_intervals(values[point.in_window])
    return told


def _summarise_pooled(point: _LoadPoint, ended: Mask, gaps: RaggedArray) -> dict[str, Any]:
    values = gaps.pool_rows(ended)
    found = describe_values(values)
    found["undefined"] = int((gaps.counts[ended] == 0).sum())
    counts = np.where(ended, gaps.counts, 0)[point.in_window]
    owners = np.repeat(np.arange(len(counts)), counts)
    found["intervals"] = point.bootstrap.value_intervals(values, owners)
    return found


def _summarise_run(point: _LoadPoint, slo_outcomes: SloOutcomes) -> dict[str, dict[str, Any]]:
    """Rates with intervals, and what else a window has one of."""
    window, rows = point.window, point.in_window
    told: dict[str, Any] = {"window_s": window.length, **_summarise_rates(point, slo_outcomes)}
    course = count_in_flight(point.columns)
    ended = count_statuses(point.columns, rows)
    finished = ended["ok"] + ended["failed"]
    sounds = point.columns["audio_seconds"][rows & point.columns.ok]
    told |= {
        "in_flight_mean": course.mean(window.start, window.end),
        "in_flight_max": course.maximum(window.start, window.end),
        "offered_rate": compute_offered_rate(point.columns, rows),
        "achieved_rate": compute_achieved_rate(point.columns, rows),
        "late_p99_s": _compute_late_p99(point),
        "slo_attainment": _compute_attainment(point, slo_outcomes),
        "failed_share": ended["failed"] / finished if finished else None,
        "timeout_share": count_timeouts(point.columns, rows) / finished if finished else None,
        "audio_hours": None if np.isnan(sounds).all() else float(np.nansum(sounds)) / 3600,
    }
    told |= point.pricing.compute_costs(told) if point.pricing else dict.fromkeys(COST_MEASURES)
    whole = {name: told[name] for name in RUN_DEFINITIONS}
    return {name: each if isinstance(each, dict) else {"value": each} for name, each in whole.items()}


def _summarise_rates(point: _LoadPoint, slo_outcomes: SloOutcomes) -> dict[str, Any]:
    columns, window = point.columns, point.window
    done = columns["done"][slo_outcomes.met]
    known = compute_cumulative_amounts(columns)
    known["goodput_req_s"] = accumulate_at(done, np.ones(len(done))) if _has_request_slos(point) else None
    told: dict[str, Any] = {}
    for name, flow in known.items():
        if flow is None or not window.length:
            told[name] = {"value": None, "interval": None}
            continue
        start, end = flow(np.array([window.start, window.end]))
        told[name] = {"value": float(end - start) / window.length, "interval": point.bootstrap.rate_interval(flow)}
    return told


def _has_request_slos(point: _LoadPoint) -> bool:
    return any(slo.is_per_request for slo in point.slos)


def _compute_late_p99(point: _LoadPoint) -> float | None:
    """As the senders tell; else, where no cap makes requests wait, as their times do."""
    if isinstance(point.load, ClosedLoop):
        return None
    if point.health.late_p99_s is not None:
        return point.health.late_p99_s
    waited = (point.columns["sent"] - point.columns["due"])[point.in_window]
    waited = waited[~np.isnan(waited)]
    capped = getattr(point.load, "cap", None) is not None
    return None if capped or not len(waited) else float(np.percentile(waited, 99))


def _compute_attainment(point: _LoadPoint, slo_outcomes: SloOutcomes) -> float | None:
    if not _has_request_slos(point):
        return None
    return slo_outcomes.select(point.in_window).attainment


def _assess_validity(point: _LoadPoint, summary: Mapping[str, Any]) -> dict[str, Any]:
    again = count_repeats(point.columns)
    grown = assess_saturation(point.columns, point.measures, point.window)
    evidence = Evidence(
        load=point.load,
        health=point.health,
        window=point.window,
        run=summary["run"],
        measures=summary["measures"],
        counts=summary["counts"]["window"],
        repeats=again,
        slow_cancelled=_count_slow_cancelled(point),
        saturated=grown["saturated"] and not isinstance(point.load, ClosedLoop),
    )
    wrong = find_invalid_reasons(evidence)
    return {
        "validity": {"valid": not wrong, "reasons": wrong},
        "notes": collect_notes(evidence),
        "saturation": grown,
        "repeats": again,
    }


def _count_slow_cancelled(point: _LoadPoint) -> int:
    """Cancelled after a wait that 19 of 20 answers did not need: the slowest, unmeasured."""
    waited = point.columns["done"] - point.columns.start_times
    ended = waited[point.in_window & point.columns.ok]
    if not len(ended):
        return 0
    cancelled = point.in_window & point.columns.categorical["status"].equals("cancelled")
    return int((waited[cancelled] > np.percentile(ended, 95)).sum())


def _summarise_slos(point: _LoadPoint, slo_outcomes: SloOutcomes, summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was promised, what came of it; None if nothing was."""
    if not point.slos:
        return None
    those = slo_outcomes.select(point.in_window)
    requests = {
        "met": int(those.met.sum()),
        "missed": int(those.missed.sum()),
        "not_evaluable": int(those.not_evaluable.sum()),
        "cancelled": summary["counts"]["window"]["cancelled"],
    }
    return {
        "met": evaluate_run(point.slos, summary),
        "promises": [_summarise_slo(point, slo, summary) for slo in point.slos],
        "requests": requests if _has_request_slos(point) else None,
    }


def _summarise_slo(point: _LoadPoint, slo: Slo, summary: Mapping[str, Any]) -> dict[str, Any]:
    """Of a promise to every request, the value is the share to whom it was kept."""
    if not slo.is_per_request:
        value = slo.read_value(summary)
        return {"slo": str(slo), "of": "run", "value": value, "met": slo.is_met_by(value)}
    share = evaluate_requests([slo], point.columns, point.measures).select(point.in_window).attainment
    return {"slo": str(slo), "of": "request", "value": share, "met": DEFAULT_ATTAINMENT.is_met_by(share)}

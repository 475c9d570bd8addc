"""All numbers of a load point, from its exchanges alone; any of them can be had again.

summarise(exchanges, load, health, slos, window) -> dict      JSON, with its own definitions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auricle.perf.breakdowns import breakdowns, failures, finishes, repeats, statuses, timeouts
from auricle.perf.columns import Columns, Floats, Mask, Ragged
from auricle.perf.definitions import COSTS, DEFINITIONS, POOLED, RUN_DEFINITIONS
from auricle.perf.exchange import Exchange
from auricle.perf.health import Health
from auricle.perf.loads import Closed, Load, parse
from auricle.perf.measures import measures, pooled
from auricle.perf.pricing import Bill
from auricle.perf.saturation import saturation
from auricle.perf.slo import ENOUGH, Kept, Slo, kept, verdict
from auricle.perf.statistics import METHOD, Blocks, described
from auricle.perf.throughput import arrivals, flows
from auricle.perf.validity import Evidence, notes, reasons
from auricle.perf.windows import Kind, Window, achieved, choose, in_flight, offered

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class _Point:
    """A load point with all that its numbers are made from."""

    columns: Columns
    values: Mapping[str, Floats]
    load: Load
    health: Health
    slos: tuple[Slo, ...]
    window: Window
    rows: Mask
    """Measured requests that began in the window."""
    blocks: Blocks
    bill: Bill | None


def summarise(
    exchanges: Columns | Iterable[Exchange | Mapping[str, Any]],
    load: Load | str,
    health: Health | None = None,
    slos: Sequence[Slo] = (),
    window: Kind = "steady",
    bill: Bill | None = None,
) -> dict[str, Any]:
    """Counts, measures with intervals, rates, promises kept, and whether to believe them."""
    point = _point(exchanges, load, health or Health(), tuple(slos), window, bill)
    found = {
        "schema": SCHEMA,
        "load": str(point.load),
        "window": _window(point),
        "counts": _counts(point),
        "measures": _measures(point),
    }
    judged = kept(point.slos, point.columns, point.values)
    found["run"] = _run(point, judged)
    found |= _judgement(point, found)
    found["slo"] = _promises(point, judged, found)
    rows = point.rows
    found["breakdowns"] = breakdowns(point.columns, point.values, rows)
    found["finish"] = finishes(point.columns, rows)
    found["failures"] = failures(point.columns, rows)
    found["health"] = point.health.document()
    found["currency"] = point.bill.price.currency if point.bill else None
    found["method"] = METHOD
    found["definitions"] = {
        name: each._asdict() for name, each in {**DEFINITIONS, **RUN_DEFINITIONS}.items()
    }
    tidied: dict[str, Any] = _tidy(found)
    return tidied


def _tidy(found: Any) -> Any:
    """Seven digits of every number: what is finer is the noise of subtracting."""
    if isinstance(found, float):
        return float(f"{found:.7g}")
    if isinstance(found, dict):
        return {name: _tidy(each) for name, each in found.items()}
    return [_tidy(each) for each in found] if isinstance(found, list) else found


def _point(
    exchanges: Columns | Iterable[Exchange | Mapping[str, Any]],
    load: Load | str,
    health: Health,
    slos: tuple[Slo, ...],
    wanted: Kind,
    bill: Bill | None,
) -> _Point:
    columns = exchanges if isinstance(exchanges, Columns) else Columns.of(exchanges)
    loaded = parse(load)[0] if isinstance(load, str) else load
    values = measures(columns)
    latency = values["latency_s"]
    window = choose(columns, latency, loaded, wanted)
    rows = window.began(columns)
    known = latency[rows & ~np.isnan(latency)]
    blocks = Blocks(window, columns.began[rows], float(known.mean()) if len(known) else 0.0)
    return _Point(columns, values, loaded, health, slos, window, rows, blocks, bill)


def _window(point: _Point) -> dict[str, Any]:
    window = point.window
    return {
        "kind": window.kind,
        "start_s": window.start,
        "end_s": window.end,
        "length_s": window.length,
        "requests": int(point.rows.sum()),
        "refused": window.refused,
    }


def _counts(point: _Point) -> dict[str, Any]:
    phase = point.columns.words["phase"]
    everything = np.ones(len(point.columns), dtype=bool)
    return {
        "all": statuses(point.columns, everything),
        "by_phase": {name: statuses(point.columns, phase.says(name)) for name in phase.words},
        "window": statuses(point.columns, point.rows),
        "never_sent": int(np.isnan(point.columns["sent"]).sum()),
    }


def _measures(point: _Point) -> dict[str, dict[str, Any]]:
    """Of requests that ended well: a failed one has no measure, and a count of its own."""
    ended = point.rows & point.columns.ok
    told = {}
    for name in DEFINITIONS:
        if name in POOLED:
            told[name] = _pooled(point, ended, pooled(point.columns, name))
            continue
        values = point.values[name]
        told[name] = described(values[ended])
        told[name]["intervals"] = point.blocks.of_values(values[point.rows])
    return told


def _pooled(point: _Point, ended: Mask, gaps: Ragged) -> dict[str, Any]:
    values = gaps.only(ended)
    found = described(values)
    found["undefined"] = int((gaps.counts[ended] == 0).sum())
    counts = np.where(ended, gaps.counts, 0)[point.rows]
    owners = np.repeat(np.arange(len(counts)), counts)
    found["intervals"] = point.blocks.of_values(values, owners)
    return found


def _run(point: _Point, judged: Kept) -> dict[str, dict[str, Any]]:
    """Rates with intervals, and what else a window has one of."""
    window, rows = point.window, point.rows
    told: dict[str, Any] = {"window_s": window.length, **_rates(point, judged)}
    course = in_flight(point.columns)
    ended = statuses(point.columns, rows)
    finished = ended["ok"] + ended["failed"]
    sounds = point.columns["audio_seconds"][rows & point.columns.ok]
    told |= {
        "in_flight_mean": course.mean(window.start, window.end),
        "in_flight_max": course.most(window.start, window.end),
        "offered_rate": offered(point.columns, rows),
        "achieved_rate": achieved(point.columns, rows),
        "late_p99_s": _late(point),
        "slo_attainment": _attainment(point, judged),
        "failed_share": ended["failed"] / finished if finished else None,
        "timeout_share": timeouts(point.columns, rows) / finished if finished else None,
        "audio_hours": None if np.isnan(sounds).all() else float(np.nansum(sounds)) / 3600,
    }
    told |= point.bill.costs(told) if point.bill else dict.fromkeys(COSTS)
    whole = {name: told[name] for name in RUN_DEFINITIONS}
    return {
        name: each if isinstance(each, dict) else {"value": each} for name, each in whole.items()
    }


def _rates(point: _Point, judged: Kept) -> dict[str, Any]:
    columns, window = point.columns, point.window
    done = columns["done"][judged.met]
    known = flows(columns)
    known["goodput_req_s"] = arrivals(done, np.ones(len(done))) if _each(point) else None
    told: dict[str, Any] = {}
    for name, flow in known.items():
        if flow is None or not window.length:
            told[name] = {"value": None, "interval": None}
            continue
        start, end = flow(np.array([window.start, window.end]))
        told[name] = {
            "value": float(end - start) / window.length,
            "interval": point.blocks.of_flow(flow),
        }
    return told


def _each(point: _Point) -> bool:
    return any(slo.each for slo in point.slos)


def _late(point: _Point) -> float | None:
    """As the senders tell; else, where no cap makes requests wait, as their times do."""
    if isinstance(point.load, Closed):
        return None
    if point.health.late_p99_s is not None:
        return point.health.late_p99_s
    waited = (point.columns["sent"] - point.columns["due"])[point.rows]
    waited = waited[~np.isnan(waited)]
    capped = getattr(point.load, "cap", None) is not None
    return None if capped or not len(waited) else float(np.percentile(waited, 99))


def _attainment(point: _Point, judged: Kept) -> float | None:
    if not _each(point):
        return None
    return judged.among(point.rows).attainment


def _judgement(point: _Point, found: Mapping[str, Any]) -> dict[str, Any]:
    again = repeats(point.columns)
    grown = saturation(point.columns, point.values, point.window)
    evidence = Evidence(
        load=point.load,
        health=point.health,
        window=point.window,
        run=found["run"],
        measures=found["measures"],
        counts=found["counts"]["window"],
        repeats=again,
        given_up=_given_up(point),
        saturated=grown["saturated"] and not isinstance(point.load, Closed),
    )
    wrong = reasons(evidence)
    return {
        "validity": {"valid": not wrong, "reasons": wrong},
        "notes": notes(evidence),
        "saturation": grown,
        "repeats": again,
    }


def _given_up(point: _Point) -> int:
    """Cancelled after a wait that 19 of 20 answers did not need: the slowest, unmeasured."""
    waited = point.columns["done"] - point.columns.began
    ended = waited[point.rows & point.columns.ok]
    if not len(ended):
        return 0
    cancelled = point.rows & point.columns.words["status"].says("cancelled")
    return int((waited[cancelled] > np.percentile(ended, 95)).sum())


def _promises(point: _Point, judged: Kept, found: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was promised, what came of it; None if nothing was."""
    if not point.slos:
        return None
    those = judged.among(point.rows)
    requests = {
        "met": int(those.met.sum()),
        "missed": int(those.missed.sum()),
        "not_evaluable": int(those.unjudged.sum()),
        "cancelled": found["counts"]["window"]["cancelled"],
    }
    return {
        "met": verdict(point.slos, found),
        "promises": [_promise(point, slo, found) for slo in point.slos],
        "requests": requests if _each(point) else None,
    }


def _promise(point: _Point, slo: Slo, found: Mapping[str, Any]) -> dict[str, Any]:
    """Of a promise to every request, the value is the share to whom it was kept."""
    if not slo.each:
        value = slo.value(found)
        return {"slo": str(slo), "of": "run", "value": value, "met": slo.holds(value)}
    share = kept([slo], point.columns, point.values).among(point.rows).attainment
    return {"slo": str(slo), "of": "request", "value": share, "met": ENOUGH.holds(share)}

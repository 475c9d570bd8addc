"""Recompute the summary of a measurement from its recorded requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from auricle.perf.load_syntax import parse_load
from auricle.perf.repeats import summarise_repeats
from auricle.perf.request_columns import RequestColumns
from auricle.perf.serving_cost import Pricing
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise
from auricle.runs.perf_files import (
    REQUESTS_FILE,
    LoadPointSummary,
    PerfSummary,
    read_health,
    read_perf_summary,
    write_perf_summary,
)

PricingLookup: TypeAlias = Callable[[str, Mapping[str, Any]], Pricing | None]
"""Returns the pricing of a model, by its name and arguments."""


def recompute_summary(
    folder: Path, *, slo: str = "", window: str | None = None, find_pricing: PricingLookup = lambda *_: None
) -> PerfSummary:
    """Recompute and save a measurement's summary, optionally with other SLOs, prices or another window.

    No request is sent and no model is loaded.
    """
    previous = read_perf_summary(folder)
    manifest, config = previous.about, previous.about.wanted
    pricing = find_pricing(manifest.model, manifest.model_args)
    config = {
        **config,
        "slo": slo or config["slo"],
        "window": window or config["window"],
        "bill": pricing.to_dict() if pricing else config.get("bill"),
    }
    points = tuple(_recompute_point(folder / point.folder, point, config) for point in previous.points)
    summary = replace(
        previous,
        points=points,
        valid=all(point.validity.valid for point in points),
        spreads=summarise_repeats(points),
        about=replace(manifest, wanted=config),
    )
    write_perf_summary(folder, summary)
    return summary


def _recompute_point(folder: Path, previous: LoadPointSummary, config: Mapping[str, Any]) -> LoadPointSummary:
    point = summarise(
        RequestColumns.read(folder / REQUESTS_FILE),
        parse_load(previous.load),
        read_health(folder),
        parse_slos(config["slo"]) if config["slo"] else (),
        config["window"],
        Pricing.from_dict(config["bill"]),
    )
    return replace(point, folder=previous.folder, senders=previous.senders, accuracy=previous.accuracy)

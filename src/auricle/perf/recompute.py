"""Read a measurement, and recompute its summary from the recorded requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from auricle.core.errors import DataError
from auricle.core.files import write_atomically
from auricle.perf.health import SenderHealth
from auricle.perf.load_syntax import parse_load
from auricle.perf.repeats import summarise_repeats
from auricle.perf.request_columns import RequestColumns
from auricle.perf.serving_cost import Pricing
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise

MANIFEST_FILE, SUMMARY_FILE, REQUESTS_FILE = "perf.json", "summary.json", "requests.jsonl"

PricingLookup: TypeAlias = Callable[[str, Mapping[str, Any]], Pricing | None]
"""Returns the pricing of a model, by its name and arguments."""
PRESERVED_KEYS = ("folder", "senders", "accuracy")
"""Keys of a load point that are not computed from its requests."""


def is_measurement(folder: Path) -> bool:
    return (folder / MANIFEST_FILE).is_file()


def read_summary(folder: Path) -> dict[str, Any]:
    """Read the summary of a measurement.

    Raises:
        DataError: There is no readable summary.
    """
    try:
        document: dict[str, Any] = orjson.loads((folder / SUMMARY_FILE).read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"No readable {SUMMARY_FILE} in {folder}: no load point was completed.") from error
    return document


def recompute_summary(
    folder: Path, *, slo: str = "", window: str | None = None, find_pricing: PricingLookup = lambda *_: None
) -> dict[str, Any]:
    """Recompute and save a measurement's summary, optionally with other SLOs, prices or another window.

    No request is sent and no model is loaded.
    """
    document = read_summary(folder)
    config = document["about"]["wanted"]
    config["slo"], config["window"] = slo or config["slo"], window or config["window"]
    spec = document["about"]["spec"]
    pricing = find_pricing(spec["model"], spec["model_args"])
    config["bill"] = pricing.to_dict() if pricing else config.get("bill")
    document["points"] = [_recompute_point(folder, point, config) for point in document["points"]]
    document["valid"] = all(point["validity"]["valid"] for point in document["points"])
    document["spreads"] = summarise_repeats(document["points"])
    write_atomically(folder / SUMMARY_FILE, orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return document


def _recompute_point(folder: Path, previous: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    point_folder = folder / previous["folder"]
    health_fields = orjson.loads((point_folder / "health.json").read_bytes())
    health = SenderHealth(**{**health_fields, "cpu_share": tuple(health_fields["cpu_share"])})
    slos = parse_slos(config["slo"]) if config["slo"] else ()
    columns = RequestColumns.read(point_folder / REQUESTS_FILE)
    pricing = Pricing.from_dict(config["bill"])
    point = summarise(columns, parse_load(previous["load"]), health, slos, config["window"], pricing)
    point.pop("definitions", None)
    return {**point, **{name: previous[name] for name in PRESERVED_KEYS}}

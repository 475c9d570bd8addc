"""A measurement summed up again from what was kept of it: no request is sent, no model loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from auricle.core.errors import DataError
from auricle.perf.health import SenderHealth
from auricle.perf.loads import parse_loads
from auricle.perf.pricing import Pricing
from auricle.perf.repeats import summarise_repeats
from auricle.perf.request_columns import RequestColumns
from auricle.perf.slo import parse_slos as parse_slos
from auricle.perf.summary import summarise

PricingLookup: TypeAlias = Callable[[str, Mapping[str, Any]], Pricing | None]
"""What is paid for a model of this name and these arguments."""
PRESERVED_KEYS = ("folder", "senders", "accuracy")
"""What of a load point does not come from its requests."""


def is_measurement(folder: Path) -> bool:
    return (folder / "perf.json").is_file()


def recompute_summary(
    folder: Path, *, slo: str = "", window: str | None = None, find_pricing: PricingLookup = lambda *_: None
) -> dict[str, Any]:
    """The same measurement's summary, under other promises, prices or another window if given."""
    try:
        document: dict[str, Any] = orjson.loads((folder / "summary.json").read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{folder} has no summary: nothing was measured to its end.") from error
    wanted = document["about"]["wanted"]
    wanted["slo"], wanted["window"] = slo or wanted["slo"], window or wanted["window"]
    spec = document["about"]["spec"]
    bill = find_pricing(spec["model"], spec["model_args"])
    wanted["bill"] = asdict(bill) if bill else wanted.get("bill")
    document["points"] = [_recompute_point(folder, point, wanted) for point in document["points"]]
    document["valid"] = all(point["validity"]["valid"] for point in document["points"])
    document["spreads"] = summarise_repeats(document["points"])
    path = folder / "summary.json"
    part = path.with_name("summary.json.part")
    part.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    part.replace(path)
    return document


def _recompute_point(folder: Path, previous: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    place = folder / previous["folder"]
    kept = orjson.loads((place / "health.json").read_bytes())
    health = SenderHealth(**{**kept, "cpu_share": tuple(kept["cpu_share"])})
    slos = parse_slos(config["slo"]) if config["slo"] else ()
    columns = RequestColumns.read(place / "requests.jsonl")
    bill = Pricing.from_dict(config["bill"])
    point = summarise(columns, parse_loads(previous["load"])[0], health, slos, config["window"], bill)
    point.pop("definitions", None)
    return {**point, **{name: previous[name] for name in PRESERVED_KEYS}}

"""A measurement summed up again from what was kept of it: no request is sent, no model loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from auricle.core.errors import DataError
from auricle.perf.columns import Columns
from auricle.perf.health import Health
from auricle.perf.loads import parse
from auricle.perf.pricing import Bill
from auricle.perf.repeats import spreads
from auricle.perf.slo import parse as parse_slos
from auricle.perf.summary import summarise

Paid: TypeAlias = Callable[[str, Mapping[str, Any]], Bill | None]
"""What is paid for a model of this name and these arguments."""
KEPT = ("folder", "senders", "accuracy")
"""What of a load point does not come from its requests."""


def is_measurement(folder: Path) -> bool:
    return (folder / "perf.json").is_file()


def summed_up_again(
    folder: Path, *, slo: str = "", window: str | None = None, paid: Paid = lambda *_: None
) -> dict[str, Any]:
    """The same measurement's summary, under other promises, prices or another window if given."""
    try:
        document: dict[str, Any] = orjson.loads((folder / "summary.json").read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{folder} has no summary: nothing was measured to its end.") from error
    wanted = document["about"]["wanted"]
    wanted["slo"], wanted["window"] = slo or wanted["slo"], window or wanted["window"]
    spec = document["about"]["spec"]
    bill = paid(spec["model"], spec["model_args"])
    wanted["bill"] = asdict(bill) if bill else wanted.get("bill")
    document["points"] = [_point(folder, point, wanted) for point in document["points"]]
    document["valid"] = all(point["validity"]["valid"] for point in document["points"])
    document["spreads"] = spreads(document["points"])
    path = folder / "summary.json"
    part = path.with_name("summary.json.part")
    part.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    part.replace(path)
    return document


def _point(folder: Path, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    place = folder / before["folder"]
    kept = orjson.loads((place / "health.json").read_bytes())
    health = Health(**{**kept, "cpu_share": tuple(kept["cpu_share"])})
    slos = parse_slos(wanted["slo"]) if wanted["slo"] else ()
    columns = Columns.read(place / "requests.jsonl")
    bill = Bill.read(wanted["bill"])
    point = summarise(columns, parse(before["load"])[0], health, slos, wanted["window"], bill)
    point.pop("definitions", None)
    return {**point, **{name: before[name] for name in KEPT}}

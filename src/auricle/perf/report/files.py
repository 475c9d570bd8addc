"""Writes a measurement down for people and spreadsheets, beside its summary.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.perf.report.chart_data import build_chart_data
from auricle.perf.report.html import render_page
from auricle.perf.report.markdown import render_markdown
from auricle.perf.report.point_section import ChartData
from auricle.perf.report.tables import render_csv
from auricle.perf.request_columns import RequestColumns

REQUESTS_FILE = "requests.jsonl"


def write_reports(folder: Path, document: Mapping[str, Any]) -> None:
    """`summary.md`, `summary.csv` and `report.html`; derived, so they can be made again."""
    points, about = document["points"], build_about(document)
    shown = [(point, _load_chart_data(folder / point["folder"] / REQUESTS_FILE)) for point in points]
    _write_atomically(folder / "summary.md", render_markdown(about, points).encode())
    _write_atomically(folder / "summary.csv", render_csv(points))
    _write_atomically(folder / "report.html", render_page(about, shown).encode())


def build_about(document: Mapping[str, Any]) -> dict[str, Any]:
    """Whose numbers these are, and how they came about."""
    about = document.get("about", {})
    spec, wanted = about.get("spec", {}), about.get("wanted", {})
    facts = {
        "Data": about.get("revision") or "",
        "Arguments": _format_arguments(spec.get("model_args") or {}),
        "Asked by": about.get("inferencer", ""),
        "Promises": wanted.get("slo", ""),
        "Seed": wanted.get("seed"),
        "Command": " ".join(["auricle", *about["command"]]) if about.get("command") else "",
        "Machine": f"{about['platform']}, {about['cores']} cores" if "platform" in about else "",
        "Python": about.get("versions", {}).get("python", ""),
    }
    return {
        "task": document["task"],
        "model": document["model"],
        "created": about.get("created", ""),
        "auricle": about.get("versions", {}).get("auricle", ""),
        "facts": [(name, str(text)) for name, text in facts.items() if text not in ("", None)],
        "interrupted": document.get("interrupted", False),
        "searches": document.get("searches", ()),
        "spreads": document.get("spreads", ()),
    }


def _format_arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items())


def _load_chart_data(path: Path) -> ChartData | None:
    """What pictures need; without the requests there are none, and the numbers stay."""
    return build_chart_data(RequestColumns.read(path)) if path.exists() else None


def _write_atomically(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)

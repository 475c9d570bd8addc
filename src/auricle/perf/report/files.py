"""Write the reports of a measurement next to its summary.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.core.files import write_atomically
from auricle.perf.recompute import REQUESTS_FILE
from auricle.perf.report.chart_data import build_chart_data
from auricle.perf.report.html import render_page
from auricle.perf.report.markdown import render_markdown
from auricle.perf.report.point_section import ChartData
from auricle.perf.report.tables import render_csv
from auricle.perf.request_columns import RequestColumns


def write_reports(folder: Path, document: Mapping[str, Any]) -> None:
    """Write `summary.md`, `summary.csv` and `report.html` from a summary."""
    points, about = document["points"], build_about(document)
    with_chart_data = [(point, _load_chart_data(folder / point["folder"] / REQUESTS_FILE)) for point in points]
    write_atomically(folder / "summary.md", render_markdown(about, points).encode())
    write_atomically(folder / "summary.csv", render_csv(points))
    write_atomically(folder / "report.html", render_page(about, with_chart_data).encode())


def build_about(document: Mapping[str, Any]) -> dict[str, Any]:
    """Collect what a report states about the measurement: task, model, setup, searches and repeats."""
    about = document.get("about", {})
    spec, config = about.get("spec", {}), about.get("wanted", {})
    facts = {
        "Data": about.get("revision") or "",
        "Arguments": _format_arguments(spec.get("model_args") or {}),
        "Inferencer": about.get("inferencer", ""),
        "SLOs": config.get("slo", ""),
        "Seed": config.get("seed"),
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
    """Build the chart data of a point; None if its requests were deleted."""
    return build_chart_data(RequestColumns.read(path)) if path.exists() else None

"""Writes a measurement down for people and spreadsheets, beside its summary.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.perf.columns import Columns
from auricle.perf.report.chart_data import course
from auricle.perf.report.load_section import Course
from auricle.perf.report.markdown import markdown
from auricle.perf.report.page import render
from auricle.perf.report.table import summary_csv

REQUESTS = "requests.jsonl"


def publish(folder: Path, document: Mapping[str, Any]) -> None:
    """`summary.md`, `summary.csv` and `report.html`; derived, so they can be made again."""
    points, about = document["points"], about_of(document)
    shown = [(point, _course(folder / point["folder"] / REQUESTS)) for point in points]
    _write(folder / "summary.md", markdown(about, points).encode())
    _write(folder / "summary.csv", summary_csv(points))
    _write(folder / "report.html", render(about, shown).encode())


def about_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Whose numbers these are, and how they came about."""
    about = document.get("about", {})
    spec, wanted = about.get("spec", {}), about.get("wanted", {})
    facts = {
        "Data": about.get("revision") or "",
        "Arguments": _arguments(spec.get("model_args") or {}),
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


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in given.items())


def _course(path: Path) -> Course | None:
    """What pictures need; without the requests there are none, and the numbers stay."""
    return course(Columns.read(path)) if path.exists() else None


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)

"""Run the checks of a protocol quickly, with a tone instead of speech."""

import asyncio
from typing import Any

import numpy as np

from auricle.testing.protocol_conformance.probe import ProbeSettings
from auricle.testing.protocol_conformance.report import ConformanceReport


def tone(rate: int, seconds: float = 0.6) -> Any:
    return (8000 * np.sin(2 * np.pi * 300 * np.arange(round(rate * seconds)) / rate)).astype(np.int16)


def quick_settings(rate: int, **fields: Any) -> ProbeSettings:
    quick = {"quiet_seconds": 0.1, "greeting_seconds": 0.1, "pause_seconds": 0.0}
    defaults = {"utterance": tone(rate), "rate": rate, "reply_seconds": 1.0, "response_seconds": 8.0, **quick}
    return ProbeSettings(**{**defaults, **fields})


def check(suite: Any) -> ConformanceReport:
    report: ConformanceReport = asyncio.run(suite.run())
    return report


def results(report: ConformanceReport) -> dict[str, str]:
    """Return the outcome of each check, with its explanation if there is one."""
    return {item.name: f"{item.outcome}: {item.explanation}".removesuffix(": ") for item in report.checks}


def problems(report: ConformanceReport) -> dict[str, str]:
    return {name: text for name, text in results(report).items() if text != "supported"}

"""Write the files of a suite: its combined numbers, tables for spreadsheets and its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from auricle.core.files import write_lines_atomically
from auricle.core.redaction import SECRETS
from auricle.core.serialization import dumps
from auricle.report.run_files import DERIVED_FILES, detail_csv, summary_csv
from auricle.report.run_html import render_report
from auricle.runs.health import take_fingerprints
from auricle.runs.metrics import Metrics, write_metrics
from auricle.runs.scores import SCORES_FILE
from auricle.runs.suites import list_sources, read_suite_run
from auricle.scoring.suites import combine_suite


def combine_and_write(path: Path, metrics_by_part: Mapping[str, Metrics | None]) -> Metrics:
    """Combine the numbers of a suite's parts, and write `metrics.json`, the tables and the report of the suite.

    Args:
        path: Folder of the suite.
        metrics_by_part: The numbers of each part, by its name; None for a part that was not run.
    """
    suite = read_suite_run(path)
    sources = take_fingerprints(path, list_sources(suite))
    metrics, lines = combine_suite(path, suite, metrics_by_part)
    files = {
        **{name: [dumps(line) for line in documents] for name, documents in lines.items()},
        "metrics_summary.csv": [summary_csv(metrics)],
        "metrics_detail.csv": [detail_csv(metrics)],
        "report.html": [render_report(metrics, ()).encode()],
    }
    for name, content in files.items():
        write_lines_atomically(path / name, map(SECRETS.redact_bytes, content))
    names = [*(name for name in DERIVED_FILES if name != SCORES_FILE), *lines]
    derived = {name: file.digest for name, file in take_fingerprints(path, names).items()}
    metrics = replace(metrics, sources=sources, derived=derived)
    write_metrics(path, metrics)
    return metrics

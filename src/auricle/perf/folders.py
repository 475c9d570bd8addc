"""The folders of load tests, as `auricle compare`, `auricle gate` and `auricle open` take them in place of runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.cli.folder_kinds import FolderKind
from auricle.cli.output import echo, print_result
from auricle.core.errors import ExitStatus, SpecError
from auricle.runs.perf_files import SUMMARY_FILE
from auricle.runs.run_directory import contains_load_test

COMPARE_OPTIONS = {
    "metrics": "metric",
    "by": "by",
    "cluster": "cluster",
    "unpaired": "unpaired",
    "between": "between",
    "names": "names",
    "show_all": "all",
}
"""Options of `auricle compare` that load tests are not compared by, and their names."""
GATE_OPTIONS = {
    "metrics": "metric",
    "margins": "margin",
    "by": "by",
    "cluster": "cluster",
    "markdown": "markdown",
    "junit": "junit",
}


class LoadTestFolder(FolderKind):
    """Load tests are compared load by load, and have a page of their own."""

    def matches(self, folder: Path) -> bool:
        return contains_load_test(folder)

    def compare(self, a: Path, b: Path, *, html: Path | None, as_json: bool, **options: Any) -> ExitStatus:
        from auricle.perf.compare import build_comparison, format_comparison
        from auricle.perf.gate import find_regressions

        if options["conditions"]:
            raise SpecError("--fail-if applies to runs; set limits for load tests with --slo, or use --gate.")
        _reject_run_options(options, COMPARE_OPTIONS)
        for folder, other in ((a, b), (b, a)):
            if not contains_load_test(folder):
                raise SpecError(
                    f"{other} is a measurement of `auricle perf`, but {folder} is not. Each load of a measurement is "
                    f"an ordinary run: compare {folder} with a folder in {other}."
                )
        comparison = build_comparison(a, b)
        if html:
            comparison.write_html(html)
        page = [f"\nPage: {html.resolve()}"] if html else []
        print_result(as_json, comparison, [*format_comparison(comparison), *page])
        regressions = find_regressions(comparison) if options["gate"] else []
        for text in regressions:
            echo(f"Gate: {text}", err=True)
        return ExitStatus.GATE if regressions else ExitStatus.OK

    def gate(self, baseline: Path, candidate: Path, *, as_json: bool, **options: Any) -> ExitStatus:
        """Decide on a load test: no number may be significantly worse, and latencies must have been tested."""
        from auricle.perf.compare import build_comparison, format_comparison
        from auricle.perf.gate import find_regressions

        _reject_run_options(options, GATE_OPTIONS)
        comparison = build_comparison(baseline, candidate)
        print_result(as_json, comparison, format_comparison(comparison))
        regressions = find_regressions(comparison)
        untested = [text for point in comparison.points for text in point.untested]
        for text in (*regressions, *untested):
            echo(f"Gate: {text}", err=True)
        if regressions:
            return ExitStatus.GATE
        return ExitStatus.UNDECIDED if untested and not options["allow_undecided"] else ExitStatus.OK

    def update_page(self, folder: Path) -> Path:
        """Write the report if it is missing or older than the summary."""
        from auricle.perf.measurement import recompute_summary
        from auricle.perf.report.documents import write_reports

        page, summary = folder / "report.html", folder / SUMMARY_FILE
        if not page.is_file() or not summary.is_file() or page.stat().st_mtime < summary.stat().st_mtime:
            write_reports(folder, recompute_summary(folder))
        return page


def _reject_run_options(options: Mapping[str, Any], names: Mapping[str, str]) -> None:
    for name, option in names.items():
        if options[name]:
            raise SpecError(f"--{option} applies to runs, not to measurements of `auricle perf`.")

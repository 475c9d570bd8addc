"""The website of the runs in the workspace, as a ZIP archive to download."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from auricle.app.run_data import MAX_JOURNAL_BYTES
from auricle.app.workspace import check_run_file
from auricle.core.errors import DataError
from auricle.runs.metrics import METRICS_FILE, Metrics, read_metrics
from auricle.runs.run_spec import OUTPUTS_FILE, SPEC_FILE
from auricle.runs.scores import SCORES_FILE
from auricle.studies.leaderboards.site import SiteOptions, write_site
from auricle.studies.readings.document import AUDIT_FILE

FOLDER = "leaderboard"
"""The folder in the archive."""


def build_website(paths: Sequence[Path], options: SiteOptions) -> bytes:
    """Return a ZIP archive with the website of these runs; those that cannot be read are left out."""
    archive = io.BytesIO()
    with TemporaryDirectory(prefix="auricle-website-") as name:
        folder = Path(name) / FOLDER
        write_site(_iter_runs(paths), folder, options)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as content:
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                content.write(file, file.relative_to(folder.parent))
    return archive.getvalue()


def _iter_runs(paths: Sequence[Path]) -> Iterator[tuple[Path, Metrics]]:
    for path in paths:
        try:
            for name in (SPEC_FILE, METRICS_FILE, AUDIT_FILE):
                check_run_file(path / name)
            for name in (OUTPUTS_FILE, SCORES_FILE):
                check_run_file(path / name, MAX_JOURNAL_BYTES)
            metrics = read_metrics(path)
        except DataError:  # the page lists it as skipped
            continue
        yield path, metrics

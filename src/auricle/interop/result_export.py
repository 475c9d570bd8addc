"""Export a run as files of another framework, for tools that read those."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.interop.frameworks import EXPORT_FORMATS, RESULT_EXPORTERS
from auricle.interop.text_run import Notify


def export_run(run: Path, format_name: str, out: Path | None = None, notify: Notify = lambda _: None) -> list[Path]:
    """Write a run in another framework's format.

    Args:
        run: Run directory.
        format_name: One of `EXPORT_FORMATS`.
        out: Output folder; by default a folder in the run named after the format.
        notify: Called with notes for the user.

    Returns:
        The files written.
    """
    if format_name not in RESULT_EXPORTERS:
        raise SpecError(f"Unknown export format {format_name!r}. Choose one of: {', '.join(EXPORT_FORMATS)}.")
    exporter = import_module(RESULT_EXPORTERS[format_name])
    written: list[Path] = exporter.export(run, out or run / format_name, notify)
    return written

"""A finished run as the files of another framework, so that what reads those goes on working."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.interop.cmi import export_results as cmi
from auricle.interop.kimi import export_results as kimi
from auricle.interop.lmms import export_results as lmms
from auricle.interop.open_asr import export_results as open_asr
from auricle.interop.text_run import Notify
from auricle.interop.ultraeval import export_results as ultraeval

EXPORTERS: Mapping[str, Callable[[Path, Path, Notify], list[Path]]] = {
    "cmi": lambda run, out, _: cmi.export(run, out),
    "kimi": kimi.export,
    "lmms-eval": lmms.export,
    "open-asr": open_asr.export,
    "ultraeval": ultraeval.export,
}


def export_run(run: Path, format_name: str, out: Path | None = None, notify: Notify = lambda _: None) -> list[Path]:
    """Write a run in another framework's form, by default into a folder of that name in the run."""
    if format_name not in EXPORTERS:
        raise SpecError(f"A run can be exported as {', '.join(EXPORTERS)}, not as {format_name!r}.")
    return EXPORTERS[format_name](run, out or run / format_name, notify)

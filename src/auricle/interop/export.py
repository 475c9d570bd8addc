"""A finished run as the files of another framework, so that what reads those goes on working."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.interop.cmi import results_out as cmi
from auricle.interop.export_rows import Tell
from auricle.interop.kimi import results_out as kimi
from auricle.interop.lmms import results_out as lmms
from auricle.interop.open_asr import results_out as open_asr
from auricle.interop.ultraeval import results_out as ultraeval

FORMATS: Mapping[str, Callable[[Path, Path, Tell], list[Path]]] = {
    "cmi": lambda run, out, _: cmi.export(run, out),
    "kimi": kimi.export,
    "lmms-eval": lmms.export,
    "open-asr": open_asr.export,
    "ultraeval": ultraeval.export,
}


def export(
    run: Path, form: str, out: Path | None = None, tell: Tell = lambda _: None
) -> list[Path]:
    """Write a run in another framework's form, by default into a folder of that name in the run."""
    if form not in FORMATS:
        raise SpecError(f"A run can be exported as {', '.join(FORMATS)}, not as {form!r}.")
    return FORMATS[form](run, out or run / form, tell)

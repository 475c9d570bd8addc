"""Frameworks whose configs and results can be imported, and formats that runs can be exported to."""

from __future__ import annotations

from collections.abc import Mapping

TASK_IMPORTERS: Mapping[str, str] = {
    "aisbench": "auricle.interop.aisbench.config_import",
    "lmms-eval": "auricle.interop.lmms.config_import",
}
"""Modules with `draft_tasks`, which turns a config into task files."""
RESULT_IMPORTERS: Mapping[str, str] = {
    "kimi": "auricle.interop.kimi.import_results",
    "lmms-eval": "auricle.interop.lmms.import_results",
    "ultraeval": "auricle.interop.ultraeval.import_results",
    "open-asr": "auricle.interop.open_asr.import_results",
    "cmi": "auricle.interop.cmi.import_results",
}
"""Modules with `FORMAT`, which reads result files."""
RESULT_EXPORTERS: Mapping[str, str] = {
    "cmi": "auricle.interop.cmi.export_results",
    "kimi": "auricle.interop.kimi.export_results",
    "lmms-eval": "auricle.interop.lmms.export_results",
    "open-asr": "auricle.interop.open_asr.export_results",
    "ultraeval": "auricle.interop.ultraeval.export_results",
}
"""Modules with `export`, which writes a run in the framework's format."""

IMPORT_FRAMEWORKS: tuple[str, ...] = tuple({**TASK_IMPORTERS, **RESULT_IMPORTERS})
EXPORT_FORMATS: tuple[str, ...] = tuple(RESULT_EXPORTERS)
IMPORTABLE_KINDS = ("asr", "mcq", "qa", "open", "classify")
"""Kinds of task that imported result rows can be scored as."""

"""Use models, datasets and configs written for other frameworks, and import or export their results.

There is one package per framework. Prefixes such as `kimi:` are entry points in pyproject.toml.
"""

from __future__ import annotations

from collections.abc import Mapping

TASK_IMPORTERS: Mapping[str, str] = {
    "aisbench": "auricle.interop.aisbench.config_import",
    "lmms-eval": "auricle.interop.lmms.config_import",
}
"""Modules with `draft_tasks`, which turns a config into task files."""
RESULT_FORMATS: Mapping[str, str] = {
    "kimi": "auricle.interop.kimi.results",
    "lmms-eval": "auricle.interop.lmms.results",
    "ultraeval": "auricle.interop.ultraeval.results",
    "open-asr": "auricle.interop.open_asr.results",
    "cmi": "auricle.interop.cmi.results",
}
"""Modules with `FORMAT`, which reads and writes result files."""

IMPORT_FRAMEWORKS: tuple[str, ...] = tuple({**TASK_IMPORTERS, **RESULT_FORMATS})
EXPORT_FORMATS: tuple[str, ...] = tuple(sorted(RESULT_FORMATS))
IMPORTABLE_KINDS = ("asr", "mcq", "qa", "open", "classify")
"""Kinds of task that imported result rows can be scored as."""

"""Columns of CMI-RewardBench: the dataset of a row, its ratings or preferences, and its groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from auricle.core.types import Json
from auricle.tasks.reward.options import has_value

DATASETS = ("PAM", "MusicEval", "MusicArena", "CMI-Pref")
RATING_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "PAM": {"musicality": "musicality", "alignment": "text-music alignment"},
    "MusicEval": {"musicality": "musicality"},
}
"""The rating columns of each dataset, by dimension."""
PREFERENCE_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "MusicArena": {"preference": "preference"},
    "CMI-Pref": {"alignment": "preference-alignment", "musicality": "preference-musicality"},
}
"""The preference columns of each dataset, by dimension."""
ASKED_AS: Mapping[str, str] = {"preference": "musicality"}
"""Votes of Music Arena are compared with musicality."""
OUTPUT_DIMENSIONS = ("alignment", "musicality")
CHOICE_ALIASES: Mapping[str, str] = {
    "a": "a",
    "b": "b",
    "model_a": "a",
    "model_b": "b",
    "both": "tie",
    "neither": "tie",
}
"""Values of the preference columns; any other value is invalid."""
CONFIDENCE_PREFIX = "confidence_preference-"


def detect_dataset(source: str) -> str | None:
    """Return the dataset of a row, or None if its source is unknown."""
    if "PAM" in source:
        return "PAM"
    if source in ("MusicEval", "SongEval"):
        return "MusicEval"
    if "Music Arena" in source:
        return "MusicArena"
    return "CMI-Pref" if source == "cmi-arena-annotation" else None


def parse_targets(dataset: str, values: Mapping[str, Any]) -> tuple[dict[str, Json], list[str]]:
    """Return the ratings or preferences of a row by dimension, and the columns without a valid value."""
    is_rated = dataset in RATING_COLUMNS
    columns = (RATING_COLUMNS if is_rated else PREFERENCE_COLUMNS)[dataset]
    targets: dict[str, Json] = {}
    for name, column in columns.items():
        value = values.get(column)
        target = _parse_rating(value) if is_rated else _parse_preference(value)
        if target is not None:
            targets[name] = target
    return targets, [column for name, column in columns.items() if name not in targets]


def _parse_rating(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _parse_preference(value: Any) -> str | None:
    return CHOICE_ALIASES.get(str(value).strip().lower())


def assign_groups(dataset: str, values: Mapping[str, Any]) -> dict[str, Json]:
    """Return the groups of a row, as in the authors' tables."""
    if dataset == "MusicArena":
        return {"month": find_month(values)}
    return _cmi_pref_groups(values) if dataset == "CMI-Pref" else {}


def find_month(values: Mapping[str, Any]) -> str:
    """Return the month of a row: the second folder below `MusicArena_data` in its paths."""
    for column in ("audio-path", "audio2"):
        parts = PurePath(str(values.get(column) or "").strip()).parts
        if "MusicArena_data" in parts:
            index = parts.index("MusicArena_data") + 2
            if index < len(parts):
                return parts[index]
    return "unknown"


def _cmi_pref_groups(values: Mapping[str, Any]) -> dict[str, Json]:
    modality = str(values.get("modality") or "").strip() or _infer_modality(values)
    groups: dict[str, Json] = {"modality": modality}
    if modality in MODALITIES:
        groups["ref_subset"] = "ref" if modality.endswith("+ref") else "no_ref"
        groups["modality_type"] = "vocal" if "lyrics" in modality else "instru"
    for name in OUTPUT_DIMENSIONS:
        if (confidence := _confidence_group(values.get(f"{CONFIDENCE_PREFIX}{name}"))) is not None:
            groups[f"confidence_{name}"] = confidence
    return groups


MODALITIES = ("text", "text+lyrics", "text+ref", "text+lyrics+ref")


def _infer_modality(values: Mapping[str, Any]) -> str:
    parts = {"lyrics": "lyrics", "ref": "ref-audio-path"}
    return "+".join(["text", *(name for name, column in parts.items() if has_value(values.get(column)))])


def _confidence_group(value: Any) -> str | None:
    number = _parse_rating(value)
    if number is None:
        return None
    return "=3" if number == 3 else "<3" if number < 3 else ">3"

"""What a row of CMI-RewardBench says: whose it is, what people thought, which groups it is in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from auricle.core.types import Json

DATASETS = ("PAM", "MusicEval", "MusicArena", "CMI-Pref")
RATING_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "PAM": {"musicality": "musicality", "alignment": "text-music alignment"},
    "MusicEval": {"musicality": "musicality"},
}
"""The columns of people's ratings, by dimension."""
PREFERENCE_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "MusicArena": {"preference": "preference"},
    "CMI-Pref": {"alignment": "preference-alignment", "musicality": "preference-musicality"},
}
"""The columns of people's choices, by dimension."""
ASKED_AS: Mapping[str, str] = {"preference": "musicality"}
"""Music Arena's votes are compared with musicality."""
OUTPUT_DIMENSIONS = ("alignment", "musicality")
CHOICE_ALIASES: Mapping[str, str] = {
    "a": "a",
    "b": "b",
    "model_a": "a",
    "model_b": "b",
    "both": "tie",
    "neither": "tie",
}
"""Upstream's words for a choice; anything else is none."""
CONFIDENCE_PREFIX = "confidence_preference-"


def detect_dataset(source: str) -> str | None:
    """Which of the four a row belongs to."""
    if "PAM" in source:
        return "PAM"
    if source in ("MusicEval", "SongEval"):
        return "MusicEval"
    if "Music Arena" in source:
        return "MusicArena"
    return "CMI-Pref" if source == "cmi-arena-annotation" else None


def has_value(value: Any) -> bool:
    """Upstream takes null for a text, and so thinks it has lyrics; here it is nothing."""
    return value is not None and bool(str(value).strip())


# --- what people said -----------------------------------------------------------------------


def parse_targets(dataset: str, values: Mapping[str, Any]) -> tuple[dict[str, Json], list[str]]:
    """What people said of a row by dimension, and the columns in which nothing can be counted."""
    rated = dataset in RATING_COLUMNS
    columns = (RATING_COLUMNS if rated else PREFERENCE_COLUMNS)[dataset]
    told: dict[str, Json] = {}
    for name, column in columns.items():
        value = values.get(column)
        truth = _parse_rating(value) if rated else _parse_preference(value)
        if truth is not None:
            told[name] = truth
    return told, [column for name, column in columns.items() if name not in told]


def _parse_rating(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _parse_preference(value: Any) -> str | None:
    return CHOICE_ALIASES.get(str(value).strip().lower())


# --- the groups upstream looks at ---------------------------------------------------------------


def assign_groups(dataset: str, values: Mapping[str, Any]) -> dict[str, Json]:
    """The groups of upstream's tables that a row belongs to."""
    if dataset == "MusicArena":
        return {"month": find_month(values)}
    return _cmi_pref_groups(values) if dataset == "CMI-Pref" else {}


def find_month(values: Mapping[str, Any]) -> str:
    """The folder two below `MusicArena_data`."""
    for column in ("audio-path", "audio2"):
        parts = PurePath(str(values.get(column) or "").strip()).parts
        if "MusicArena_data" in parts:
            at = parts.index("MusicArena_data") + 2
            if at < len(parts):
                return parts[at]
    return "unknown"


def _cmi_pref_groups(values: Mapping[str, Any]) -> dict[str, Json]:
    modality = str(values.get("modality") or "").strip() or _infer_modality(values)
    found: dict[str, Json] = {"modality": modality}
    if modality in MODALITIES:
        found["ref_subset"] = "ref" if modality.endswith("+ref") else "no_ref"
        found["modality_type"] = "vocal" if "lyrics" in modality else "instru"
    for name in OUTPUT_DIMENSIONS:
        if (confidence := _confidence_group(values.get(f"{CONFIDENCE_PREFIX}{name}"))) is not None:
            found[f"confidence_{name}"] = confidence
    return found


MODALITIES = ("text", "text+lyrics", "text+ref", "text+lyrics+ref")


def _infer_modality(values: Mapping[str, Any]) -> str:
    parts = {"lyrics": "lyrics", "ref": "ref-audio-path"}
    return "+".join(["text", *(name for name, at in parts.items() if has_value(values.get(at)))])


def _confidence_group(value: Any) -> str | None:
    number = _parse_rating(value)
    if number is None:
        return None
    return "=3" if number == 3 else "<3" if number < 3 else ">3"

"""Models that are known to have been trained on emotion corpora, according to their authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EMOBOX_CORPORA = ("ravdess", "esd", "crema-d", "tess", "savee", "emodb", "iemocap", "meld", "msp-podcast")
"""Supported corpora that are part of EmoBox."""


@dataclass(frozen=True, slots=True)
class TrainingExposure:
    """A statement of a model's authors. `variant` must occur in the model's arguments; "" matches any."""

    model: str
    variant: str
    corpora: tuple[str, ...]
    statement: str


KNOWN_EXPOSURES = (
    TrainingExposure(
        "emotion2vec",
        "seed",
        EMOBOX_CORPORA,
        "emotion2vec+ seed was fine-tuned on academic corpora from EmoBox, which includes this one; "
        "the corpora and splits are not stated",
    ),
    TrainingExposure(
        "emotion2vec",
        "",
        EMOBOX_CORPORA,
        "emotion2vec+ base and large were trained on labels from emotion2vec+ seed, which was "
        "fine-tuned on academic corpora from EmoBox, which includes this one; the corpora are not stated",
    ),
    TrainingExposure("audeering", "", ("msp-podcast",), "the model was trained on MSP-Podcast 1.7"),
)


def find_contamination(corpus: str, model: str, arguments: Mapping[str, Any]) -> list[str]:
    """Return a note if a model is known to have been trained on a corpus."""
    values = [value.lower() for value in arguments.values() if isinstance(value, str)]
    for exposure in KNOWN_EXPOSURES:
        is_model = any(exposure.model in name for name in [model.lower(), *values])
        if is_model and corpus in exposure.corpora and any(exposure.variant in value for value in [*values, ""]):
            return [f"Possibly seen in training: {exposure.statement}. The results may be too optimistic."]
    return []

"""Which models are known to have met which corpora in training, from what their makers say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EMOBOX_CORPORA = ("ravdess", "esd", "crema-d", "tess", "savee", "emodb", "iemocap", "meld", "msp-podcast")
"""Corpora read here that EmoBox holds."""


@dataclass(frozen=True, slots=True)
class TrainingExposure:
    """One maker's statement: `variant` is looked for in the model's arguments, "" is any."""

    model: str
    variant: str
    corpora: tuple[str, ...]
    statement: str


KNOWN_EXPOSURES = (
    TrainingExposure(
        "emotion2vec",
        "seed",
        EMOBOX_CORPORA,
        "emotion2vec+ seed was fine-tuned on academic corpora from EmoBox, which holds this one; "
        "which corpora and which splits is not stated",
    ),
    TrainingExposure(
        "emotion2vec",
        "",
        EMOBOX_CORPORA,
        "emotion2vec+ base and large learned from labels that emotion2vec+ seed gave, and seed was "
        "fine-tuned on academic corpora from EmoBox, which holds this one; which is not stated",
    ),
    TrainingExposure("audeering", "", ("msp-podcast",), "the model was trained on MSP-Podcast 1.7"),
)


def find_contamination(corpus: str, model: str, arguments: Mapping[str, Any]) -> list[str]:
    """What makers say of a model's having met a corpus; nothing where nothing is known."""
    told = [str(value).lower() for value in arguments.values() if isinstance(value, str)]
    for met in KNOWN_EXPOSURES:
        named = met.model in model.lower() or any(met.model in each for each in told)
        if named and corpus in met.corpora and any(met.variant in each for each in [*told, ""]):
            return [f"Possibly seen in training: {met.statement}. Read the numbers in that light."]
    return []

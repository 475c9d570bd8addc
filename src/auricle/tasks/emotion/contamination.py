"""Which models are known to have met which corpora in training, from what their makers say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EMOBOX = ("ravdess", "esd", "crema-d", "tess", "savee", "emodb", "iemocap", "meld", "msp-podcast")
"""Corpora read here that EmoBox holds."""


@dataclass(frozen=True, slots=True)
class Met:
    """One maker's statement: `variant` is looked for in the model's arguments, "" is any."""

    model: str
    variant: str
    corpora: tuple[str, ...]
    words: str


TABLE = (
    Met(
        "emotion2vec",
        "seed",
        EMOBOX,
        "emotion2vec+ seed was fine-tuned on academic corpora from EmoBox, which holds this one; "
        "which corpora and which splits is not stated",
    ),
    Met(
        "emotion2vec",
        "",
        EMOBOX,
        "emotion2vec+ base and large learned from labels that emotion2vec+ seed gave, and seed was "
        "fine-tuned on academic corpora from EmoBox, which holds this one; which is not stated",
    ),
    Met("audeering", "", ("msp-podcast",), "the model was trained on MSP-Podcast 1.7"),
)


def seen(corpus: str, model: str, arguments: Mapping[str, Any]) -> list[str]:
    """What makers say of a model's having met a corpus; nothing where nothing is known."""
    told = [str(value).lower() for value in arguments.values() if isinstance(value, str)]
    for met in TABLE:
        named = met.model in model.lower() or any(met.model in each for each in told)
        if named and corpus in met.corpora and any(met.variant in each for each in [*told, ""]):
            return [f"Possibly seen in training: {met.words}. Read the numbers in that light."]
    return []

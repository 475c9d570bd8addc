"""Text made comparable (normaliser profiles) and answers read from replies (extraction)."""

from auricle.text.extract import label, number, option, yes_no
from auricle.text.normalise import (
    PROFILES,
    TOKENISERS,
    Profile,
    characters,
    mixed_tokens,
    profile,
    profile_for,
    words,
)
from auricle.text.options import without_labels

__all__ = [
    "PROFILES",
    "TOKENISERS",
    "Profile",
    "characters",
    "label",
    "mixed_tokens",
    "number",
    "option",
    "profile",
    "profile_for",
    "without_labels",
    "words",
    "yes_no",
]

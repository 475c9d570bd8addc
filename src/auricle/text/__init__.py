"""Normaliser profiles, and functions that extract an answer from a free-form reply."""

from auricle.text.extract_number import extract_number, extract_yes_no
from auricle.text.extract_option import extract_label, extract_option, strip_labels
from auricle.text.profiles import (
    PROFILES,
    TOKENISERS,
    Profile,
    get_profile,
    resolve_profile_name,
    split_characters,
    split_mixed,
    split_words,
)

__all__ = [
    "PROFILES",
    "TOKENISERS",
    "Profile",
    "extract_label",
    "extract_number",
    "extract_option",
    "extract_yes_no",
    "get_profile",
    "resolve_profile_name",
    "split_characters",
    "split_mixed",
    "split_words",
    "strip_labels",
]

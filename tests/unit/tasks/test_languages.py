"""Tests of the English names of languages."""

from __future__ import annotations

from auricle.tasks.benchmarks.read_speech import FLEURS_LANGUAGES
from auricle.tasks.languages import LANGUAGE_NAMES, language_name


def test_an_unknown_code_is_its_own_name() -> None:
    assert (language_name("de"), language_name("tlh")) == ("German", "tlh")


def test_every_language_of_fleurs_has_a_name() -> None:
    assert not set(FLEURS_LANGUAGES.values()) - set(LANGUAGE_NAMES)

"""Tables of phrasings."""

import re
from dataclasses import fields

import pytest

from auricle.text.reading.languages import TABLES
from auricle.text.reading.table import Phrasings

PATTERNS = [field.name for field in fields(Phrasings) if field.default == "" and field.name != "is_spaced"]


@pytest.mark.parametrize("language", TABLES)
@pytest.mark.parametrize("name", PATTERNS)
def test_every_field_is_a_list_of_alternatives_without_an_empty_one(language: str, name: str) -> None:
    alternatives = getattr(TABLES[language], name)
    assert not alternatives or not re.fullmatch(f"(?:{alternatives})", "")


@pytest.mark.parametrize("language", TABLES)
def test_every_language_has_refusals_negations_yes_no_and_ordinals(language: str) -> None:
    table = TABLES[language]
    assert table.refusals
    assert table.negations or table.denials
    assert table.yes
    assert table.no
    assert len(table.ordinals) == 8

"""Tables of languages, and the languages of replies."""

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from auricle.text import reading
from auricle.text.reading.languages import all_languages, detect_languages
from auricle.text.reading.words import split_words

TABLES = [table for code, table in all_languages().items() if code != "xx"]
FOLDER = Path(reading.__path__[0])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.code)
def test_every_language_has_what_statements_need(table: object) -> None:
    for field in ("answers", "negations", "doubts", "contrasts", "corrections", "refusals", "no_audio", "yes", "no"):
        phrases = table.phrases(field)  # type: ignore[attr-defined]
        assert len(phrases) == len(set(phrases)) > 0, field
        assert all(map(split_words, phrases))


@pytest.mark.parametrize(
    ("reply", "codes"),
    [
        ("The speaker sounds angry.", ["en"]),
        ("Die Sprecherin klingt wütend.", ["de"]),
        ("说话人很生气。", ["zh"]),
        ("話者は怒っています。", ["ja"]),
        ("Говорящий не рад.", ["ru"]),
        ("说话人的情绪是 happy", ["zh"]),
        ("De spreker is niet blij in de opname.", []),
        ("Він не щасливий", []),
        ("Ο ομιλητής είναι λυπημένος", []),
        ("", []),
    ],
)
def test_languages_are_recognised_by_letters_and_frequent_words(reply: str, codes: Sequence[str]) -> None:
    assert list(detect_languages(split_words(reply), ["happy"])) == codes


def test_no_pattern_is_longer_than_200_characters() -> None:
    modules = [import_module(f"{reading.__name__}.{module.name}") for module in iter_modules([str(FOLDER)])]
    values = [value for module in modules for value in vars(module).values()]
    groups = [value if isinstance(value, tuple) else (value,) for value in values]
    patterns = [value for group in groups for value in group if isinstance(value, re.Pattern)]
    assert patterns
    assert all(len(pattern.pattern) <= 200 for pattern in patterns)

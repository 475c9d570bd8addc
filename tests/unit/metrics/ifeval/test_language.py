"""Language detection."""

import sys

import pytest

from auricle.core.errors import MissingExtra
from auricle.metrics.ifeval import language

pytestmark = pytest.mark.slow


def test_chinese_text_is_detected() -> None:
    simplified = "今天天气很好，我们一起去公园里散步，看看湖边的花。"
    assert language.is_language(simplified, "zh")
    assert not language.is_language(simplified, "en")


def test_a_text_too_short_to_detect_passes() -> None:
    assert language.is_language("12345 67", "fr")


def test_a_missing_language_detector_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langdetect", None)
    language._load_detector_factory.cache_clear()
    with pytest.raises(MissingExtra, match=r"auricle\[ifeval\]"):
        language.is_language("text", "en")

"""Tests of the options of task kinds."""

from __future__ import annotations

from typing import Any

import pytest

from auricle import SpecError
from auricle.benchmarks.read_speech import FLEURS_LANGUAGES
from auricle.engine.catalogue import TASKS
from auricle.engine.task_options import LANGUAGE_NAMES, language_name


def build(kind: Any, path: Any, **options: Any) -> Any:
    return TASKS.get(kind)(data=str(path), **options)


def test_an_unknown_option_is_rejected_with_a_suggestion(manifest: Any) -> None:
    with pytest.raises(SpecError, match=r"Unknown option of asr: langauge\. Did you mean 'language'\?"):
        build("asr", manifest([]), langauge="en")


def test_a_task_kind_without_data_is_rejected() -> None:
    with pytest.raises(SpecError, match="The task asr needs data"):
        TASKS.get("asr")()


@pytest.mark.parametrize("language", ["zh-CN", "ZH", "zh_TW", "cmn"])
def test_variants_of_a_language_code_are_accepted(manifest: Any, language: str) -> None:
    assert build("asr", manifest([]), language=language).metrics[0].name == "mer"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"language": "English"}, "Invalid language 'English'"),
        ({"max_tokens": -5}, "Invalid max_tokens -5: expected a positive integer"),
        ({"max_tokens": "many"}, "expected a positive integer"),
        ({"prompt": {"a": 1}}, "unknown section a"),
        ({"metrics": "nope"}, "Unknown metric 'nope'"),
    ],
)
def test_an_invalid_value_is_rejected(manifest: Any, option: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        build("asr", manifest([]), **option)


def test_a_number_is_accepted_for_a_text_option(manifest: Any) -> None:
    assert build("asr", manifest([]), name=2024).name == "2024"


def test_an_unknown_code_is_its_own_name() -> None:
    assert (language_name("de"), language_name("tlh")) == ("German", "tlh")


def test_every_language_of_fleurs_has_a_name() -> None:
    assert not set(FLEURS_LANGUAGES.values()) - set(LANGUAGE_NAMES)

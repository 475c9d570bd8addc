"""Tests of the options of task kinds."""

from __future__ import annotations

from typing import Any

import pytest

from auricle import SpecError
from auricle.benchmarks.read_speech import FLEURS_LANGUAGES
from auricle.core.arguments import list_options
from auricle.engine.catalogue import TASKS
from auricle.engine.task_options import LANGUAGE_NAMES, language_name


def build(kind: Any, path: Any, **options: Any) -> Any:
    return TASKS.get(kind)(data=str(path), **options)


def test_an_unknown_option_is_rejected_with_a_suggestion(manifest: Any) -> None:
    with pytest.raises(SpecError, match=r"Unknown option of asr: langauge\. Did you mean 'language'\?"):
        build("asr", manifest([]), langauge="en")


@pytest.mark.parametrize(
    ("kind", "option", "kinds"),
    [
        ("asr", {"labels": "joy,anger"}, "classify, detect, emotion, tag"),
        ("qa", {"integer_answers": "0-based"}, "mcq"),
        ("translate", {"words": "names.txt"}, "asr, timestamps"),
        ("conversation", {"threshold": 0.5}, "detect, tag"),
    ],
)
def test_an_option_of_other_kinds_is_rejected_with_their_names(
    manifest: Any, kind: str, option: Any, kinds: str
) -> None:
    (name,) = option
    with pytest.raises(SpecError, match=rf"^Unknown option of {kind}: {name}\. {name} is an option of {kinds}\.$"):
        build(kind, manifest([]), **option)


@pytest.mark.parametrize("kind", ["reward", "preference", "verify", "conversation"])
@pytest.mark.parametrize("option", [{"shots": 3}, {"samples": 2}, {"inferencer": "respond"}, {"answers": "vote"}])
def test_options_of_answers_are_rejected_by_kinds_that_ignore_them(manifest: Any, kind: str, option: Any) -> None:
    with pytest.raises(SpecError, match=r"is an option of .*asr.*qa"):
        build(kind, manifest([]), **option)


@pytest.mark.parametrize("kind", ["asr", "qa", "mcq", "classify", "tag", "tts", "meeting", "translate"])
def test_kinds_whose_answers_are_texts_have_a_judge_and_several_answers(manifest: Any, kind: str) -> None:
    options = list_options(TASKS.get(kind))
    assert {"rubric", "votes", "samples", "answers", "shots", "prompt", "profile"} <= set(options)


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

"""Tests of LibriSpeech, FLEURS, Common Voice, CoVoST 2 and AISHELL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from auricle import Spec, evaluate
from auricle.core.errors import DataError
from auricle.engine.catalogue import TASKS
from tests.support.miniatures import write_tone
from tests.support.miniatures_suite import SpeechSuite, build_from, find_miniature


class TestReadSpeech(SpeechSuite):
    tasks = ("librispeech", "fleurs", "aishell", "aishell-2")


@pytest.mark.slow
def test_a_missing_language_is_reported_with_the_available_ones(tmp_path: Path) -> None:
    find_miniature("common-voice", language="de").build(tmp_path)
    with pytest.raises(DataError, match=r"No en/test.tsv .* Languages in it: de\."):
        TASKS.get("common-voice")(root=str(tmp_path)).samples.validate()


@pytest.mark.slow
def test_the_locale_of_the_table_is_checked(tmp_path: Path) -> None:
    find_miniature("common-voice", language="de").build(tmp_path)
    folder = tmp_path / "cv-corpus-17.0-2024-03-15/de"
    with pytest.raises(DataError, match=r"is in 'de', not 'en'\. Set -T language=de"):
        TASKS.get("common-voice")(root=str(folder)).samples.validate()
    assert len(TASKS.get("common-voice")(root=str(folder), language="de").samples) == 2


@pytest.mark.slow
def test_translations_into_chinese_are_scored_by_character(tmp_path: Path) -> None:
    miniature = find_miniature("covost2", pair="en_zh-CN")
    miniature.build(tmp_path)
    task = build_from(miniature, tmp_path)
    sample = next(iter(task.samples))
    assert sample.inputs["question"] == "Please translate the speech into Chinese."
    assert [metric.name for metric in task.metrics] == ["bleu_char", "chrf"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tokenise"), [("bleu_char", "char"), ("bleu_zh", "zh")])
def test_character_bleu_equals_sacrebleu(manifest: Any, tmp_path: Path, name: str, tokenise: str) -> None:
    path = manifest([{"id": "1", "question": "早上好 Tom", "audio": "x.wav", "answer": "你早上好 Tom"}])
    write_tone(tmp_path / "x.wav")
    options = {"data": str(path), "metrics": [name], "prompt": "{question}"}
    (number,) = evaluate(Spec(task="translate", task_args=options, model="echo"), tmp_path / "run")
    oracle = sacrebleu.corpus_bleu(["早上好 Tom"], [["你早上好 Tom"]], tokenize=tokenise)
    assert number.value == pytest.approx(oracle.score)


@pytest.mark.parametrize(
    ("language", "first"), [("en", "wer"), ("de", "wer"), ("zh", "cer"), ("yue", "cer"), ("ja", "cer"), ("th", "cer")]
)
def test_languages_without_spaces_are_scored_by_character(language: str, first: str) -> None:
    task = TASKS.get("fleurs")(root="x", language=language)
    assert task.metrics[0].name == first


@pytest.mark.slow
class TestCommonVoice(SpeechSuite):
    tasks = ("common-voice", "covost2")

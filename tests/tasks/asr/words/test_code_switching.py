"""Errors by script, by hand and against jiwer."""

import random

import jiwer
import pytest

from auricle import Generation, Sample
from auricle.tasks.asr.words.code_switching import (
    code_switching,
    count_script_errors,
    find_script,
    mer_cjk,
    mer_latin,
    switch_error_rate,
)

KNOWN = ("我 想 要 coffee", "我 要 coffee please")


def test_the_known_case_has_a_chinese_deletion_and_an_english_insertion() -> None:
    sample = Sample(id="1", inputs={}, target=KNOWN[0])
    stat = mer_cjk.score(sample, Generation(text=KNOWN[1]))
    assert mer_cjk.aggregate([stat]) == pytest.approx(1 / 3)
    table = mer_cjk.details([stat])["by_script"]
    assert table["cjk"] == {"substitutions": 0, "deletions": 1, "insertions": 0, "reference_length": 3}
    assert table["latin"] == {"substitutions": 0, "deletions": 0, "insertions": 1, "reference_length": 1}
    assert mer_latin.aggregate([stat]) == 1.0
    assert switch_error_rate.aggregate([stat]) == 0.0


def test_errors_at_a_switch_are_those_of_its_two_tokens_and_of_what_is_between_them() -> None:
    def errors(reference: str, hypothesis: str) -> tuple[int, ...]:
        return count_script_errors(reference.split(), hypothesis.split())[-3:]

    assert errors("我 要 coffee now", "我 要 tea now") == (1, 2, 1)
    assert errors("我 要 coffee now", "你 要 coffee then") == (0, 2, 1)
    assert errors("要 coffee", "要 一 coffee") == (1, 2, 1)
    assert errors("要 coffee 吗", "要 吗") == (1, 3, 2)
    assert errors("要 24 coffee", "要 24 tea") == (1, 2, 1)
    assert errors("a b", "a c") == (0, 0, 0)
    assert errors("要 coffee", "一 要 coffee") == (0, 2, 1)
    assert errors("好 要 coffee now", "好 一 要 coffee") == (0, 2, 1)
    assert errors("要 coffee now", "要 coffee tea now") == (0, 2, 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_errors_of_all_scripts_are_those_of_jiwer(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        reference, hypothesis = (rng.choices(["我", "要", "ok", "go", "7"], k=rng.randint(1, 9)) for _ in range(2))
        counts = count_script_errors(reference, hypothesis)
        expected = jiwer.process_words(" ".join(reference), " ".join(hypothesis))
        kinds = [sum(counts[kind:12:4]) for kind in range(4)]
        assert kinds == [expected.substitutions, expected.deletions, expected.insertions, len(reference)]
        lengths = [sum(find_script(token) == script for token in reference) for script in ("cjk", "latin", "other")]
        assert [counts[place] for place in (3, 7, 11)] == lengths


def test_each_rate_has_the_errors_of_its_script() -> None:
    reference, answer = "我 要 一 coffee and two teas", "我 想 coffee or a lot two"
    stat = mer_cjk.score(Sample(id="1", inputs={}, target=reference), Generation(text=answer))
    counts = count_script_errors(reference.split(), answer.split())
    table = mer_cjk.details([counts])["by_script"]
    assert mer_cjk.aggregate([counts]) == sum(list(table["cjk"].values())[:3]) / 3
    assert mer_latin.aggregate([counts]) == sum(list(table["latin"].values())[:3]) / 4
    assert stat == counts


def test_a_part_without_tokens_is_undefined() -> None:
    sample = Sample(id="1", inputs={}, target="我要")
    stat = mer_latin.score(sample, Generation(text="我要"))
    assert mer_latin.aggregate([stat]) != mer_latin.aggregate([stat])
    assert switch_error_rate.aggregate([stat]) != switch_error_rate.aggregate([stat])
    assert mer_cjk.aggregate([stat]) == 0.0
    assert all("mixed" in metric.signature for metric in code_switching)

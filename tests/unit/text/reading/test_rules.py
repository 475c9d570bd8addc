"""Phrasings around a mentioned option."""

import re

import pytest

from auricle.text.reading.rules import ClaimLevel, rules_for_languages, whole_word

RULES = rules_for_languages(("en", "zh"))


@pytest.mark.parametrize(
    ("before", "after", "level"),
    [
        ("the answer is ", ".", ClaimLevel.STATED),
        ("答案是", "", ClaimLevel.STATED),
        ("", ", because of the strings", ClaimLevel.STATED),
        ("it is not ", "", ClaimLevel.NEGATED),
        ("", " is wrong", ClaimLevel.NEGATED),
        ("不是", "", ClaimLevel.NEGATED),
        ("I first thought it was ", "", ClaimLevel.TENTATIVE),
        ("the speaker sounds ", " to me", ClaimLevel.PREDICATED),
        ("", ".", ClaimLevel.LEAD),
        ("hm ", " hm", None),
    ],
)
def test_the_first_matching_phrasing_gives_the_level(before: str, after: str, level: ClaimLevel | None) -> None:
    assert next((rule.level for rule in RULES.text_rules if rule.matches(before, after)), None) == level


@pytest.mark.parametrize(
    ("before", "level"),
    [("the answer is ", ClaimLevel.STATED), ("it sounds like ", ClaimLevel.PREDICATED), ("it is not hm ", None)],
)
def test_some_phrasings_come_before_an_answer(before: str, level: ClaimLevel | None) -> None:
    assert next((rule.level for rule in RULES.answer_rules if rule.matches(before, "")), None) == level


def test_labels_have_additional_phrasings() -> None:
    levels = [rule.level for rule in RULES.label_rules if rule.matches("see option ", " there")]
    assert levels == [ClaimLevel.PLAIN]
    assert RULES.label_rules[: len(RULES.text_rules)] == RULES.text_rules


def test_whole_words_match_next_to_chinese_characters() -> None:
    assert re.search(whole_word("yes"), "答yes的")
    assert not re.search(whole_word("yes"), "yesterday")

"""The 25 checks of IFEval, one by one and against verdicts of the published code."""

import json
import sys
from typing import Any

import pytest

from auricle.core.errors import MissingExtra, Unreadable
from auricle.core.types import Json, Sample
from auricle.tasks.questions.ifeval import checks
from auricle.tasks.questions.ifeval.checks import CHECKS, count_capital_words, count_sentences
from auricle.tasks.questions.ifeval.scores import check_instructions
from tests.support import paths

pytestmark = pytest.mark.slow

GOLDEN_FILE = paths.GOLDEN / "ifeval.jsonl"
GOLDEN = [json.loads(line) for line in GOLDEN_FILE.read_text("utf-8").splitlines()]
ANSWERS = {row["name"]: row["answer"] for row in GOLDEN if "name" in row}
GERMAN = "Der Winter war lang und der Schnee lag hoch vor dem Haus."
ENGLISH = "the river is low this year and no one gets wet when they walk across it."
FEW, MANY = {"relation": "less than"}, {"relation": "at least"}


# name: (arguments, an answer that follows the instruction, an answer that violates it)
CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "punctuation:no_comma": ({}, "No pause here.", "One, two."),
    "length_constraints:number_words": ({"num_words": 3, **MANY}, "It's me", "One two"),
    "length_constraints:number_sentences": ({"num_sentences": 2, **MANY}, "Go. Now!", "Go now"),
    "length_constraints:number_paragraphs": ({"num_paragraphs": 2}, "One\n***\nTwo", "One\n\nTwo"),
    "length_constraints:nth_paragraph_first_word": (
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Then"},
        'First this.\n\n"Then, that."',
        "First this.\n\nThence that.",
    ),
    "detectable_content:number_placeholders": ({"num_placeholders": 2}, "[a] and [b]", "[a] and b"),
    "detectable_content:postscript": ({"postscript_marker": "P.S."}, "Bye.\np. s. Hi", "Bye. PS Hi"),
    "detectable_format:number_bullet_lists": ({"num_bullets": 2}, "* a\n  - b", "* a\n* b\n- c"),
    "detectable_format:constrained_response": ({}, "Well. My answer is no.", "My answer is never."),
    "detectable_format:number_highlighted_sections": ({"num_highlights": 2}, "*a* and **b**", "*a* and ** **"),
    "detectable_format:multiple_sections": (
        {"section_spliter": "Part", "num_sections": 2},
        "Part 1\nx\nPart 2\ny",
        "PART 1\nx\nPART 2\ny",
    ),
    "detectable_format:json_format": ({}, '```JSON\n{"a": 1}\n```', "{'a': 1}"),
    "detectable_format:title": ({}, "<<Bread>>\nFlour.", "<< >>\nFlour."),
    "combination:two_responses": ({}, "Yes\n******\nNo", "Yes\n******\nYes"),
    "combination:repeat_prompt": (
        {"prompt_to_repeat": "What is it? "},
        "what is it? A kite.",
        "You ask: what is it? A kite.",
    ),
    "startend:end_checker": ({"end_phrase": "The end."}, '"So: the end."', "The end. Bye"),
    "startend:quotation": ({}, ' "all of it" ', '"part" of it'),
    "keywords:existence": ({"keywords": ["Kite", "c++"]}, "kites in C++", "kites in C"),
    "keywords:frequency": ({"keyword": "kite", "frequency": 2, **FEW}, "A kite", "Kite, kites"),
    "keywords:forbidden_words": ({"forbidden_words": ["kite", "c++"]}, "Kites in C", "A KITE"),
    "keywords:letter_frequency": (
        {"letter": "#", "let_frequency": 2, "let_relation": "at least"},
        "# and #",
        "# and b",
    ),
    "language:response_language": ({"language": "de"}, GERMAN, ENGLISH),
    "change_case:capital_word_frequency": (
        {"capital_frequency": 3, "capital_relation": "at least"},
        "NASA and I AGREE",
        "NASA and I agree",
    ),
    "change_case:english_capital": ({}, ENGLISH.upper(), GERMAN.upper()),
    "change_case:english_lowercase": ({}, ENGLISH, ENGLISH.capitalize()),
}


def sample_with(*instructions: tuple[str, dict[str, Any]], **meta: Json) -> Sample:
    names, arguments = [name for name, _ in instructions], [arguments for _, arguments in instructions]
    return Sample(id="1", inputs={}, meta=meta or {"instruction_id_list": names, "kwargs": arguments})


def test_there_is_a_case_for_every_published_instruction() -> None:
    assert len(CHECKS) == 25
    assert CASES.keys() == CHECKS.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_check_accepts_and_rejects_its_examples(name: str) -> None:
    arguments, follows, violates = CASES[name]
    assert check_instructions(sample_with((name, arguments)), follows).strict == (True,)
    assert check_instructions(sample_with((name, arguments)), violates).strict == (False,)


@pytest.mark.parametrize("case", [row for row in GOLDEN if "id" in row], ids=lambda row: row["id"])
def test_results_equal_those_of_the_published_code(case: dict[str, Any]) -> None:
    sample = sample_with((case["id"], case["kwargs"]))
    results = {name: check_instructions(sample, answer) for name, answer in ANSWERS.items()}
    assert [name for name, result in results.items() if all(result.strict)] == case["strict"]
    assert [name for name, result in results.items() if all(result.loose)] == case["loose"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("no full stop", 1),
        ("One. Two! Three? Four", 4),
        ("Dr. Lane met Mr. J. Smith. They left.", 2),
        ("It costs 2.5 pounds, e.g. in the U.S. market. The rest is free.", 2),
        ("He works for Kites Inc. They pay well.", 2),
        ("Wait... what? Well... The end.", 3),
        ('She called "Stop." Then she left.', 2),
        ("1. Salt\n2. Water", 3),
        ("born in 1841. then moved away.", 1),
        ("A. Salt\nB. Water", 3),
        ("J F. Kennedy left.", 1),
        ("He was born in 1841. 3D films came later.", 2),
        ("Prices rose in 1841. 2b is next.", 2),
        ("! Go now", 2),
        (f"x{39 * '1'}. then", 2),
        (f"x{40 * '1'}. then", 1),  # a number, because only 40 characters are read
        ("a list\nof lines\nwithout stops", 1),
        ("今天下雨。我们不出门！你呢？", 3),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert count_sentences(text) == count


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("I'm A cat", 2), ("DON'T CANNOT", 4), ("NASA's (BBC), COVID-19!", 3), ("1, 2", 0)]
)
def test_capitalised_words_are_counted(text: str, count: int) -> None:
    assert count_capital_words(text) == count


def test_chinese_text_is_detected() -> None:
    simplified = "今天天气很好，我们一起去公园里散步，看看湖边的花。"
    assert checks.is_language(simplified, "zh")
    assert not checks.is_language(simplified, "en")


def test_a_text_too_short_to_detect_passes() -> None:
    assert checks.is_language("12345 67", "fr")


def test_the_language_detector_is_seeded() -> None:
    checks.is_language(ENGLISH, "en")
    assert checks._load_detector_factory().create().seed == 0


@pytest.mark.parametrize(
    ("answer", "count"),
    [("One***Two", 2), ("***One***Two***", 2), ("One*** ***Two", None), ("***\n***One", None), ("One", 1), ("***", 0)],
)
def test_only_the_first_and_the_last_paragraph_may_be_empty(answer: str, count: int | None) -> None:
    for expected in range(4):
        assert checks.number_paragraphs(answer, expected) is (expected == count)


@pytest.mark.parametrize(
    ("answer", "nth", "follows"),
    [
        ("One\n\nThen two", 2, True),
        ('One\n\n"Then, two', 2, True),
        ("One\n\n'Then' two", 2, True),
        ("One\n\nThenceforth", 2, False),
        ("Then\n\ntwo", 1, True),
        ("Then\n\ntwo", 0, False),
        ("One\n\nThen", 0, False),
        ("One\n\nThen", 3, False),
        ("One\n\nThen\n\nthree", 2, False),
        ("One\n\n\n\nThen", 2, False),
        ("\n\nOne\n\nThen", 2, False),
    ],
)
def test_the_first_word_of_a_paragraph_is_compared(answer: str, nth: int, follows: bool) -> None:
    assert checks.nth_paragraph_first_word(answer, 2, nth, "then") is follows


@pytest.mark.parametrize(
    ("answer", "is_quoted"), [('"', False), ('""', True), ('"a"', True), ('a"', False), ('"a', False), ("", False)]
)
def test_a_quotation_has_a_mark_at_both_ends(answer: str, is_quoted: bool) -> None:
    assert checks.quotation(answer) is is_quoted


def test_an_unknown_relation_makes_the_sample_unreadable() -> None:
    with pytest.raises(Unreadable, match="the relation 'at most' is not one of less than, at least"):
        checks.number_words("One two", 2, "at most")


def test_a_missing_language_detector_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langdetect", None)
    checks._load_detector_factory.cache_clear()
    with pytest.raises(MissingExtra, match=r"auricle\[ifeval\]"):
        checks.is_language("text", "en")

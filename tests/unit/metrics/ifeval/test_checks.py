"""The 25 checks of IFEval, one by one and against verdicts of the published code."""

import json
from typing import Any

import pytest

from auricle.core.types import Json, Sample
from auricle.metrics.ifeval.checks import CHECKS
from auricle.metrics.ifeval.instructions import check_instructions
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

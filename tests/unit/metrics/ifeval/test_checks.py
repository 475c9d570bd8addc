"""IFEval's instructions, one by one, and the numbers made of them."""

import json
import sys
from typing import Any

import pytest

from auricle.core.errors import MissingExtra, SpecError, Unreadable
from auricle.core.registry import import_object
from auricle.core.types import Generation, Sample
from auricle.metrics.catalogue import METRICS
from auricle.metrics.ifeval import language
from auricle.metrics.ifeval.checks import CHECKS
from auricle.metrics.ifeval.counting import count_capital_words, count_sentences
from auricle.metrics.ifeval.instructions import check_instructions
from auricle.tasks.catalogue import TASKS
from tests.support import paths

GOLDEN_FILE = paths.GOLDEN / "ifeval.jsonl"
GOLDEN = [json.loads(line) for line in GOLDEN_FILE.read_text("utf-8").splitlines()]
ANSWERS = {row["name"]: row["answer"] for row in GOLDEN if "name" in row}
GERMAN = "Der Winter war lang und der Schnee lag hoch vor dem Haus."
ENGLISH = "the river is low this year and nobody gets wet when they walk across it."
FEW, MANY = {"relation": "less than"}, {"relation": "at least"}

CASES = {
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


def asked(*pairs: Any, **meta: Any) -> Any:
    names, arguments = [name for name, _ in pairs], [given for _, given in pairs]
    return Sample(id="1", inputs={}, meta=meta or {"instruction_id_list": names, "kwargs": arguments})


def metric(name: Any) -> Any:
    return METRICS.get(name)


def test_there_is_a_case_for_every_published_instruction() -> None:
    assert len(CHECKS) == 25
    assert CASES.keys() == CHECKS.keys()


@pytest.mark.parametrize("name", CASES)
def test_an_answer_that_follows_is_told_from_one_that_does_not(name: Any) -> None:
    given, follows, does_not = CASES[name]
    assert check_instructions(asked((name, given)), follows).strict == (True,)
    assert check_instructions(asked((name, given)), does_not).strict == (False,)


@pytest.mark.parametrize("case", [row for row in GOLDEN if "id" in row], ids=lambda row: row["id"])
def test_verdicts_are_those_of_the_published_checks(case: Any) -> None:
    sample = asked((case["id"], case["kwargs"]))
    found = {name: check_instructions(sample, answer) for name, answer in ANSWERS.items()}
    assert [name for name, each in found.items() if all(each.strict)] == case["strict"]
    assert [name for name, each in found.items() if all(each.loose)] == case["loose"]


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
        ('She said "Stop." Then she left.', 2),
        ("1. Salt\n2. Water", 3),
        ("born in 1841. then moved away.", 1),
        ("A. Salt\nB. Water", 3),
        ("a list\nof lines\nwithout stops", 1),
        ("今天下雨。我们不出门！你呢？", 3),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert count_sentences(text) == count


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("I'm A cat", 2), ("DON'T CANNOT", 4), ("NASA's (BBC), COVID-19!", 3), ("1, 2", 0)]
)
def test_capital_words_are_counted(text: str, count: int) -> None:
    assert count_capital_words(text) == count


def test_nothing_is_followed_by_an_empty_answer() -> None:
    found = check_instructions(asked(("punctuation:no_comma", {})), " \n")
    assert (found.strict, found.loose) == ((False,), (False,))


@pytest.mark.parametrize("answer", ["Sure, yes:\nno pause", "no pause\nBye, you", "Hi,\nno pause\nBye,"])
def test_loose_forgives_first_and_last_lines(answer: str) -> None:
    found = check_instructions(asked(("punctuation:no_comma", {})), answer)
    assert (found.strict, found.loose) == ((False,), (True,))


def test_loose_forgives_asterisks() -> None:
    found = check_instructions(asked(("startend:quotation", {})), '**"all of it"**')
    assert (found.strict, found.loose) == ((False,), (True,))


@pytest.mark.parametrize(
    "meta",
    [
        {"instruction_id_list": ["keywords:existence"], "kwargs": [{"keywords": ["a"]}]},
        {"instruction": ["keywords:existence"], "instruction_kwargs": [{"keywords": ["a"]}]},
        {"instruction_id_list": '["keywords:existence"]', "kwargs": '[{"keywords": ["a"]}]'},
        {"instruction": "keywords:existence", "instruction_kwargs": [{"keywords": "a"}]},
        {"instruction": ["keywords:existence"], "kwargs": [{"keywords": ["a"], "language": None}]},
    ],
)
def test_instructions_are_read_under_either_name_as_lists_or_json(meta: Any) -> None:
    assert check_instructions(asked(**meta), "cat").strict == (True,)


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        ({"instruction": ["new:thing"]}, "no check for 'new:thing'; docs/open-answers.md lists"),
        ({"subset": "x"}, "a list of ids is due as instruction_id_list"),
        ({"instruction": []}, "no instructions to check"),
        ({"instruction": ["detectable_format:title"], "kwargs": []}, "a list of 1"),
        ({"instruction": ["detectable_format:title"], "kwargs": [7]}, "an object, not 7"),
        ({"instruction": ["language:response_language"]}, "needs language"),
        (
            {"instruction": ["length_constraints:number_words"], "kwargs": [{"num_words": None}]},
            "needs num_words, relation",
        ),
        (
            {"instruction": ["keywords:frequency"], "kwargs": [{"keyword": "a", "frequency": 1,
             "relation": "exactly"}]},
            "the relation 'exactly' is none of less than, at least",
        ),
        (
            {"instruction": ["detectable_format:number_highlighted_sections"],
             "kwargs": [{"num_highlights": "two"}]},
            "cannot take",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_named_and_not_scored(meta: Any, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        check_instructions(asked(**meta), "an answer")


def test_unknown_instructions_are_unscored_and_not_wrong() -> None:
    assert metric("ifeval").unreadable == "unscored"


def test_chinese_of_either_script_is_chinese() -> None:
    simplified = "今天天气很好，我们一起去公园里散步，看看湖边的花。"
    assert language.is_language(simplified, "zh")
    assert not language.is_language(simplified, "en")


def test_a_text_no_language_can_be_told_of_passes() -> None:
    assert language.is_language("12345 67", "fr")


def test_a_missing_language_detector_is_told_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langdetect", None)
    language._load_detector_factory.cache_clear()
    with pytest.raises(MissingExtra, match=r"auricle\[ifeval\]"):
        language.is_language("text", "en")


def test_a_missing_language_detector_is_told_when_the_metric_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "auricle.metrics.ifeval.scores", raising=False)
    with pytest.raises(SpecError, match=r"auricle\[ifeval\]"):
        import_object("auricle.metrics.ifeval.scores:ifeval")


TWO = asked(("punctuation:no_comma", {}), ("startend:quotation", {}))
ONE = asked(("punctuation:no_comma", {}))


def test_prompts_count_once_and_instructions_each() -> None:
    answers = [(TWO, "no quotes"), (ONE, "no pause")]
    values = {}
    for name in ("prompt_strict", "prompt_loose", "instruction_strict", "instruction_loose"):
        each = metric(f"ifeval_{name}")
        values[name] = each.fold([each.score(s, Generation(text=text)) for s, text in answers])
    assert values == {
        "prompt_strict": 0.5,
        "prompt_loose": 0.5,
        "instruction_strict": pytest.approx(2 / 3),
        "instruction_loose": pytest.approx(2 / 3),
    }


def test_ifeval_is_the_mean_of_the_four_and_tells_them() -> None:
    ifeval = metric("ifeval")
    stats = [ifeval.score(TWO, Generation(text='Hi, you\n"all of it"')), ifeval.score(ONE, Generation(text="no pause"))]
    assert ifeval.details(stats) == {
        "prompt_strict": 0.5,
        "prompt_loose": 1.0,
        "instruction_strict": pytest.approx(1 / 3),
        "instruction_loose": 1.0,
        "instructions": 3,
    }
    assert ifeval.fold(stats) == pytest.approx((0.5 + 1 + 1 / 3 + 1) / 4)


@pytest.mark.parametrize("name", ["ifeval", "ifeval_prompt_strict", "ifeval_prompt_loose", "ifeval_instruction_strict"])
def test_bounds_are_nothing_followed_and_all_followed(name: str) -> None:
    each = metric(name)
    worst, best = each.bounds(TWO)
    assert (each.fold([worst]), each.fold([best])) == (0.0, 1.0)


def test_a_sample_that_cannot_be_scored_weighs_nothing_in_pooled_bounds() -> None:
    unknown = asked(("new:thing", {}))
    assert metric("ifeval_instruction_loose").bounds(unknown) == ((0, 0), (0, 0))


def test_rows_of_kimi_audio_evalkit_are_scored_as_they_are(manifest: Any) -> None:
    row = {
        "index": 0,
        "audio_path": "a.wav",
        "audio_content": "Say it without a pause.",
        "instruction": ["punctuation:no_comma", "length_constraints:number_words"],
        "instruction_kwargs": [{"num_words": None}, {"num_words": 2, "relation": "at least"}],
    }
    task = TASKS.get("open")(data=str(manifest([row])), metrics="ifeval")
    (sample,) = task.samples
    assert sample.inputs["question"] == ""
    assert task.metrics[0].score(sample, Generation(text="one, two")) == (0, 0, 1, 1, 2)

"""Instructions of a sample: field names, loose variants, and invalid instructions."""

from typing import Any

import pytest

from auricle.core.errors import Unreadable
from auricle.core.types import Json, Sample
from auricle.metrics.ifeval.instructions import check_instructions


def sample_with(*instructions: tuple[str, dict[str, Any]], **meta: Json) -> Sample:
    names, arguments = [name for name, _ in instructions], [arguments for _, arguments in instructions]
    return Sample(id="1", inputs={}, meta=meta or {"instruction_id_list": names, "kwargs": arguments})


def test_an_empty_answer_follows_no_instruction() -> None:
    results = check_instructions(sample_with(("punctuation:no_comma", {})), " \n")
    assert (results.strict, results.loose) == ((False,), (False,))


@pytest.mark.parametrize("answer", ["Sure, yes:\nno pause", "no pause\nBye, you", "Hi,\nno pause\nBye,"])
def test_loose_results_ignore_first_and_last_lines(answer: str) -> None:
    results = check_instructions(sample_with(("punctuation:no_comma", {})), answer)
    assert (results.strict, results.loose) == ((False,), (True,))


def test_loose_results_ignore_asterisks() -> None:
    results = check_instructions(sample_with(("startend:quotation", {})), '**"all of it"**')
    assert (results.strict, results.loose) == ((False,), (True,))


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
def test_instructions_are_read_from_either_field_as_lists_or_json(meta: dict[str, Json]) -> None:
    assert check_instructions(sample_with(**meta), "cat").strict == (True,)


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        ({"instruction": ["new:thing"]}, "unknown instruction 'new:thing'; see docs/open-answers.md"),
        ({"subset": "x"}, "expected a list of ids in instruction_id_list"),
        ({"instruction": []}, "no instructions to check"),
        ({"instruction": ["detectable_format:title"], "kwargs": []}, "a list of 1 objects"),
        ({"instruction": ["detectable_format:title"], "kwargs": [7]}, "an object, not 7"),
        ({"instruction": ["language:response_language"]}, "needs language"),
        (
            {"instruction": ["length_constraints:number_words"], "kwargs": [{"num_words": None}]},
            "needs num_words, relation",
        ),
        (
            {"instruction": ["keywords:frequency"], "kwargs": [{"keyword": "a", "frequency": 1,
             "relation": "exactly"}]},
            "the relation 'exactly' is not one of less than, at least",
        ),
        (
            {"instruction": ["detectable_format:number_highlighted_sections"],
             "kwargs": [{"num_highlights": "two"}]},
            "invalid arguments of detectable_format:number_highlighted_sections",
        ),
    ],
)  # fmt: skip
def test_invalid_instructions_make_the_sample_unreadable(meta: dict[str, Json], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        check_instructions(sample_with(**meta), "an answer")

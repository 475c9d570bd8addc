"""The five metrics of IFEval."""

import sys
from typing import Any

import pytest

from auricle.core.errors import SpecError, Unreadable
from auricle.core.registry import import_object
from auricle.core.types import Generation, Json, Sample
from auricle.engine.catalogue import TASKS
from auricle.metrics.catalogue import METRICS
from auricle.tasks.questions.ifeval.scores import check_instructions


def sample_with(*instructions: tuple[str, dict[str, Any]], **meta: Json) -> Sample:
    names, arguments = [name for name, _ in instructions], [arguments for _, arguments in instructions]
    return Sample(id="1", inputs={}, meta=meta or {"instruction_id_list": names, "kwargs": arguments})


TWO = sample_with(("punctuation:no_comma", {}), ("startend:quotation", {}))
ONE = sample_with(("punctuation:no_comma", {}))


def test_prompts_and_instructions_are_counted() -> None:
    answers = [(TWO, "no quotes"), (ONE, "no pause")]
    values = {}
    for name in ("prompt_strict", "prompt_loose", "instruction_strict", "instruction_loose"):
        metric = METRICS.get(f"ifeval_{name}")
        values[name] = metric.aggregate([metric.score(s, Generation(text=text)) for s, text in answers])
    assert values == {
        "prompt_strict": 0.5,
        "prompt_loose": 0.5,
        "instruction_strict": pytest.approx(2 / 3),
        "instruction_loose": pytest.approx(2 / 3),
    }


def test_ifeval_is_the_mean_of_the_four_accuracies() -> None:
    ifeval = METRICS.get("ifeval")
    stats = [ifeval.score(TWO, Generation(text='Hi, you\n"all of it"')), ifeval.score(ONE, Generation(text="no pause"))]
    assert ifeval.details(stats) == {
        "prompt_strict": 0.5,
        "prompt_loose": 1.0,
        "instruction_strict": pytest.approx(1 / 3),
        "instruction_loose": 1.0,
        "instructions": 3,
    }
    assert ifeval.aggregate(stats) == pytest.approx((0.5 + 1 + 1 / 3 + 1) / 4)


@pytest.mark.parametrize("name", ["ifeval", "ifeval_prompt_strict", "ifeval_prompt_loose", "ifeval_instruction_strict"])
def test_bounds_are_none_and_all_instructions_followed(name: str) -> None:
    metric = METRICS.get(name)
    worst, best = metric.bounds(TWO)
    assert (metric.aggregate([worst]), metric.aggregate([best])) == (0.0, 1.0)


def test_an_unreadable_sample_does_not_affect_pooled_bounds() -> None:
    unknown = sample_with(("new:thing", {}))
    assert METRICS.get("ifeval_instruction_loose").bounds(unknown) == ((0, 0), (0, 0))


def test_unknown_instructions_are_unscored() -> None:
    assert METRICS.get("ifeval").unreadable == "unscored"


def test_a_missing_language_detector_is_reported_when_the_metric_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "auricle.tasks.questions.ifeval.scores", raising=False)
    with pytest.raises(SpecError, match=r"auricle\[ifeval\]"):
        import_object("auricle.tasks.questions.ifeval.scores:ifeval")


def test_rows_of_kimi_audio_evalkit_are_scored(manifest: Any) -> None:
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

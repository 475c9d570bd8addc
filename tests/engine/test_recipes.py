"""Tests of building inferencers and prompts from the options of a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from auricle import Sample, SpecError
from auricle.data import ColumnMapping, Manifest
from auricle.data.prompts import Prompt
from auricle.data.prompts.few_shot import FewShotSelector
from auricle.engine.inferencers import Converse, Respond
from auricle.engine.recipes import build_recipe, promote_columns, with_columns, with_shots
from auricle.engine.task_options import GenerationOptions
from auricle.tasks.questions.inferencers import Choose, LabelPrompts


def recipe(**options: Any) -> Any:
    return build_recipe(
        GenerationOptions.from_arguments("qa", {"data": "x.jsonl", **options}), "{question}", ("contains",)
    )


def test_the_defaults_are_those_of_the_task_kind() -> None:
    default = recipe()
    assert default.inferencer == Respond("{question}")
    assert (default.metrics, default.aggregations) == (("contains",), "")


def test_an_inferencer_is_built_from_its_settings_and_the_task_options() -> None:
    built = recipe(inferencer={"use": "choose", "option": "{letter}", "unconditional": True}, system="be brief")
    assert built.inferencer == Choose("{question}", system="be brief", option="{letter}", unconditional=True)
    assert built.metrics == ("acc", "acc_token", "acc_char", "acc_byte", "acc_pmi")


def test_label_prompts_get_the_examples_of_the_task() -> None:
    shots = cast(FewShotSelector, object())
    built = with_shots(recipe(inferencer={"use": "labels", "templates": {"a": "{q} a", "b": "{q} b"}}), shots)
    assert [prompt.shots for prompt in cast(LabelPrompts, built.inferencer).templates.values()] == [shots, shots]


def test_several_answers_are_averaged_by_default() -> None:
    assert recipe(samples=3, temperature=0.7).aggregations == "mean"
    assert recipe(samples=3, temperature=0.7, answers="vote").aggregations == "vote"


def test_turns_are_scored_one_by_one_unless_only_the_last_is_asked() -> None:
    assert recipe(inferencer="converse").aggregations == "turns"
    last = recipe(inferencer={"use": "converse", "mode": "last"})
    assert (last.inferencer, last.aggregations) == (Converse(mode="last"), "")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("nope", "nope"),
        (7, "Invalid inferencer 7"),
        ({"use": "choose", "optoin": "x"}, "Unknown setting of the inferencer choose: optoin"),
        ({"use": "rate"}, "Cannot build the inferencer rate"),
    ],
)
def test_an_invalid_inferencer_is_rejected(setting: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        recipe(inferencer=setting)


def test_columns_of_the_prompt_become_inputs() -> None:
    prompt = Prompt.of("{question} {hint?} {year}")
    manifest = with_columns(Manifest(Path("mine.jsonl"), ColumnMapping(("answer",))), prompt)
    assert manifest.prompt_fields == ("question", "year")
    assert manifest.shown_columns == ("question", "hint", "year")
    sample = Sample(id="1", inputs={"question": "?"}, meta={"year": 1999, "other": "x"})
    assert promote_columns(prompt)(sample).inputs == {"question": "?", "year": "1999"}

"""Samples without their sound, with a transcript in its place, and with moved options."""

import asyncio
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Sample
from auricle.core.errors import SampleError
from auricle.core.types import RejectedRow, Turn
from auricle.engine.conditions import Condition, apply_condition
from auricle.engine.inferencers import Inferencer, Measure, Respond, preview_requests
from auricle.engine.sample_changes import SAMPLE_CHANGES, OptionShift
from auricle.engine.task import Task
from auricle.metrics.targets import get_choices, resolve_option
from auricle.tasks.questions.inferencers import Choose
from auricle.tasks.questions.multiple_choice import list_options

CLIP = Audio.of(np.zeros(800, np.float32), rate=8000)
COLOURS = ["red", "green", "blue"]


def make_sample(**fields: Any) -> Sample:
    return Sample(**{"id": "1", "inputs": {"audio": CLIP, "question": "What is it?"}, "target": "red", **fields})


def change(condition: str, sample: Sample) -> Any:
    task = Task([sample], Respond("{question}"), [], name="t")
    (changed,) = apply_condition(task, Condition.parse(condition)).samples
    return changed


def preview(inferencer: Inferencer, sample: Sample) -> Any:
    (request, *_) = asyncio.run(preview_requests(inferencer, sample))
    return request


# --- no audio -------------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", ["{audio}{question}", "{audio?}{question}", "{question}{audio}"])
@pytest.mark.parametrize("audio", [CLIP, [CLIP], [CLIP, CLIP]])
def test_prompt_without_audio_is_the_same_text(prompt: str, audio: Any) -> None:
    changed = change("no-audio", make_sample(inputs={"audio": audio, "question": "What is it?"}))
    request = preview(Respond(prompt), changed)
    assert request.parts == ["What is it?"]
    assert (changed.id, changed.target) == ("1", "red")


def test_classifier_is_asked_without_its_recording() -> None:
    assert "audio" not in preview(Measure(), change("no-audio", make_sample())).inputs


def test_turns_keep_their_texts_without_audio() -> None:
    changed = change("no-audio", make_sample(inputs={"turns": [Turn("user", (CLIP, "and?"))]}))
    assert changed.inputs["turns"] == [Turn("user", ("and?",))]


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [({"question": "a"}, "has no audio"), ({"turns": [Turn("user", (CLIP,))]}, "nothing is asked without it")],
)
def test_sample_without_anything_to_leave_out_is_rejected(inputs: Any, reason: str) -> None:
    rejected = change("no-audio", make_sample(inputs=inputs))
    assert isinstance(rejected, RejectedRow)
    assert reason in rejected.reason


# --- transcript -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "meta"),
    [
        ("transcript", {"text": "hello there"}),
        ("transcript", {"transcript": "hello there", "text": "other"}),
        ("transcript:words", {"words": "hello there", "transcript": "other"}),
    ],
)
def test_transcript_takes_the_place_of_the_recording(condition: str, meta: Any) -> None:
    changed = change(condition, make_sample(meta=meta))
    assert preview(Respond("{audio}{question}"), changed).text == "hello there\nWhat is it?"


def test_transcript_may_be_the_target() -> None:
    assert preview(Respond("{audio}{question}"), change("transcript:target", make_sample())).text == "red\nWhat is it?"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "has no transcript (looked for transcript, transcription"),
        ({"meta": {"text": "a"}, "inputs": {"audio": [CLIP, CLIP]}}, "2 recordings and one transcript"),
        ({"meta": {"text": "a"}, "inputs": {"question": "q"}}, "has no audio"),
    ],
)
def test_sample_without_one_transcript_is_rejected(fields: Any, reason: str) -> None:
    rejected = change("transcript", make_sample(**fields))
    assert isinstance(rejected, RejectedRow)
    assert reason in rejected.reason


# --- options --------------------------------------------------------------------------------


def make_question(target: Any, **inputs: Any) -> Sample:
    return list_options(make_sample(inputs={"question": "Which?", "choices": COLOURS, **inputs}, target=target))


@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("target", ["green", "B", "(b)", 1, "1", "B. green"])
def test_target_names_the_same_option_after_a_shift(target: Any, shift: int) -> None:
    sample = make_question(target)
    changed = change(f"options:shift={shift}", sample)
    choices = get_choices(changed)
    assert choices.index("red") == shift
    index = resolve_option(changed.target, choices)
    assert index is not None
    assert choices[index] == "green"
    assert isinstance(changed.target, type(target))


def test_listed_options_are_shown_in_the_new_order() -> None:
    request = preview(Respond("{question}{options}"), change("options:shift=1", make_question("red")))
    assert request.text == "Which?\nA. blue\nB. red\nC. green"


def test_options_inside_the_question_are_moved_there() -> None:
    question = "Which? (A) red (B) redder, or not (C) blue\nAnswer with the letter."
    changed = change("options:shift=1", list_options(make_sample(inputs={"question": question}, target="B")))
    assert changed.inputs["question"] == "Which? (A) blue (B) red (C) redder, or not\nAnswer with the letter."
    assert changed.target == "C"


def test_labels_in_a_list_are_moved() -> None:
    sample = make_sample(inputs={"choices": COLOURS, "options": "red, green, blue", "audio": CLIP})
    changed = change("options:shift=2", sample)
    assert changed.inputs["options"] == "green, blue, red"
    assert changed.inputs["audio"] is CLIP


def test_likelihoods_are_asked_for_in_the_new_order() -> None:
    changed = change("options:shift=1", make_question("red"))
    assert Choose("{question}", option="{choice}").write_options(changed) == ["blue", "red", "green"]


def test_several_targets_are_all_moved() -> None:
    assert change("options:shift=1", make_question(["A", "green"])).target == ["B", "green"]


def test_question_with_too_few_options_is_rejected() -> None:
    assert "has 3 options, which cannot be shifted by 3" in change("options:shift=3", make_question("red")).reason
    with pytest.raises(SampleError, match="has 0 options"):
        OptionShift(1).change(make_sample())


def test_every_change_has_a_summary() -> None:
    assert {name: bool(step.summary) for name, step in SAMPLE_CHANGES.items()} == {
        "no-audio": True,
        "transcript": True,
        "options": True,
    }

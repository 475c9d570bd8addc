"""The controls that apply to a task and a model."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Spec
from auricle.engine.factory import Evaluation
from auricle.studies.listening.controls import plan_controls
from tests.support.listeners import write_labels, write_quiz, write_transcripts

LISTENERS = Path(__file__).parents[2] / "support" / "listeners.py"
SOUNDS = ("replace:silence", "replace:noise", "replace:other", "shuffle")
SHIFTS = tuple(f"options:shift={shift}" for shift in (1, 2, 3))


def prepare(data: Path, kind: str, model: str = "Hears", **arguments: Any) -> Evaluation:
    return Evaluation.prepare(Spec(task=kind, task_args={"data": str(data), **arguments}, model=f"{LISTENERS}:{model}"))


def test_multiple_choice_has_every_order_of_its_options(tmp_path: Path) -> None:
    plan = plan_controls(prepare(write_quiz(tmp_path, 2), "mcq"))
    assert plan.controls == ("no-audio", *SOUNDS, *SHIFTS)
    assert plan.requests_per_sample == 1


def test_quick_check_has_three_controls(tmp_path: Path) -> None:
    assert plan_controls(prepare(write_quiz(tmp_path, 2), "mcq"), quick=True).controls == (
        *("no-audio", "replace:other", "options:shift=1"),
    )
    assert plan_controls(prepare(write_transcripts(tmp_path, 2), "asr"), quick=True).controls == (
        *("replace:silence", "replace:other"),
    )


def test_transcript_is_a_control_where_samples_have_one(tmp_path: Path) -> None:
    plan = plan_controls(prepare(write_quiz(tmp_path, 2, transcript="beep"), "mcq"))
    assert plan.controls == ("no-audio", *SOUNDS, "transcript", *SHIFTS)


def test_recogniser_is_not_shown_the_transcript(tmp_path: Path) -> None:
    assert plan_controls(prepare(write_transcripts(tmp_path, 2), "asr")).controls == ("no-audio", *SOUNDS)


@pytest.mark.parametrize(("kind", "model"), [("classify", "Classifies"), ("emotion", "Classifies")])
def test_classifier_always_gets_a_sound(tmp_path: Path, kind: str, model: str) -> None:
    assert plan_controls(prepare(write_labels(tmp_path, 4), kind, model)).controls == SOUNDS


def test_labels_are_shifted_where_the_prompt_shows_them(tmp_path: Path) -> None:
    data = write_labels(tmp_path, 4)
    assert plan_controls(prepare(data, "classify")).controls == ("no-audio", *SOUNDS, *SHIFTS)
    # the prompt of an emotion task lists the labels itself, so that shifting those of a sample changes nothing
    assert plan_controls(prepare(data, "emotion")).controls == ("no-audio", *SOUNDS)


def test_task_without_audio_has_no_controls(tmp_path: Path) -> None:
    path = tmp_path / "text.jsonl"
    path.write_text('{"question": "1 + 1?", "answer": "2"}\n')
    assert plan_controls(prepare(path, "qa")).controls == ()

"""The task kind that masks words of a recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Audio, Generate, Generation, Sample, Spec, SpecError, evaluate
from auricle.core.types import RejectedRow, list_parts
from auricle.engine.conditions import Condition, apply_condition
from auricle.engine.factory import build_task
from auricle.engine.task import Task
from auricle.models.catalogue import MODELS

RATE = 8000
WORDS = ("fast", "Turin", "trains", "noon", "stop")
"""One word a second, spoken as a constant that counts them."""
SPANS = [{"text": "Turin", "start": 1.1, "end": 1.9}, {"text": "noon", "start": 3.1, "end": 3.9, "control": True}]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    soundfile.write(tmp_path / "clip.wav", np.repeat((np.arange(5) + 1) / 10, RATE), RATE, subtype="FLOAT")
    rows = [{"id": str(row), "audio": "clip.wav", "text": " ".join(WORDS), "spans": SPANS} for row in range(3)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path / "rows.jsonl"


def make_task(data: Path, **arguments: Any) -> Task:
    task_args = {"data": str(data), "language": "en", **arguments}
    return build_task(Spec(task="masked-words", task_args=task_args, model="echo"))


def read_audio(task: Task) -> Audio:
    sample = next(iter(task.samples))
    assert isinstance(sample, Sample)
    audio = list_parts(sample.inputs["audio"])[0]
    assert isinstance(audio, Audio)
    return audio


def test_spans_are_silent_with_a_margin_and_the_rest_is_unchanged(data: Path) -> None:
    samples = read_audio(make_task(data)).decode(RATE)
    silent = np.flatnonzero(samples == 0) / RATE
    assert (silent.min(), silent.max()) == pytest.approx((1.05, 3.95), abs=0.001)
    assert len(silent) == pytest.approx(2 * 0.9 * RATE, abs=4)
    assert samples[: RATE // 2] == pytest.approx(0.1)
    assert samples[5 * RATE // 2] == pytest.approx(0.3)


def test_margin_and_fill_can_be_chosen(data: Path) -> None:
    narrow = read_audio(make_task(data, margin=0)).decode(RATE)
    assert np.count_nonzero(narrow == 0) == pytest.approx(2 * 0.8 * RATE, abs=4)
    noisy = read_audio(make_task(data, fill="noise")).decode(RATE)
    assert np.count_nonzero(noisy == 0) < 10


@pytest.mark.parametrize(("name", "value"), [("margin", -1), ("margin", "wide"), ("margin", True), ("fill", "music")])
def test_invalid_options_are_refused(data: Path, name: str, value: Any) -> None:
    with pytest.raises(SpecError, match=f"Invalid {name}"):
        make_task(data, **{name: value})


def test_a_row_without_spans_is_rejected(data: Path) -> None:
    data.write_text(json.dumps({"audio": "clip.wav", "text": "a"}))
    (row,) = make_task(data).samples
    assert isinstance(row, RejectedRow)
    assert "needs a list of spans" in row.reason


def test_a_model_that_knows_the_text_has_an_excess_and_one_that_listens_has_none(data: Path, tmp_path: Path) -> None:
    def listen(request: Generate) -> Generation:
        assert request.audio
        samples = request.audio.decode(RATE)
        heard = [word for second, word in enumerate(WORDS) if samples[RATE * second + RATE // 2]]
        return Generation(text=" ".join(heard))

    def remember(request: Generate) -> Generation:
        return Generation(text=listen(request).text.replace("fast trains", "fast Turin trains"))

    for model, excess, recall in ((listen, 0.0, 0.0), (remember, 1.0, 1.0)):
        spec = Spec(
            task="masked-words", task_args={"data": str(data), "language": "en"}, model=MODELS.add_object(model)
        )
        metrics = evaluate(spec, tmp_path / model.__name__).metrics
        assert metrics
        values = {number.metric: number.value for number in metrics.overall}
        assert (values["masked_excess"], values["masked_recall"], values["masked_control_recall"]) == (
            *(excess, recall, 0.0),
        )
        assert values["wer"] == pytest.approx(0.4 if model is listen else 0.2)


def test_other_perturbations_are_applied_after_the_mask(data: Path) -> None:
    task = apply_condition(make_task(data), Condition.parse("gain:-20"))
    audio = read_audio(task)
    assert audio.perturbation
    assert [step.name for step in audio.perturbation.steps] == ["mask", "gain"]
    samples = audio.decode(RATE)
    assert samples[3 * RATE // 2] == 0
    assert samples[RATE // 2] == pytest.approx(0.01, rel=0.01)

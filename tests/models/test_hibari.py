"""A real synthesiser: three sentences, and the numbers of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("tts")

from auricle import Generate, Generation, Sample, Spec, Turn, evaluate
from auricle.core.errors import SpecError
from auricle.models import abilities
from auricle.models.hibari import Hibari
from auricle.tasks.speech.metrics.full_reference import pesq_nb, pesq_wb
from auricle.tasks.speech.metrics.world import analyse

pytestmark = pytest.mark.slow
SENTENCES = ("Good morning, everyone.", "The train to Turin leaves at ten.", "Please leave your name and number.")


@pytest.fixture(scope="module")
def answers() -> list[Generation]:
    model = Hibari()
    return model.generate([Generate(turns=(Turn("user", (text,)),)) for text in SENTENCES])


def test_it_speaks_with_a_plausible_pitch(answers: list[Generation]) -> None:
    require_extra("speech-quality")
    assert abilities(Hibari) == ["generate"]
    for text, answer in zip(SENTENCES, answers, strict=True):
        assert answer.audio is not None
        assert answer.audio.info().rate == 24_000
        assert 8 < len(text) / answer.audio.seconds < 30
        pitch = analyse(answer.audio.decode(16_000)).pitch
        assert 100 < np.median(pitch[pitch > 0]) < 300


def test_its_speech_compared_with_itself_is_perfect(answers: list[Generation]) -> None:
    require_extra("speech-quality")
    answer = answers[0]
    assert answer.audio is not None
    sample = Sample(id="1", inputs={"text": SENTENCES[0], "reference": answer.audio}, target=SENTENCES[0])
    assert pesq_wb.aggregate([pesq_wb.score(sample, answer)]) == pytest.approx(4.644, abs=0.001)
    assert pesq_nb.aggregate([pesq_nb.score(sample, answer)]) == pytest.approx(4.549, abs=0.001)


def test_a_seed_gives_the_same_speech_and_another_seed_another_one() -> None:
    model = Hibari()
    turns = (Turn("user", (SENTENCES[0],)),)
    first, again, other = model.generate([Generate(turns=turns, seed=seed) for seed in (1, 1, 2)])
    assert first.audio is not None
    assert again.audio is not None
    assert other.audio is not None
    np.testing.assert_array_equal(first.audio.decode(), again.audio.decode())
    assert first.audio.hash != other.audio.hash


def test_a_run_of_three_sentences_has_no_failures_and_skips_voices_to_imitate(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"text": text, "language": "en"} for text in SENTENCES]
    rows.append({"text": "Imitate me.", "language": "en", "prompt_audio": "voice.wav"})
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "voice.wav").write_bytes(b"")
    task_args = {"data": str(tmp_path / "rows.jsonl")}
    metrics: Any = evaluate(Spec(task="tts", task_args=task_args, model="hibari"), tmp_path / "run").metrics
    assert metrics["speech_failures"].value == 0.0
    assert metrics["speech_cut_off"].value == 0.0
    assert metrics["speech_clipping"].value < 0.001
    assert 8 < metrics["characters_per_second"].value < 30
    assert 0 < metrics["synthesis_rtf"].value < 5
    assert metrics.outcomes.failed == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [({"voice": "nightingale"}, "unknown voice 'nightingale'"), ({"speed": 9}, "speed must be a number from 0.5 to 2")],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Hibari(**options)

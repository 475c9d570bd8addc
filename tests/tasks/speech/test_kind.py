"""The task kind of texts that are spoken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Audio, Generation, Sample, Spec, evaluate
from auricle.core.types import Record, RejectedRow
from auricle.engine.factory import build_task
from auricle.engine.task import Task
from auricle.models.catalogue import MODELS
from auricle.runs.integrity import verify_run
from auricle.runs.run_directory import Run
from tests.support.extras import require_extra
from tests.support.spoken import RATE, make_speech


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    soundfile.write(tmp_path / "voice.wav", make_speech(0.5), RATE)
    return tmp_path


def write_rows(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def make_task(path: Path, **arguments: Any) -> Task:
    return build_task(Spec(task="tts", task_args={"data": str(path), **arguments}, model="echo"))


def read_samples(path: Path, **arguments: Any) -> list[Sample | RejectedRow]:
    return list(make_task(path, **arguments).samples)


def read_sample(path: Path) -> Sample:
    (sample,) = read_samples(path)
    assert isinstance(sample, Sample)
    return sample


def test_a_row_needs_only_a_text(folder: Path) -> None:
    sample = read_sample(write_rows(folder, {"text": "Good morning.", "language": "en"}))
    assert sample.inputs == {"text": "Good morning."}
    assert sample.target == "Good morning."
    assert sample.meta == {"language": "en"}


def test_recordings_of_a_row_are_named_by_what_they_are_for(folder: Path) -> None:
    row = {"text": "Yes.", "reference": "a.wav", "prompt_audio": "b.wav", "prompt_text": "Hello.", "voice": "anna"}
    sample = read_sample(write_rows(folder, row))
    assert sample.inputs == {
        "text": "Yes.",
        "reference": Audio(str(folder / "a.wav")),
        "prompt_audio": Audio(str(folder / "b.wav")),
        "prompt_text": "Hello.",
    }
    assert sample.meta == {"voice": "anna"}


def test_the_recording_of_data_for_recognisers_is_the_reference(folder: Path) -> None:
    sample = read_sample(write_rows(folder, {"text": "Yes.", "audio": "a.wav"}))
    assert sample.inputs == {"text": "Yes.", "reference": Audio(str(folder / "a.wav"))}


def test_lines_of_seed_tts_eval_are_read(folder: Path) -> None:
    path = folder / "meta.lst"
    path.write_text("x-1|Hello.|prompts/1.wav|Good morning.\nx-2|Hi.|prompts/2.wav|Yes.|wavs/2.wav\nx-3|broken\n")
    first, second, broken = read_samples(path)
    assert isinstance(first, Sample)
    assert isinstance(second, Sample)
    assert (first.id, first.target, first.inputs["prompt_text"]) == ("x-1", "Good morning.", "Hello.")
    assert first.inputs["prompt_audio"] == Audio(str(folder / "prompts/1.wav"))
    assert "reference" not in first.inputs
    assert second.inputs["reference"] == Audio(str(folder / "wavs/2.wav"))
    assert isinstance(broken, RejectedRow)
    assert "meta.lst:3" in broken.origin
    assert "got 2 cells" in broken.reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"text": "  "}, "the text to speak must be text that is not empty, not '  '"),
        ({"text": 5}, "the text to speak must be text that is not empty, not 5"),
        ({"audio": "a.wav"}, "no target: expected one of the columns text, sentence"),
        ({"text": "a", "prompt_text": ["x"]}, "prompt_text must be text, not list"),
        ({"text": "a", "reference": 7}, "invalid reference: Cannot create audio from int"),
    ],
)
def test_a_row_that_cannot_be_spoken_is_rejected_with_its_reason(folder: Path, row: Any, reason: str) -> None:
    (rejected,) = read_samples(write_rows(folder, row))
    assert isinstance(rejected, RejectedRow)
    assert reason in rejected.reason


def speak(text: str, prompt_audio: Audio | None = None, prompt_text: str = "", seed: int = 0) -> tuple[Any, int]:
    pitch = 120.0 + 20 * seed
    if prompt_audio is not None:
        pitch += 10 * prompt_audio.seconds + len(prompt_text)
    return make_speech(0.06 * len(text), pitch, seed), RATE


def get_speech(record: Record) -> Audio:
    (output,) = record.outputs
    assert isinstance(output, Generation)
    assert output.audio is not None
    return output.audio


def run_speaker(path: Path, speaker: Any = speak, **arguments: Any) -> tuple[Run, Any]:
    task_args = {"data": str(path), **arguments}
    result = evaluate(Spec(task="tts", task_args=task_args, model=MODELS.add_object(speaker)), path.parent / "run")
    return Run.load(path.parent / "run"), result


def test_a_function_speaks_with_the_voice_of_the_row_and_the_run_stores_flac(folder: Path) -> None:
    rows = (
        {"text": "Good morning."},
        {"text": "Good morning.", "prompt_audio": "voice.wav", "prompt_text": "Hi there"},
    )
    run, result = run_speaker(write_rows(folder, *rows))
    plain, cloned = map(get_speech, sorted(run.records(), key=lambda record: record.row))
    assert plain.uri.endswith(".flac")
    assert cloned.uri.endswith(".flac")
    expected = make_speech(0.06 * 13, 120 + 10 * 0.5 + 8)
    np.testing.assert_allclose(cloned.decode(), expected, atol=1e-4)
    assert result.metrics["speech_failures"].value == 0.0
    assert result.metrics.outcomes.audio_not_sent == 0


def test_a_reference_is_not_sent_and_that_is_no_warning(folder: Path) -> None:
    _, result = run_speaker(write_rows(folder, {"text": "Good morning.", "reference": "voice.wav"}))
    assert result.metrics.outcomes.audio_not_sent == 0
    assert not result.metrics.usage.audio_seconds


def test_repetitions_are_averaged_and_their_spread_between_seeds_is_reported(folder: Path) -> None:
    run, result = run_speaker(write_rows(folder, {"text": "Good morning."}, {"text": "Yes, please."}), samples=3)
    assert [len(record.outputs) for record in run.records()] == [3, 3]
    names = [number.metric for number in result.metrics.overall]
    assert names[0] == "speech_failures"
    assert {"speech_duration", "speech_duration.sd", "synthesis_rtf", "characters_per_second.sd"} <= {*names}
    assert result.metrics["speech_duration.sd"].value == pytest.approx(0)  # the toy differs only in pitch
    assert result.metrics["speech_silence.sd"].value > 0.0
    assert not result.metrics.not_computed


def test_an_empty_answer_is_a_failure_of_speech_and_not_of_the_run(folder: Path) -> None:
    path = write_rows(folder, *({"id": str(row), "text": text} for row, text in enumerate(["Good morning.", "silent"])))

    def speak_or_not(text: str) -> tuple[Any, int]:
        return (make_speech(0.5) if text != "silent" else np.zeros(0, np.float32)), RATE

    _, result = run_speaker(path, speak_or_not)
    assert result.metrics.outcomes.empty == 1
    assert result.metrics["speech_failures"].value == 0.5
    assert result.metrics["speech_failures"].details["empty"] == 1
    assert result.metrics["speech_duration"].scored == 1


def test_an_answer_is_compared_with_the_recording_of_its_row(folder: Path) -> None:
    require_extra("speech-quality")
    soundfile.write(folder / "same.wav", speak("Good morning.")[0], RATE)
    rows = ({"text": "Good morning.", "reference": "same.wav"}, {"text": "Good morning."})
    _, result = run_speaker(write_rows(folder, *rows))
    assert result.metrics["mcd"].value == pytest.approx(0, abs=0.5)  # stored with 16 bits
    assert result.metrics["mcd"].scored == 1
    assert result.metrics["si_sdr"].value > 60
    assert result.metrics["pesq_wb"].value == pytest.approx(4.64, abs=0.01)


def test_stored_speech_is_named_by_the_content_of_its_file(folder: Path) -> None:
    run, _ = run_speaker(write_rows(folder, {"text": "Good morning."}))
    assert not verify_run(run.path).problems

"""Answers that are spoken: heard, kept as files of the run, scored by their transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.api import evaluate
from auricle.core.errors import Transient
from auricle.core.types import Generation
from auricle.engine.spec import Spec
from auricle.models.openai import OpenAI
from auricle.runs.run_directory import Run
from tests.support.http_servers import chat, question, run_model

pytestmark = pytest.mark.slow


def model_at(server: Any, **options: Any) -> Any:
    return OpenAI(**{"base_url": server.url, "model": "fake", **options})


def spoken(format_: Any) -> Any:
    return {"modalities": ["text", "audio"], "audio": {"voice": "a", "format": format_}}


@pytest.mark.parametrize(("stream", "format_"), [(False, "wav"), (True, "pcm16"), (False, "pcm16")])
def test_spoken_answer_keeps_audio_and_transcript(serve: Any, stream: bool, format_: str) -> None:
    model = model_at(serve(), stream=stream, extra=spoken(format_))
    answer = run_model(model, question("one two three four"))
    assert answer.text == "one two three four"
    assert answer.audio.seconds == pytest.approx(0.2)
    assert answer.audio.info().rate == 24_000


def test_speech_that_is_not_base64_is_transient(canned: Any) -> None:
    server = canned(chat(None, audio={"data": "a", "transcript": "hm"}))
    with pytest.raises(Transient, match="not valid base64"):
        run_model(model_at(server))


def test_run_stores_speech_in_files_and_scores_the_transcript(serve: Any, manifest: Any, tmp_path: Path) -> None:
    rows = [{"id": str(at), "question": f"say {at}", "answer": f"say {at}"} for at in range(3)]
    spec = Spec(
        task="qa",
        task_args={"data": str(manifest(rows))},
        model="openai",
        model_args={"base_url": serve().url, "model": "fake", "extra": spoken("wav")},
    )
    result = evaluate(spec, tmp_path / "run")
    assert result.numbers[0].value == 1.0
    lines = (tmp_path / "run" / "outputs.jsonl").read_text().splitlines()
    names = {json.loads(line)["outputs"][0]["audio"]["uri"] for line in lines}
    assert len(names) == 1  # the same tone three times
    assert (tmp_path / "run" / names.pop()).read_bytes().startswith(b"RIFF")


def test_speech_is_found_after_moving_the_run(serve: Any, manifest: Any, tmp_path: Path) -> None:
    spec = Spec(
        task="qa",
        task_args={"data": str(manifest([{"question": "say it", "answer": "say it"}]))},
        model="openai",
        model_args={"base_url": serve().url, "model": "fake", "extra": spoken("wav")},
    )
    evaluate(spec, tmp_path / "run")
    moved = (tmp_path / "run").rename(tmp_path / "elsewhere")
    record = next(iter(Run.load(moved).records()))
    (output, *_) = record.outputs
    assert isinstance(output, Generation)
    assert output.audio
    assert output.audio.seconds == pytest.approx(0.1)
    with Run.open(moved, Run.load(moved).spec) as run:
        run.append(record)  # as when a row's place in the data has changed
    again = next(iter(Run.load(moved).records()))
    assert again.outputs == record.outputs
    assert b"elsewhere" not in (moved / "outputs.jsonl").read_bytes()

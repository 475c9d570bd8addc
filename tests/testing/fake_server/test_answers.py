"""Recordings that the fake server knows are answered with their targets, on every protocol and in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from click.testing import CliRunner

from auricle import Audio, Sample
from auricle.cli import cli
from auricle.tasks.demo.kinds import FOLDER
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.answers import MATCH_RATE, AnswerIndex, correlate
from tests.testing.fake_server.conftest import (
    GEMINI_PATH,
    StartServer,
    audio_description,
    chat,
    encode_base64,
    send,
    upload,
)

SPOKEN = ["good morning", "good night", "where is the station"]


def make_sound(seed: int, seconds: float = 0.6, rate: int = 22_050) -> Audio:
    """Return a recording of its own: noise whose loudness and colour change."""
    noise = np.random.default_rng(seed).normal(size=round(seconds * rate))
    smooth = np.convolve(noise, np.ones(8) / 8, mode="same")
    return Audio.of((0.3 * smooth).astype(np.float32), rate=rate)


def make_samples() -> list[Sample]:
    return [
        Sample(id=str(index), inputs={"audio": make_sound(index), "question": ""}, target=text)
        for index, text in enumerate(SPOKEN)
    ]


def test_every_protocol_answers_a_recording_with_its_target(start_server: StartServer) -> None:
    server = start_server(answers=make_samples())
    content = make_sound(1).encode("wav")
    data = encode_base64(content)
    part = {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    url = {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{data}"}}
    parts = [{"text": "Transcribe."}, {"inlineData": {"mimeType": "audio/wav", "data": data}}]
    gemini = send(server, GEMINI_PATH, json.dumps({"contents": [{"role": "user", "parts": parts}]})).json()
    assert upload(server, recording=content).json()["text"] == "good night"
    assert upload(server, "/v1/audio/translations", recording=content).json()["text"] == "good night"
    assert chat(server, [part, {"type": "text", "text": "Transcribe."}]).text() == "good night"
    assert chat(server, [url]).text() == "good night"
    assert gemini["candidates"][0]["content"]["parts"] == [{"text": "good night"}]


@pytest.mark.parametrize(
    ("audio_format", "rate"), [("wav", 16_000), ("wav", 8_000), ("flac", None), ("mp3", None), ("opus", 24_000)]
)
def test_a_recording_is_recognised_after_conversion(
    audio_format: Literal["wav", "flac", "mp3", "opus"], rate: int | None
) -> None:
    index = AnswerIndex(make_samples())
    answers = [index.find_answer([make_sound(seed).encode(audio_format, rate=rate)]) for seed in range(3)]
    assert answers == SPOKEN


def test_loudness_does_not_matter() -> None:
    sound = make_sound(2)
    quiet = Audio.of(sound.decode() / 20, rate=22_050)
    assert AnswerIndex(make_samples()).find_answer([quiet.encode("wav")]) == SPOKEN[2]


def test_the_server_reads_a_file_of_this_machine(start_server: StartServer, tmp_path: Path) -> None:
    (tmp_path / "a.flac").write_bytes(make_sound(0).encode("flac"))
    part = {"type": "audio_url", "audio_url": {"url": str(tmp_path / "a.flac")}}
    assert chat(start_server(answers=make_samples()), [part]).text() == "good morning"


@pytest.mark.parametrize("content", [b"", b"RIFF not really", make_sound(9).encode("wav"), bytes(4000)])
def test_another_sound_is_answered_with_its_digest(start_server: StartServer, content: bytes) -> None:
    reply = upload(start_server(answers=make_samples()), recording=content)
    assert reply.json()["text"] == audio_description(content)


def test_silence_is_no_recording() -> None:
    samples = [Sample(id="1", inputs={"audio": Audio.of(np.zeros(8000, np.float32), rate=16_000)}, target="x")]
    assert AnswerIndex(samples).find_answer([samples[0].inputs["audio"].encode("wav")]) is None  # type: ignore[union-attr]


def test_the_question_chooses_among_samples_of_one_recording() -> None:
    sample = make_samples()[0]
    targets = {"Who speaks?": "Ada", "Who speaks first?": "Bo", "Where?": "Rome"}
    samples = [
        replace(sample, id=question, inputs={**sample.inputs, "question": question}, target=target)
        for question, target in targets.items()
    ]
    index, sound = AnswerIndex(samples), make_sound(0).encode("wav")
    assert index.find_answer([sound], "Listen. Where?") == "Rome"
    assert index.find_answer([sound], "Who speaks?") == "Ada"
    assert index.find_answer([sound], "Something else") == "Ada"


def test_a_sample_with_two_recordings_is_recognised_by_both() -> None:
    pair = [
        Sample(id="1", inputs={"audio": (make_sound(0), make_sound(1))}, target="the first"),
        Sample(id="2", inputs={"audio": (make_sound(0), make_sound(2))}, target="the second"),
    ]
    index = AnswerIndex(pair)
    assert index.find_answer([make_sound(0).encode("wav"), make_sound(2).encode("wav")]) == "the second"
    assert index.find_answer([make_sound(1).encode("wav"), make_sound(2).encode("wav")]) is None


def test_a_row_without_its_file_does_not_hide_the_others(tmp_path: Path) -> None:
    missing = Sample(id="0", inputs={"audio": Audio(str(tmp_path / "missing.wav"))}, target="gone")
    index = AnswerIndex([missing, *make_samples()])
    assert index.find_answer([make_sound(0).encode("wav")]) == "good morning"


def test_a_recording_is_compared_once() -> None:
    index, sound = AnswerIndex(make_samples()), make_sound(0).encode("wav")
    assert not index.knows([sound])
    index.find_answer([sound])
    assert index.knows([sound])


def test_a_fixed_reply_precedes_known_recordings(start_server: StartServer) -> None:
    server = start_server(answers=make_samples(), reply="always this")
    assert upload(server, recording=make_sound(0).encode("wav")).json()["text"] == "always this"


def test_words_are_wrong_on_request(start_server: StartServer) -> None:
    server = start_server(answers=make_samples(), wrong=1.0)
    assert upload(server, recording=make_sound(0).encode("wav")).json()["text"] == "notgood notmorning"


def test_a_shift_lowers_the_correlation_only_beyond_its_limit() -> None:
    waveform = make_sound(0, rate=MATCH_RATE).decode()
    assert correlate(np.pad(waveform, (400, 0)), waveform) == pytest.approx(1.0)
    assert correlate(np.pad(waveform, (0, 400)), np.pad(waveform, (400, 0))) == pytest.approx(1.0)
    assert correlate(np.pad(waveform, (1600, 0)), waveform) < 0.3


def test_the_demo_speech_is_known_without_options(start_server: StartServer) -> None:
    row = json.loads((FOLDER / "manifest.jsonl").read_text(encoding="utf-8").splitlines()[0])
    content = Audio(str(FOLDER / row["audio"])).encode("mp3")
    assert upload(start_server(), recording=content).json()["text"] == row["text"]


@pytest.fixture
def rows(manifest: Callable[..., Path], tmp_path: Path) -> Path:
    """Write a data file with three recordings."""
    for index in range(3):
        (tmp_path / f"{index}.flac").write_bytes(make_sound(index).encode("flac"))
    return manifest([{"audio": f"{index}.flac", "text": text} for index, text in enumerate(SPOKEN)])


@pytest.mark.parametrize("model", ["transcription", "openai", "gemini"])
def test_a_trial_run_shows_a_sensible_error_rate(rows: Path, tmp_path: Path, model: str) -> None:
    with FakeServer(Script(answers=make_samples())) as server:
        url = server.url.replace("/v1", "/v1beta") if model == "gemini" else server.url
        words = ["run", rows, "--as", "asr", "-m", model, "-M", f"base_url={url}", "-M", "model=fake"]
        result = CliRunner().invoke(cli, [*map(str, words), "-o", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    metrics: dict[str, Any] = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert next(number["value"] for number in metrics["numbers"] if number["metric"] == "wer") == 0.0

"""Checking a server by its address."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.testing.protocol_conformance.gemini import GeminiSuite
from auricle.testing.protocol_conformance.openai import OpenAISuite
from auricle.testing.protocol_conformance.run import create_suite, read_pcm
from auricle.testing.protocol_conformance.vllm import VLLMSuite


@pytest.mark.parametrize(
    ("dialect", "suite", "rate"),
    [
        ("openai", OpenAISuite, 24_000),
        ("openai-beta", OpenAISuite, 24_000),
        ("vllm", VLLMSuite, 16_000),
        ("gemini", GeminiSuite, 16_000),
    ],
)
def test_each_dialect_has_its_checks_and_its_rate(tone: Any, dialect: str, suite: type, rate: int) -> None:
    checks = create_suite("http://127.0.0.1:1/v1", dialect, "m", None, Path(tone("a.wav")), 5.0)
    assert type(checks) is suite
    assert checks.settings.rate == rate
    assert checks.settings.response_seconds == 5.0
    assert checks.settings.utterance.dtype == np.int16


def test_an_unset_key_is_reported(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(SpecError, match="NO_SUCH_KEY is not set"):
        create_suite("http://127.0.0.1:1/v1", "openai", "m", "NO_SUCH_KEY", Path(tone("a.wav")), 5.0)


def test_a_recording_becomes_16_bit_samples_at_the_rate_of_the_server(tone: Any) -> None:
    samples = read_pcm(Path(tone("a.wav")), 24_000)
    assert np.abs(samples).max() > 1000
    assert samples.dtype == np.int16

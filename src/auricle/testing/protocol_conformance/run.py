"""Check a server by its address."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.media import Audio
from auricle.models.sessions.gemini_live import GeminiLive
from auricle.models.sessions.realtime import Realtime
from auricle.tasks.demo.kinds import FOLDER as DEMO_FOLDER
from auricle.testing.protocol_conformance.gemini import GeminiSuite
from auricle.testing.protocol_conformance.openai import OpenAISuite
from auricle.testing.protocol_conformance.probe import ProbeSettings
from auricle.testing.protocol_conformance.report import ConformanceReport
from auricle.testing.protocol_conformance.suite import ProtocolSuite
from auricle.testing.protocol_conformance.vllm import VLLMSuite

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

SENTENCE = "s02-clean.opus"
"""The bundled sentence that the caller speaks."""


def check_server(
    url: str,
    dialect: str = "openai",
    model_name: str = "default",
    api_key_env: str | None = None,
    audio: Path | None = None,
    timeout: float = 20.0,
) -> ConformanceReport:
    """Check a realtime server against its protocol.

    Args:
        url: Address of the server, as in `-M base_url`.
        dialect: `openai`, `openai-beta`, `vllm` or `gemini`.
        model_name: Name of the model on the server.
        api_key_env: Environment variable with the API key. Default: that of the protocol.
        audio: Recording of what the caller asks. Default: a bundled sentence.
        timeout: Seconds to wait for a response.

    Returns:
        What the server supports.

    Raises:
        SampleError: The server cannot be reached, or refuses the first session.
    """
    suite = create_suite(url, dialect, model_name, api_key_env, audio or DEMO_FOLDER / SENTENCE, timeout)
    return asyncio.run(suite.run())


def create_suite(
    url: str, dialect: str, model_name: str, api_key_env: str | None, audio: Path, timeout: float, **settings: Any
) -> ProtocolSuite:
    """Return the checks of a dialect; `settings` are fields of `ProbeSettings`."""
    service: dict[str, Any] = {"base_url": url, "model": model_name, "api_key_env": api_key_env or ""}
    model: Any = GeminiLive(**service) if dialect == "gemini" else Realtime(**{**service, "dialect": dialect})
    suites = {"vllm": VLLMSuite, "gemini": GeminiSuite}
    probe = ProbeSettings(
        utterance=read_pcm(audio, model.input_rate), rate=model.input_rate, response_seconds=timeout, **settings
    )
    suite: ProtocolSuite = suites.get(dialect, OpenAISuite)(model, probe)
    return suite


def read_pcm(path: Path, rate: int) -> NDArray[int16]:
    """Return a recording as 16-bit samples."""
    import numpy as np

    waveform = Audio(str(path)).decode(rate)
    return (np.clip(waveform, -1, 1) * 32767).astype(np.int16)

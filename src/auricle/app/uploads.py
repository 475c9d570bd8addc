"""Decode uploaded and recorded audio in a child process with limits."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auricle.audio import Audio
from auricle.core.errors import AudioError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_SECONDS = 600.0
"""Maximum length of an upload."""
DECODE_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class DecodedAudio:
    """Decoded audio: mono, at its original sample rate."""

    name: str
    rate: int
    channels: int
    samples: NDArray[float32] = field(repr=False)
    digest: str = ""

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    @property
    def audio(self) -> Audio:
        """The audio as an input for models."""
        return Audio(self.name, data=self.samples, rate=self.rate)


def decode_audio(content: bytes, name: str, max_seconds: float = MAX_SECONDS) -> DecodedAudio:
    """Decode the content of an audio file; raise `AudioError` if that fails or exceeds the limits."""
    import numpy as np

    if not content:
        raise AudioError(f"{name} is empty (0 bytes).")
    line, _, samples = _run_decoder(content, name, max_seconds).partition(b"\n")
    try:
        header = json.loads(line)
    except ValueError as error:  # the decoder was killed before it wrote anything
        raise AudioError(f"Cannot decode {name}: the decoder exceeded its time or memory limit.") from error
    if "error" in header:
        reason = re.sub(r"^The \w+ in memory ", "it ", str(header["error"]))
        raise AudioError(f"Cannot use {name}: {reason}")
    values = np.frombuffer(samples, dtype="<f4")
    digest = hashlib.sha256(content).hexdigest()[:16]
    return DecodedAudio(name, header["rate"], header["channels"], values, digest)


def _run_decoder(content: bytes, name: str, max_seconds: float) -> bytes:
    command = [sys.executable, "-m", "auricle.app.decode_worker", str(max_seconds)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        process = subprocess.run(  # noqa: S603 - our own command, no shell
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=DECODE_TIMEOUT, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise AudioError(f"Decoding {name} took longer than {DECODE_TIMEOUT:.0f} s.") from error
    return process.stdout

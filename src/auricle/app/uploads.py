"""Uploaded and recorded sounds: decoded elsewhere, under limits, to samples that can be trusted."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auricle.audio import Audio
from auricle.core.errors import AudioError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_SECONDS = 600.0  # of sound
DECODE_TIMEOUT = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class DecodedAudio:
    """A sound as samples: mono, at the rate it came with."""

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
        """The sound as models take it."""
        return Audio(self.name, data=self.samples, rate=self.rate)


def decode_audio(content: bytes, name: str, max_seconds: float = MAX_SECONDS) -> DecodedAudio:
    """The sound that these bytes hold, or an `AudioError` that says why there is none."""
    import numpy as np

    if not content:
        raise AudioError(f"{name} is empty (0 bytes).")
    line, _, samples = _run_decoder(content, name, max_seconds).partition(b"\n")
    try:
        told = json.loads(line)
    except ValueError as error:  # killed before it could say anything
        raise AudioError(f"{name} cannot be decoded: it takes too much.") from error
    if "error" in told:
        why = str(told["error"]).removeprefix("The sound in memory ")
        raise AudioError(f"{name} cannot be used: {why}")
    values = np.frombuffer(samples, dtype="<f4")
    digest = hashlib.sha256(content).hexdigest()[:16]
    return DecodedAudio(name, told["rate"], told["channels"], values, digest)


def _run_decoder(content: bytes, name: str, max_seconds: float) -> bytes:
    command = [sys.executable, "-m", "auricle.app.decode_worker", str(max_seconds)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - our own words, no shell
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=DECODE_TIMEOUT, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise AudioError(f"{name} takes more than {DECODE_TIMEOUT:.0f} s to decode.") from error
    return done.stdout

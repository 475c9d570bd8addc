"""Decode uploaded and recorded audio in a child process with limits on time, memory and files.

The child process is this module: `python -m auricle.app.uploads MAX_SECONDS < FILE` writes one line of JSON, with
`rate` and `channels` or with `error`, and then float32 samples.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auricle.core.errors import AudioError
from auricle.media import Audio

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_SECONDS = 600.0
"""Maximum length of an upload."""
DECODE_TIMEOUT = 30.0
MAX_CPU_SECONDS = 20
MAX_SAMPLES_PER_SECOND = 96_000
"""Average over the maximum length, all channels together."""
MAX_MEMORY_BYTES = 4_000_000_000
"""Address space; the libraries alone take 1 GB of it."""


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
    command = [sys.executable, "-m", "auricle.app.uploads", str(max_seconds)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        process = subprocess.run(  # noqa: S603 - our own command, no shell
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=DECODE_TIMEOUT, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise AudioError(f"Decoding {name} took longer than {DECODE_TIMEOUT:.0f} s.") from error
    return process.stdout


# --- in the child process ------------------------------------------------------------------------


def decode_standard_input(max_seconds: float) -> None:
    """Decode standard input and write the samples or an error."""
    import resource  # not on Windows, where the app does not start

    limits = {"CPU": MAX_CPU_SECONDS, "AS": MAX_MEMORY_BYTES, "FSIZE": 0, "CORE": 0}
    for name, limit in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))
    audio = Audio(data=sys.stdin.buffer.read())
    try:
        info = audio.info()
        if problem := check_limits(info.seconds, info.rate * info.channels, max_seconds):
            _write_header({"error": problem})
            return
        samples = audio.decode()
    except (AudioError, MemoryError) as error:
        _write_header({"error": str(error) or "decoding exceeded the memory limit."})
        return
    _write_header({"rate": info.rate, "channels": info.channels})
    sys.stdout.buffer.write(samples.astype("<f4").tobytes())


def check_limits(seconds: float, samples_per_second: int, max_seconds: float) -> str:
    """Return why the audio is too long or has too many samples, or an empty string."""
    if seconds > max_seconds:
        return f"it is {seconds:.0f} s long; the maximum is {max_seconds:.0f} s."
    if (samples := seconds * samples_per_second) > max_seconds * MAX_SAMPLES_PER_SECOND:
        return f"it has {samples / 1e6:.0f} million samples; shorten it or lower its sample rate."
    return ""


def _write_header(header: dict[str, object]) -> None:
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n")


if __name__ == "__main__":
    decode_standard_input(float(sys.argv[1]))

"""Decode untrusted audio in a process with limits on time, memory and files.

    python -m auricle.app.decode_worker MAX_SECONDS < FILE

Writes one line of JSON to standard output: `rate` and `channels`, followed by float32 samples, or `error`.
"""

from __future__ import annotations

import json
import resource
import sys

MAX_CPU_SECONDS = 20
MAX_SAMPLES_PER_SECOND = 96_000
"""Average over the maximum length, all channels together."""
MAX_MEMORY_BYTES = 4_000_000_000
"""Address space; the libraries alone take 1 GB of it."""


def main() -> None:
    """Decode standard input and write the samples or an error."""
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from auricle.audio import Audio
    from auricle.core.errors import AudioError

    max_seconds = float(sys.argv[1])
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
    main()

"""Decodes a stranger's sound in a process of its own, which may neither take long nor much.

python -m auricle.app.decode_worker MOST_SECONDS < bytes > one line of JSON, then float32 samples
"""

from __future__ import annotations

import json
import resource
import sys

MAX_CPU_SECONDS = 20  # of processor time
MAX_SAMPLES_PER_SECOND = 96_000  # samples a second, all channels together
MAX_MEMORY_BYTES = 4_000_000_000  # of address space; libraries alone claim one


def main() -> None:
    """Read standard input, write samples or why there are none."""
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from auricle.audio import Audio
    from auricle.core.errors import AudioError

    most = float(sys.argv[1])
    sound = Audio(data=sys.stdin.buffer.read())
    try:
        info = sound.info()
        if refusal := check_limits(info.seconds, info.rate * info.channels, most):
            _write_header({"error": refusal})
            return
        samples = sound.decode()
    except (AudioError, MemoryError) as error:
        _write_header({"error": str(error) or "it takes too much memory."})
        return
    _write_header({"rate": info.rate, "channels": info.channels})
    sys.stdout.buffer.write(samples.astype("<f4").tobytes())


def check_limits(seconds: float, samples_per_second: int, max_seconds: float) -> str:
    """Why a sound is not decoded, if it is not: its length, or its samples."""
    if seconds > max_seconds:
        return f"it is {seconds:.0f} s long; up to {max_seconds:.0f} s can be taken here."
    if (samples := seconds * samples_per_second) > max_seconds * MAX_SAMPLES_PER_SECOND:
        return f"it has {samples / 1e6:.0f} million samples; cut it, or store it at a lower rate."
    return ""


def _write_header(header: dict[str, object]) -> None:
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n")


if __name__ == "__main__":
    main()

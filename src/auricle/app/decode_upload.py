"""Decodes a stranger's sound in a process of its own, which may neither take long nor much.

python -m auricle.app.decode_upload MOST_SECONDS < bytes > one line of JSON, then float32 samples
"""

from __future__ import annotations

import json
import resource
import sys

SECONDS = 20  # of processor time
USUAL = 96_000  # samples a second, all channels together
BYTES = 4_000_000_000  # of address space; libraries alone claim one


def main() -> None:
    """Read standard input, write samples or why there are none."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from auricle.audio import Audio
    from auricle.core.errors import AudioError

    most = float(sys.argv[1])
    sound = Audio(data=sys.stdin.buffer.read())
    try:
        info = sound.info()
        if refusal := too_much(info.seconds, info.rate * info.channels, most):
            _say({"error": refusal})
            return
        samples = sound.decode()
    except (AudioError, MemoryError) as error:
        _say({"error": str(error) or "it takes too much memory."})
        return
    _say({"rate": info.rate, "channels": info.channels})
    sys.stdout.buffer.write(samples.astype("<f4").tobytes())


def too_much(seconds: float, rate: int, most: float) -> str:
    """Why a sound is not decoded, if it is not: its length, or its samples."""
    if seconds > most:
        return f"it is {seconds:.0f} s long; up to {most:.0f} s can be taken here."
    if (samples := seconds * rate) > most * USUAL:
        return f"it has {samples / 1e6:.0f} million samples; cut it, or store it at a lower rate."
    return ""


def _say(line: dict[str, object]) -> None:
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main()

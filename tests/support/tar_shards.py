"""Write WebDataset tars and Lhotse Shar for tests."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile


def make_sound(seconds: float = 0.1, frequency: float = 440.0, rate: int = 16000, suffix: str = "flac") -> bytes:
    """Return an encoded tone."""
    times = np.arange(int(seconds * rate)) / rate
    stream = io.BytesIO()
    soundfile.write(
        stream, (0.3 * np.sin(2 * np.pi * frequency * times)).astype(np.float32), rate, format=suffix.upper()
    )
    return stream.getvalue()


def write_tar(path: Path, members: Sequence[tuple[str, bytes]]) -> Path:
    """Write a tar with these members, in order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as tar:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def write_webdataset(path: Path, samples: Mapping[str, str]) -> Path:
    """Write a tar of tones with transcripts, by key."""
    members = []
    for number, (key, text) in enumerate(samples.items()):
        members += [
            (f"{key}.flac", make_sound(frequency=200.0 + 20 * number)),
            (f"{key}.json", json.dumps({"speaker": f"s{number % 3}"}).encode()),
            (f"{key}.txt", text.encode()),
        ]
    return write_tar(path, members)


def write_shar(folder: Path, texts: Sequence[str], *, shard_size: int = 3, missing: int | None = None) -> Path:
    """Write a folder of Lhotse Shar with tones; the cut of number `missing` has no recording."""
    folder.mkdir(parents=True, exist_ok=True)
    for shard, start in enumerate(range(0, len(texts), shard_size)):
        numbers = range(start, min(start + shard_size, len(texts)))
        members: list[tuple[str, bytes]] = []
        cuts = []
        for number in numbers:
            name = f"utt-{number}.x"
            cuts.append(make_cut(name, texts[number]))
            if number == missing:
                members += [(f"{name}.nodata", b""), (f"{name}.nometa", b"")]
            else:
                sound = make_sound(frequency=200.0 + 20 * number)
                members += [(f"{name}.flac", sound), (f"{name}.json", b'{"id": "%s"}' % name.encode())]
        write_tar(folder / f"recording.{shard:06}.tar", members)
        lines = "".join(f"{json.dumps(cut)}\n" for cut in cuts)
        (folder / f"cuts.{shard:06}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


def make_cut(name: str, text: str) -> dict[str, Any]:
    """Return a cut as lhotse writes it."""
    supervision = {
        "id": name,
        "recording_id": name,
        "start": 0.0,
        "duration": 0.1,
        "channel": 0,
        "text": text,
        "speaker": "anna",
        "language": "en",
        "custom": {"dialect": "x"},
    }
    source = {"type": "shar", "channels": [0], "source": ""}
    recording = {"id": name, "sources": [source], "sampling_rate": 16000, "num_samples": 1600, "duration": 0.1}
    return {
        "id": name,
        "start": 0,
        "duration": 0.1,
        "channel": 0,
        "supervisions": [supervision],
        "recording": recording,
        "custom": {"snr": 12.5},
        "type": "MonoCut",
    }

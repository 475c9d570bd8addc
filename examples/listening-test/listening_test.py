"""Compare two synthesisers in a listening test, with simulated listeners in place of people.

    python listening_test.py FOLDER

writes sounds, creates a MOS test of them, answers it, scores it and prints the means. With real listeners, replace the
line with `SimulatedListeners` by `auricle listen-test serve FOLDER/test`.
"""

import json
import sys
from pathlib import Path

import numpy as np
import soundfile

from auricle.studies.people.creation import CreationOptions, create_test
from auricle.studies.people.run import score_test
from auricle.studies.people.text import format_results
from auricle.testing import SimulatedListeners

RATE = 16_000
BUZZ = {"smooth": 0.0, "buzzy": 0.3}
"""Share of harsh harmonics in the sounds of each system."""
QUALITIES = {"smooth": 4.2, "buzzy": 3.0}
"""Mean rating that the simulated listeners give to each system."""


def synthesise(pitch: float, buzz: float) -> np.ndarray:
    """Return a second of a vowel-like tone in syllables."""
    time = np.arange(RATE) / RATE
    tone = sum(np.sin(2 * np.pi * pitch * k * time) / k for k in range(1, 8))
    harsh = np.sign(np.sin(2 * np.pi * pitch * time))
    syllables = np.sin(np.pi * 3 * time) ** 2
    return 0.1 * syllables * ((1 - buzz) * tone + buzz * harsh)


def write_manifest(folder: Path, items: int = 12) -> Path:
    """Write the sounds of both systems, and the file that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for system, buzz in BUZZ.items():
        for item in range(items):
            name = f"{system}-{item}.wav"
            soundfile.write(folder / name, synthesise(110 + 8 * item, buzz), RATE)
            rows.append({"system": system, "item": f"vowel {item}", "audio": name})
    path = folder / "sounds.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def main(folder: Path) -> None:
    """Create, answer and score a test."""
    manifest = write_manifest(folder / "sounds")
    create_test(folder / "test", [str(manifest)], CreationOptions(kind="mos", listeners=10))
    SimulatedListeners(qualities=QUALITIES, inattentive=("L04",)).answer(folder / "test")
    path, metrics = score_test(folder / "test")
    sys.stdout.write("\n".join([*format_results(metrics, path), ""]))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "listening-test"))

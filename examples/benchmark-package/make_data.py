"""Write the recordings of the benchmark and their rows: `python make_data.py`."""

import json
import sys
from pathlib import Path

import numpy as np
import soundfile

DATA = Path(__file__).parent / "src" / "auricle_pitch_order" / "data"
RATE = 8_000
TONE_SECONDS = 0.2
FADE_SECONDS = 0.02
BASES = (220.0, 440.0)
SEMITONES = (1, 3, 12)


def make_tone(frequency: float) -> np.ndarray:
    """Return a tone that fades in and out, so that it does not click."""
    seconds = np.arange(round(TONE_SECONDS * RATE)) / RATE
    fade = np.clip(np.minimum(seconds, TONE_SECONDS - seconds) / FADE_SECONDS, 0.0, 1.0)
    return 0.4 * fade * np.sin(2 * np.pi * frequency * seconds)


def make_data(folder: Path) -> None:
    """Write one recording and one row for each base, interval and direction."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, str | int]] = []
    for base in BASES:
        for semitones in SEMITONES:
            for direction, sign in (("higher", 1), ("lower", -1)):
                name = f"clip-{len(rows) + 1:02}"  # which does not reveal the answer
                tones = [make_tone(base), make_tone(base * 2 ** (sign * semitones / 12))]
                soundfile.write(folder / f"{name}.flac", np.concatenate(tones), RATE, subtype="PCM_16")
                row: dict[str, str | int] = {"id": name, "audio": f"{name}.flac", "label": direction}
                rows.append({**row, "semitones": semitones, "base": f"{base:.0f} Hz"})
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    make_data(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)

"""Write clips of single beeps with their names: `python beeps.py`. `auricle data join` makes recordings of them."""

import json
from pathlib import Path

import numpy as np
import soundfile

RATE = 16_000
FREQUENCIES = {"low": 300, "middle": 700, "high": 1500}

if __name__ == "__main__":
    rows = []
    for name, frequency in FREQUENCIES.items():
        for milliseconds in (150, 250, 400):
            time = np.arange(RATE * milliseconds // 1000) / RATE
            path = Path(f"clips/{name}-{milliseconds}.wav")
            path.parent.mkdir(exist_ok=True)
            soundfile.write(path, 0.3 * np.sin(2 * np.pi * frequency * time), RATE)
            rows.append({"id": path.stem, "audio": str(path), "text": name})
    Path("clips.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

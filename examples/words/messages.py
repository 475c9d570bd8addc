"""Write recordings that stand for voice messages: the longer the tone, the later its message in the list."""

import json
from pathlib import Path

import numpy as np
import soundfile

RATE = 16_000
MESSAGES = [
    ("Please call Ms Okonkwo at 10:30.", [{"text": "Okonkwo", "label": "person"}]),
    ("The flight to Reykjavik leaves from gate 14.", [{"text": "Reykjavik", "label": "place"}]),
    ("Did Siobhan confirm the invoice for $1,250?", [{"text": "Siobhan", "label": "person"}]),
    ("Take two tablets with water, please.", []),
]

with Path("messages.jsonl").open("w", encoding="utf-8") as rows:
    for number, (text, entities) in enumerate(MESSAGES, start=1):
        times = np.arange(number * RATE // 10) / RATE
        soundfile.write(f"message{number}.wav", 0.3 * np.sin(2 * np.pi * 440 * times), RATE)
        row = {"id": f"m{number}", "audio": f"message{number}.wav", "text": text, "entities": entities}
        rows.write(json.dumps(row, ensure_ascii=False) + "\n")

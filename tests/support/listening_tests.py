"""Small listening tests of synthetic sounds."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from auricle.core.types import Generation, Record, Sample
from auricle.media import Audio
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.studies.people.creation import CreationOptions, create_test
from auricle.studies.people.description import ListeningTest
from auricle.studies.people.page.session import ListeningSession

RATE = 16_000
SYSTEMS = ("oslo", "quito", "cairo")
QUALITIES = {"oslo": 4.4, "quito": 2.8, "cairo": 3.6}
MUSHRA_QUALITIES = {"oslo": 100.0, "quito": 45.0, "cairo": 65.0, "anchor-3500": 15.0, "anchor-7000": 35.0}


def make_sound(item: int, system: int, seconds: float = 0.3) -> Any:
    """Return a tone whose pitch and level depend on item and system."""
    time = np.arange(round(seconds * RATE)) / RATE
    return (0.1 * (1 + system) * np.sin(2 * np.pi * (180 + 15 * item) * time)).astype(np.float32)


def write_manifest(folder: Path, items: int = 6, systems: tuple[str, ...] = SYSTEMS) -> Path:
    """Write sounds of each system and item, and the manifest that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for place, system in enumerate(systems):
        for item in range(items):
            name = f"{system}-{item}.wav"
            soundfile.write(folder / name, make_sound(item, place), RATE)
            rows.append({"system": system, "item": f"text {item}", "audio": name})
    path = folder / "sounds.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def make_test(folder: Path, kind: Any = "mos", items: int = 6, **options: Any) -> ListeningTest:
    """Create a test in `folder / kind`."""
    manifest = write_manifest(folder / "sources", items)
    if kind == "mushra":
        options = {"reference": "oslo", **options}
    return create_test(folder / kind, [str(manifest)], CreationOptions(kind=kind, **{"listeners": 6, **options}))


def pass_time(session: ListeningSession, seconds: float = 60) -> None:
    """Make trials be shown earlier, as if their sounds had been played since."""
    session._shown = {key: replace(shown, since=shown.since - seconds) for key, shown in session._shown.items()}


def write_spoken_run(folder: Path, model: str, place: int, items: int = 6) -> Path:
    """Write a run whose answers are sounds."""
    spec = RunSpec(spec={"task": "open", "model": model}, identity={"model": model}, model_name=model)
    with Run.open(folder, spec) as run:
        for item in range(items):
            soundfile.write(folder / f"input-{item}.wav", make_sound(item, 2), RATE)
            recording = Audio(str(folder / f"input-{item}.wav"))
            sample = Sample(id=f"text {item}", inputs={"audio": recording, "text": "hello"})
            spoken = Generation(text="hello", audio=Audio.of(make_sound(item, place), rate=RATE))
            run.append(Record(sample=sample, row=item, outputs=(spoken,)))
    return folder

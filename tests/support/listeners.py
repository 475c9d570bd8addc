"""Recordings that beep, questions about them, and models that hear them or do not."""

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from auricle.core.errors import SampleError
from auricle.core.signature import MetricSignature, Signature
from auricle.core.types import Generate, Generation, Predict, Prediction, RequestContent
from auricle.engine.conditions import CLEAN
from auricle.metrics.base import Metric
from auricle.models.base import BatchModel
from auricle.runs.metrics import Metrics, ModelFacts, Number, TaskFacts
from auricle.runs.suites import PartRun, SuiteRun
from auricle.studies.listening.answers import ListeningAnswers
from auricle.studies.listening.items import Answer, Item

WORDS = ("two", "three", "four", "five")
"""What is heard in a recording with that many beeps."""
RATE = 8000
STEP = RATE // 20


def make_beeps(count: int, pitch: float = 440.0) -> Any:
    """Return a sound with so many beeps of 50 ms, with pauses of 50 ms, and silence up to 0.6 s."""
    tone = 0.4 * np.sin(2 * np.pi * pitch * np.arange(STEP) / RATE)
    sound = np.zeros(12 * STEP)
    for index in range(count):
        sound[2 * index * STEP : (2 * index + 1) * STEP] = tone
    return sound.astype(np.float32)


def write_recordings(folder: Path, count: int) -> list[tuple[Path, str]]:
    """Write recordings and return them with their words, which take turns."""
    folder.mkdir(parents=True, exist_ok=True)
    recordings = []
    for index in range(count):
        word = WORDS[index % len(WORDS)]
        path = folder / f"clip{index}.wav"
        soundfile.write(path, make_beeps(2 + index % len(WORDS), 300.0 + 7 * index), RATE)
        recordings.append((path, word))
    return recordings


def write_quiz(folder: Path, count: int = 24, **columns: Any) -> Path:
    """Write questions with four options, the right one at each position equally often."""
    rows = []
    for index, (path, word) in enumerate(write_recordings(folder, count)):
        shift = index // len(WORDS) % len(WORDS)
        options = [*WORDS[shift:], *WORDS[:shift]]
        rows.append(
            {
                "id": f"q{index}",
                "audio": path.name,
                "question": f"How many beeps are in clip {index}?",
                "choices": options,
                "answer": "ABCD"[options.index(word)],
                "speaker": f"s{index // 2}",
                **columns,
            }
        )
    return _write_rows(folder / "quiz.jsonl", rows)


def write_transcripts(folder: Path, count: int = 12) -> Path:
    """Write rows for recognition."""
    recordings = write_recordings(folder, count)
    rows = [
        {"id": f"t{index}", "audio": path.name, "text": word, "transcript": word}
        for index, (path, word) in enumerate(recordings)
    ]
    return _write_rows(folder / "speech.jsonl", rows)


def write_labels(folder: Path, count: int = 12) -> Path:
    """Write rows for classification."""
    recordings = write_recordings(folder, count)
    rows = [{"id": f"l{index}", "audio": path.name, "label": word} for index, (path, word) in enumerate(recordings)]
    return _write_rows(folder / "labels.jsonl", rows)


def _write_rows(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def hear(request: RequestContent) -> str:
    """Return the word of a recording: how many times it gets loud. Nothing is heard in silence or steady noise."""
    if request.audio is None:
        return ""
    frames = request.audio.decode()[: 12 * STEP].reshape(-1, STEP)
    is_loud = [bool(level > 0.05) for level in np.sqrt((frames**2).mean(axis=1))]
    count = sum(now and not before for before, now in zip([False, *is_loud], is_loud, strict=False))
    return WORDS[count - 2] if 2 <= count <= 5 else ""


class Hears(BatchModel):
    """Answers with the letter of the word that it hears, or with A if it hears none."""

    batch_size = 64

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=self.answer(request)) for request in batch]

    def answer(self, request: Generate) -> str:
        return _find_letter(request.text, hear(request))


class Ignores(Hears):
    """Answers by the text of the question alone, always with the same option."""

    def answer(self, request: Generate) -> str:
        question = request.text.partition("\n")[0]
        return _find_letter(request.text, WORDS[zlib.crc32(question.encode()) % len(WORDS)])


class AlwaysFirst(Hears):
    """Answers A."""

    def answer(self, request: Generate) -> str:
        return "A"


class Refuses(Hears):
    """Hears, and refuses requests without audio."""

    def answer(self, request: Generate) -> str:
        if request.audio is None:
            raise SampleError("400 this model needs audio")
        return super().answer(request)


class Recognises(Hears):
    """Writes the word that it hears, and a phrase if it hears none."""

    def answer(self, request: Generate) -> str:
        return hear(request) or "thank you for watching"


class Classifies(BatchModel):
    """Predicts the word that it hears, and the first one if it hears none."""

    batch_size = 64

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [Prediction(values=self._weigh(request), scale="probability") for request in batch]

    def _weigh(self, request: Predict) -> dict[str, float]:
        if request.audio is None:
            raise SampleError("no audio")
        heard = hear(request) or WORDS[0]
        return {word: 0.7 if word == heard else 0.1 for word in WORDS}


class Rates(BatchModel):
    """Rates a recording by what it hears."""

    batch_size = 64

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        scores = [float(len(hear(request))) for request in batch]
        return [Prediction(values={"quality": score}, scale="continuous") for score in scores]


def _find_letter(text: str, word: str) -> str:
    match = re.search(rf"^([A-D])\. {word}$", text, re.M) if word else None
    return match[1] if match else "A"


# --- answers without a run --------------------------------------------------------------------


def make_answers(
    metric: Metric,
    stats: Mapping[str, Sequence[Any]],
    *,
    answers: Mapping[str, Sequence[Answer]] | None = None,
    options: int = 0,
    clusters: Sequence[str] = (),
) -> ListeningAnswers:
    """Return the answers of samples s0, s1, … under each condition; None as a statistic is a sample that failed."""
    signature = Signature(MetricSignature.parse(metric.signature), "quiz:1", "local", "Respond#1", "fake", "auricle")
    number = Number(metric=metric.name, title=metric.title, value=0.0, details={}, signature=signature)
    task = TaskFacts("quiz", cluster="speaker" if clusters else "")
    items = {
        condition: {
            f"s{index}": Item(
                id=f"s{index}",
                row=index,
                cluster=clusters[index] if clusters else None,
                stats={metric.name: stat},
                answer=answers[condition][index] if answers else Answer(),
                option_count=options,
                true_position=(index + int(condition.partition("shift=")[2] or 0)) % options if options else None,
                target="",
                text="",
                seconds=6.0,
            )
            for index, stat in enumerate(values)
            if stat is not None
        }
        for condition, values in stats.items()
    }
    parts = tuple(PartRun(name, name, condition="" if name == CLEAN else name) for name in stats)
    suite = SuiteRun(name="quiz", average="conditions", model=ModelFacts("fake"), parts=parts)
    results = {name: Metrics(task=task, model=ModelFacts("fake"), numbers=(number,)) for name in stats}
    return ListeningAnswers(suite, results, [metric], items)

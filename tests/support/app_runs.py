"""Runs of every kind for the tests of the app, made with deterministic fake models."""

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import soundfile

from auricle import BatchModel, Generation, Prediction, Spec, evaluate
from auricle.core.signature import Signature
from auricle.core.types import Record, Sample
from auricle.runs.journal import encode_record_line
from auricle.runs.metrics import Number
from auricle.runs.perf_files import PerfManifest, PerfSummary, write_perf_manifest, write_perf_summary
from auricle.runs.progress import read_progress, write_progress
from tests.support.journal_lines import change_line

EMOTIONS = ("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised")
LABELS = ("生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
          "其他/other", "难过/sad", "吃惊/surprised", "<unk>")  # fmt: skip
LABEL_INDEX = {"neutral": 4, "happy": 3, "sad": 6, "angry": 0, "fearful": 2, "disgust": 1, "surprised": 7}
SENTENCES = (
    "turn the light in the kitchen on", "play something quiet for the evening",
    "how long does the train to the coast take", "remind me to water the plants",
    "what is the weather like in the mountains", "call my sister when I am home",
    "read the last message once more", "set a timer for eleven minutes",
)  # fmt: skip


def chance(*seeds: Any) -> float:
    """Return a pseudo-random number in [0, 1) that depends only on the seeds."""
    content = "|".join(map(str, seeds)).encode()
    return int.from_bytes(blake2b(content, digest_size=4).digest()) / 2**32


def input_stem(request: Any) -> str:
    """Return the file name of the first input, without its suffix."""
    return Path(str(next(iter(request.inputs.values())).uri)).stem


class Recogniser(BatchModel):
    """Returns the words of a file name, and deletes, replaces or inserts a share of them."""

    def __init__(self, *, error_rate: float = 0.1, seed: str = "a") -> None:
        self.error_rate, self.seed = error_rate, seed

    def generate(self, batch: Any) -> Any:
        return [Generation(text=self._transcribe(request)) for request in batch]

    def _transcribe(self, request: Any) -> str:
        (audio,) = (part for part in request.turns[0].parts if not isinstance(part, str))
        name = Path(audio.uri).stem
        words: list[str] = []
        for position, word in enumerate(name.split("_")[1:]):
            dice = chance(name, position, self.seed)
            words += [] if dice < self.error_rate / 3 else [word]
            if self.error_rate / 3 <= dice < 2 * self.error_rate / 3:
                words[-1] = word[::-1]
            elif 2 * self.error_rate / 3 <= dice < self.error_rate:
                words.append("the")
        return " ".join(words)


class Emotions(BatchModel):
    """Classifies into nine bilingual labels with a given accuracy; it has no label for calm."""

    def __init__(self, *, accuracy: float = 0.6, seed: str = "a") -> None:
        self.accuracy, self.seed = accuracy, seed

    def predict(self, batch: Any) -> Any:
        return [Prediction(values=self._scores(input_stem(request)), scale="probability") for request in batch]

    def _scores(self, name: str) -> dict[str, float]:
        predicted = LABEL_INDEX.get(name.split("_")[1], 4)
        if chance(name, self.seed) > self.accuracy:
            predicted = int(9 * chance(name, self.seed, "wrong"))
        scores = [0.2 + chance(name, label, self.seed) / 2 for label in LABELS]
        scores[predicted] += 2.0
        return {label: score / sum(scores) for label, score in zip(LABELS, scores, strict=True)}


class Dimensions(BatchModel):
    """Predicts arousal, dominance and valence near typical values of each emotion."""

    def __init__(self, *, shift: float = 0.0) -> None:
        self.shift = shift

    def predict(self, batch: Any) -> Any:
        return [Prediction(values=self._values(input_stem(request)), scale="continuous") for request in batch]

    def _values(self, name: str) -> dict[str, float]:
        index = EMOTIONS.index(name.split("_")[1])
        centres = {"arousal": 0.3 + 0.05 * index, "dominance": 0.5, "valence": 0.7 - 0.06 * index}
        return {
            key: value + self.shift + 0.25 * (chance(name, key) + chance(key, name) - 1)
            for key, value in centres.items()
        }


class MusicRater(BatchModel):
    """Rates music by the number in its file name, with noise."""

    def __init__(self, *, noise: float = 1.0) -> None:
        self.noise = noise

    def predict(self, batch: Any) -> Any:
        return [Prediction(values=self._values(request), scale="continuous") for request in batch]

    def _values(self, request: Any) -> dict[str, float]:
        name = input_stem(request)
        quality = float(name.split("_")[1])
        return {key: quality + self.noise * (2 * chance(name, key) - 1) for key in ("alignment", "musicality")}


class MultipleChoice(BatchModel):
    """Chooses B or C; now and then gives an answer without an option."""

    def __init__(self, *, accuracy: float = 0.7) -> None:
        self.accuracy = accuracy

    def generate(self, batch: Any) -> Any:
        return [Generation(text=self._answer(str(request.turns[0].parts))) for request in batch]

    def _answer(self, question: str) -> str:
        if chance(question, "odd") < 0.2:
            return "I could not hear it."
        return f"The answer is {'B' if chance(question) < self.accuracy else 'C'}."


def write_tone(path: Path, pitch: float = 440.0, seconds: float = 0.4) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    wave = 0.2 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * 8000)) / 8000)
    soundfile.write(path, wave.astype(np.float32), 8000)
    return path


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def write_speech_data(folder: Path, count: int) -> Path:
    rows = []
    for index in range(count):
        words = SENTENCES[index % len(SENTENCES)]
        name = f"{index:03d}_{words.replace(' ', '_')}.wav"
        write_tone(folder / "asr" / name, 300 + 10 * index)
        rows.append({"id": f"u{index:03d}", "audio": f"asr/{name}", "text": words,
                     "speaker": f"s{index % 6}", "accent": ("north", "south")[index % 2]})  # fmt: skip
    return write_rows(folder / "speech.jsonl", rows)


def write_emotion_data(folder: Path, count: int) -> Path:
    rows = []
    for index in range(count):
        label = EMOTIONS[index % len(EMOTIONS)]
        name = f"{index:03d}_{label}.wav"
        write_tone(folder / "ser" / name, 220 + 30 * (index % len(EMOTIONS)))
        rows.append({"id": f"e{index:03d}", "audio": f"ser/{name}", "label": label,
                     "speaker": f"actor {index % 6}", "sex": ("female", "male")[index % 2],
                     "arousal": 0.3 + 0.05 * (index % 8)})  # fmt: skip
    return write_rows(folder / "ravdess.jsonl", rows)


def write_music_data(folder: Path, count: int) -> tuple[Path, Path]:
    rows, pairs = [], []
    for index in range(count):
        quality = 1 + index % 5
        name = f"mus/{index:03d}_{quality}.wav"
        write_tone(folder / name, 200 + 40 * quality)
        rows.append({"id": f"m{index:03d}", "audio": name, "text": "a calm piano piece",
                     "musicality": quality, "alignment": 6 - quality, "genre": "jazz" if index % 2
                     else "folk"})  # fmt: skip
        other = f"mus/{(index * 7 + 3) % count:03d}_{1 + (index * 7 + 3) % count % 5}.wav"
        better = "a" if quality >= 1 + (index * 7 + 3) % count % 5 else "b"
        pairs.append({"id": f"p{index:03d}", "audio_a": name, "audio_b": other, "preference": better,
                      "genre": "jazz" if index % 2 else "folk"})  # fmt: skip
    return write_rows(folder / "music.jsonl", rows), write_rows(folder / "pairs.jsonl", pairs)


def write_quiz_data(folder: Path, count: int) -> Path:
    rows = [
        {"id": f"q{index:03d}", "question": f"Which number is {index} and one?",
         "choices": [str(index), str(index + 1), str(index + 2), str(index + 3)], "answer": "B",
         "topic": ("sums", "differences")[index % 2]}
        for index in range(count)
    ]  # fmt: skip
    return write_rows(folder / "quiz.jsonl", rows)


def make_run(
    out: Path, task: str, data: Path, model: str, task_args: Mapping[str, Any] | None = None, **model_args: Any
) -> Path:
    """Evaluate one of the fake models of this module."""
    arguments = {"data": str(data), **(task_args or {})}
    spec = Spec(task=task, task_args=arguments, model=f"{__name__}:{model}", model_args=model_args)
    evaluate(spec, out)
    return out


def make_runs_of_every_kind(folder: Path, count: int = 48) -> Path:
    """Make two runs of each kind, and their data, in a folder."""
    data = folder / "data"
    data.mkdir(parents=True)
    speech, emotions = write_speech_data(data, count), write_emotion_data(data, count)
    (music, pairs), quiz = write_music_data(data, count), write_quiz_data(data, count)
    asr_args = {"metrics": "wer,cer", "by": "accent"}
    make_run(folder / "asr-small", "asr", speech, "Recogniser", asr_args, error_rate=0.3)
    make_run(folder / "asr-large", "asr", speech, "Recogniser", asr_args, error_rate=0.1, seed="b")
    label_args = {"metrics": "accuracy,uar,macro_f1", "by": "speaker"}
    make_run(folder / "emotion-first", "classify", emotions, "Emotions", label_args, accuracy=0.5)
    make_run(folder / "emotion-second", "classify", emotions, "Emotions", label_args, accuracy=0.8, seed="b")
    dimension_args = {"metrics": "eta2,ccc_arousal", "by": "sex"}
    make_run(folder / "dimensions-first", "classify", emotions, "Dimensions", dimension_args)
    make_run(folder / "dimensions-second", "classify", emotions, "Dimensions", dimension_args, shift=0.1)
    make_run(folder / "music-rough", "reward", music, "MusicRater", noise=2.5)
    make_run(folder / "music-fine", "reward", music, "MusicRater", noise=0.8)
    preference_args = {"outputs": "musicality"}
    make_run(folder / "pairs-rough", "preference", pairs, "MusicRater", preference_args, noise=2.5)
    make_run(folder / "pairs-fine", "preference", pairs, "MusicRater", preference_args, noise=0.8)
    make_run(folder / "quiz-good", "mcq", quiz, "MultipleChoice", accuracy=0.8)
    make_run(folder / "quiz-bad", "mcq", quiz, "MultipleChoice", accuracy=0.4)
    return folder


def make_two_corpora(folder: Path) -> Path:
    """Make two runs of one classifier, on human speech and on generated speech that does not sound sad."""
    for name, count in (("human", 48), ("generated", 32)):
        data = folder / f"data-{name}"
        data.mkdir(parents=True)
        rows = [json.loads(row) for row in write_emotion_data(data, count).read_text().splitlines()]
        for index, row in enumerate(rows):
            row["id"] = f"{name}-{index}"
            if name == "generated":
                row["audio"] = row["audio"].replace("_sad", "_neutral")
            write_tone(data / row["audio"], 500 + 10 * index + (name == "human"))
        task_args = {"metrics": "accuracy,uar,weighted_f1,weighted_precision,weighted_recall", "name": name}
        make_run(folder / name, "classify", write_rows(data / "rows.jsonl", rows), "Emotions", task_args, accuracy=0.9)
    return folder


def make_large_run(folder: Path, name: str, count: int) -> Path:
    """Make a run of many samples by writing its journal, without a model."""
    data = folder / "data"
    clips = [write_tone(data / "many" / f"{index}.wav", 300 + 20 * index) for index in range(8)]
    manifest = write_rows(data / f"{name}.jsonl", [{"id": "x", "audio": "many/0.wav", "text": "x"}])
    out = make_run(folder / name, "asr", manifest, "Recogniser")
    from auricle.media import Audio

    with (out / "outputs.jsonl").open("wb") as journal:
        for index in range(count):
            words = SENTENCES[index % len(SENTENCES)]
            kept_words = [word for position, word in enumerate(words.split()) if chance(index, position) > 0.1]
            sample = Sample(
                id=f"many-{index:06d}", inputs={"audio": [Audio(str(clips[index % 8]))]}, target=words,
                meta={"speaker": f"s{index % 40}", "accent": ("north", "south")[index % 2]},
                origin=f"{name}.jsonl:{index + 1}",
            )  # fmt: skip
            record = Record(sample=sample, row=index, outputs=(Generation(text=" ".join(kept_words)),),
                            seconds=0.01, audio_seconds=0.4)  # fmt: skip
            journal.write(encode_record_line(record))
    write_progress(out, replace(read_progress(out), rows=count))
    from auricle import score

    score(out)
    return out


def measure_fake_server(out: Path, loads: tuple[str, ...] = ("closed:1", "closed:2"), count: int = 10) -> Path:
    """Run a load test against a fake server with a latency of 20 ms."""
    from auricle.perf.measurement import PerfConfig, measure
    from auricle.perf.report.documents import write_reports
    from auricle.testing.fake_server import FakeServer, Script

    rows = [{"id": f"s{index}", "question": f"say {index}", "answer": f"say {index}"} for index in range(20)]
    data = write_rows(out.parent / "data" / "load.jsonl", rows)
    with FakeServer(Script(latency=0.02)) as server:
        spec = Spec(task="qa", task_args={"data": str(data)}, model="openai",
                    model_args={"base_url": server.url, "model": "fake"})  # fmt: skip
        summary = measure(spec, out, PerfConfig(loads=loads, count=count), lambda _: None)
    write_reports(out, summary)
    return out


def make_number(metric: str, *, signature: str = "", **fields: Any) -> Number:
    """Make the number of a metric."""
    values = {"details": {}, "value": 0.5, "unit": "share", **fields}
    return Number(metric=metric, title=metric, signature=Signature.parse(signature or f"{metric}:1"), **values)


# --- untrusted runs ------------------------------------------------------------------------

SCRIPT = "<script>document.title='OWNED';alert(1)</script>"
IMAGE = "<img src=x onerror=\"document.title='OWNED';alert(1)\">"
MARKDOWN = "![x](http://127.0.0.1:9/x.png) [y](javascript:alert(1)) $\\frac{1}{0}$ :red[z] **b**"


class MarkupModel(BatchModel):
    """Returns text and labels that contain markup."""

    def predict(self, batch: Any) -> Any:
        values = {IMAGE: 0.5, SCRIPT: 0.3, MARKDOWN: 0.2}
        return [Prediction(values=values, scale="probability") for _ in batch]

    def generate(self, batch: Any) -> Any:
        return [Generation(text=f"{SCRIPT} {IMAGE} {MARKDOWN}") for _ in batch]


def make_hostile_runs(folder: Path, outside: Path | None = None) -> Path:
    """Make runs with markup in every text, paths to files outside the folder, and damaged files."""
    data = folder / "data"
    clip = write_tone(data / "h.wav")
    speech = [{"id": f"{SCRIPT}{index}", "audio": clip.name, "text": f"{IMAGE} {MARKDOWN}",
             SCRIPT: IMAGE if index % 2 else MARKDOWN, "group": (IMAGE, SCRIPT)[index % 2]}
            for index in range(6)]  # fmt: skip
    emotions = [{"id": f"{IMAGE}{index}", "audio": clip.name, "label": (SCRIPT, IMAGE, "calm")[index % 3],
             "group": (IMAGE, MARKDOWN)[index % 2]} for index in range(6)]  # fmt: skip
    make_run(folder / "markup-asr", "asr", write_rows(data / "markup.jsonl", speech), "MarkupModel")
    make_run(folder / "markup-labels", "classify", write_rows(data / "emotions.jsonl", emotions), "MarkupModel")
    _make_broken_copies(folder, folder / "markup-asr", outside or folder.parent)
    return folder


def _make_broken_copies(folder: Path, original: Path, outside: Path) -> None:
    def copy(name: str) -> Path:
        return Path(shutil.copytree(original, folder / name))

    truncated = copy("truncated") / "metrics.json"
    truncated.write_bytes(truncated.read_bytes()[: truncated.stat().st_size // 2])
    (copy("no-spec") / "spec.json").unlink()
    binary = copy("binary")
    for name in ("metrics.json", "outputs.jsonl", "scores.jsonl"):
        (binary / name).write_bytes(bytes(range(256)) * 40)
    malformed = copy("malformed") / "metrics.json"
    document = json.loads(malformed.read_text())
    for number in document["numbers"]:
        number["details"] = {"matrix": 7, "substitutions": "many", "dimensions": [1, 2]}
    malformed.write_text(json.dumps(document))
    perf = folder / "perf-truncated"
    perf.mkdir()
    write_perf_manifest(perf, PerfManifest(spec={"task": SCRIPT, "model": IMAGE}, wanted={}))
    (perf / "summary.json").write_text('{"points": [{"load"')
    _point_outside(copy("outside-audio"), copy("linked"), outside)
    _name_code(copy("custom-code"), outside / "executed")


def _point_outside(outside_audio: Path, linked: Path, outside: Path) -> None:
    """Make one run name audio outside its folder, and make the metrics of another a link to a file there."""
    secret = outside / "outside.wav"
    secret.write_bytes(b"a private file")
    (outside_audio / "link.wav").symlink_to(secret)
    uris = ["../../../../../etc/passwd", "/etc/hostname", str(secret), str(outside_audio / "link.wav"),
            "../outside.wav", "\x00"]  # fmt: skip
    journal = outside_audio / "outputs.jsonl"
    lines = []
    for line, uri in zip(journal.read_bytes().splitlines(), uris, strict=True):
        inputs = json.loads(line)["inputs"]
        inputs["audio"][0]["uri"] = uri
        lines.append(change_line(line, inputs=inputs))
    journal.write_bytes(b"".join(lines))
    (linked / "metrics.json").rename(outside / "elsewhere.json")
    (linked / "metrics.json").symlink_to(outside / "elsewhere.json")


def _name_code(run: Path, marker: Path) -> None:
    """Make the task of a run a command that would create the marker file."""
    spec = json.loads((run / "spec.json").read_text())
    spec["spec"]["task"] = "os:system"
    spec["spec"]["task_args"] = {"command": f"touch {marker}"}
    (run / "spec.json").write_text(json.dumps(spec))


def make_load_test(out: Path) -> Path:
    """Make a load test as `auricle perf` writes it, from requests with known times."""
    from auricle.perf.report.documents import write_reports
    from auricle.perf.request_records import RequestRecord
    from auricle.perf.summary import summarise

    points = []
    for index, rate in enumerate((5.0, 20.0)):
        records = [
            RequestRecord(index=n, sample=str(n), due=n / rate, sent=n / rate + 0.001, body=str(n),
                     done=n / rate + 0.05 + 0.002 * (n % 10) * (index + 1), audio_seconds=3.0)
            for n in range(60)
        ]  # fmt: skip
        folder = out / f"{index:02d}-constant-{rate:g}"
        folder.mkdir(parents=True)
        lines = (orjson.dumps(asdict(record), option=orjson.OPT_APPEND_NEWLINE) for record in records)
        (folder / "requests.jsonl").write_bytes(b"".join(lines))
        points.append(replace(summarise(records, f"constant:{rate:g}"), folder=folder.name))
    spec = {"task": "speech", "model": "server"}
    created = "2026-01-01T00:00:00"
    manifest = PerfManifest(spec=spec, wanted={}, created=created, inferencer="Respond()", platform="Linux", cores=2)
    summary = PerfSummary(task="speech", model="server", points=tuple(points), about=manifest, valid=True)
    write_perf_manifest(out, manifest)
    write_perf_summary(out, summary)
    write_reports(out, summary)
    return out

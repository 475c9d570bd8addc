"""Runs of every kind for the app's tests, made by the library from models that behave as told."""

import json
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import soundfile

from auricle import BatchModel, Generation, Prediction, Spec, evaluate
from auricle.core.serialization import encode_record
from auricle.core.types import Generation as Said
from auricle.core.types import Record, Sample

EMOTIONS = ("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised")
LABELS = ("生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
          "其他/other", "难过/sad", "吃惊/surprised", "<unk>")  # fmt: skip
MEANT = {"neutral": 4, "happy": 3, "sad": 6, "angry": 0, "fearful": 2, "disgust": 1, "surprised": 7}
SENTENCES = (
    "turn the light in the kitchen on", "play something quiet for the evening",
    "how long does the train to the coast take", "remind me to water the plants",
    "what is the weather like in the mountains", "call my sister when I am home",
    "read the last message once more", "set a timer for eleven minutes",
)  # fmt: skip


def chance(*what: Any) -> Any:
    """A number in [0, 1) that its words decide."""
    content = "|".join(map(str, what)).encode()
    return int.from_bytes(blake2b(content, digest_size=4).digest()) / 2**32


def named(request: Any) -> Any:
    return Path(str(next(iter(request.inputs.values())).uri)).stem


class Recogniser(BatchModel):
    """Hears the words of a file's name, and loses, mistakes or adds a share of them."""

    def __init__(self, *, wrong: float = 0.1, voice: str = "a") -> None:
        self.wrong, self.voice = wrong, voice

    def generate(self, batch: Any) -> Any:
        return [Generation(text=self._heard(each)) for each in batch]

    def _heard(self, request: Any) -> Any:
        (sound,) = (part for part in request.turns[0].parts if not isinstance(part, str))
        name = Path(sound.uri).stem
        words = []
        for at, word in enumerate(name.split("_")[1:]):
            dice = chance(name, at, self.voice)
            words += [] if dice < self.wrong / 3 else [word]
            if self.wrong / 3 <= dice < 2 * self.wrong / 3:
                words[-1] = word[::-1]
            elif 2 * self.wrong / 3 <= dice < self.wrong:
                words.append("the")
        return " ".join(words)


class Emotions(BatchModel):
    """Nine labels of two languages; right as often as told, and it knows no calm."""

    def __init__(self, *, right: float = 0.6, voice: str = "a") -> None:
        self.right, self.voice = right, voice

    def predict(self, batch: Any) -> Any:
        return [Prediction(values=self._scores(named(each)), scale="probability") for each in batch]

    def _scores(self, name: Any) -> Any:
        true = name.split("_")[1]
        favourite = MEANT.get(true, 4)
        if chance(name, self.voice) > self.right:
            favourite = int(9 * chance(name, self.voice, "wrong"))
        raw = [0.2 + chance(name, label, self.voice) / 2 for label in LABELS]
        raw[favourite] += 2.0
        return {label: each / sum(raw) for label, each in zip(LABELS, raw, strict=True)}


class Dimensions(BatchModel):
    """Arousal, dominance and valence that lie about where an emotion does."""

    def __init__(self, *, shift: float = 0.0) -> None:
        self.shift = shift

    def predict(self, batch: Any) -> Any:
        return [Prediction(values=self._values(named(each)), scale="continuous") for each in batch]

    def _values(self, name: Any) -> Any:
        at = EMOTIONS.index(name.split("_")[1])
        middle = {"arousal": 0.3 + 0.05 * at, "dominance": 0.5, "valence": 0.7 - 0.06 * at}
        return {
            key: value + self.shift + 0.25 * (chance(name, key) + chance(key, name) - 1)
            for key, value in middle.items()
        }


class Taste(BatchModel):
    """Rates music by the number in its name, more or less."""

    def __init__(self, *, noise: float = 1.0) -> None:
        self.noise = noise

    def predict(self, batch: Any) -> Any:
        return [Prediction(values=self._values(each), scale="continuous") for each in batch]

    def _values(self, request: Any) -> Any:
        name = named(request)
        quality = float(name.split("_")[1])
        return {key: quality + self.noise * (2 * chance(name, key) - 1) for key in ("alignment", "musicality")}


class Student(BatchModel):
    """Chooses option A, B, C or D; now and then says something else."""

    def __init__(self, *, right: float = 0.7) -> None:
        self.right = right

    def generate(self, batch: Any) -> Any:
        return [Generation(text=self._answer(str(each.turns[0].parts))) for each in batch]

    def _answer(self, asked: Any) -> Any:
        if chance(asked, "odd") < 0.2:
            return "I could not hear it."
        return f"The answer is {'B' if chance(asked) < self.right else 'C'}."


def sound(path: Any, pitch: float = 440.0, seconds: float = 0.4) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    wave = 0.2 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * 8000)) / 8000)
    soundfile.write(path, wave.astype(np.float32), 8000)
    return path


def written(path: Any, rows: Any) -> Any:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def spoken(folder: Any, count: Any) -> Any:
    rows = []
    for at in range(count):
        words = SENTENCES[at % len(SENTENCES)]
        name = f"{at:03d}_{words.replace(' ', '_')}.wav"
        sound(folder / "asr" / name, 300 + 10 * at)
        rows.append({"id": f"u{at:03d}", "audio": f"asr/{name}", "text": words,
                     "speaker": f"s{at % 4}", "accent": ("north", "south")[at % 2]})  # fmt: skip
    return written(folder / "speech.jsonl", rows)


def felt(folder: Any, count: Any) -> Any:
    rows = []
    for at in range(count):
        label = EMOTIONS[at % len(EMOTIONS)]
        name = f"{at:03d}_{label}.wav"
        sound(folder / "ser" / name, 220 + 30 * (at % len(EMOTIONS)))
        rows.append({"id": f"e{at:03d}", "audio": f"ser/{name}", "label": label,
                     "speaker": f"actor {at % 6}", "sex": ("female", "male")[at % 2],
                     "arousal": 0.3 + 0.05 * (at % 8)})  # fmt: skip
    return written(folder / "ravdess.jsonl", rows)


def composed(folder: Any, count: Any) -> Any:
    rows, pairs = [], []
    for at in range(count):
        quality = 1 + at % 5
        name = f"mus/{at:03d}_{quality}.wav"
        sound(folder / name, 200 + 40 * quality)
        rows.append({"id": f"m{at:03d}", "audio": name, "text": "a calm piano piece",
                     "musicality": quality, "alignment": 6 - quality, "genre": "jazz" if at % 2
                     else "folk"})  # fmt: skip
        other = f"mus/{(at * 7 + 3) % count:03d}_{1 + (at * 7 + 3) % count % 5}.wav"
        better = "a" if quality >= 1 + (at * 7 + 3) % count % 5 else "b"
        pairs.append({"id": f"p{at:03d}", "audio_a": name, "audio_b": other, "preference": better,
                      "genre": "jazz" if at % 2 else "folk"})  # fmt: skip
    return written(folder / "music.jsonl", rows), written(folder / "pairs.jsonl", pairs)


def asked(folder: Any, count: Any) -> Any:
    rows = [
        {"id": f"q{at:03d}", "question": f"Which number is {at} and one?",
         "choices": [str(at), str(at + 1), str(at + 2), str(at + 3)], "answer": "B",
         "topic": ("sums", "differences")[at % 2]}
        for at in range(count)
    ]  # fmt: skip
    return written(folder / "quiz.jsonl", rows)


def run(out: Any, task: Any, data: Any, model: Any, told: Any = None, **arguments: Any) -> Any:
    told = {"data": str(data), **(told or {})}
    spec = Spec(task=task, task_args=told, model=f"ui_runs:{model}", model_args=arguments)
    evaluate(spec, out)
    return out


def every_kind(folder: Any, count: int = 48) -> Any:
    """A folder of runs, two or more of each kind; the data lie within it."""
    data = folder / "data"
    data.mkdir(parents=True)
    speech, emotions = spoken(data, count), felt(data, count)
    (music, pairs), quiz = composed(data, count), asked(data, count)
    few = {"metrics": "wer,cer", "by": "accent"}
    run(folder / "asr-small", "asr", speech, "Recogniser", few, wrong=0.3)
    run(folder / "asr-large", "asr", speech, "Recogniser", few, wrong=0.1, voice="b")
    labels = {"metrics": "accuracy,uar,macro_f1", "by": "speaker"}
    run(folder / "emotion-first", "classify", emotions, "Emotions", labels, right=0.5)
    run(folder / "emotion-second", "classify", emotions, "Emotions", labels, right=0.8, voice="b")
    moved = {"metrics": "eta2,ccc_arousal", "by": "sex"}
    run(folder / "dimensions-first", "classify", emotions, "Dimensions", moved)
    run(folder / "dimensions-second", "classify", emotions, "Dimensions", moved, shift=0.1)
    run(folder / "music-rough", "reward", music, "Taste", noise=2.5)
    run(folder / "music-fine", "reward", music, "Taste", noise=0.8)
    named = {"outputs": "musicality"}
    run(folder / "pairs-rough", "preference", pairs, "Taste", named, noise=2.5)
    run(folder / "pairs-fine", "preference", pairs, "Taste", named, noise=0.8)
    run(folder / "quiz-good", "mcq", quiz, "Student", right=0.8)
    run(folder / "quiz-bad", "mcq", quiz, "Student", right=0.4)
    return folder


def large(folder: Any, name: Any, count: Any) -> Any:
    """A run of many samples, whose journal is written as it stands: nobody is asked."""
    data = folder / "data"
    few = [sound(data / "many" / f"{at}.wav", 300 + 20 * at) for at in range(8)]
    manifest = written(data / f"{name}.jsonl", [{"id": "x", "audio": "many/0.wav", "text": "x"}])
    out = run(folder / name, "asr", manifest, "Recogniser")
    from auricle.audio import Audio

    with (out / "outputs.jsonl").open("wb") as journal:
        for at in range(count):
            words = SENTENCES[at % len(SENTENCES)]
            kept = [word for place, word in enumerate(words.split()) if chance(at, place) > 0.1]
            sample = Sample(
                id=f"many-{at:06d}", inputs={"audio": [Audio(str(few[at % 8]))]}, target=words,
                meta={"speaker": f"s{at % 40}", "accent": ("north", "south")[at % 2]},
                origin=f"{name}.jsonl:{at + 1}",
            )  # fmt: skip
            record = Record(sample=sample, row=at, outputs=(Said(text=" ".join(kept)),),
                            seconds=0.01, audio_seconds=0.4)  # fmt: skip
            journal.write(encode_record(record))
    progress = orjson.loads((out / "progress.json").read_bytes())
    (out / "progress.json").write_bytes(orjson.dumps({**progress, "rows": count}))
    from auricle import score

    score(out)
    return out


def measured(out: Any, loads: Any = ("closed:1", "closed:2"), count: int = 10) -> Any:
    """A load test against a server of our own that answers at once."""
    from auricle.perf.measurement import PerfConfig, measure
    from auricle.perf.report.files import write_reports
    from auricle.testing.fake_server import FakeServer, Script

    rows = [{"id": f"s{at}", "question": f"say {at}", "answer": f"say {at}"} for at in range(20)]
    data = written(out.parent / "data" / "load.jsonl", rows)
    with FakeServer(Script(latency=0.02)) as server:
        spec = Spec(task="qa", task_args={"data": str(data)}, model="openai",
                    model_args={"base_url": server.url, "model": "fake"})  # fmt: skip
        document = measure(spec, out, PerfConfig(loads=loads, count=count), lambda _: None)
    write_reports(out, document)
    return out


# --- runs nobody should trust --------------------------------------------------------------

SCRIPT = "<script>document.title='OWNED';alert(1)</script>"
IMAGE = "<img src=x onerror=\"document.title='OWNED';alert(1)\">"
MARKDOWN = "![x](http://127.0.0.1:9/x.png) [y](javascript:alert(1)) $\\frac{1}{0}$ :red[z] **b**"


class Liar(BatchModel):
    """Answers with markup, and knows labels that are."""

    def predict(self, batch: Any) -> Any:
        values = {IMAGE: 0.5, SCRIPT: 0.3, MARKDOWN: 0.2}
        return [Prediction(values=values, scale="probability") for _ in batch]

    def generate(self, batch: Any) -> Any:
        return [Generation(text=f"{SCRIPT} {IMAGE} {MARKDOWN}") for _ in batch]


def hostile(folder: Any, outside: Any = None) -> Any:
    """Runs with markup in every text, paths that lead out to a folder, and files in pieces."""
    data = folder / "data"
    heard = sound(data / "h.wav")
    said = [{"id": f"{SCRIPT}{at}", "audio": heard.name, "text": f"{IMAGE} {MARKDOWN}",
             SCRIPT: IMAGE if at % 2 else MARKDOWN, "group": (IMAGE, SCRIPT)[at % 2]}
            for at in range(6)]  # fmt: skip
    felt = [{"id": f"{IMAGE}{at}", "audio": heard.name, "label": (SCRIPT, IMAGE, "calm")[at % 3],
             "group": (IMAGE, MARKDOWN)[at % 2]} for at in range(6)]  # fmt: skip
    run(folder / "liar-asr", "asr", written(data / "liar.jsonl", said), "Liar")
    run(folder / "liar-labels", "classify", written(data / "felt.jsonl", felt), "Liar")
    _broken(folder, folder / "liar-asr", outside or folder.parent)
    return folder


def _broken(folder: Any, whole: Any, outside: Any) -> None:
    def copy(name: Any) -> Any:
        return Path(shutil.copytree(whole, folder / name))

    torn = copy("torn") / "metrics.json"
    torn.write_bytes(torn.read_bytes()[: torn.stat().st_size // 2])
    (copy("no-spec") / "spec.json").unlink()
    rubbish = copy("rubbish")
    for name in ("metrics.json", "outputs.jsonl", "scores.jsonl"):
        (rubbish / name).write_bytes(bytes(range(256)) * 40)
    odd = copy("odd-shape") / "metrics.json"
    told = json.loads(odd.read_text())
    for number in told["numbers"]:
        number["details"] = {"matrix": 7, "substitutions": "many", "dimensions": [1, 2]}
    odd.write_text(json.dumps(told))
    perf = folder / "perf-torn"
    perf.mkdir()
    (perf / "perf.json").write_text(json.dumps({"spec": {"task": SCRIPT, "model": IMAGE}}))
    (perf / "summary.json").write_text('{"points": [{"load"')
    _leading_out(copy("astray"), copy("linked"), outside)
    _naming_code(copy("coded"), outside / "owned")


def _leading_out(astray: Any, linked: Any, outside: Any) -> None:
    """Sounds and numbers that lie in somebody else's folder."""
    secret = outside / "outside.wav"
    secret.write_bytes(b"secret of somebody else")
    (astray / "link.wav").symlink_to(secret)
    ways = ["../../../../../etc/passwd", "/etc/hostname", str(secret), str(astray / "link.wav"),
            "../outside.wav", "\x00"]  # fmt: skip
    lines = (astray / "outputs.jsonl").read_text().splitlines()
    for at, (line, way) in enumerate(zip(lines, ways, strict=True)):
        held = json.loads(line)
        held["inputs"]["audio"][0]["uri"] = way
        lines[at] = json.dumps(held, separators=(",", ":"))
    (astray / "outputs.jsonl").write_text("\n".join(lines) + "\n")
    (linked / "metrics.json").rename(outside / "elsewhere.json")
    (linked / "metrics.json").symlink_to(outside / "elsewhere.json")


def _naming_code(coded: Any, mark: Any) -> None:
    spec = json.loads((coded / "spec.json").read_text())
    spec["spec"]["task"] = "os:system"
    spec["spec"]["task_args"] = {"command": f"touch {mark}"}
    (coded / "spec.json").write_text(json.dumps(spec))


def served(out: Any) -> Any:
    """A load test as `auricle perf` leaves it, from requests whose times are known."""
    from dataclasses import asdict

    from auricle.perf.report.files import write_reports
    from auricle.perf.request_record import RequestRecord
    from auricle.perf.summary import summarise

    points = []
    for at, rate in enumerate((5.0, 20.0)):
        made = [
            RequestRecord(index=n, sample=str(n), due=n / rate, sent=n / rate + 0.001, body=str(n),
                     done=n / rate + 0.05 + 0.002 * (n % 10) * (at + 1), audio_seconds=3.0)
            for n in range(60)
        ]  # fmt: skip
        folder = out / f"{at:02d}-constant-{rate:g}"
        folder.mkdir(parents=True)
        lines = (orjson.dumps(asdict(each), option=orjson.OPT_APPEND_NEWLINE) for each in made)
        (folder / "requests.jsonl").write_bytes(b"".join(lines))
        points.append({**summarise(made, f"constant:{rate:g}"), "folder": folder.name})
    document = {"task": "speech", "model": "server", "points": points, "about": {}, "valid": True}
    spec = {"task": "speech", "model": "server"}
    (out / "perf.json").write_bytes(orjson.dumps({"spec": spec, "created": "2026-01-01T00:00:00"}))
    (out / "summary.json").write_bytes(orjson.dumps(document))
    write_reports(out, document)
    return out

"""Files of a suite for speech emotion recognition, with models that only compute loudness."""

from pathlib import Path

PEAKS = {"angry/0.wav": 0.75, "angry/1.wav": 0.625, "neutral/2.wav": 0.125, "neutral/3.wav": 0.875}
"""Peak amplitude of each recording."""

WRAPPER = '''
from models.base import BaseModelWrapper


class Loudness(BaseModelWrapper):
    """Scores anger by loudness; counts its loads and calls."""

    name = "Loudness"
    output_type = "probabilities"
    labels = ["angry", "neutral", "sad"]

    def __init__(self, gain=1.0):
        self.gain, self.loads, self.calls = gain, 0, []

    def load(self):
        print("loading weights")
        self.loads += 1

    def predict(self, audio_path):
        return self.predict_batch([audio_path])[0]

    def predict_batch(self, audio_paths):
        import soundfile  # noqa: F401

        assert self.loads == 1, "loaded once"
        self.calls.append(len(audio_paths))
        answers = []
        for path in audio_paths:
            samples, _ = soundfile.read(path)
            loud = min(1.0, self.gain * float(abs(samples).max()))
            rest = (1 - loud) / 2
            labels = ["生气/angry", "neutral", "sad"]
            answers.append({"labels": labels, "scores": [loud, rest, rest]})
        return answers
'''

DIMENSIONS = """
from .base import BaseModelWrapper


class Plane(BaseModelWrapper):
    name, output_type = "Plane", "dimensional"
    labels = ["arousal", "dominance", "valence"]

    def predict(self, audio_path):
        import soundfile  # noqa: F401

        loud = float(abs(soundfile.read(audio_path)[0]).max())
        return {"dimensions": {"arousal": loud, "dominance": 0.5, "valence": 1 - loud}}
"""

DATASET = '''
from pathlib import Path

from datasets.base import BaseDataset


class Folders(BaseDataset):
    """A folder for each emotion."""

    name = "Folders"
    emotion_labels = ["neutral", "angry"]

    def __init__(self, only=""):
        self.only, self.pairs = only, []

    def load(self, data_dir):
        self.pairs = [
            (str(path), path.parent.name)
            for path in sorted(Path(data_dir).rglob("*.wav"))
            if self.only in ("", path.parent.name)
        ]

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)
'''


def write_suite(folder: Path) -> Path:
    """Write the suite; the `__init__` of its packages raises when it is run."""
    for package, files in {
        "models": {"loudness_wrapper.py": WRAPPER, "plane_wrapper.py": DIMENSIONS},
        "datasets": {"folders.py": DATASET},
    }.items():
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text("raise RuntimeError('a registry')\n")
        for name, body in files.items():
            (folder / package / name).write_text(body, encoding="utf-8")
    return folder

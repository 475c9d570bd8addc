"""Evaluate emotion models as a small suite with scikit-learn would, and with Auricle; count equal and different values.

    python scripts/compare_ser.py                 generated recordings
    python scripts/compare_ser.py ~/data/RAVDESS  recordings with RAVDESS's file names

There is no public repository to compare with. The script writes a suite to a temporary folder: base classes, two
wrappers that classify, one that predicts dimensions, and a RAVDESS loader. It runs them directly, computes every number
with scikit-learn and NumPy, and compares these with `ser:` runs and the task `ravdess`.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from comparison import Comparison
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from auricle import Spec, compare, evaluate
from auricle.core.types import Prediction
from auricle.report.plot_data import list_averages
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run

EMOTIONS = ("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised")
MODEL_LABELS = ("angry", "disgusted", "fearful", "happy", "neutral", "other", "sad", "surprised", "unknown")
SHARED = ("neutral", "happy", "sad", "angry", "fearful", "disgust", "surprised")
FIGURES = ("precision", "recall", "f1", "support")
DIMENSIONS = ("arousal", "dominance", "valence")
BASE_CLASSES = {
    "models": """
from abc import ABC

class BaseModelWrapper(ABC):
    name: str
    output_type: str
    labels: list[str]

    def load(self) -> None: ...
    def predict(self, audio_path) -> dict: ...
    def predict_batch(self, audio_paths) -> list[dict]: ...
""",
    "datasets": """
from abc import ABC

class BaseDataset(ABC):
    name: str
    emotion_labels: list[str]

    def load(self, data_dir): ...
    def __iter__(self): ...
    def __len__(self): ...
""",
}
WRAPPERS = f"""
import hashlib
from pathlib import Path

from models.base import BaseModelWrapper

LABELS = {list(MODEL_LABELS)!r}


def digest(path, seed):
    return hashlib.sha256(seed.encode() + Path(path).name.encode()).digest()


class First(BaseModelWrapper):
    name, output_type, labels, seed, skill = "First", "probabilities", LABELS, "first", 100

    def predict(self, audio_path):
        values = digest(audio_path, self.seed)
        weights = [1 + value for value in values[:9]]
        if values[9] < self.skill:  # listens to the file name
            stem = {list(EMOTIONS)!r}[int(Path(audio_path).stem.split("-")[2]) - 1]
            similar = [label for label in LABELS if label.startswith(stem)] or ["neutral"]
            weights[LABELS.index(similar[0])] += 500
        return {{"labels": LABELS, "scores": [weight / sum(weights) for weight in weights]}}


class Second(First):
    name, seed, skill = "Second", "second", 200


class Plane(BaseModelWrapper):
    name, output_type, labels = "Plane", "dimensional", {list(DIMENSIONS)!r}

    def predict(self, audio_path):
        return {{"dimensions": dict(zip(self.labels, (value / 255 for value in digest(audio_path, "plane"))))}}
"""
LOADER = f"""
from pathlib import Path

from datasets.base import BaseDataset


class Ravdess(BaseDataset):
    name, emotion_labels = "RAVDESS", {list(EMOTIONS)!r}

    def load(self, data_dir):
        codes = {{path: path.stem.split("-") for path in sorted(Path(data_dir).rglob("*.wav"))}}
        speech = {{path: code for path, code in codes.items() if code[:2] == ["03", "01"]}}
        self.pairs = [(str(path), self.emotion_labels[int(code[2]) - 1]) for path, code in speech.items()]

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "recordings", nargs="?", type=Path, help="folder with RAVDESS's file names [default: generated]"
    )
    recordings = parser.parse_args().recordings
    comparison = Comparison("Speech emotion suite", tolerance=1e-12)
    with tempfile.TemporaryDirectory(prefix="compare-ser-") as folder:
        suite = Suite(Path(folder).resolve(), recordings)
        Evaluations(suite, comparison).compare_all()
    print(comparison.format())
    return comparison.exit_code


class Suite:
    """The suite and its recordings in a temporary folder."""

    def __init__(self, folder: Path, recordings: Path | None) -> None:
        self.folder = folder
        self.recordings = recordings.expanduser().resolve() if recordings else generate_recordings(folder / "RAVDESS")
        files = {"models/wrappers.py": WRAPPERS, "datasets/ravdess.py": LOADER}
        files |= {f"{package}/base.py": body for package, body in BASE_CLASSES.items()}
        for name, body in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(body, encoding="utf-8")
        self.pairs = self._load_pairs()

    def _load_pairs(self) -> list[tuple[str, str]]:
        dataset = self._load_class("datasets", "Ravdess")()
        dataset.load(str(self.recordings))
        return list(dataset)

    def predict(self, name: str) -> list[dict[str, Any]]:
        """Call a wrapper directly for every recording."""
        wrapper = self._load_class("models", name)()
        wrapper.load()
        return [wrapper.predict(path) for path, _ in self.pairs]

    def _load_class(self, package: str, name: str) -> Any:
        """Run the files of a package as one module, so that its name stays free for other libraries."""
        body = {"models": WRAPPERS, "datasets": LOADER}[package].replace(f"from {package}.base import", "# ")
        path = self.folder / f"direct_{package}.py"
        path.write_text(BASE_CLASSES[package] + body, encoding="utf-8")
        return runpy.run_path(str(path))[name]


class Evaluations:
    """Runs of Auricle, compared with what the suite gives directly."""

    def __init__(self, suite: Suite, comparison: Comparison) -> None:
        self.suite, self.comparison = suite, comparison
        self.true = [label for _, label in suite.pairs]

    def compare_all(self) -> None:
        self.compare_classifier("First", "ser:", f"ser:{self.suite.folder / 'datasets' / 'ravdess.py'}:Ravdess")
        for name in ("First", "Second"):
            self.compare_classifier(name, "ravdess", "ravdess")
        self.compare_dimensions()
        self.compare_difference()

    def run(self, name: str, task: str) -> tuple[Path, Metrics]:
        out = self.suite.folder / "runs" / f"{task.partition(':')[0]}-{name}"
        spec = Spec(
            task=task,
            task_args={"root": str(self.suite.recordings)},
            model=f"ser:{self.suite.folder / 'models' / 'wrappers.py'}:{name}",
        )
        metrics = evaluate(spec, out).metrics
        assert metrics
        return out, metrics

    def compare_classifier(self, name: str, title: str, task: str) -> None:
        out, metrics = self.run(name, task)
        outputs = self.suite.predict(name)
        self.compare_outputs(out, f"{title} {name}", outputs)
        predicted = [output["labels"][int(np.argmax(output["scores"]))] for output in outputs]
        matched = [predicted_label.replace("disgusted", "disgust") for predicted_label in predicted]
        self.compare_matrix(metrics, f"{title} {name}", matched)
        self.compare_figures(metrics, f"{title} {name}", matched)

    def compare_outputs(self, out: Path, title: str, outputs: Sequence[Mapping[str, Any]]) -> None:
        """Compare labels and stored outputs of every recording."""
        records = {Path(record.sample.inputs["audio"].uri).name: record for record in Run.load(out).records()}  # type: ignore[union-attr]
        for (path, label), output in zip(self.suite.pairs, outputs, strict=True):
            record = records[Path(path).name]
            self.comparison.add("labels", f"{title} {path}", record.sample.target, label)
            (stored,) = record.outputs
            assert isinstance(stored, Prediction)
            expected = output.get("dimensions") or dict(zip(output["labels"], output["scores"], strict=True))
            self.comparison.add("stored outputs", f"{title} {path}", dict(stored.values), dict(expected))

    def compare_matrix(self, metrics: Metrics, title: str, predicted: Sequence[str]) -> None:
        """Compare the matrix: shared labels first, then rows and columns of one side."""
        matrix = metrics["uar"].details["matrix"]
        rows, columns = [*SHARED, "calm"], [*SHARED, "other", "unknown"]
        self.comparison.add("axes of the matrix", f"{title} rows", matrix["rows"], rows)
        shown = [label.replace("disgusted", "disgust") for label in matrix["columns"]]
        self.comparison.add("axes of the matrix", f"{title} columns", shown, columns)
        labels = [*SHARED, "calm", "other", "unknown"]
        expected = confusion_matrix(self.true, predicted, labels=labels)
        for row, line in enumerate(matrix["counts"]):
            for column, count in enumerate(line):
                theirs = int(expected[row][labels.index(columns[column])])
                self.comparison.add("cells of the matrix", f"{title} {rows[row]} {columns[column]}", count, theirs)

    def compare_figures(self, metrics: Metrics, title: str, predicted: Sequence[str]) -> None:
        details = metrics["uar"].details
        self.comparison.add("accuracy", title, metrics["accuracy"].value, float(accuracy_score(self.true, predicted)))
        labels = [*SHARED, "calm"]
        expected = precision_recall_fscore_support(self.true, predicted, labels=labels, zero_division=0)
        for index, label in enumerate(labels):
            for name, column in zip(FIGURES, expected, strict=True):
                ours = details["classes"][label][name] or 0  # undefined, which scikit-learn counts as 0
                self.comparison.add("figures of classes", f"{title} {label} {name}", float(ours), float(column[index]))
        averages = {figures.label.split()[0]: figures for figures in list_averages(details)}
        for average, figures in averages.items():
            theirs = precision_recall_fscore_support(
                self.true, predicted, labels=SHARED, average=average, zero_division=0
            )
            for name, value in zip(FIGURES[:3], theirs[:3], strict=True):
                self.comparison.add("averages", f"{title} {average} {name}", getattr(figures, name), float(value))
        numbers = {
            "macro": ("macro_precision", "uar", "macro_f1"),
            "weighted": ("weighted_precision", "weighted_recall", "weighted_f1"),
        }
        for average, names in numbers.items():
            theirs = precision_recall_fscore_support(
                self.true, predicted, labels=SHARED, average=average, zero_division=0
            )
            for name, value in zip(names, theirs[:3], strict=True):
                self.comparison.add("averages", f"{title} {name}", metrics[name].value, float(value))

    def compare_dimensions(self) -> None:
        """Compare the mean and standard deviation of every dimension and emotion."""
        out, metrics = self.run("Plane", "ravdess")
        outputs = self.suite.predict("Plane")
        self.compare_outputs(out, "Plane", outputs)
        emotions = metrics["eta2"].details["dimensions"]
        for dimension in DIMENSIONS:
            for label in sorted(set(self.true)):
                values = [
                    o["dimensions"][dimension] for o, true in zip(outputs, self.true, strict=True) if true == label
                ]
                ours, title = emotions[dimension]["emotions"][label], f"{dimension} {label}"
                self.comparison.add("means of dimensions", title, ours["mean"], float(np.mean(values)))
                self.comparison.add("deviations of dimensions", title, ours["sd"], float(np.std(values, ddof=1)))
        self.comparison.add("no matrix of dimensions", "Plane", "uar" in {n.metric for n in metrics.overall}, False)

    def compare_difference(self) -> None:
        """Compare the difference of the row-normalised matrices of two models."""
        runs = self.suite.folder / "runs"
        difference = compare(runs / "ravdess-First", runs / "ravdess-Second").matrix
        assert difference
        labels = [*SHARED, "calm", "other", "unknown"]
        shares = []
        for name in ("First", "Second"):
            predicted = [
                o["labels"][int(np.argmax(o["scores"]))].replace("disgusted", "disgust")
                for o in self.suite.predict(name)
            ]
            counts = confusion_matrix(self.true, predicted, labels=labels).astype(float)
            shares.append(counts / np.maximum(1, counts.sum(axis=1, keepdims=True)))
        expected = shares[1] - shares[0]
        for row, cells in zip(difference.rows, difference.cells, strict=True):
            for column, cell in zip(difference.columns, cells or (), strict=False):
                place = labels.index(row.label), labels.index(column.label.replace("disgusted", "disgust"))
                self.comparison.add(
                    "cells of the difference", f"{row.label} {column.label}", cell, float(expected[place])
                )


def generate_recordings(folder: Path) -> Path:
    """Write noise under RAVDESS's file names: 6 actors, 8 emotions, 2 statements; also songs, which are left out."""
    for actor in range(1, 7):
        (folder / f"Actor_{actor:02d}").mkdir(parents=True)
        for emotion in range(1, 9):
            for channel, statement in ((1, 1), (1, 2), (2, 1)):
                name = f"03-{channel:02d}-{emotion:02d}-01-{statement:02d}-01-{actor:02d}.wav"
                seed = 1000 * actor + 100 * emotion + 10 * channel + statement
                noise = 0.1 * np.random.default_rng(seed).normal(size=800)
                soundfile.write(folder / f"Actor_{actor:02d}" / name, noise.astype(np.float32), 8000)
    return folder


if __name__ == "__main__":
    sys.exit(main())

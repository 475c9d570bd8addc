"""A plan of a suite for speech emotion recognition: its code blocks, its folders, and what it states about them.

The blocks are read from the plan when the tests run; they are skipped if it is not beside the project.
"""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from packaging.requirements import Requirement

from auricle import Spec, evaluate
from auricle.core.types import Prediction
from auricle.runs.metrics import Metrics
from auricle.runs.run_directory import Run
from tests.support import paths
from tests.support.guides import guide_path, read_code_blocks

LABELS = ["angry", "disgusted", "fearful", "happy", "neutral", "other", "sad", "surprised", "unknown"]
EMOTIONS = ["neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"]
IMPORTS = "from abc import ABC\nfrom collections.abc import Iterator\n\n\n"
"""What the blocks of the plan leave open."""
NOT_RUN = "raise RuntimeError('not used')\n"
NOT_NEEDED = {"modelscope", "librosa", "seaborn", "matplotlib"}
"""Packages of the plan that Auricle replaces: FunASR downloads by itself, and audio and plots have no dependency."""

EMOTION2VEC = f'''
import soundfile

from models.base import BaseModelWrapper

RAW_LABELS = [f"中文/{{label}}" for label in {LABELS!r}]


class AutoModel:
    """Stands for funasr.AutoModel: scores depend on the loudness of the recording."""

    def __init__(self, model):
        self.model = model

    def generate(self, wav, granularity):
        assert granularity == "utterance"
        peak = float(abs(soundfile.read(wav)[0]).max())
        scores = [peak if index == round(10 * peak) else (1 - peak) / 8 for index in range(9)]
        return [{{"labels": RAW_LABELS, "scores": scores}}]


class Emotion2VecWrapper(BaseModelWrapper):
    output_type = "probabilities"
    loads = 0

    def __init__(self, model_id):
        self.name, self.model_id, self.labels = model_id, model_id, {LABELS!r}

    def load(self):
        self.loads += 1
        self.model = AutoModel(model=self.model_id)

    def predict(self, audio_path):
        assert self.loads == 1
        (result,) = self.model.generate(audio_path, granularity="utterance")
        return {{"labels": [label.split("/")[-1] for label in result["labels"]], "scores": result["scores"]}}

    def predict_batch(self, audio_paths):
        return [self.predict(path) for path in audio_paths]


large = Emotion2VecWrapper("iic/emotion2vec_plus_large")
base = Emotion2VecWrapper("iic/emotion2vec_plus_base")
'''
AUDEERING = """
import soundfile

from models.base import BaseModelWrapper


class AudeeringWrapper(BaseModelWrapper):
    name, output_type, labels = "Audeering", "dimensional", ["arousal", "dominance", "valence"]

    def load(self):
        self.offset = 0.25

    def predict(self, audio_path):
        peak = float(abs(soundfile.read(audio_path)[0]).max())
        return {"dimensions": {"arousal": peak, "dominance": self.offset, "valence": 1 - peak}}
"""
RAVDESS = f"""
from pathlib import Path

from datasets.base import BaseDataset


class Ravdess(BaseDataset):
    name, emotion_labels = "RAVDESS", {EMOTIONS!r}

    def load(self, data_dir):
        codes = {{path: path.stem.split("-") for path in sorted(Path(data_dir).rglob("*.wav"))}}
        self.pairs = [
            (str(path), self.emotion_labels[int(code[2]) - 1])
            for path, code in codes.items()
            if code[0] == "03" and code[1] == "01"
        ]

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)
"""
ESD = """
from pathlib import Path

from datasets.base import BaseDataset


class Esd(BaseDataset):
    name, emotion_labels = "ESD", ["neutral", "happy", "angry", "sad", "surprise"]

    def __init__(self, speakers=tuple(f"{number:04d}" for number in range(11, 21)), split="test"):
        self.speakers, self.split = speakers, split

    def load(self, data_dir):
        paths = sorted(Path(data_dir).glob(f"*/*/{self.split}/*.wav"))
        self.pairs = [(str(path), path.parts[-3].lower()) for path in paths if path.parts[-4] in self.speakers]

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)
"""


def read_blocks(language: str) -> list[str]:
    if not guide_path("ser-suites").is_file():
        pytest.skip("the guides are not beside this project")
    return read_code_blocks("ser-suites", language)


def list_files(tree: str) -> list[str]:
    """Return the paths of files in the drawing of a folder."""
    files: list[str] = []
    folders: list[str] = []
    for line in tree.splitlines()[1:]:
        match = re.match(r"([│├└─ \xa0]*)(\S+)", line)
        assert match
        depth, name = len(match[1]) // 4 - 1, match[2]
        folders[depth:] = [name] if name.endswith("/") else []
        files += [] if name.endswith("/") else ["".join([*folders, name])]
    return files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write every file of the plan's tree: its base classes, and wrappers and loaders as it describes them."""
    tree, requirements = read_blocks("")
    model_base, dataset_base = read_blocks("python")
    contents = {
        "requirements.txt": requirements,
        "models/base.py": IMPORTS + model_base,
        "models/emotion2vec_wrapper.py": EMOTION2VEC,
        "models/audeering_wrapper.py": AUDEERING,
        "datasets/base.py": IMPORTS + dataset_base,
        "datasets/ravdess.py": RAVDESS,
        "datasets/esd.py": ESD,
    }
    files = list_files(tree)
    assert contents.keys() <= set(files)
    for name in files:
        path = tmp_path / "ser_benchmark" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.get(name, NOT_RUN), encoding="utf-8")
    return tmp_path / "ser_benchmark"


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Two corpora: speech and a song under RAVDESS's names, and ESD's folders with another language and split."""
    names = [
        f"RAVDESS/Actor_01/03-{channel}-{code:02d}-01-01-01-01.wav" for code in range(1, 9) for channel in ("01", "02")
    ]
    names += ["RAVDESS/Actor_01/01-01-01-01-01-01-01.wav"]
    names += [f"ESD/0011/{emotion}/test/0011_{n}.wav" for n, emotion in enumerate(("Neutral", "Sad", "Surprise"))]
    names += ["ESD/0011/Sad/train/0011_9.wav", "ESD/0001/Sad/test/0001_1.wav"]
    for index, name in enumerate(names):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(tmp_path / name, np.full(400, 0.05 * (index % 18), np.float32), 48_000, subtype="FLOAT")
    return tmp_path


def run(project: Path, recordings: Path, dataset: str, model: str) -> tuple[Path, Metrics]:
    file, name = dataset.split(":")
    spec = Spec(
        task=f"ser:{project / 'datasets' / file}:{name}",
        task_args={"root": str(recordings / name.upper())},
        model=f"ser:{project / 'models' / model}",
    )
    out = recordings / "runs" / f"{name}-{model.rpartition(':')[2]}"
    metrics = evaluate(spec, out).metrics
    assert metrics
    return out, metrics


@pytest.mark.parametrize("dataset", ["ravdess.py:Ravdess", "esd.py:Esd"])
@pytest.mark.parametrize("model", ["emotion2vec_wrapper.py:large", "emotion2vec_wrapper.py:base"])
def test_classifiers_and_loaders_on_the_base_classes_of_the_plan_run(
    project: Path, recordings: Path, dataset: str, model: str
) -> None:
    out, metrics = run(project, recordings, dataset, model)
    records = list(Run.load(out).records())
    targets = sorted(str(record.sample.target) for record in records)
    assert targets == (sorted(EMOTIONS) if "Ravdess" in dataset else ["neutral", "sad", "surprise"])
    for record in records:
        (output,) = record.outputs
        assert isinstance(output, Prediction)
        assert (list(output.values), output.scale) == (LABELS, "probability")
    assert metrics["accuracy"].value is not None


def test_labels_of_the_plan_s_example_are_aligned_as_it_states(project: Path, recordings: Path) -> None:
    _, metrics = run(project, recordings, "ravdess.py:Ravdess", "emotion2vec_wrapper.py:large")
    matrix = metrics["uar"].details["matrix"]
    assert matrix["shared"] == 7
    assert matrix["rows"] == ["neutral", "happy", "sad", "angry", "fearful", "disgust", "surprised", "calm"]
    assert matrix["columns"][:7] == ["neutral", "happy", "sad", "angry", "fearful", "disgusted", "surprised"]
    assert matrix["columns"][7:] == ["other", "unknown"]
    assert sum(map(sum, matrix["counts"])) == 8


def test_a_wrapper_of_dimensions_has_no_matrix(project: Path, recordings: Path) -> None:
    out, metrics = run(project, recordings, "ravdess.py:Ravdess", "audeering_wrapper.py:AudeeringWrapper")
    outputs: list[Any] = [record.outputs[0] for record in Run.load(out).records()]
    assert {(*output.values, output.scale) for output in outputs} == {("arousal", "dominance", "valence", "continuous")}
    assert not [number for number in metrics.numbers if "matrix" in number.details]
    emotions = metrics["eta2"].details["dimensions"]["arousal"]["emotions"]
    assert emotions.keys() == set(EMOTIONS)
    assert {"mean", "sd"} <= emotions["calm"].keys()


def test_packages_of_the_plan_agree_with_those_of_auricle() -> None:
    """Each is a dependency or not needed, and the installed version is one that the plan allows."""
    _, requirements = read_blocks("")
    document = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = document["optional-dependencies"].values()
    own = {Requirement(line).name for group in (document["dependencies"], *extras) for line in group}
    for line in requirements.splitlines():
        requirement = Requirement(line)
        assert requirement.name in own | NOT_NEEDED
        try:
            assert requirement.specifier.contains(version(requirement.name))
        except PackageNotFoundError:
            continue

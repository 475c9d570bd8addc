"""The guide to custom models of CMI-RewardBench: its commands, run as `auricle run`, and what it states about them.

The commands are read from the guide when the tests run; they are skipped if the guide is not beside the project.
"""

import csv
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from auricle.cli import cli
from auricle.runs.run_directory import Run
from tests.frameworks.cmi.reward_classes import calls, checkout, inheriting
from tests.support.cmi_rows import ARENA
from tests.support.guides import guide_path, read_code_blocks

PATHS = {"/path/to/model.safetensors": "model.safetensors", "/path/to/dataset_root": "data", "cuda:0": "cpu"}
"""What the guide leaves open, and the device of a machine without a GPU."""
OPTIONS = {
    "-c": ("-M", "checkpoint"),
    "--device": ("-M", "device"),
    "--dataset_jsonl": ("-T", "dataset_jsonl"),
    "--dataset_root": ("-T", "dataset_root"),
    "--model_init_kwargs_json": ("-M", "init"),
}
"""Options of inference_benchmark.py, as listed in docs/coming-from/cmi-rewardbench.md."""
TEXTS = {"audio2": "", "prompt": "a waltz", "lyrics": "", "ref-audio-path": "", "split": "test"}
RATINGS = [{"musicality": n, "text-music alignment": -n} for n in range(3)]
PREFERENCE: dict[str, Any] = {
    **TEXTS,
    "audio-path": "a.wav",
    "audio2": "b.wav",
    "source": "cmi-arena-annotation",
    "preference-alignment": "model_a",
    "preference-musicality": "model_b",
}
ROWS: list[dict[str, Any]] = [
    *({**TEXTS, **ratings, "audio-path": f"p{n}.wav", "source": "PAM"} for n, ratings in enumerate(RATINGS)),
    *({**TEXTS, **ratings, "audio-path": f"m{n}.wav", "source": "MusicEval"} for n, ratings in enumerate(RATINGS)),
    dict(ARENA),
    PREFERENCE,
]
SAMPLE = ("-m", "cmi:custom_models.sample_model:CMIRewardModelBaseline", "-M", "checkpoint=x", "-M", "device=cpu")
INFERENCE = '''
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models" / "cmi-rm" / "src"))
from weights import WEIGHT


class RewardModelInference:
    """Records how it is made; later recordings of a folder get higher scores."""

    def __init__(self, checkpoint, config=None, device="cuda:0", mode="final", sr=24_000):
        made = {"checkpoint": checkpoint, "config": config, "device": device, "mode": mode, "sr": sr}
        Path("made.json").write_text(json.dumps(made))

    def score_batch(self, inputs, batch_size, max_dur):
        return np.array([[-WEIGHT * ord(Path(x["audio"]).stem[-1]), ord(Path(x["audio"]).stem[-1])] for x in inputs])
'''
SAMPLE_MODEL = """
from core.model_abc import BenchmarkModelABC


class CMIRewardModelBaseline(BenchmarkModelABC):
    def __init__(self, checkpoint, config=None, device="cuda:0", mode="final", sr=24_000):
        from baselines.inference import RewardModelInference

        self._sr = sr
        self._model = RewardModelInference(checkpoint, config, device, mode, sr)

    @property
    def sr(self):
        return self._sr

    def score_batch(self, inputs, batch_size, max_dur, **kwargs):
        return self._model.score_batch([item.to_dict() for item in inputs], batch_size, max_dur)
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders that the guide lists, with rows, recordings and an empty checkpoint; the working directory."""
    root = checkout(tmp_path / "CMI-RewardBench")
    files = {
        "baselines/inference.py": INFERENCE,
        "models/cmi-rm/src/weights.py": "WEIGHT = 1.0\n",
        "custom_models/sample_model.py": SAMPLE_MODEL,
        "model.safetensors": "",
        "data/all_test.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS),
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    inheriting(root / "custom_models" / "my_model.py")
    for seed, path in enumerate({row[name] for row in ROWS for name in ("audio-path", "audio2") if row[name]}):
        (root / "data" / path).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(root / "data" / path, np.full(800, seed / 32, np.float32), 8000)
    monkeypatch.chdir(root)
    return root


def translate(command: str) -> list[str]:
    """Return the words of `auricle run` for a command of the guide."""
    _, script, *words = (PATHS.get(word, word) for word in shlex.split(command.replace("\\\n", " ").rstrip("\\ ")))
    assert script == "inference_benchmark.py"
    values = dict(zip(words[::2], words[1::2], strict=True))
    class_path = values.pop("--model_class_path", "")
    built_in = values.pop("--model", "")
    model = ["-m", f"cmi:{class_path}"] if class_path else ["-m", built_in.replace("_", "-"), "-M", "root=."]
    options = [(kind, f"{name}={values[flag]}") for flag, (kind, name) in OPTIONS.items() if flag in values]
    assert len(options) == len(values)
    return [*model, *(word for option in options for word in option)]


def run(*words: str) -> Result:
    result = CliRunner().invoke(cli, ["run", "cmi-rewardbench", *words, "-o", "run"])
    assert result.exit_code == 0, result.output
    return result


def read_commands() -> Sequence[str]:
    if not guide_path("cmi-rewardbench").is_file():
        pytest.skip("the guides are not beside this project")
    return read_code_blocks("cmi-rewardbench", "bash")


@pytest.mark.parametrize("index", range(3))
def test_every_command_of_the_guide_runs(repository: Path, index: int) -> None:
    commands = read_commands()
    assert len(commands) == 3
    words = translate(commands[index])
    if "my_model" in commands[index]:  # the class of the guide's reader takes the arguments that the command passes
        words += ["-M", f"log={repository / 'log'}"]
    run(*words)
    records = list(Run.load(repository / "run").records())
    assert len(records) == len(ROWS)
    assert not [record.error for record in records if record.error]
    if "my_model" in commands[index]:
        made = calls(repository / "log")[0]["made"]
        assert made == {"checkpoint": "model.safetensors", "device": "cpu", "key": "value"}
    else:
        made = json.loads((repository / "made.json").read_text())
        assert (made["device"], made["mode"], made["sr"]) == ("cpu", "final", 24_000)


def test_the_class_alone_selects_the_model(repository: Path) -> None:
    """Upstream's `--model` is ignored with a class path; here one option names either."""
    (repository / "core" / "model_interface.py").write_text("raise RuntimeError('the built-in adapter')\n")
    run(*SAMPLE)
    assert (repository / "made.json").is_file()


@pytest.mark.parametrize("mode", ["final", "standard"])
def test_the_official_model_gets_its_checkpoint_configuration_and_mode(repository: Path, mode: str) -> None:
    options = ["checkpoint=model.safetensors", "device=cpu", "config=config.yaml", f"mode={mode}", "root=."]
    run("-m", "cmi-rm", *(word for option in options for word in ("-M", option)))
    made = json.loads((repository / "made.json").read_text())
    assert (Path(made["checkpoint"]).name, made["config"], made["mode"]) == ("model.safetensors", "config.yaml", mode)


def test_a_run_is_evaluated_unless_switched_off(repository: Path) -> None:
    run(*SAMPLE, "--infer-only")
    assert not (repository / "run" / "metrics.json").exists()
    run(*SAMPLE)
    assert (repository / "run" / "metrics.json").is_file()


def test_the_numbers_of_each_dataset_are_those_that_the_guide_names(repository: Path) -> None:
    """Later recordings are better and fit worse, in the data and for the model."""
    run(*SAMPLE)
    result = CliRunner().invoke(cli, ["export", "run", "--as", "cmi", "-o", "results"])
    assert result.exit_code == 0, result.output
    assert {path.name for path in (repository / "results").iterdir()} == {
        *("results.jsonl", "metrics_summary.csv", "metrics_detail.csv", "metrics.json")
    }
    with (repository / "results" / "metrics_summary.csv").open(newline="") as file:
        summary = {(row["dataset"], row["task"]): row for row in csv.DictReader(file)}
    columns = ("SRCC", "LCC", "K-Tau")
    correlations = {name: [float(row[column]) for column in columns] for name, row in summary.items() if row["SRCC"]}
    assert correlations == {
        ("PAM", "musicality"): pytest.approx([1, 1, 1]),
        ("PAM", "alignment"): pytest.approx([1, 1, 1]),
        ("MusicEval", "musicality"): pytest.approx([1, 1, 1]),
    }
    accuracies = {name: float(row["ACC"]) for name, row in summary.items() if row["ACC"]}
    assert accuracies == {("MusicArena", "preference"): 1, ("CMI-Pref", "alignment"): 1, ("CMI-Pref", "musicality"): 1}


def test_an_input_has_the_fields_of_the_guide(repository: Path) -> None:
    """Paths and texts; a reference where the row has one."""
    row = {**PREFERENCE, "lyrics": "la la", "ref-audio-path": "p0.wav"}
    (repository / "data" / "all_test.jsonl").write_text(json.dumps(row) + "\n")
    run("-m", "cmi:custom_models.my_model:MyBaseline", "-M", "device=cpu", "-M", f"log={repository / 'log'}")
    folder = repository / "data"
    assert [call["inputs"] for call in calls(repository / "log")] == [
        [{"audio": str(folder / name), "text": "a waltz", "lyrics": "la la", "ref_audio": str(folder / "p0.wav")}]
        for name in ("a.wav", "b.wav")
    ]


def test_results_can_be_evaluated_from_their_file(repository: Path) -> None:
    """What evaluate_results.py does with results.jsonl."""
    run(*SAMPLE)
    for command in (
        ["export", "run", "--as", "cmi", "-o", "results"],
        ["import", "results", "--from", "cmi", "--model", "again", "-o", "imported", "-T", "dataset_root=data"],
        ["export", "imported", "--as", "cmi", "-o", "again"],
    ):
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 0, result.output
    for table in ("metrics_summary.csv", "metrics_detail.csv"):
        assert (repository / "again" / table).read_text() == (repository / "results" / table).read_text()

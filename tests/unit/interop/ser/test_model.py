"""Wrappers and datasets of suites for speech emotion run as they are."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from auricle import api
from auricle.cli import cli
from auricle.core.errors import DataError, SpecError, UnknownName
from auricle.core.registry import import_object
from auricle.engine.factory import construct_model, resolve_model
from auricle.engine.settings import Settings
from auricle.engine.spec import Spec
from auricle.runs.run_directory import Run
from tests.unit.interop.ser.emotion_classes import suite

LOUD = {"angry/0.wav": 0.75, "angry/1.wav": 0.625, "neutral/2.wav": 0.125, "neutral/3.wav": 0.875}


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are told elsewhere; here a few draws will do."""
    monkeypatch.setattr("auricle.metrics.statistics.BOOTSTRAP_ROUNDS", 20)


@pytest.fixture
def clips(tmp_path: Path) -> Any:
    """Two emotions, told by how loud they are; one of four is misleading."""
    for name, peak in LOUD.items():
        path = tmp_path / "clips" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, np.full(1600, peak, np.float32), 16_000, subtype="FLOAT")
    return tmp_path / "clips"


@pytest.fixture
def ours(tmp_path: Path) -> Any:
    return suite(tmp_path / "ser_benchmark")


def spec(
    ours: Any, clips: Any, model: str = "loudness_wrapper.py:Loudness", model_args: Any = None, **task_args: Any
) -> Any:
    return Spec(
        task=f"ser:{ours}/datasets/folders.py:Folders",
        task_args={"root": str(clips), **task_args},
        model=f"ser:{ours}/models/{model}",
        model_args=model_args or {},
    )


def values(numbers: Any) -> Any:
    return {each.metric: each.value for each in numbers}


def records(out: Any) -> Any:
    return {each.sample.id: each for each in Run.load(out).records()}


def test_answers_are_those_by_hand(ours: Any, clips: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ours)
    words = ["run", "ser:datasets/folders.py:Folders", "-T", f"root={clips}", "-o", "out"]
    done = CliRunner().invoke(cli, [*words, "-m", "ser:models/loudness_wrapper.py:Loudness"])
    assert done.exit_code == 0, done.output
    found = records(ours / "out")
    for name, peak in LOUD.items():
        (output,) = found[name].outputs
        rest = (1 - peak) / 2
        assert output.values == {"生气/angry": peak, "neutral": rest, "sad": rest}
        assert output.scale == "probability"


def test_labels_are_matched_and_counted_as_a_classifier_s_are(ours: Any, clips: Any, tmp_path: Path) -> None:
    told = values(api.evaluate(spec(ours, clips), tmp_path / "out"))
    assert (told["accuracy"], told["uar"]) == (0.75, 0.75)


def test_a_model_is_loaded_once_and_asked_in_batches(
    ours: Any, clips: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}
    found = resolve_model(spec(ours, clips))
    monkeypatch.setattr(found, "close", lambda self: made.update(model=self._wrapper))
    monkeypatch.setattr(api, "resolve_model", lambda _: found)
    api.evaluate(spec(ours, clips), tmp_path / "out", settings=Settings(batch_size=4), infer_only=True)
    assert made["model"].loads == 1
    assert made["model"].calls == [4]


def test_a_class_takes_its_own_arguments(ours: Any, clips: Any, tmp_path: Path) -> None:
    api.evaluate(spec(ours, clips, model_args={"gain": 0.0}), tmp_path / "out", infer_only=True)
    assert {each.outputs[0].values["生气/angry"] for each in records(tmp_path / "out").values()} == {0}


def test_arguments_it_does_not_take_are_told(ours: Any, clips: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="unexpected keyword argument 'loud'; it takes gain"):
        api.evaluate(spec(ours, clips, model_args={"loud": 1}), tmp_path / "out")


def test_dimensions_stay_dimensions(ours: Any, clips: Any, tmp_path: Path) -> None:
    wanted = spec(ours, clips, "plane_wrapper.py:Plane")
    told = values(api.evaluate(wanted, tmp_path / "out"))
    assert "accuracy" not in told
    assert 0 < told["eta2_arousal"] < 1
    assert records(tmp_path / "out")["angry/0.wav"].outputs[0].scale == "continuous"


def test_what_a_class_prints_is_kept_from_the_numbers(
    ours: Any, clips: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    construct_model(resolve_model(spec(ours, clips)), "loud", {})
    said = capsys.readouterr()
    assert said.out == ""
    assert "loading weights" in said.err


def test_names_mean_what_they_meant_once_the_code_has_run(ours: Any, clips: Any, tmp_path: Path) -> None:
    before = {name: sys.modules.get(name) for name in ("models", "datasets", "datasets.base")}
    api.evaluate(spec(ours, clips), tmp_path / "out", infer_only=True)
    assert {name: sys.modules.get(name) for name in before} == before


def test_a_suite_s_own_base_is_taken_where_it_is_there(ours: Any, clips: Any, tmp_path: Path) -> None:
    (ours / "models" / "base.py").write_text(
        "class BaseModelWrapper:\n"
        "    kept = 'theirs'\n"
        "    def load(self): ...\n"
        "    def predict_batch(self, audio_paths): ...\n"
    )
    model = construct_model(resolve_model(spec(ours, clips, "plane_wrapper.py:Plane")), "plane", {})
    assert model._wrapper.kept == "theirs"
    wanted = spec(ours, clips, "plane_wrapper.py:Plane", metrics="eta2_arousal")
    assert values(api.evaluate(wanted, tmp_path / "out"))  # its empty predict_batch is not mistaken for one


def test_a_module_is_found_from_the_suite_s_folder(
    ours: Any, clips: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ours)
    wanted = spec(ours, clips).model_copy(update={"model": "ser:models.plane_wrapper:Plane"})
    api.evaluate(wanted, tmp_path / "out", infer_only=True)
    assert not any(each.error for each in records(tmp_path / "out").values())


def test_an_object_that_is_made_already_will_do(ours: Any, clips: Any, tmp_path: Path) -> None:
    file = ours / "models" / "loudness_wrapper.py"
    file.write_text(file.read_text(encoding="utf-8") + "\nhalf = Loudness(gain=0.5)\n", encoding="utf-8")
    api.evaluate(spec(ours, clips, "loudness_wrapper.py:half"), tmp_path / "out", infer_only=True)
    assert records(tmp_path / "out")["angry/0.wav"].outputs[0].values["生气/angry"] == 0.375


# --- what goes wrong costs a sample, and is named ---------------------------------------------

ODD = """
from pathlib import Path


class Odd:
    output_type, labels = "{kind}", ["angry", "neutral"]

    def load(self): ...

    def predict_batch(self, audio_paths):
        good = {{"labels": self.labels, "scores": [0.25, 0.75]}}
        answers = [good for _ in audio_paths]
        for at, path in enumerate(list(audio_paths)):
            if path.endswith("1.wav"):
                {act}
        return answers
"""


def odd(ours: Any, clips: Any, act: Any, kind: str = "probabilities") -> Any:
    (ours / "models" / "odd.py").write_text(ODD.format(act=act, kind=kind))
    return spec(ours, clips, "odd.py:Odd")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("raise ValueError('too quiet')", "ValueError: too quiet (odd.py:15)"),
        ("return None", "predict_batch of ser:odd.py:Odd returned None, no list"),
        ("answers.pop()", "predict_batch of ser:odd.py:Odd returned 0 answers for 1 sounds"),
        ("audio_paths.reverse(); audio_paths.append('x')", "changed the list it was given"),
        ("Path(path).write_bytes(b'x')", "ser:odd.py:Odd wrote to 1.wav, its input"),
        ("answers[at] = None", 'returned None, not {"labels": […], "scores": […]}'),
        ("answers[at] = {'label': 'angry'}", "returned a dict with label, not"),
        ("answers[at] = {'scores': [1.0]}", "returned 2 labels and 1 scores"),
        ("answers[at] = {'scores': [7.5, 0]}", "gave 7.5 for 'angry', which is no probability"),
        ("answers[at] = {'scores': ['x', 0]}", "gave str for 'angry', no number"),
        ("answers[at] = {'labels': ['a', 'a'], 'scores': [0, 1]}", "tells 'a' twice"),
        ("answers[at] = {'scores': [float('nan'), 1]}", "the model gave nan as angry"),
    ],
)
def test_a_fault_costs_one_sample_and_is_named(act: str, said: str, ours: Any, clips: Any, tmp_path: Path) -> None:
    api.evaluate(odd(ours, clips, act), tmp_path / "out", infer_only=True)
    found = records(tmp_path / "out")
    failed = {name: each.error for name, each in found.items() if each.error}
    assert list(failed) == ["angry/1.wav"]
    assert said in f"{failed['angry/1.wav'].kind}: {failed['angry/1.wav'].message}"


def test_scores_of_any_size_are_logits(ours: Any, clips: Any, tmp_path: Path) -> None:
    wanted = odd(ours, clips, "answers[at] = {'scores': [7.5, -3]}", "logits")
    api.evaluate(wanted, tmp_path / "out", infer_only=True)
    assert records(tmp_path / "out")["angry/1.wav"].outputs[0].scale == "logit"


def test_an_output_type_nobody_knows_is_refused(ours: Any, clips: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="output_type should be probabilities or logits or dim"):
        api.evaluate(odd(ours, clips, "pass", "feelings"), tmp_path / "out")


def test_weights_that_do_not_load_are_told_in_one_line(ours: Any, clips: Any, tmp_path: Path) -> None:
    (ours / "models" / "heavy.py").write_text(
        "from models.base import BaseModelWrapper\n"
        "class Heavy(BaseModelWrapper):\n"
        "    output_type = 'probabilities'\n"
        "    def load(self):\n"
        "        raise OSError('no weights')\n"
        "    def predict(self, audio_path): ...\n"
    )
    with pytest.raises(SpecError, match=r"load of ser:heavy.py:Heavy raised OSError: no weights"):
        api.evaluate(spec(ours, clips, "heavy.py:Heavy"), tmp_path / "out")


@pytest.mark.parametrize(
    ("code", "said"), [("ser:nobody", "should be ser:package.module:Class"), ("ser:no.py:X", "There is no file no.py")]
)
def test_a_name_that_leads_nowhere_is_told(code: str, said: str) -> None:
    with pytest.raises(UnknownName, match=said):
        resolve_model(Spec(task="demo", model=code))


# --- datasets ----------------------------------------------------------------------------------


def test_a_dataset_s_class_is_loaded_with_its_folder_and_its_own_arguments(
    ours: Any, clips: Any, tmp_path: Path
) -> None:
    api.evaluate(spec(ours, clips, only="angry"), tmp_path / "out", infer_only=True)
    assert sorted(records(tmp_path / "out")) == ["angry/0.wav", "angry/1.wav"]


def test_the_suite_s_name_for_the_folder_is_understood(ours: Any, clips: Any) -> None:
    task = import_object("auricle.interop.ser:task_of")(f"{ours}/datasets/folders.py:Folders")
    assert len(task(data_dir=str(clips)).samples) == 4


def test_a_run_is_scored_again_without_the_suite(ours: Any, clips: Any, tmp_path: Path) -> None:
    before = values(api.evaluate(spec(ours, clips, metrics="uar"), tmp_path / "out"))
    ours.rename(tmp_path / "gone")
    assert values(api.score(tmp_path / "out")) == before


def test_any_model_is_asked_about_a_suite_s_dataset(ours: Any, clips: Any, tmp_path: Path) -> None:
    wanted = Spec(
        task=f"ser:{ours}/datasets/folders.py:Folders",
        task_args={"root": str(clips), "metrics": "accuracy"},
        model="echo",
        model_args={"reply": "angry"},
    )
    assert values(api.evaluate(wanted, tmp_path / "out"))["accuracy"] == 0.5


def dataset(ours: Any, body: Any) -> Any:
    (ours / "datasets" / "odd.py").write_text(
        "class Odd:\n"
        "    name, emotion_labels = 'odd', ['angry', 'neutral']\n"
        "    def load(self, data_dir): self.place = data_dir\n"
        f"    def __iter__(self):\n        {body}\n"
        "    def __len__(self): return 3\n"
    )
    return import_object("auricle.interop.ser:task_of")(f"{ours}/datasets/odd.py:Odd")


def test_a_pair_that_is_none_is_rejected_and_the_rest_goes_on(ours: Any, clips: Any) -> None:
    body = "return iter([('angry/0.wav', 'angry'), 7, ('angry/1.wav', 'joy')])"
    samples = list(dataset(ours, body)(root=str(clips)).samples)
    assert [getattr(each, "reason", "") for each in samples] == [
        "",
        "(audio_path, emotion_label) is due, not 7",
        "the emotion 'joy' is none of angry, neutral",
    ]


def test_a_dataset_that_counts_wrongly_is_told(ours: Any, clips: Any) -> None:
    task = dataset(ours, "return iter([('angry/0.wav', 'angry')])")(root=str(clips))
    assert task.samples.notes() == ["ser:odd.py:Odd says that it has 3 recordings, and yields 1."]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise OSError('no disk')", "__iter__ of ser:odd.py:Odd raised OSError: no disk"),
        ("raise SystemExit(1)", "__iter__ of ser:odd.py:Odd raised SystemExit: 1"),
        ("return iter([])", "ser:odd.py:Odd yields nothing that can be used"),
        ("return iter([('x.wav', 'angry')])", "None of the first 1 sounds of ser:odd.py:Odd exist"),
    ],
)
def test_a_dataset_that_gives_nothing_is_refused(body: str, said: str, ours: Any, clips: Any) -> None:
    with pytest.raises(DataError, match=said):
        dataset(ours, body)(root=str(clips)).samples.peek()


def test_a_dataset_without_its_folder_says_how_to_name_it(ours: Any) -> None:
    task = import_object("auricle.interop.ser:task_of")(f"{ours}/datasets/folders.py:Folders")
    with pytest.raises(DataError, match=r"load of ser:folders.py:Folders raised .* -T root=DIR"):
        task().samples.peek()


def test_one_sound_is_asked_about_without_a_dataset(ours: Any, clips: Any) -> None:
    words = ["ask", "-m", f"ser:{ours}/models/loudness_wrapper.py:Loudness", str(clips / "angry/0.wav")]
    told = CliRunner().invoke(cli, words)
    assert '"生气/angry":0.75' in told.output

"""Reward model classes written for CMI-RewardBench run unchanged."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import load_model
from auricle.core.errors import SampleError, SpecError, UnknownName
from auricle.core.types import Predict, Prediction
from auricle.frameworks.cmi.model import (
    BenchmarkModelABC,
    CmiRewardModel,
    input_class,
    resolve_model_class,
    stub_core_package,
)
from auricle.media import Audio
from auricle.models import abilities
from auricle.models.catalogue import MODELS
from tests.frameworks.cmi.reward_classes import calls, checkout, duck, in_custom_models, inheriting
from tests.support.extras import require_extra


def predict_scores(path: Path, scores: str, count: int = 1) -> list[Prediction]:
    """Return the predictions of a class that returns the expression `scores`."""
    model = MODELS.get(f"cmi:{duck(path, scores)}:Duck")(device="cpu")
    audio = Audio.of(np.zeros(1600, np.float32), rate=16_000)
    predictions: list[Prediction] = model.predict([Predict(inputs={"audio": audio})] * count)
    return predictions


def test_a_class_is_loaded_from_a_file(tmp_path: Path) -> None:
    model_class = MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")
    assert model_class.__name__ == "MyBaseline"
    assert abilities(model_class) == ["predict"]
    assert model_class.batch_size == 12


def test_a_class_is_loaded_from_a_module(tmp_path: Path) -> None:
    inheriting(tmp_path / "my_model.py")
    with load_model("cmi:my_model:MyBaseline", device="cpu") as model:
        output = model.ask(np.zeros(1600, np.float32), "four", rate=16_000)
    assert isinstance(output, Prediction)
    assert dict(output.values) == {"alignment": 4.0, "musicality": 0.0}
    assert output.scale == "continuous"


def test_a_class_gets_the_inputs_of_the_benchmark(tmp_path: Path, tone: Any) -> None:
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    path, reference_path = str(tone("a.wav")), str(tone("b.wav"))
    arguments = {"checkpoint": "w.pt", "device": "cpu", "key": "v", "log": "log"}
    with load_model(name, score={"extra": 1}, **arguments) as model:
        model.ask(path, "a tune")
        model.ask(path, "a song", lyrics="la la", ref_audio=reference_path)
    plain, full = calls("log")
    empty = {"audio": path, "text": "a tune", "lyrics": "", "ref_audio": None}
    assert plain["inputs"] == [empty]
    assert full["inputs"] == [{"audio": path, "text": "a song", "lyrics": "la la", "ref_audio": reference_path}]
    assert plain["made"] == {"checkpoint": "w.pt", "device": "cpu", "key": "v"}
    assert (plain["batch_size"], plain["max_dur"], plain["kwargs"]) == (1, 120.0, {"extra": 1})


def test_a_class_gets_the_size_of_its_batch(tmp_path: Path, tone: Any) -> None:
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    audio = Audio.of(tone("a.wav"))
    MODELS.get(name)(device="cpu", log="log").predict([Predict(inputs={"audio": audio})] * 3)
    assert [call["batch_size"] for call in calls("log")] == [3]


def test_a_checkpoint_and_a_device_are_always_passed(tmp_path: Path) -> None:
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    with load_model(name, log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    init_arguments = calls("log")[0]["made"]
    assert init_arguments["checkpoint"] == ""
    assert init_arguments["device"] in ("cpu", "cuda:0")


def test_init_overrides_other_arguments(tmp_path: Path) -> None:
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    init = {"checkpoint": "mine.pt", "log": "log"}
    with load_model(name, checkpoint="other.pt", device="cpu", init=init) as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["made"]["checkpoint"] == "mine.pt"


def test_the_folder_above_custom_models_is_importable(tmp_path: Path) -> None:
    name = f"cmi:{in_custom_models(tmp_path / 'bench')}:MyBaseline"
    with load_model(name, device="cpu", log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["kind"] == "auricle.frameworks.cmi.model"


def test_the_stub_does_not_import_torch(auricle: Any, tmp_path: Path) -> None:
    inheriting(tmp_path / "my_model.py").write_text(
        "import sys\nfrom core.model_abc import BenchmarkModelABC\n"
        "class My:\n    sr = 1\n    def __init__(self, **_): pass\n"
        "    def score_batch(self, inputs, **_): return [[0, int('torch' in sys.modules)]]\n"
    )
    path = tmp_path / "a.wav"
    path.write_bytes(Audio.of(np.zeros(1600, np.float32), rate=16_000).encode())
    result = auricle("ask", "-m", "cmi:my_model.py:My", "-M", "device=cpu", path, timeout=120)  # a fresh process
    assert '"musicality":0.0' in result.stdout, result.stderr


def test_the_interface_of_a_given_checkout_is_used(tmp_path: Path) -> None:
    root = checkout(tmp_path / "bench")
    name = f"cmi:{inheriting(tmp_path / 'elsewhere' / 'my_model.py')}:MyBaseline"
    with load_model(name, device="cpu", cmi_root=str(root), log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["kind"] == "core.model_abc"
    assert sys.path[0] == str(root)


def test_a_checkout_around_custom_models_is_found(tmp_path: Path) -> None:
    root = checkout(tmp_path / "bench")
    name = f"cmi:{in_custom_models(root)}:MyBaseline"
    with load_model(name, device="cpu", log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["kind"] == "core.model_abc"


@pytest.mark.parametrize("has_root", [True, False])
def test_a_module_of_a_checkout_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_root: bool) -> None:
    root = checkout(tmp_path / "bench")
    in_custom_models(root)
    if not has_root:
        monkeypatch.chdir(root)
    arguments = {"cmi_root": "bench"} if has_root else {}
    log = str(tmp_path / "log")
    name = "cmi:custom_models.my_model:MyBaseline"
    with load_model(name, device="cpu", log=log, **arguments) as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls(log)[0]["kind"] == "core.model_abc"


# --- audio -----------------------------------------------------------------------------


def record_call(tmp_path: Path, audio: Audio, ref_audio: Audio | None = None, **arguments: Any) -> dict[str, Any]:
    """Send a recording to a class and return the arguments of its call."""
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    inputs = {"audio": audio, **({"ref_audio": ref_audio} if ref_audio else {})}
    MODELS.get(name)(device="cpu", log="log", **arguments).predict([Predict(inputs=inputs)])
    call: dict[str, Any] = calls("log")[0]
    return call


def test_a_complete_file_is_passed_by_its_path(tmp_path: Path, tone: Any) -> None:
    path = tone("a.wav")
    assert record_call(tmp_path, Audio.of(path))["inputs"][0]["audio"] == str(path)


@pytest.mark.parametrize("kind", ["cut", "bytes", "array"])
def test_other_audio_is_passed_as_a_temporary_file(tmp_path: Path, tone: Any, kind: str) -> None:
    path = tone("a.wav", seconds=1.0)
    audio = {
        "cut": Audio.of(path, start=0.25, end=0.75),
        "bytes": Audio.of(path.read_bytes()),
        "array": Audio.of(np.zeros(8000, np.float32), rate=16_000),
    }[kind]
    call = record_call(tmp_path, audio)
    temporary_path = call["inputs"][0]["audio"]
    assert temporary_path.endswith(".wav")
    assert temporary_path != str(path)
    assert call["there"] == [True]
    assert call["seconds"] == [{"cut": 0.5, "bytes": 1.0, "array": 0.5}[kind]]
    assert not Path(temporary_path).exists()


def test_a_crop_applies_to_the_audio_and_the_reference(tmp_path: Path, tone: Any) -> None:
    long, short = Audio.of(tone("a.wav", seconds=1.0)), Audio.of(tone("b.wav", seconds=0.2))
    call = record_call(tmp_path, long, ref_audio=Audio.of(long), crop=0.5)
    assert call["seconds"] == [0.5, 0.5]
    assert call["max_dur"] == 120.0
    (tmp_path / "log").unlink()
    assert record_call(tmp_path, short, crop=0.5)["inputs"][0]["audio"] == short.uri


def test_max_dur_is_passed_but_not_applied(tmp_path: Path, tone: Any) -> None:
    call = record_call(tmp_path, Audio.of(tone("a.wav", seconds=1.0)), max_dur=0.5)
    assert (call["max_dur"], call["seconds"]) == (0.5, [1.0])


def test_a_sample_without_audio_fails(tmp_path: Path) -> None:
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    with pytest.raises(SampleError, match="no audio under the input `audio`"):
        MODELS.get(name)(device="cpu").predict([Predict(inputs={"text": "x"})])


# --- scores ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scores",
    [
        "[[0.5, 0.25] for _ in inputs]",
        "[[0.5, 0.25, 99.0] for _ in inputs]",
        "__import__('numpy').array([[0.5, 0.25]] * len(inputs), dtype='float16')",
        "__import__('torch').tensor([[0.5, 0.25]] * len(inputs)).bfloat16()",
        "__import__('torch').tensor([[0.5, 0.25]] * len(inputs), requires_grad=True)",
    ],
)
def test_scores_may_be_arrays_tensors_or_lists(tmp_path: Path, scores: str) -> None:
    if "torch" in scores:
        require_extra("transformers")
    for prediction in predict_scores(tmp_path / "duck.py", scores, count=2):
        assert dict(prediction.values) == {"alignment": 0.5, "musicality": 0.25}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("[0.5, 0.25]", r"shape \[1, 2\] for 1 inputs .*, not list of shape \(2,\)"),
        ("[[0.5]]", r"not list of shape \(1, 1\)"),
        ("{'alignment': [1]}", "not dict"),
        ("[[1, 2], [3]]", "not list"),
    ],
)
def test_a_wrong_shape_in_the_first_batch_ends_the_run(tmp_path: Path, scores: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        predict_scores(tmp_path / "duck.py", scores)


def test_no_scores_fail_the_batch(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"shape \[1, 2\] for 1 inputs .*, not None"):
        predict_scores(tmp_path / "duck.py", "None")


def test_too_few_scores_fail_the_batch(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"shape \[3, 2\] for 3 inputs .*, not 2 rows"):
        predict_scores(tmp_path / "duck.py", "[[1, 2], [3, 4]]", count=3)


def test_a_wrong_shape_after_a_good_batch_fails_its_batch(tmp_path: Path) -> None:
    scores = "[[1, 2]] * len(inputs) if len(inputs) > 1 else [1, 2]"
    model = MODELS.get(f"cmi:{duck(tmp_path / 'duck.py', scores)}:Duck")(device="cpu")
    requests = [Predict(inputs={"audio": Audio.of(np.zeros(1600, np.float32), rate=16_000)})] * 2
    assert len(model.predict(requests)) == 2
    with pytest.raises(SampleError):
        model.predict(requests[:1])


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("class_path", "message"),
    [
        ("", "Expected cmi:package.module:Class or cmi:file.py:Class"),
        ("no_colon", "Expected cmi:package.module:Class"),
        ("nowhere.py:My", "There is no file nowhere.py"),
    ],
)
def test_an_invalid_class_path_is_rejected(class_path: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        resolve_model_class(class_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beta": 1}, "unexpected keyword argument 'beta'"),
        ({"crop": 0}, "crop must be a number of seconds above 0, not 0"),
        ({"crop": "ten"}, "crop must be a number of seconds above 0, not 'ten'"),
        ({"score": 3}, "score should be a mapping of names to values, not 3"),
        ({"score": {"max_dur": 3}}, "max_dur is always passed to score_batch"),
        ({"max_dur": -1}, "max_dur should be a number above 0"),
        ({"cmi_root": "nowhere"}, "nowhere is not a checkout of CMI-RewardBench"),
    ],
)
def test_invalid_arguments_are_rejected(tmp_path: Path, arguments: Any, message: str) -> None:
    name = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    with pytest.raises(SpecError, match=message):
        MODELS.get(name)(device="cpu", **arguments)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def My(): ...", "is not a reward model. Expected a class with `sr` and score_batch"),
        ("class My: sr = 1", "is not a reward model"),
        ("class My:\n    def __init__(self, **_): ...\n    def score_batch(self): ...", "has no `sr`"),
        ("class Mine: ...", "has no 'My'; it has Mine"),
        ("from core.model_interface import RewardModelAdapter as My", "-M cmi_root="),
        (
            "class My:\n    sr = 1\n    def score_batch(self): ...\n"
            "    def __init__(self, **_):\n        import baselines.inference",
            "No module named 'baselines'.* -M cmi_root=",
        ),
        (
            "from core.model_abc import BenchmarkModelABC\nclass My(BenchmarkModelABC):\n"
            "    sr = 1\n    def __init__(self, **_): ...",
            "abstract .*score_batch",
        ),
    ],
)
def test_a_class_that_is_not_a_reward_model_is_rejected(tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "my.py").write_text(source)
    with pytest.raises(SpecError, match=message):
        MODELS.get(f"cmi:{tmp_path / 'my.py'}:My")(device="cpu")


# --- the official model ----------------------------------------------------------------


def test_the_official_model_runs_with_a_checkout(tmp_path: Path, tone: Any) -> None:
    root = checkout(tmp_path / "bench")
    (tmp_path / "model.safetensors").touch()
    arguments: dict[str, Any] = {"root": str(root), "checkpoint": str(tmp_path / "model.safetensors")}
    requests = [Predict(inputs={"audio": Audio.of(tone("a.wav"))})]
    final = CmiRewardModel(**arguments, device="cpu").predict(requests)
    assert dict(final[0].values) == {"alignment": 1.0, "musicality": 120.0}
    options: dict[str, Any] = {"mode": "standard", "max_dur": 30, "init": {"bf16": False}}
    standard = CmiRewardModel(**arguments, device="cpu", **options).predict(requests)
    assert dict(standard[0].values) == {"alignment": 12.0, "musicality": 30.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"root": "nowhere"}, "nowhere is not a checkout of CMI-RewardBench: core/model_abc.py is missing"),
        ({"mode": "other"}, "mode should be final or standard, not 'other'"),
        ({"checkpoint": "none.pt"}, "there is no checkpoint none.pt"),
        ({"speed": 1}, "unknown arguments: speed. Pass arguments of the model itself in `init`"),
    ],
)
def test_invalid_arguments_of_the_official_model_are_rejected(tmp_path: Path, arguments: Any, message: str) -> None:
    (tmp_path / "w.safetensors").touch()
    valid_arguments = {"root": str(checkout(tmp_path / "bench")), "checkpoint": "w.safetensors"}
    with pytest.raises(SpecError, match=message):
        CmiRewardModel(**{**valid_arguments, **arguments})


def test_the_stub_is_importable_only_while_a_class_is_imported(tmp_path: Path) -> None:
    MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")(device="cpu")
    assert not [name for name in sys.modules if name.partition(".")[0] == "core"]


def test_all_stub_modules_share_one_base_class() -> None:
    with stub_core_package([]):
        first = import_module("core.model_abc").BenchmarkModelABC
        second = import_module("core.model_interface").BenchmarkModelInterface
    assert first is second is BenchmarkModelABC


def test_another_core_package_is_restored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = type(sys)("core")
    monkeypatch.setitem(sys.modules, "core", other)
    MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")(device="cpu")
    assert sys.modules["core"] is other


def test_a_core_package_of_the_user_is_completed(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("MINE = 7\n")
    path = inheriting(tmp_path / "my_model.py")
    path.write_text("import core\nassert core.MINE == 7\n" + path.read_text())
    MODELS.get(f"cmi:{path}:MyBaseline")(device="cpu")


def test_checkouts_are_isolated_from_each_other(tmp_path: Path) -> None:
    for name in ("one", "two"):
        root = checkout(tmp_path / name)
        with stub_core_package([str(root)]):
            sys.path.insert(0, str(root))
            module = import_module("core.model_abc")
            assert input_class().__module__ == "core.model_abc"
            assert str(root) in str(module.__file__)

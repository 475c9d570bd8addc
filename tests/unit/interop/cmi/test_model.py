"""Classes written for CMI-RewardBench run as they are."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import load_model
from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError, UnknownName
from auricle.core.types import Predict
from auricle.interop.cmi.model import CmiRewardModel, resolve_model_class
from auricle.interop.cmi.stubs import BenchmarkModelABC, input_class, stub_core_package
from auricle.models import abilities
from auricle.models.catalogue import MODELS
from tests.unit.interop.cmi.reward_classes import calls, checkout, duck, in_custom_models, inheriting


@pytest.fixture(autouse=True)
def python_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Each test in a folder of its own, without what others imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if name.partition(".")[0] in ("core", "baselines", "custom_models", "my_model"):
            del sys.modules[name]


def scored(path: Any, made: Any, count: int = 1, **arguments: Any) -> Any:
    """What a class that returns `made` is understood to say."""
    loaded = MODELS.get(f"cmi:{duck(path, made)}:Duck")(device="cpu", **arguments)
    sound = Audio.of(np.zeros(1600, np.float32), rate=16_000)
    return loaded.predict([Predict(inputs={"audio": sound})] * count)


def test_a_class_is_found_by_its_file_and_can_predict(tmp_path: Path) -> None:
    found = MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")
    assert found.__name__ == "MyBaseline"
    assert abilities(found) == ["predict"]
    assert found.batch_size == 12


def test_a_class_is_found_by_its_module(tmp_path: Path) -> None:
    inheriting(tmp_path / "my_model.py")
    with load_model("cmi:my_model:MyBaseline", device="cpu") as model:
        output = model.ask(np.zeros(1600, np.float32), "four", rate=16_000)
    assert dict(output.values) == {"alignment": 4.0, "musicality": 0.0}
    assert output.scale == "continuous"


def test_a_class_is_told_what_the_benchmark_tells_it(tmp_path: Path, tone: Any) -> None:
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    sound, other = str(tone("a.wav")), str(tone("b.wav"))
    arguments = {"checkpoint": "w.pt", "device": "cpu", "key": "v", "log": "log"}
    with load_model(code, score={"extra": 1}, **arguments) as model:
        model.ask(sound, "a tune")
        model.ask(sound, "a song", lyrics="la la", ref_audio=other)
    plain, full = calls("log")
    empty = {"audio": sound, "text": "a tune", "lyrics": "", "ref_audio": None}
    assert plain["inputs"] == [empty]
    assert full["inputs"] == [{"audio": sound, "text": "a song", "lyrics": "la la", "ref_audio": other}]
    assert plain["made"] == {"checkpoint": "w.pt", "device": "cpu", "key": "v"}
    assert (plain["batch_size"], plain["max_dur"], plain["kwargs"]) == (1, 120.0, {"extra": 1})


def test_the_batch_size_a_class_is_told_is_that_of_the_batch(tmp_path: Path, tone: Any) -> None:
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    sound = Audio.of(tone("a.wav"))
    MODELS.get(code)(device="cpu", log="log").predict([Predict(inputs={"audio": sound})] * 3)
    assert [call["batch_size"] for call in calls("log")] == [3]


def test_a_checkpoint_and_a_device_are_given_even_if_nobody_named_them(tmp_path: Path) -> None:
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    with load_model(code, log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    made = calls("log")[0]["made"]
    assert made["checkpoint"] == ""
    assert made["device"] in ("cpu", "cuda:0")


def test_init_has_the_last_word(tmp_path: Path) -> None:
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    told = {"checkpoint": "mine.pt", "log": "log"}
    with load_model(code, checkpoint="other.pt", device="cpu", init=told) as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["made"]["checkpoint"] == "mine.pt"


def test_a_class_in_custom_models_makes_its_own_parent_importable(tmp_path: Path) -> None:
    code = f"cmi:{in_custom_models(tmp_path / 'bench')}:MyBaseline"
    with load_model(code, device="cpu", log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["kind"] == "auricle.interop.cmi.stubs"


def test_only_importing_sees_the_stand_in(tmp_path: Path) -> None:
    MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")(device="cpu")
    assert not [name for name in sys.modules if name.partition(".")[0] == "core"]


def test_the_stand_in_has_one_class_everywhere() -> None:
    with stub_core_package([]):
        from core.model_abc import BenchmarkModelABC as First
        from core.model_interface import BenchmarkModelInterface as Second
    assert First is Second is BenchmarkModelABC


def test_the_stand_in_needs_no_torch(auricle: Any, tmp_path: Path) -> None:
    inheriting(tmp_path / "my_model.py").write_text(
        "import sys\nfrom core.model_abc import BenchmarkModelABC\n"
        "class My:\n    sr = 1\n    def __init__(self, **_): pass\n"
        "    def score_batch(self, inputs, **_): return [[0, int('torch' in sys.modules)]]\n"
    )
    sound = tmp_path / "a.wav"
    sound.write_bytes(Audio.of(np.zeros(1600, np.float32), rate=16_000).encode())
    done = auricle("ask", "-m", "cmi:my_model.py:My", "-M", "device=cpu", sound)
    assert '"musicality":0.0' in done.stdout, done.stderr


def test_somebody_elses_core_is_there_again_afterwards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = type(sys)("core")
    monkeypatch.setitem(sys.modules, "core", other)
    MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")(device="cpu")
    assert sys.modules["core"] is other


def test_a_core_of_ones_own_stays_and_is_only_added_to(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("MINE = 7\n")
    path = inheriting(tmp_path / "my_model.py")
    path.write_text("import core\nassert core.MINE == 7\n" + path.read_text())
    MODELS.get(f"cmi:{path}:MyBaseline")(device="cpu")


def test_a_checkouts_own_interface_is_used_where_it_is_named(tmp_path: Path) -> None:
    root = checkout(tmp_path / "bench")
    code = f"cmi:{inheriting(tmp_path / 'elsewhere' / 'my_model.py')}:MyBaseline"
    with load_model(code, device="cpu", cmi_root=str(root), log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["kind"] == "core.model_abc"
    assert sys.path[0] == str(root)


def test_a_checkout_around_custom_models_is_found_unnamed(tmp_path: Path) -> None:
    root = checkout(tmp_path / "bench")
    code = f"cmi:{in_custom_models(root)}:MyBaseline"
    with load_model(code, device="cpu", log="log") as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls("log")[0]["kind"] == "core.model_abc"


@pytest.mark.parametrize("named", [True, False])
def test_a_module_of_a_checkout_is_found_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    root = checkout(tmp_path / "bench")
    in_custom_models(root)
    if not named:
        monkeypatch.chdir(root)
    arguments = {"cmi_root": "bench"} if named else {}
    log = str(tmp_path / "log")
    code = "cmi:custom_models.my_model:MyBaseline"
    with load_model(code, device="cpu", log=log, **arguments) as model:
        model.ask(np.zeros(1600, np.float32), rate=16_000)
    assert calls(log)[0]["kind"] == "core.model_abc"


def test_two_checkouts_do_not_mix(tmp_path: Path) -> None:
    for name in ("one", "two"):
        root = checkout(tmp_path / name)
        with stub_core_package([str(root)]):
            sys.path.insert(0, str(root))
            from core.model_abc import BenchmarkModelABC as Found

            assert input_class().__module__ == "core.model_abc"
            assert str(root) in sys.modules[Found.__module__].__file__


# --- how sounds arrive -----------------------------------------------------------------


def heard(tmp_path: Path, sound: Any, **arguments: Any) -> Any:
    """What a class was told of a sound, and the model gone."""
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    reference = arguments.pop("ref_audio", None)
    inputs = {"audio": sound, **({"ref_audio": reference} if reference else {})}
    MODELS.get(code)(device="cpu", log="log", **arguments).predict([Predict(inputs=inputs)])
    return calls("log")[0]


def test_a_whole_file_is_handed_on_as_it_is(tmp_path: Path, tone: Any) -> None:
    path = tone("a.wav")
    assert heard(tmp_path, Audio.of(path))["inputs"][0]["audio"] == str(path)


@pytest.mark.parametrize("kind", ["cut", "bytes", "array"])
def test_what_is_no_whole_file_becomes_one_for_the_while(tmp_path: Path, tone: Any, kind: str) -> None:
    path = tone("a.wav", seconds=1.0)
    sound = {
        "cut": Audio.of(path, start=0.25, end=0.75),
        "bytes": Audio.of(path.read_bytes()),
        "array": Audio.of(np.zeros(8000, np.float32), rate=16_000),
    }[kind]
    told = heard(tmp_path, sound)
    given = told["inputs"][0]["audio"]
    assert given.endswith(".wav")
    assert given != str(path)
    assert told["there"] == [True]
    assert told["seconds"] == [{"cut": 0.5, "bytes": 1.0, "array": 0.5}[kind]]
    assert not Audio(given).path.exists()


def test_a_crop_cuts_the_sound_and_the_reference(tmp_path: Path, tone: Any) -> None:
    long, short = Audio.of(tone("a.wav", seconds=1.0)), Audio.of(tone("b.wav", seconds=0.2))
    told = heard(tmp_path, long, ref_audio=Audio.of(long), crop=0.5)
    assert told["seconds"] == [0.5, 0.5]
    assert told["max_dur"] == 120.0
    (tmp_path / "log").unlink()
    assert heard(tmp_path, short, crop=0.5)["inputs"][0]["audio"] == short.uri


def test_without_a_crop_only_the_class_is_told_a_length(tmp_path: Path, tone: Any) -> None:
    told = heard(tmp_path, Audio.of(tone("a.wav", seconds=1.0)), max_dur=0.5)
    assert (told["max_dur"], told["seconds"]) == (0.5, [1.0])


def test_a_sample_without_a_sound_says_what_it_has(tmp_path: Path) -> None:
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    with pytest.raises(SampleError, match="no sound under `audio` to rate; given: text"):
        MODELS.get(code)(device="cpu").predict([Predict(inputs={"text": "x"})])


# --- what comes back -------------------------------------------------------------------


@pytest.mark.parametrize(
    "made",
    [
        "[[0.5, 0.25] for _ in inputs]",
        "[[0.5, 0.25, 99.0] for _ in inputs]",
        "__import__('numpy').array([[0.5, 0.25]] * len(inputs), dtype='float16')",
        "__import__('torch').tensor([[0.5, 0.25]] * len(inputs)).bfloat16()",
        "__import__('torch').tensor([[0.5, 0.25]] * len(inputs), requires_grad=True)",
    ],
)
def test_scores_are_read_from_arrays_tensors_and_lists(tmp_path: Path, made: str) -> None:
    if "torch" in made:
        pytest.importorskip("torch")
    for answer in scored(tmp_path / "duck.py", made, count=2):
        assert dict(answer.values) == {"alignment": 0.5, "musicality": 0.25}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("[0.5, 0.25]", r"shape \[1, 2\] for 1 inputs .*, not list of shape \(2,\)"),
        ("[[0.5]]", r"not list of shape \(1, 1\)"),
        ("{'alignment': [1]}", "not dict"),
        ("[[1, 2], [3]]", "not list"),
    ],
)
def test_a_class_that_answers_otherwise_is_the_users_move(tmp_path: Path, made: str, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        scored(tmp_path / "duck.py", made)


def test_no_rows_at_all_are_the_samples_fault(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"shape \[1, 2\] for 1 inputs .*, not None"):
        scored(tmp_path / "duck.py", "None")


def test_too_few_rows_are_the_samples_fault(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"shape \[3, 2\] for 3 inputs .*, not 2 rows"):
        scored(tmp_path / "duck.py", "[[1, 2], [3, 4]]", count=3)


def test_one_odd_answer_among_good_ones_is_one_samples(tmp_path: Path) -> None:
    made = "[[1, 2]] * len(inputs) if len(inputs) > 1 else [1, 2]"
    model = MODELS.get(f"cmi:{duck(tmp_path / 'duck.py', made)}:Duck")(device="cpu")
    asked = [Predict(inputs={"audio": Audio.of(np.zeros(1600, np.float32), rate=16_000)})] * 2
    assert len(model.predict(asked)) == 2
    with pytest.raises(SampleError):
        model.predict(asked[:1])


# --- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "should be cmi:package.module:Class or cmi:file.py:Class"),
        ("no_colon", "should be cmi:package.module:Class"),
        ("nowhere.py:My", "There is no file nowhere.py"),
    ],
)
def test_a_name_that_is_none_is_refused_before_anything_runs(code: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        resolve_model_class(code)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"beta": 1}, "cannot take checkpoint, device, beta: .*'beta'"),
        ({"crop": 0}, "crop should be seconds above 0, not 0"),
        ({"crop": "ten"}, "crop should be seconds above 0, not 'ten'"),
        ({"score": 3}, "score should be names and values, not 3"),
        ({"score": {"max_dur": 3}}, "max_dur is told to score_batch anyway"),
        ({"max_dur": -1}, "max_dur should be a number above 0"),
        ({"cmi_root": "nowhere"}, "nowhere is no checkout of CMI-RewardBench"),
    ],
)
def test_an_argument_that_cannot_be_is_refused_by_name(tmp_path: Path, arguments: Any, words: str) -> None:
    code = f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline"
    with pytest.raises(SpecError, match=words):
        MODELS.get(code)(device="cpu", **arguments)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("def My(): ...", "is no reward model: a class with `sr` and score_batch"),
        ("class My: sr = 1", "is no reward model"),
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
def test_what_is_no_reward_model_says_what_it_lacks(tmp_path: Path, written: str, words: str) -> None:
    (tmp_path / "my.py").write_text(written)
    with pytest.raises(SpecError, match=words):
        MODELS.get(f"cmi:{tmp_path / 'my.py'}:My")(device="cpu")


# --- the official model ----------------------------------------------------------------


def test_the_official_model_runs_by_the_users_checkout(tmp_path: Path, tone: Any) -> None:
    root = checkout(tmp_path / "bench")
    (tmp_path / "model.safetensors").touch()
    arguments = {"root": str(root), "checkpoint": str(tmp_path / "model.safetensors")}
    asked = [Predict(inputs={"audio": Audio.of(tone("a.wav"))})]
    final = CmiRewardModel(**arguments, device="cpu").predict(asked)
    assert dict(final[0].values) == {"alignment": 1.0, "musicality": 120.0}
    told = {"mode": "standard", "max_dur": 30, "init": {"bf16": False}}
    standard = CmiRewardModel(**arguments, device="cpu", **told).predict(asked)
    assert dict(standard[0].values) == {"alignment": 12.0, "musicality": 30.0}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"root": "nowhere"}, "nowhere is no checkout of CMI-RewardBench: no core/model_abc.py"),
        ({"mode": "other"}, "mode should be final or standard, not 'other'"),
        ({"checkpoint": "none.pt"}, "there is no checkpoint none.pt"),
        ({"speed": 1}, "takes no speed; what the model takes goes into init"),
    ],
)
def test_the_official_model_says_what_it_lacks(tmp_path: Path, arguments: Any, words: str) -> None:
    (tmp_path / "w.safetensors").touch()
    given = {"root": str(checkout(tmp_path / "bench")), "checkpoint": "w.safetensors"}
    with pytest.raises(SpecError, match=words):
        CmiRewardModel(**{**given, **arguments})

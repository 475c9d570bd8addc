"""Models written for Kimi-Audio-Evalkit run as they are."""

import copy
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auricle import load_model
from auricle.api import evaluate
from auricle.core.errors import Skipped, SpecError, UnknownName, Unsupported
from auricle.core.types import Generate, Turn
from auricle.engine.settings import Settings
from auricle.engine.spec import Spec
from auricle.interop.kimi.stubs import MODEL_BASE_MODULE, IsolatedModules
from auricle.models import abilities
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers import Respond, with_context

FILE = Path(__file__).with_name("kimi_classes.py")
STARTED = Settings(max_attempts=1)


@pytest.fixture(autouse=True)
def python_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Each test in a folder of its own, with a Python that has seen no evalkit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if name.partition(".")[0] in ("almeval", "mine"):
            del sys.modules[name]


def outcome(out: Any, data: Any, name: Any, **arguments: Any) -> Any:
    """What became of each row, by its question."""
    spec = Spec(task="qa", task_args={"data": str(data)}, model=f"kimi:{FILE}:{name}", model_args=arguments)
    evaluate(spec, out, settings=STARTED)
    return {record.sample.inputs["question"]: record for record in Run.load(out).records()}


def rows(tone: Any, *questions: Any, **more: Any) -> Any:
    sound = str(tone("a.wav", 0.3))
    return [{"audio": sound, "question": each, "answer": "x", **more} for each in questions]


def test_the_guide_s_example_answers_as_it_does_by_hand(tone: Any, manifest: Any, auricle: Any) -> None:
    sounds = [tone(f"{tenths}.wav", tenths / 10) for tenths in (3, 5, 7)]
    data = manifest([{"audio": str(each), "text": "something"} for each in sounds])
    shutil.copy(FILE, "mine.py")
    words = ["run", data, "--as", "asr", "-T", "language=en", "-o", "out"]
    done = auricle(*words, "-m", "kimi:mine.py:Listening", "-M", "model_path=here")
    assert done.returncode == 0, done.stderr
    shelf = IsolatedModules(f"{FILE}:Listening", "almeval.models")
    with shelf.activate():
        made = MODELS.get(f"kimi:{FILE}:Listening")(model_path="here")._model
        meta = {"task": "ASR", "lang": "en"}
        by_hand = [
            made({"index": at, "audio": [str(each)], "text": "", "meta": copy.copy(meta)})
            for at, each in enumerate(sounds)
        ]
    answered = sorted(Run.load(Path("out")).records(), key=lambda record: record.row)
    outputs = [record.outputs[0] for record in answered]
    assert [(each.prompt, each.text) for each in outputs] == by_hand
    assert outputs[1].text == "here heard 5 tenths"


def test_a_class_is_found_by_its_file_and_can_generate() -> None:
    found = MODELS.get(f"kimi:{FILE}:Listening")
    assert (found.__name__, abilities(found), found.batch_size) == ("Listening", ["generate"], 1)


def test_a_class_is_found_by_its_module(tone: Any) -> None:
    shutil.copy(FILE, "mine.py")
    Path("mine.py").write_text(FILE.read_text().replace("from .", "from almeval.models."))
    Path("mine.py").write_text(Path("mine.py").read_text().replace("models..utils", "utils"))
    with load_model("kimi:mine:Plain") as model:
        assert model.ask(str(tone("a.wav")), "what?").text == "plain"


WRONG = {
    "raise": ("ValueError", "no such token (kimi_classes.py:"),
    "none": ("SampleError", "generate_inner of kimi:kimi_classes.py:Odd should return (prompt, text), not None"),
    "three": ("SampleError", "not tuple of 3"),
    "alone": ("SampleError", "not str"),
    "no text": ("SampleError", "and the text is None"),
    "number": ("SampleError", "and the text is int"),
}


def test_what_goes_wrong_costs_its_own_sample_and_is_named(tone: Any, manifest: Any, tmp_path: Path) -> None:
    found = outcome(tmp_path / "out", manifest(rows(tone, "well", *WRONG, "so")), "Odd")
    for question, (kind, words) in WRONG.items():
        assert found[question].error.kind == kind
        assert words in found[question].error.message
    assert [found[each].outputs[0].text for each in ("well", "so")] == ["done, nothing left"] * 2


def test_what_a_class_does_to_its_message_stays_with_that_message(tone: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest(rows(tone, "mutate", "well", speaker={"name": "Ann"}))
    found = outcome(tmp_path / "out", data, "Odd")
    assert "done, /" in found["mutate"].outputs[0].text
    assert found["well"].outputs[0].text == "done, nothing left"
    assert found["mutate"].sample.meta["speaker"] == {"name": "Ann"}
    assert found["mutate"].sample.inputs["audio"]


def test_what_a_class_prints_is_not_among_the_numbers(tone: Any, manifest: Any, auricle: Any) -> None:
    data = manifest(rows(tone, "print"))
    done = auricle("run", data, "--as", "qa", "-m", f"kimi:{FILE}:Odd", "-o", "out", "--json")
    assert json.loads(done.stdout)[0]["task"]["name"] == "qa-mine"
    assert '{"not": "a number"}' in done.stderr


def test_a_sound_that_the_class_does_not_take_is_skipped_with_its_reason(
    tone: Any, manifest: Any, tmp_path: Path
) -> None:
    found = outcome(tmp_path / "out", manifest(rows(tone, "what?")), "Patient")["what?"]
    assert found.error.kind == "Skipped"
    assert found.error.message == "check_audio_legal of Patient leaves it out: a sound of 0.3 s"
    assert not found.outputs


@pytest.mark.parametrize(("seconds", "legal"), [(0.05, False), (0.2, True), (60.5, False)])
def test_without_a_rule_of_its_own_a_class_has_the_evalkit_s(seconds: float, legal: bool, tone: Any) -> None:
    path = str(tone("a.wav", seconds, rate=1000))
    with load_model(f"kimi:{FILE}:Odd") as model:
        if legal:
            assert model.ask(path, "well").text == "done, nothing left"
        else:
            with pytest.raises(Skipped, match="leaves it out"):
                model.ask(path, "well")


def test_a_class_that_calls_itself_and_one_that_inherits_nothing_have_no_rule(tone: Any) -> None:
    path = str(tone("a.wav", 0.05))
    for name, said in (("Calling", "called"), ("Plain", "plain")):
        with load_model(f"kimi:{FILE}:{name}") as model:
            assert model.ask(path, "well").text == said


def test_a_task_of_ours_is_told_in_the_evalkit_s_words(tone: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest(rows(tone, "What?", subset="one", speaker="Ann"))
    told = json.loads(outcome(tmp_path / "out", data, "Telling")["What?"].outputs[0].text)
    assert told == {
        "index": 0,
        "audio": 1,
        "text": "What?",
        "meta": {
            "task": "Ref-QA",
            "interactive": "Audio-analysis",
            "audio_type": "Any",
            "dataset_series": "qa-mine",
            "dataset_name": "qa-mine",
            "lang": None,
            "subset": "one",
            "speaker": "Ann",
        },
    }


def test_a_row_whose_meta_changed_is_asked_again_where_the_model_is_told(
    tone: Any, manifest: Any, tmp_path: Path
) -> None:
    data = manifest(rows(tone, "What?", speaker="Ann"))
    outcome(tmp_path / "out", data, "Telling")
    manifest(rows(tone, "What?", speaker="Bob"))
    told = json.loads(outcome(tmp_path / "out", data, "Telling")["What?"].outputs[0].text)
    assert told["meta"]["speaker"] == "Bob"


def test_a_question_outside_any_task_is_open_ended(tone: Any) -> None:
    with load_model(f"kimi:{FILE}:Telling") as model:
        told = json.loads(model.ask(str(tone("a.wav", 0.3))).text)
    assert told["meta"]["task"] == "Open-Ended"
    assert told["meta"]["interactive"] == "Audio-QA"


def test_only_a_model_that_wants_to_be_told_is(tone: Any) -> None:
    way = Respond("{question}")
    assert with_context(way, MODELS.get("echo"), {"name": "x"}) is way
    told = with_context(way, MODELS.get(f"kimi:{FILE}:Odd"), {"name": "x"})
    assert told.needs == "generate"
    assert repr(way) in repr(told)


def test_a_conversation_is_refused(tone: Any) -> None:
    turns = (Turn("user", ("hello",)), Turn("assistant", ("yes?",)), Turn("user", ("well",)))
    made = MODELS.get(f"kimi:{FILE}:Odd")()
    with pytest.raises(Unsupported, match="takes one message"):
        made.generate([Generate(turns=turns)])


def test_a_preview_shows_the_message_and_the_class_s_prompt(tone: Any, manifest: Any, auricle: Any) -> None:
    data = manifest([{"audio": str(tone("a.wav", 0.3)), "text": "hello"}])
    shown = auricle("preview", data, "--as", "asr", "-T", "language=en", "-m", f"kimi:{FILE}:Listening")
    assert '"task":"ASR"' in shown.stdout
    assert "get_prompt: Write down the en speech:" in shown.stdout


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("NoModel", {}, "is no model of the evalkit's: a class with generate_inner"),
        ("Wordless", {}, "is no model of the evalkit's: a class with generate_inner"),
        ("Patient", {"model_path": "x"}, "kimi_classes.py:Patient: .*takes nothing"),
        ("Missing", {}, "has no 'Missing'"),
    ],
)
def test_what_is_no_such_class_is_told_in_a_line(name: str, arguments: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        MODELS.get(f"kimi:{FILE}:{name}")(**arguments)


def test_a_class_that_gives_up_when_it_is_made_is_told_in_a_line() -> None:
    with pytest.raises(SpecError, match=r"kimi_classes\.py:Quitting raised SystemExit: 4"):
        load_model(f"kimi:{FILE}:Quitting")


@pytest.mark.parametrize("code", ["kimi:Class", "kimi:nowhere.py:Class"])
def test_a_name_that_leads_nowhere_is_refused_at_once(code: str) -> None:
    with pytest.raises(UnknownName):
        MODELS.get(code)


def test_stand_ins_are_gone_after_the_class_has_run(tone: Any) -> None:
    with load_model(f"kimi:{FILE}:Odd") as model:
        model.ask(str(tone("a.wav", 0.3)), "well")
    assert not [name for name in sys.modules if name.partition(".")[0] == "almeval"]


def checkout(folder: Any, base: Any) -> Any:
    """A checkout of the evalkit, as far as a class sees it."""
    package = folder / "almeval" / "models"
    package.mkdir(parents=True)
    for each in (package, package.parent):
        (each / "__init__.py").write_text("")
    (package / "base.py").write_text(base)
    return package


def test_the_evalkit_itself_is_used_where_it_can_be_imported(tone: Any) -> None:
    base = "class BaseModel:\n    NAME = None\n    REAL = True\n"
    package = checkout(Path("kit"), base)
    (package / "mine.py").write_text(
        "from .base import BaseModel\nclass My(BaseModel):\n"
        "    def generate_inner(self, msg):\n        return '', str(self.REAL)\n"
    )
    with load_model("kimi:kit/almeval/models/mine.py:My") as model:
        assert model.ask(str(tone("a.wav", 0.3)), "well").text == "True"
    assert MODEL_BASE_MODULE in sys.modules


def test_an_evalkit_that_lacks_a_package_is_stood_in_for_with_its_other_files(tone: Any) -> None:
    package = checkout(Path("kit"), "import no_such_package\n")
    (package / "beside.py").write_text("WORD = 'beside'\n")
    (package / "mine.py").write_text(
        "from .base import BaseModel\nfrom .beside import WORD\nclass My(BaseModel):\n"
        "    def generate_inner(self, msg):\n        return '', WORD\n"
    )
    with load_model("kimi:kit/almeval/models/mine.py:My") as model:
        assert model.ask(str(tone("a.wav", 0.3)), "well").text == "beside"


def test_a_class_that_cannot_be_made_says_why() -> None:
    Path("mine.py").write_text(
        "class My:\n    def __init__(self):\n        raise OSError('no weights')\n"
        "    def generate_inner(self, msg): ...\n"
    )
    with pytest.raises(SpecError, match=r"kimi:mine.py:My raised OSError: no weights \(mine.py:3\)"):
        MODELS.get("kimi:mine.py:My")()


def test_a_class_runs_without_gradients_where_there_is_torch(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []

    @contextmanager
    def inference_mode() -> Iterator[Any]:
        entered.append("in")
        yield
        entered.append("out")

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(inference_mode=inference_mode))
    with load_model(f"kimi:{FILE}:Odd") as model:
        model.ask(str(tone("a.wav", 0.3)), "well")
    assert entered == ["in", "out"]

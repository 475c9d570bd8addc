"""Model classes written for Kimi-Audio-Evalkit run unchanged."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle import load_model
from auricle.api import evaluate
from auricle.core.errors import SpecError, UnknownName, Unsupported
from auricle.core.types import Generate, Generation, Turn
from auricle.engine.inferencers import Respond, with_context
from auricle.engine.settings import Settings
from auricle.engine.spec import Spec
from auricle.frameworks.kimi.stubs import EvalkitModules
from auricle.models import abilities
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import Run
from tests.support.framework_results import text_of

FILE = Path(__file__).with_name("kimi_classes.py")
pytestmark = pytest.mark.usefixtures("restore_modules")


def evaluate_rows(out: Path, data: Path, name: str) -> dict[str, Any]:
    """Evaluate a class and return the records by question."""
    spec = Spec(task="qa", task_args={"data": str(data)}, model=f"kimi:{FILE}:{name}")
    evaluate(spec, out, settings=Settings(max_attempts=1))
    return {str(record.sample.inputs["question"]): record for record in Run.load(out).records()}


def build_rows(tone: Any, *questions: str, **columns: Any) -> list[dict[str, Any]]:
    audio = str(tone("a.wav", 0.3))
    return [{"audio": audio, "question": question, "answer": "x", **columns} for question in questions]


def test_the_example_of_the_guide_answers_as_in_the_evalkit(tone: Any, manifest: Any, auricle: Any) -> None:
    paths = [tone(f"{tenths}.wav", tenths / 10) for tenths in (3, 5, 7)]
    data = manifest([{"audio": str(path), "text": "something"} for path in paths])
    shutil.copy(FILE, "mine.py")
    arguments = ["run", data, "--as", "asr", "-T", "language=en", "-o", "out"]
    result = auricle(*arguments, "-m", "kimi:mine.py:Listening", "-M", "model_path=here")
    assert result.returncode == 0, result.stderr
    with EvalkitModules(f"{FILE}:Listening", "almeval.models").activate():
        model = MODELS.get(f"kimi:{FILE}:Listening")(model_path="here")._model
        meta = {"task": "ASR", "lang": "en"}
        expected = [
            model({"index": index, "audio": [str(path)], "text": "", "meta": copy.copy(meta)})
            for index, path in enumerate(paths)
        ]
    records = sorted(Run.load(Path("out")).records(), key=lambda record: record.row)
    outputs = [output for record in records for output in record.outputs if isinstance(output, Generation)]
    assert [(output.prompt, output.text) for output in outputs] == expected
    assert outputs[1].text == "here heard 5 tenths"


def test_a_class_is_loaded_from_a_file() -> None:
    model_class = MODELS.get(f"kimi:{FILE}:Listening")
    assert (model_class.__name__, abilities(model_class), model_class.batch_size) == ("Listening", ["generate"], 1)


def test_a_class_is_loaded_from_a_module(tone: Any) -> None:
    shutil.copy(FILE, "mine.py")
    Path("mine.py").write_text(FILE.read_text().replace("from .", "from almeval.models."))
    Path("mine.py").write_text(Path("mine.py").read_text().replace("models..utils", "utils"))
    with load_model("kimi:mine:Plain") as model:
        assert text_of(model.ask(str(tone("a.wav")), "what?")) == "plain"


FAULTS = {
    "raise": ("ValueError", "no such token (kimi_classes.py:"),
    "none": ("SampleError", "generate_inner of kimi:kimi_classes.py:Odd should return (prompt, text), not None"),
    "three": ("SampleError", "not tuple of 3"),
    "alone": ("SampleError", "not str"),
    "no text": ("SampleError", "but the text is None"),
    "number": ("SampleError", "but the text is int"),
}


def test_a_fault_fails_its_own_sample_and_is_reported(tone: Any, manifest: Any, tmp_path: Path) -> None:
    records = evaluate_rows(tmp_path / "out", manifest(build_rows(tone, "well", *FAULTS, "so")), "Odd")
    for question, (kind, message) in FAULTS.items():
        assert records[question].error.kind == kind
        assert message in records[question].error.message
    assert [records[name].outputs[0].text for name in ("well", "so")] == ["done, nothing left"] * 2


def test_changes_to_a_message_do_not_leak(tone: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest(build_rows(tone, "mutate", "well", speaker={"name": "Ann"}))
    records = evaluate_rows(tmp_path / "out", data, "Odd")
    assert "done, /" in records["mutate"].outputs[0].text
    assert records["well"].outputs[0].text == "done, nothing left"
    assert records["mutate"].sample.meta["speaker"] == {"name": "Ann"}
    assert records["mutate"].sample.inputs["audio"]


def test_output_of_a_class_goes_to_stderr(tone: Any, manifest: Any, auricle: Any) -> None:
    data = manifest(build_rows(tone, "print"))
    result = auricle("run", data, "--as", "qa", "-m", f"kimi:{FILE}:Odd", "-o", "out", "--json")
    assert json.loads(result.stdout)[0]["task"]["name"] == "qa-mine"
    assert '{"not": "a number"}' in result.stderr


def test_audio_that_the_class_rejects_is_skipped(tone: Any, manifest: Any, tmp_path: Path) -> None:
    record = evaluate_rows(tmp_path / "out", manifest(build_rows(tone, "what?")), "Patient")["what?"]
    assert record.error.kind == "Skipped"
    assert record.error.message == "check_audio_legal of Patient rejects the audio (0.3 s)"
    assert not record.outputs


def test_classes_without_the_evalkits_call_have_no_limits(tone: Any) -> None:
    path = str(tone("a.wav", 0.05))
    for name, text in (("Calling", "called"), ("Plain", "plain")):
        with load_model(f"kimi:{FILE}:{name}") as model:
            assert text_of(model.ask(path, "well")) == text


def test_tasks_of_auricle_are_described_with_the_evalkits_fields(tone: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest(build_rows(tone, "What?", subset="one", speaker="Ann"))
    message = json.loads(evaluate_rows(tmp_path / "out", data, "Telling")["What?"].outputs[0].text)
    assert message == {
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


def test_a_row_with_changed_meta_is_sent_again(tone: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest(build_rows(tone, "What?", speaker="Ann"))
    evaluate_rows(tmp_path / "out", data, "Telling")
    manifest(build_rows(tone, "What?", speaker="Bob"))
    message = json.loads(evaluate_rows(tmp_path / "out", data, "Telling")["What?"].outputs[0].text)
    assert message["meta"]["speaker"] == "Bob"


def test_a_question_without_a_task_is_open_ended(tone: Any) -> None:
    with load_model(f"kimi:{FILE}:Telling") as model:
        message = json.loads(text_of(model.ask(str(tone("a.wav", 0.3)))))
    assert message["meta"]["task"] == "Open-Ended"
    assert message["meta"]["interactive"] == "Audio-QA"


def test_only_models_that_use_context_get_it(tone: Any) -> None:
    inferencer = Respond("{question}")
    assert with_context(inferencer, MODELS.get("echo"), {"name": "x"}) is inferencer
    wrapped = with_context(inferencer, MODELS.get(f"kimi:{FILE}:Odd"), {"name": "x"})
    assert wrapped.needs == "generate"
    assert repr(inferencer) in repr(wrapped)


def test_a_conversation_is_rejected(tone: Any) -> None:
    turns = (Turn("user", ("hello",)), Turn("assistant", ("yes?",)), Turn("user", ("well",)))
    model = MODELS.get(f"kimi:{FILE}:Odd")()
    with pytest.raises(Unsupported, match="takes one message"):
        model.generate([Generate(turns=turns)])


def test_a_preview_shows_the_message_and_the_prompt(tone: Any, manifest: Any, auricle: Any) -> None:
    data = manifest([{"audio": str(tone("a.wav", 0.3)), "text": "hello"}])
    result = auricle("preview", data, "--as", "asr", "-T", "language=en", "-m", f"kimi:{FILE}:Listening")
    assert '"task":"ASR"' in result.stdout
    assert "get_prompt: Write down the en speech:" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("NoModel", {}, r"is not a model of the evalkit\. Expected a class with generate_inner"),
        ("Wordless", {}, r"is not a model of the evalkit\. Expected a class with generate_inner"),
        ("Patient", {"model_path": "x"}, "kimi_classes.py:Patient: .* Accepted arguments: none"),
        ("Missing", {}, "has no 'Missing'"),
    ],
)
def test_a_class_that_is_not_a_model_is_rejected(name: str, arguments: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        MODELS.get(f"kimi:{FILE}:{name}")(**arguments)


def test_system_exit_in_a_constructor_is_an_error() -> None:
    with pytest.raises(SpecError, match=r"kimi_classes\.py:Quitting raised SystemExit: 4"):
        load_model(f"kimi:{FILE}:Quitting")


@pytest.mark.parametrize("name", ["kimi:Class", "kimi:nowhere.py:Class"])
def test_an_invalid_class_path_is_rejected(name: str) -> None:
    with pytest.raises(UnknownName):
        MODELS.get(name)


def test_an_exception_in_a_constructor_is_reported() -> None:
    Path("mine.py").write_text(
        "class My:\n    def __init__(self):\n        raise OSError('no weights')\n"
        "    def generate_inner(self, msg): ...\n"
    )
    with pytest.raises(SpecError, match=r"kimi:mine.py:My raised OSError: no weights \(mine.py:3\)"):
        MODELS.get("kimi:mine.py:My")()

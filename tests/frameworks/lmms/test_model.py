"""Model classes written for lmms-eval run unchanged."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import soundfile

from auricle import Image, Spec, evaluate
from auricle.core.errors import SampleError, SpecError, UnknownName, Unsupported
from auricle.core.registry import import_object
from auricle.core.types import Generate, LogLikelihood, Record, Turn
from auricle.frameworks.lmms import resolve_model_class
from auricle.frameworks.lmms.model import (
    CallableTarget,
    DocCollection,
    LmmsModel,
    RequestDoc,
    build_gen_kwargs,
    count_unpacked_arguments,
    doc_to_messages,
    doc_to_text,
    find_token_limit,
)
from auricle.frameworks.lmms.stubs import stubs_importable
from auricle.frameworks.user_classes import AudioFiles
from auricle.media import Audio
from auricle.runs.run_directory import Run
from tests.support.framework_results import text_of

CLASSES = Path(__file__).with_name("lmms_classes.py")


def load(name: str, **arguments: Any) -> LmmsModel:
    return resolve_model_class(f"{CLASSES}:{name}")(**arguments)


RequestBuilder = Callable[..., Generate]


@pytest.fixture
def build_request(tone: Any) -> RequestBuilder:
    """Build a question about a recording."""

    def build(text: str = "What is it?", **settings: Any) -> Generate:
        audio = Audio.of(tone("a.wav", seconds=0.05, rate=8_000))
        return Generate(turns=(Turn("user", (audio, text)),), **settings)

    return build


def call_directly(name: str, path: Path, text: str, **settings: Any) -> str:
    """Return the answer of a class when it is called without Auricle."""
    samples, rate = soundfile.read(path, dtype="float32")
    doc = {"audio": {"path": str(path), "array": samples, "sampling_rate": rate}}
    content = [{"type": "audio", "url": doc["audio"]}, {"type": "text", "text": text}]
    arguments: tuple[Any, ...]
    with stubs_importable():
        model_class = import_object(f"{CLASSES}:{name}")
        instance_class = sys.modules["lmms_eval.api.instance"].Instance
        if name == "GuideChat":
            model = type(name, (model_class,), {"generate_until_multi_round": None})("x")
            arguments = (lambda _: [{"role": "user", "content": content}], settings)
        else:
            model, arguments = model_class(), (text, settings, lambda doc: [doc["audio"]])
    model.task_dict = {"t": {"test": [doc]}}
    metadata = {"task": "t", "doc_id": 0, "repeats": 1}
    request = instance_class("generate_until", (*arguments, 0, "t", "test"), 0, metadata)
    answer: str = model.generate_until([request])[0]
    return answer


SETTINGS = {"max_new_tokens": 32, "temperature": 0.0, "do_sample": False}


@pytest.mark.parametrize(("name", "arguments"), [("GuideChat", ["-M", "pretrained=x"]), ("Simple", [])])
def test_a_class_answers_as_when_called_directly(
    auricle: Any, manifest: Any, tone: Any, name: str, arguments: Any
) -> None:
    paths = [tone(f"{number}.wav", seconds=0.1 + number / 50, rate=8_000 + number) for number in range(3)]
    rows = [{"audio": path.name, "question": f"Q{number}?"} for number, path in enumerate(paths)]
    data = manifest([{**row, "answer": "x"} for row in rows])
    result = auricle(
        *("run", data, "--as", "qa", "-m", f"lmms:{CLASSES}:{name}", *arguments),
        *("-T", "max_tokens=32", "-o", "run", "--json"),
    )
    assert result.returncode == 0, result.stderr
    records = sorted(Run.load(data.parent / "run").records(), key=lambda record: record.row)
    answers = [text_of(record.outputs[0]) for record in records]
    expected = [call_directly(name, path, f"Q{number}?", **dict(SETTINGS)) for number, path in enumerate(paths)]
    assert answers == expected


def test_the_example_of_the_guide_may_lack_an_abstract_method(build_request: Any) -> None:
    model = load("GuideChat", pretrained="x", device="cpu", more=1)
    assert (model._model.device, model._model.given) == ("cpu", {"more": 1, "batch_size": 1})
    (answer,) = model.generate([build_request()])
    assert answer.text.startswith("<audio>|What is it? 400@8000:")


def test_a_class_in_the_style_of_the_code_gets_six_arguments(build_request: Any) -> None:
    model = load("CodeChat", batch_size=2)
    assert model.batch_size == 2
    answers = model.generate([build_request("short"), build_request("rather long")])
    assert [answer.text.split(" 400@8000")[0] for answer in answers] == ["short", "rather long"]
    assert all(answer.text.endswith("in 2") and answer.tokens == len(answer.text) for answer in answers)


def test_the_number_of_arguments_can_be_set(build_request: Any) -> None:
    with pytest.raises(SpecError, match="Try -M arguments=guide"):
        load("Unpacks").generate([build_request()])
    assert load("Unpacks", arguments="guide").generate([build_request()])[0].text == "auricle"


def test_stop_strings_are_passed_only_if_there_are_any(build_request: Any) -> None:
    answers = load("Simple").generate([build_request(), build_request(stop=("\n",), temperature=0.5)])
    assert answers[0].text.endswith("['do_sample', 'max_new_tokens', 'temperature'] []")
    assert answers[1].text.endswith(r"['\n']")


def test_texts_around_audio_are_joined_for_a_simple_class(tone: Any) -> None:
    audio = Audio.of(tone("a.wav"))
    turns = (Turn("system", ("Be brief.",)), Turn("user", ("Listen:", audio, "What is it?")))
    (answer,) = load("Simple").generate([Generate(turns=turns)])
    assert answer.text.startswith("Be brief.\n\nListen:\nWhat is it? ")


def test_a_chat_class_gets_a_conversation_with_images_in_order(tmp_path: Path, tone: Any) -> None:
    from PIL import Image as Pillow

    Pillow.new("RGB", (2, 2)).save(tmp_path / "p.png")
    turns = (
        Turn("system", ("Be brief.",)),
        Turn("user", (Image.of(tmp_path / "p.png"), "What is this?")),
        Turn("assistant", ("A dot.",)),
        Turn("user", ("And this?", Audio.of(tone("a.wav")))),
    )
    (answer,) = load("GuideChat", pretrained="x").generate([Generate(turns=turns)])
    assert answer.text.startswith("Be brief.|<image>|What is this?|A dot.|And this?|<audio> ")


def test_cropped_audio_is_passed_as_samples_without_a_path(tone: Any) -> None:
    audio = Audio.of(tone("a.wav", seconds=0.5), start=0.1, end=0.2)
    (answer,) = load("Simple").generate([Generate(turns=(Turn("user", (audio, "?")),))])
    assert answer.text.startswith("? 1600@16000:")


def test_rounds_use_their_own_method(build_request: Any) -> None:
    (answer,) = load("Simple", method="generate_until_multi_round").generate([build_request("Hm?")])
    assert answer.text.startswith("Hm? 400@8000")


@pytest.mark.parametrize("name", ["OnlyRounds", "RefusingOneRound"])
def test_a_class_with_only_rounds_is_recognised(build_request: Any, name: str) -> None:
    (answer,) = load(name).generate([build_request("Hm?")])
    assert answer.text == "round 0: Hm?"


def test_the_method_can_be_chosen_for_a_class_with_only_rounds(build_request: Any) -> None:
    with pytest.raises(Unsupported, match="pass -M method=generate_until_multi_round"):
        load("OnlyRounds", method="generate_until").generate([build_request()])


def test_a_conversation_is_sent_round_by_round(auricle: Any, manifest: Any) -> None:
    rows = [{"messages": [{"role": "user", "content": text} for text in ("one", "two")]}]
    result = auricle(*("run", manifest(rows), "--as", "chat", "-m", f"lmms:{CLASSES}:OnlyRounds", "-o", "run"))
    assert result.returncode == 0, result.stderr
    (record,) = Run.load(manifest(rows).parent / "run").records()
    assert [getattr(output, "text", "") for output in record.outputs] == ["round 0: one", "round 0: two"]


# --- likelihoods ---------------------------------------------------------------------------


def likelihood_request(continuation: str, audio: Audio | None = None) -> LogLikelihood:
    parts = ("Which?",) if audio is None else (audio, "Which?")
    return LogLikelihood(turns=(Turn("user", parts),), continuation=continuation)


def test_likelihood_requests_have_a_callable_target_and_audio(tone: Any) -> None:
    model = load("GuideChat", pretrained="x")
    audio = Audio.of(tone("a.wav"))
    likelihoods = model.loglikelihood([likelihood_request("b", audio), likelihood_request("longer", audio)])
    assert [(likelihood.total, likelihood.greedy) for likelihood in likelihoods] == [(-2.0, True), (-7.0, False)]


def test_a_loss_needs_its_option(tone: Any) -> None:
    with pytest.raises(SampleError, match="pass -M likelihood=loss"):
        load("Loss").loglikelihood([likelihood_request("b")])
    (likelihood,) = load("Loss", likelihood="loss").loglikelihood([likelihood_request("b")])
    assert likelihood.total == -1.0


def test_a_class_without_likelihoods_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="Loglikelihood is not implemented for Simple"):
        load("Simple").loglikelihood([likelihood_request("b")])


def test_choices_are_compared_by_likelihood_on_the_command_line(auricle: Any, manifest: Any, tone: Any) -> None:
    tone("a.wav")
    rows = [{"audio": "a.wav", "question": "?", "choices": ["cat", "b"], "answer": "b"}]
    result = auricle(
        *("run", manifest(rows), "--as", "mcq", "-T", "inferencer=choose", "--json"),
        *("-m", f"lmms:{CLASSES}:GuideChat", "-M", "pretrained=x", "-o", "run"),
    )
    assert result.returncode == 0, result.stderr
    (metrics,) = json.loads(result.stdout)
    assert [number["metric"] for number in metrics["numbers"]] == ["acc", "acc_char", "acc_byte"]
    assert "the number of its tokens is unknown" in metrics["not_computed"]["acc_token"]


# --- faults ------------------------------------------------------------------------------------


@pytest.fixture
def run_faulty(manifest: Any, tone: Any) -> Callable[..., dict[str, Record]]:
    """Run a class that fails if a question asks for it; return the records by question."""
    tone("a.wav", seconds=0.05)

    def run(*questions: str) -> dict[str, Record]:
        rows = [{"audio": "a.wav", "question": question, "answer": "x"} for question in questions]
        data = manifest(rows)
        spec = Spec(task="qa", task_args={"data": str(data)}, model=f"lmms:{CLASSES}:Bad", model_args={"batch_size": 4})
        evaluate(spec, out=data.parent / "run")
        records = Run.load(data.parent / "run").records()
        return {str(record.sample.inputs["question"]): record for record in records}

    return run


@pytest.mark.parametrize(
    ("question", "kind", "message"),
    [
        ("raise", "KeyError", "no such thing"),
        ("exit", "SampleError", "SystemExit"),
        ("nothing", "SampleError", "should return a list of 1 for 1 requests, not None"),
        ("few", "SampleError", "not list of 0"),
        ("none", "SampleError", "an answer should be text, not None"),
        ("number", "SampleError", "an answer should be text, not int"),
        ("failed", "SampleError", "LMMS_EVAL_REQUEST_FAILED"),
    ],
)
def test_a_fault_fails_its_own_sample_and_is_reported(
    run_faulty: Callable[..., dict[str, Record]], question: str, kind: str, message: str
) -> None:
    records = run_faulty("one", question, "two", "three")
    errors = {name: record.error for name, record in records.items() if record.error}
    assert list(errors) == [question]
    assert errors[question].kind == kind
    assert message in errors[question].message


def test_changes_to_a_request_do_not_leak(run_faulty: Callable[..., dict[str, Record]]) -> None:
    texts = {getattr(record.outputs[0], "text", "") for record in run_faulty("one", "two", "three").values()}
    assert len(texts) == 1
    assert not texts.pop().endswith(":0.00")


def test_output_of_a_class_goes_to_stderr(auricle: Any, manifest: Any, tone: Any) -> None:
    tone("a.wav")
    data = manifest([{"audio": "a.wav", "question": "one", "answer": "x"}])
    result = auricle("run", data, "--as", "qa", "-m", f"lmms:{CLASSES}:Bad", "--json")
    assert json.loads(result.stdout)
    assert "thinking aloud" in result.stderr


@pytest.mark.parametrize(("positions", "empty"), [(448, 0), (1024, 2)])
def test_errors_that_a_class_catches_are_reported_and_the_limit_of_its_decoder_is_respected(
    auricle: Any, manifest: Any, tone: Any, positions: int, empty: int
) -> None:
    tone("a.wav")
    data = manifest([{"audio": "a.wav", "text": "one two", "id": str(number)} for number in range(2)])
    model = ("-m", f"lmms:{CLASSES}:Swallows", "-M", f"positions={positions}")
    result = auricle("run", data, "--as", "asr", *model, "-o", "run", "--json")
    assert result.returncode == (3 if empty else 0), result.stderr
    assert ("2 of 2 answers are empty, so the exit code is 3." in result.stderr) is bool(empty)
    (metrics,) = json.loads(result.stdout)
    assert metrics["outcomes"]["empty"] == empty
    assert [note.partition(" (")[0] for note in metrics["notes"]] == ["2 of 2 answers are empty"] * bool(empty)
    log = data.parent / "run" / "logs" / "model.log"
    lines = log.read_text() if empty else "none"
    assert log.exists() is bool(empty)
    for line in ("Error while generating: the combined length exceeds", "an answer is empty", "going on"):
        assert (line in lines) is bool(empty)


# --- what cannot be load -------------------------------------------------------------------------


def test_an_exception_in_a_constructor_is_reported() -> None:
    with pytest.raises(SpecError, match=r"lmms_classes.py:Broken raised RuntimeError: no weights"):
        load("Broken")


def test_a_class_that_is_not_a_model_is_rejected() -> None:
    with pytest.raises(SpecError, match="is not a model of lmms-eval"):
        load("not_a_class")


@pytest.mark.parametrize("class_path", ["missing.py:Class", "Class"])
def test_an_invalid_class_path_is_rejected(class_path: str) -> None:
    with pytest.raises(UnknownName):
        resolve_model_class(class_path)


def test_invalid_values_of_options_are_rejected() -> None:
    with pytest.raises(SpecError, match="arguments should be auto or guide or code, not 'both'"):
        load("Simple", arguments="both")


class UnpacksSix:
    def generate_until(self, requests: Any) -> None:
        for request in requests:
            _context, _messages, _settings, _doc_id, _task, _split = request.args


class UnpacksElsewhere:
    def generate_until(self, requests: Any) -> Any:
        return self.unpack(requests)

    def unpack(self, requests: Any) -> None:
        _messages, _settings, _doc_id, _task, _split = zip(*requests, strict=True)


def test_unpacked_arguments_are_counted() -> None:
    assert count_unpacked_arguments(UnpacksSix) == 6
    assert count_unpacked_arguments(UnpacksElsewhere) == 5
    assert count_unpacked_arguments(object) is None


def test_every_access_to_a_doc_returns_a_copy(tone: Any) -> None:
    request = Generate(turns=(Turn("user", (Audio.of(tone("a.wav")), "What?")),))
    with AudioFiles() as files:
        docs = DocCollection({7: RequestDoc(request, "array", files)})
        docs[7]["audio"]["array"][:] = 0
        assert docs[7]["audio"]["array"].any()
    with pytest.raises(IndexError, match=r"no doc 0; available: \[7\]"):
        docs[0]


def test_later_rounds_end_the_conversation() -> None:
    doc = {"messages": ["hello"], "question": "What?"}
    assert doc_to_messages(doc) == ["hello"]
    assert doc_to_messages(doc, round_idx=1, previous_output=["a"])[1:3] == (True, ["a"])
    assert doc_to_text(doc, round_idx=1)[2] is True


def test_generation_settings_are_translated() -> None:
    request = Generate(turns=(Turn("user", ("a",)),), max_tokens=8, temperature=0.5, stop=(".",))
    assert build_gen_kwargs(request) == {"max_new_tokens": 8, "temperature": 0.5, "do_sample": True, "until": ["."]}
    assert [build_gen_kwargs(request, limit)["max_new_tokens"] for limit in (None, 4, 16)] == [8, 4, 8]


def test_the_limit_of_a_decoder_is_that_of_its_config() -> None:
    config = SimpleNamespace(max_target_positions=448)
    for model in (
        {"config": config},
        {"model": SimpleNamespace(config=config)},
        {"_model": SimpleNamespace(config=config)},
    ):
        assert find_token_limit(SimpleNamespace(**model)) == 444
    assert find_token_limit(SimpleNamespace(config=SimpleNamespace(max_target_positions=None))) is None


def test_a_target_can_be_called_or_used_as_text() -> None:
    assert CallableTarget("b")({"doc": 1}) == "b" == CallableTarget("b")

"""Classes written for lmms-eval, run as they are: what they are given, what is made of answers."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import soundfile

from auricle import Audio, Spec, evaluate
from auricle.core.errors import SampleError, SpecError, UnknownName, Unsupported
from auricle.core.registry import import_object
from auricle.core.types import Generate, Image, LogLikelihood, Turn
from auricle.interop.lmms import resolve_model_class
from auricle.interop.lmms.stub_importer import THIRD_PARTY_STUBS, stubs_importable
from auricle.runs.run_directory import Run

CLASSES = Path(__file__).with_name("lmms_classes.py")


def made(name: Any, **arguments: Any) -> Any:
    return resolve_model_class(f"{CLASSES}:{name}")(**arguments)


@pytest.fixture
def asked(tone: Any) -> Any:
    """A question about a sound."""

    def request(text: str = "What is it?", *more: Any, name: str = "a.wav", **settings: Any) -> Any:
        sound = Audio.of(tone(name, seconds=0.05, rate=8_000))
        return Generate(turns=(Turn("user", (sound, text, *more)),), **settings)

    return request


def by_hand(name: Any, path: Any, text: Any, **settings: Any) -> Any:
    """What a class says of a sound when it is called without Auricle."""
    values, rate = soundfile.read(path, dtype="float32")
    doc = {"audio": {"path": str(path), "array": values, "sampling_rate": rate}}
    content = [{"type": "audio", "url": doc["audio"]}, {"type": "text", "text": text}]
    with stubs_importable():
        found = import_object(f"{CLASSES}:{name}")
        instance = sys.modules["lmms_eval.api.instance"].Instance
        if name == "GuideChat":
            found = type(name, (found,), {"generate_until_multi_round": None})
            model, given = found("x"), (lambda _: [{"role": "user", "content": content}], settings)
        else:
            model, given = found(), (text, settings, lambda doc: [doc["audio"]])
    model.task_dict = {"t": {"test": [doc]}}
    about = {"task": "t", "doc_id": 0, "repeats": 1}
    request = instance("generate_until", (*given, 0, "t", "test"), 0, about)
    return model.generate_until([request])[0]


SETTINGS = {"max_new_tokens": 32, "temperature": 0.0, "do_sample": False}


@pytest.mark.parametrize(("name", "arguments"), [("GuideChat", ["-M", "pretrained=x"]), ("Simple", [])])
def test_a_class_answers_on_the_command_line_as_it_does_by_hand(
    auricle: Any, manifest: Any, tone: Any, name: str, arguments: Any
) -> None:
    paths = [tone(f"{n}.wav", seconds=0.1 + n / 50, rate=8_000 + n) for n in range(3)]
    rows = [{"audio": path.name, "question": f"Q{n}?"} for n, path in enumerate(paths)]
    data = manifest([{**row, "answer": "x"} for row in rows])
    done = auricle(
        *("run", data, "--as", "qa", "-m", f"lmms:{CLASSES}:{name}", *arguments),
        *("-T", "max_tokens=32", "-o", "run", "--json"),
    )
    assert done.returncode == 0, done.stderr
    records = sorted(Run.load(data.parent / "run").records(), key=lambda each: each.row)
    said = [each.outputs[0].text for each in records]
    wanted = [by_hand(name, path, f"Q{n}?", **dict(SETTINGS)) for n, path in enumerate(paths)]
    assert said == wanted


def test_the_guide_s_example_is_made_though_it_lacks_a_method_that_the_code_wants(asked: Any) -> None:
    model = made("GuideChat", pretrained="x", device="cpu", more=1)
    assert (model._model.device, model._model.given) == ("cpu", {"more": 1, "batch_size": 1})
    (said,) = model.generate([asked()])
    assert said.text.startswith("<audio>|What is it? 400@8000:")


def test_a_class_in_the_style_of_the_code_gets_six_arguments_and_its_own_batches(asked: Any) -> None:
    model = made("CodeChat", batch_size=2)
    assert model.batch_size == 2
    said = model.generate([asked("short"), asked("rather long")])
    assert [each.text.split(" 400@8000")[0] for each in said] == ["short", "rather long"]
    assert all(each.text.endswith("in 2") and each.tokens == len(each.text) for each in said)


def test_what_a_class_unpacks_may_be_said(asked: Any) -> None:
    with pytest.raises(SpecError, match="give -M arguments=guide"):
        made("Unpacks").generate([asked()])
    assert made("Unpacks", arguments="guide").generate([asked()])[0].text == "auricle"


def test_stop_words_are_given_only_where_there_are_some(asked: Any) -> None:
    said = made("Simple").generate([asked(), asked(stop=("\n",), temperature=0.5)])
    assert said[0].text.endswith("['do_sample', 'max_new_tokens', 'temperature'] []")
    assert said[1].text.endswith(r"['\n']")


def test_texts_around_a_sound_are_one_context_for_a_simple_class(tone: Any) -> None:
    sound = Audio.of(tone("a.wav"))
    turns = (Turn("system", ("Be brief.",)), Turn("user", ("Listen:", sound, "What is it?")))
    (said,) = made("Simple").generate([Generate(turns=turns)])
    assert said.text.startswith("Be brief.\n\nListen:\nWhat is it? ")


def test_a_conversation_with_pictures_reaches_a_chat_class_in_order(tmp_path: Path, tone: Any) -> None:
    from PIL import Image as Pillow

    Pillow.new("RGB", (2, 2)).save(tmp_path / "p.png")
    turns = (
        Turn("system", ("Be brief.",)),
        Turn("user", (Image.of(tmp_path / "p.png"), "What is this?")),
        Turn("assistant", ("A dot.",)),
        Turn("user", ("And this?", Audio.of(tone("a.wav")))),
    )
    (said,) = made("GuideChat", pretrained="x").generate([Generate(turns=turns)])
    assert said.text.startswith("Be brief.|<image>|What is this?|A dot.|And this?|<audio> ")


def test_part_of_a_sound_is_given_as_samples_without_a_path(tone: Any) -> None:
    sound = Audio.of(tone("a.wav", seconds=0.5), start=0.1, end=0.2)
    (said,) = made("Simple").generate([Generate(turns=(Turn("user", (sound, "?")),))])
    assert said.text.startswith("? 1600@16000:")


def test_rounds_are_asked_by_their_own_method(asked: Any) -> None:
    (said,) = made("Simple", method="generate_until_multi_round").generate([asked("Hm?")])
    assert said.text.startswith("Hm? 400@8000")
    (said,) = made("OnlyRounds", method="generate_until_multi_round").generate([asked("Hm?")])
    assert said.text == "round 0: Hm?"


def test_a_class_that_has_only_rounds_says_how_to_ask_it(asked: Any) -> None:
    with pytest.raises(Unsupported, match="give -M method=generate_until_multi_round"):
        made("OnlyRounds").generate([asked()])


def test_a_conversation_goes_round_by_round(auricle: Any, manifest: Any) -> None:
    rows = [{"messages": [{"role": "user", "content": each} for each in ("one", "two")]}]
    done = auricle(
        *("run", manifest(rows), "--as", "chat", "-m", f"lmms:{CLASSES}:OnlyRounds", "-o", "run"),
        *("-M", "method=generate_until_multi_round"),
    )
    assert done.returncode == 0, done.stderr
    (record,) = Run.load(manifest(rows).parent / "run").records()
    assert [each.text for each in record.outputs] == ["round 0: one", "round 0: two"]


# --- likelihoods ---------------------------------------------------------------------------


def ask_likelihood(continuation: Any, sound: Any = None) -> Any:
    parts = ("Which?",) if sound is None else (sound, "Which?")
    return LogLikelihood(turns=(Turn("user", parts),), continuation=continuation)


def test_a_likelihood_s_target_is_called_as_the_guide_does_and_its_sound_is_heard(tone: Any) -> None:
    model = made("GuideChat", pretrained="x")
    sound = Audio.of(tone("a.wav"))
    found = model.loglikelihood([ask_likelihood("b", sound), ask_likelihood("longer", sound)])
    assert [(each.total, each.greedy) for each in found] == [(-2.0, True), (-7.0, False)]


def test_a_loss_is_refused_until_it_is_called_one(tone: Any) -> None:
    with pytest.raises(SampleError, match="give -M likelihood=loss"):
        made("Loss").loglikelihood([ask_likelihood("b")])
    (found,) = made("Loss", likelihood="loss").loglikelihood([ask_likelihood("b")])
    assert found.total == -1.0


def test_a_class_without_likelihoods_is_the_user_s_move() -> None:
    with pytest.raises(Unsupported, match="Loglikelihood is not implemented for Simple"):
        made("Simple").loglikelihood([ask_likelihood("b")])


def test_options_are_chosen_by_likelihood_on_the_command_line(auricle: Any, manifest: Any, tone: Any) -> None:
    tone("a.wav")
    rows = [{"audio": "a.wav", "question": "?", "choices": ["cat", "b"], "answer": "b"}]
    done = auricle(
        *("run", manifest(rows), "--as", "mcq", "-T", "inferencer=choose", "--json"),
        *("-m", f"lmms:{CLASSES}:GuideChat", "-M", "pretrained=x", "-o", "run"),
    )
    assert done.returncode == 0, done.stderr
    assert '"acc"' in done.stdout


# --- classes that misbehave -------------------------------------------------------------------


@pytest.fixture
def bad(manifest: Any, tone: Any) -> Any:
    """A run of a class that misbehaves where a question says so, by question."""
    tone("a.wav", seconds=0.05)

    def run(*texts: Any) -> Any:
        rows = [{"audio": "a.wav", "question": each, "answer": "x"} for each in texts]
        data = manifest(rows)
        spec = Spec(task="qa", task_args={"data": str(data)}, model=f"lmms:{CLASSES}:Bad", model_args={"batch_size": 4})
        evaluate(spec, out=data.parent / "run")
        records = Run.load(data.parent / "run").records()
        return {each.sample.inputs["question"]: each for each in records}

    return run


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("raise", "KeyError", "no such thing"),
        ("exit", "SampleError", "SystemExit"),
        ("nothing", "SampleError", "should return a list of 1 for as many requests, not NoneType"),
        ("few", "SampleError", "not list of 0"),
        ("none", "SampleError", "an answer should be text, not NoneType"),
        ("number", "SampleError", "an answer should be text, not int"),
        ("failed", "SampleError", "LMMS_EVAL_REQUEST_FAILED"),
    ],
)
def test_what_goes_wrong_costs_its_own_sample_and_is_named(bad: Any, text: str, kind: str, words: str) -> None:
    records = bad("one", text, "two", "three")
    failed = {name: each.error for name, each in records.items() if each.error}
    assert list(failed) == [text]
    assert failed[text].kind == kind
    assert words in failed[text].message


def test_a_class_that_writes_into_what_it_is_given_spoils_nothing(bad: Any) -> None:
    texts = {each.outputs[0].text for each in bad("one", "two", "three").values()}
    assert len(texts) == 1
    assert not texts.pop().endswith(":0.00")


def test_what_a_class_prints_is_no_part_of_the_json(auricle: Any, manifest: Any, tone: Any) -> None:
    tone("a.wav")
    data = manifest([{"audio": "a.wav", "question": "one", "answer": "x"}])
    done = auricle("run", data, "--as", "qa", "-m", f"lmms:{CLASSES}:Bad", "--json")
    assert json.loads(done.stdout)
    assert "thinking aloud" in done.stderr


# --- what cannot be made -------------------------------------------------------------------------


def test_a_class_that_cannot_be_made_is_told_in_one_line() -> None:
    with pytest.raises(SpecError, match=r"lmms_classes.py:Broken raised RuntimeError: no weights"):
        made("Broken")


def test_what_is_no_class_of_lmms_eval_is_refused() -> None:
    with pytest.raises(SpecError, match="is no model of lmms-eval"):
        made("not_a_class")


@pytest.mark.parametrize("code", ["missing.py:Class", "Class"])
def test_a_code_that_names_nothing_is_refused(code: str) -> None:
    with pytest.raises(UnknownName):
        resolve_model_class(code)


def test_an_argument_of_ours_has_few_values() -> None:
    with pytest.raises(SpecError, match="arguments should be auto or guide or code, not 'both'"):
        made("Simple", arguments="both")


def test_stand_ins_are_gone_when_the_block_ends() -> None:
    made("Simple")
    assert not [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]
    assert find_spec("lmms_eval") is None


def test_a_real_module_is_preferred_to_a_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loguru.py").write_text("logger = 'real'")
    monkeypatch.syspath_prepend(tmp_path)
    with stubs_importable():
        from loguru import logger

        assert logger == "real"
    monkeypatch.delitem(sys.modules, "loguru")


def test_torch_s_stand_in_says_what_is_missing() -> None:
    offered = THIRD_PARTY_STUBS["torch"]()
    with offered["no_grad"]():
        assert not offered["cuda"].is_available()
    with pytest.raises(AttributeError, match="torch is not installed"):
        offered["__getattr__"]("zeros")


def test_arguments_are_read_from_a_string_as_lmms_eval_reads_them() -> None:
    with stubs_importable():
        found = import_object(f"{CLASSES}:CodeChat")
        found = type("Whole", (found,), {"generate_until_multi_round": None})
        model = found.create_from_arg_string(
            "pretrained=a/b,flag=true,scale=0.5,more={'x': 1, 'y': 2}", {"batch_size": 3, "n": None}
        )
    assert model.batch_size == 3
    assert model.given == {"flag": True, "scale": 0.5, "more": "{'x': 1, 'y': 2}"}

"""Plain functions and foreign classes as models."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import auricle
from auricle import AsyncModel, Audio, BatchModel, Generate, Generation, Predict, Prediction, Turn
from auricle.core.calls import AudioFrame, CallerInput
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Call, Segment
from auricle.models import abilities, adapt
from auricle.models.base import SessionModel
from auricle.models.limits import ModelLimits
from auricle.runs.run_directory import Run
from auricle.tasks.calls.live.driver import hold_call
from tests.support.virtual_time import run_in_virtual_time
from tests.support.voice_agents import step

SOUND = Audio("a.wav")
QUESTION = Generate(turns=(Turn("system", ("be brief",)), Turn("user", (SOUND, "what?"))))


def answer(model: Any, request: Any = QUESTION, **arguments: Any) -> Any:
    made = adapt(model)(**arguments)
    name = abilities(type(made))[0]
    if isinstance(made, AsyncModel):
        return asyncio.run(getattr(made, name)(request))
    (output,) = getattr(made, name)([request])
    return output


def test_function_receives_inputs_by_parameter_name() -> None:
    def reply(audio: Any, text: Any, request: Any) -> Any:
        return f"{audio.uri} {text!r} {request.max_tokens}"

    assert answer(reply) == Generation(text="a.wav 'be brief\\nwhat?' 512")


def test_function_receives_named_values_of_the_sample() -> None:
    def reply(question: str, speaker: str, accent: str = "none") -> str:
        return f"{question} {speaker} {accent}"

    request = Generate(turns=QUESTION.turns, context={"question": "what?", "speaker": "anna"})
    assert answer(reply, request) == Generation(text="what? anna none")
    assert adapt(reply).wants_inputs == ("question", "speaker", "accent")
    assert adapt(reply).required_inputs == ("question", "speaker")


def test_an_argument_replaces_a_value_of_the_sample() -> None:
    def reply(speaker: str) -> str:
        return speaker

    assert answer(reply, Generate(turns=(), context={"speaker": "anna"}), speaker="bob").text == "bob"


def test_a_sample_without_a_named_value_is_refused() -> None:
    def reply(speaker: str) -> str:
        return speaker

    with pytest.raises(SampleError, match="reply takes 'speaker', which the sample does not have"):
        answer(reply)


def test_named_values_reach_a_function_in_a_run(tmp_path: Path) -> None:
    rows = [
        {"question": "q", "answer": "anna q a|b", "speaker": "anna", "choices": ["a", "b"]},
        {"question": "q", "answer": "a"},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))

    def reply(speaker: str, question: str, choices: list[str]) -> str:
        return f"{speaker} {question} {'|'.join(choices)}"

    spec = auricle.Spec(task="qa", task_args={"data": str(tmp_path / "rows.jsonl")}, model=cast(Any, reply))
    result = auricle.evaluate(spec, tmp_path / "run")
    assert result.outcomes.answered == 1
    failures = [record.error for record in Run.load(tmp_path / "run").records() if record.error]
    assert [failure.message for failure in failures] == ["reply takes 'speaker', which the sample does not have"]


def test_a_parameter_that_no_sample_has_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"question": "q", "answer": "a", "speaker": "anna"}')

    def reply(speker: str) -> str:
        return speker

    spec = auricle.Spec(task="qa", task_args={"data": str(tmp_path / "rows.jsonl")}, model=cast(Any, reply))
    with pytest.raises(SpecError, match=r"reply takes 'speker', which no sample of qa-rows has\. Available: .*speaker"):
        auricle.evaluate(spec, tmp_path / "run")
    assert not (tmp_path / "run").exists()


class Counter(BatchModel):
    """Counts how often it was asked."""

    batch_size = 2

    def __init__(self, start: int) -> None:
        self.count = start

    def generate(self, batch: Any) -> Any:
        self.count += len(batch)
        return [Generation(text=str(self.count)) for _ in batch]


class Shouter:
    """Not a model class, but with one of its methods."""

    def generate(self, batch: Any) -> Any:
        return [Generation(text=request.text.upper()) for request in batch]


def test_instances_can_be_used_as_models() -> None:
    counter = Counter(5)
    with auricle.load_model(counter) as model:
        assert model.ask(text="a") == Generation(text="6")
    assert counter.count == 6
    with auricle.load_model(Shouter()) as model:
        assert model.ask(text="a") == Generation(text="A")
    with auricle.load_model(lambda text: text + "!") as model:
        assert model.ask(text="a") == Generation(text="a!")


def test_a_function_of_this_process_is_refused_for_replicas(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"question": "q", "answer": "a"}')
    spec = auricle.Spec(task="qa", task_args={"data": str(tmp_path / "rows.jsonl")}, model=cast(Any, lambda text: text))
    with pytest.raises(SpecError, match=r"Other processes cannot import lambda.*file\.py:lambda"):
        auricle.evaluate(spec, tmp_path / "run", settings=auricle.Settings(replicas=2))


def test_an_importable_class_is_named_by_its_module() -> None:
    assert auricle.Spec(task="demo", model=cast(Any, Counter)).model == f"{__name__}:Counter"


def test_a_function_with_the_name_of_a_built_in_model_is_refused() -> None:
    def echo(text: str) -> str:
        return text

    with pytest.raises(SpecError, match="A model named 'echo' exists already"):
        auricle.Spec(task="demo", model=cast(Any, echo))


def test_an_async_function_is_an_async_model() -> None:
    async def reply(text: Any) -> Any:
        return text

    assert issubclass(adapt(reply), AsyncModel)
    assert answer(reply).text == "be brief\nwhat?"


def test_dict_of_numbers_becomes_a_prediction() -> None:
    def rate(audio: Any, style: Any) -> dict[str, float]:
        return {"good": len(style)}

    assert abilities(adapt(rate)) == ["predict"]
    request = Predict(inputs={"audio": SOUND, "style": "waltz"})
    assert answer(rate, request) == Prediction(values={"good": 5.0}, scale="continuous")


def test_arguments_are_passed_and_unknown_ones_refused() -> None:
    def reply(text: Any, suffix: str = "!") -> Any:
        return text + suffix

    assert answer(reply, suffix="?").text.endswith("??")
    with pytest.raises(SpecError, match="reply: unknown argument sufix"):
        cast(Any, adapt(reply))(sufix="?")


def test_callable_class_is_created_with_its_arguments() -> None:
    class Listener:
        def __init__(self, language: str = "en") -> None:
            self.language = language

        def __call__(self, audio: Any) -> str:
            return f"{self.language} {audio.uri}"

    assert answer(Listener, language="zh").text == "zh a.wav"


def test_class_with_model_methods_need_not_inherit() -> None:
    class Foreign:
        batch_size = 3

        def generate(self, batch: Any) -> Any:
            return [Generation(text="hi") for _ in batch]

    made = adapt(Foreign)()
    assert isinstance(made, BatchModel)
    assert made.batch_size == 3
    assert made.generate([QUESTION])[0].text == "hi"


def test_what_a_class_of_any_kind_declares_is_kept() -> None:
    class Methods:
        max_seconds = 30.0

        def __init__(self, batch: int = 2) -> None:
            self.batch_size = batch

        def generate(self, batch: Any) -> Any:
            return ["hi" for _ in batch]

    class Callable_:  # noqa: N801
        languages = ("en",)

        def __call__(self, audio: Any) -> str:
            return "hi"

    assert ModelLimits.of(adapt(Methods)).max_seconds == 30.0
    assert adapt(Methods)(batch=5).batch_size == 5  # type: ignore[call-arg, union-attr]
    assert ModelLimits.of(adapt(Callable_)).languages == ("en",)


def test_methods_of_any_class_may_return_what_functions_return() -> None:
    class Batches:
        def generate(self, batch: Any) -> Any:
            return np.array(["hi" for _ in batch])

        def predict(self, batch: Any) -> Any:
            return [{"angry": 0.75, "sad": 0.25} for _ in batch]

    class Calls:
        async def generate(self, request: Any) -> Any:
            return {"text": "hi"}

    made: Any = adapt(Batches)()
    assert made.generate([QUESTION, QUESTION]) == [Generation(text="hi"), Generation(text="hi")]
    (prediction,) = made.predict([Predict(inputs={}, labels=("angry", "sad"))])
    assert prediction.scale == "probability"
    calls: Any = adapt(Calls)()
    assert asyncio.run(calls.generate(QUESTION)) == Generation(text="hi")


def test_a_wrong_number_of_outputs_is_passed_on_for_the_loop_to_name() -> None:
    class Short:
        def generate(self, batch: Any) -> Any:
            return ["hi"]

    made: Any = adapt(Short)()
    assert made.generate([QUESTION, QUESTION]) == ["hi"]


def test_model_classes_are_returned_unchanged() -> None:
    class Mine(BatchModel):
        def predict(self, batch: Any) -> Any:
            return []

    assert adapt(Mine) is Mine
    assert abilities(Mine) == ["predict"]


@pytest.mark.parametrize("thing", [3, type("Empty", (), {})])
def test_object_without_model_methods_is_refused(thing: Any) -> None:
    with pytest.raises(SpecError, match="model"):
        adapt(thing)


def test_function_returning_none_fails_with_expected_types() -> None:
    def silent(audio: Any) -> Any:
        return None

    with pytest.raises(SampleError, match="returned NoneType; expected text"):
        answer(silent)


LABELS = ("angry", "happy")
SCORES = Predict(inputs={"audio": SOUND}, labels=LABELS)


def answer_scores(returned: Any, request: Any = SCORES) -> Any:
    def model(audio: Any) -> Any:
        return returned

    (output,) = cast(Any, adapt(model)()).predict([request])
    return output


def test_a_function_without_annotation_is_asked_for_text_and_for_numbers() -> None:
    def model(audio):  # type: ignore[no-untyped-def]
        return None

    def with_prompt(audio, text):  # type: ignore[no-untyped-def]
        return None

    def rate(audio: Any) -> float:
        return 1.0

    def classify(audio: Any) -> "auricle.Prediction":
        return Prediction(values={}, scale="logit")

    assert abilities(adapt(classify)) == ["predict"]
    assert abilities(adapt(model)) == ["generate", "predict"]
    assert abilities(adapt(with_prompt)) == ["generate"]
    assert abilities(adapt(rate)) == ["predict"]


@pytest.mark.parametrize(
    ("returned", "output"),
    [
        ("happy", Generation(text="happy")),
        (np.str_("happy"), Generation(text="happy")),
        ({"text": "happy", "chunks": []}, Generation(text="happy")),
        (3, Prediction(values={"value": 3.0}, scale="continuous")),
        (np.float32(0.5), Prediction(values={"value": 0.5}, scale="continuous")),
        (np.array([0.5]), Prediction(values={"value": 0.5}, scale="continuous")),
        ({"happy": 0.75, "angry": 0.25}, Prediction(values={"happy": 0.75, "angry": 0.25}, scale="probability")),
        (
            dict(zip(np.array(LABELS), np.array([0.25, 0.75]), strict=True)),
            Prediction(values={"angry": 0.25, "happy": 0.75}, scale="probability"),
        ),
        ({"Happy": 2.5, "angry": 0.25}, Prediction(values={"Happy": 2.5, "angry": 0.25}, scale="continuous")),
        ({"arousal": 0.5, "valence": 0.5}, Prediction(values={"arousal": 0.5, "valence": 0.5}, scale="continuous")),
    ],
)
def test_what_is_returned_decides_the_output(returned: Any, output: Any) -> None:
    converted = answer_scores(returned)
    assert converted == output
    assert all(type(name) is str for name in getattr(converted, "values", {}))


@pytest.mark.parametrize(("returned", "text"), [(4, "4"), (np.int64(4), "4"), (np.float64(0.5), "0.5"), ("hi", "hi")])
def test_a_number_answers_a_request_for_text(returned: Any, text: str) -> None:
    def reply(audio: Any) -> Any:
        return returned

    assert answer(reply) == Generation(text=text)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"label": "happy"}, "the model returned str for 'label'; expected a dict of numbers, or text"),
        (np.zeros(3), "the model returned ndarray; expected text, a number, a dict of numbers"),
        ([1.0, 2.0], "segment 1 is 1.0; expected start, end and text"),
        ({1.0, 2.0}, "the model returned set; expected"),
    ],
)
def test_an_unusable_value_is_named(returned: Any, message: str) -> None:
    with pytest.raises(SampleError, match=message):
        answer_scores(returned)


def test_segments_are_an_answer_with_the_text_of_all() -> None:
    def reply(audio: Any, text: Any) -> Any:
        return [{"start": 1, "end": 2, "text": "day"}, {"start": 0, "end": 1, "text": "good"}]

    segments = (Segment(1.0, 2.0, "day"), Segment(0.0, 1.0, "good"))
    assert answer(reply) == Generation(text="good day", segments=segments)


@pytest.mark.parametrize("name", ["segments", "chunks"])
def test_times_beside_a_text_are_kept(name: str) -> None:
    def reply(audio: Any, text: Any) -> Any:
        return {"text": "good day", name: [{"timestamp": (0.0, 1.5), "text": " good day"}]}

    assert answer(reply) == Generation(text="good day", segments=(Segment(0.0, 1.5, "good day"),))


def test_a_dict_for_a_request_for_text_names_the_remedy() -> None:
    def reply(audio: Any, text: Any) -> Any:
        return {"happy": 1.0}

    with pytest.raises(SampleError, match=r"asks for text.*annotate the function: `def reply\(…\) -> dict`"):
        answer(reply)


def test_the_scale_is_chosen_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    values = iter([{"happy": 1.0}, {"happy": 0.5, "angry": 0.2}])

    def model(audio: Any) -> Any:
        return next(values)

    first, second = cast(Any, adapt(model)()).predict([SCORES, SCORES])
    assert (first.scale, second.scale) == ("probability", "probability")
    assert [record.message for record in caplog.records] == [
        "model returns labels with values that sum to 1: they are taken as probabilities."
    ]


FUNCTIONS = """
import numpy as np

def write(audio):
    return "happy"

def classify(audio):
    return dict(zip(np.array(["angry", "happy"]), np.array([0.25, 0.75])))

def both(audio, text):
    return {"angry": 0.25, "happy": 0.75}
"""


@pytest.fixture
def clips(manifest: Any, tone: Any, tmp_path: Path) -> Path:
    tone("x.wav", seconds=0.1)
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    rows = [{"id": str(number), "audio": "x.wav", "label": ("angry", "happy")[number % 2]} for number in range(60)]
    return cast(Path, manifest(rows))


@pytest.mark.parametrize("function", ["write", "classify"])
def test_a_function_without_annotation_answers_a_classification_task(
    auricle: Any, clips: Path, tmp_path: Path, function: str
) -> None:
    process = auricle("run", clips, "--as", "classify", "-m", f"mine.py:{function}", "-o", "run")
    assert process.returncode == 0, process.stderr
    numbers = json.loads((tmp_path / "run" / "metrics.json").read_text())["numbers"]
    assert (numbers[0]["metric"], numbers[0]["value"], numbers[0]["scored"]) == ("accuracy", 0.5, 60)


def test_a_function_that_cannot_answer_the_task_stops_the_run_with_the_remedy(auricle: Any, clips: Path) -> None:
    process = auricle("run", clips, "--as", "classify", "-m", "mine.py:both", "-o", "run")
    assert process.returncode == 2
    assert "The first 20 requests failed with the same error" in process.stderr
    assert "annotate the function: `def both(…) -> dict`" in process.stderr


def test_a_function_that_takes_a_seed_gets_that_of_the_answer(tmp_path: Path) -> None:
    def draw(text: str, seed: int) -> str:
        return f"{text} {seed}"

    (tmp_path / "quiz.jsonl").write_text('{"question": "x", "answer": "x"}\n{"question": "y", "answer": "y"}\n')
    task_args = {"data": str(tmp_path / "quiz.jsonl"), "samples": 3, "temperature": 0.7, "answers": "mean"}
    spec = auricle.Spec(task="qa", task_args=task_args, model=cast(Any, draw), seed=5)
    auricle.evaluate(spec.model_copy(update={"limit": 1}), tmp_path / "run")
    auricle.evaluate(spec, tmp_path / "run")  # resumes with the same seeds
    records = sorted(Run.load(tmp_path / "run").records(), key=lambda record: record.row)
    texts = [[cast(Generation, output).text for output in record.outputs] for record in records]
    assert texts == [["x 5", "x 6", "x 7"], ["y 5", "y 6", "y 7"]]
    assert json.loads((tmp_path / "run" / "spec.json").read_text())["seeds"] == [5, 6, 7]


def test_a_seed_given_as_an_argument_of_the_function_is_kept() -> None:
    def draw(text: str, seed: int = 3) -> str:
        return str(seed)

    request = Generate(turns=(Turn("user", ("x",)),), seed=4)
    assert (answer(draw, request).text, answer(draw, request, seed=9).text) == ("4", "9")


def test_functions_that_predict_take_a_seed_too() -> None:
    def rate(audio: Any, seed: int) -> dict[str, float]:
        return {"quality": float(seed)}

    assert answer(rate, Predict(inputs={"audio": SOUND}, seed=4)).values == {"quality": 4.0}


class Parrot:
    """Repeats what it gets."""

    input_rate = output_rate = 16_000

    def __init__(self, words: str = "Hello!") -> None:
        self.words = words
        self.is_closed = False

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[object]:
        yield self.words
        async for item in inputs:
            if isinstance(item, AudioFrame):
                yield item.samples

    def close(self) -> None:
        self.is_closed = True


def test_a_class_with_sessions_need_not_inherit() -> None:
    cls = adapt(Parrot)
    assert abilities(cls) == ["call"]
    assert issubclass(cls, SessionModel)
    model: Any = cls(words="Hi!")  # type: ignore[call-arg]
    recording = run_in_virtual_time(hold_call(model, Call(steps=(step("say", 1.0),))))
    assert recording.text == "Hi!"
    assert recording.agent[0].start == pytest.approx(0.02)
    assert recording.agent[0].seconds == pytest.approx(1.0, abs=0.01)
    asyncio.run(model.close())
    assert model.inner.is_closed


def test_an_object_with_sessions_is_a_model() -> None:
    assert abilities(adapt(Parrot())) == ["call"]


def test_a_session_must_yield() -> None:
    class Returning:
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> None: ...

    with pytest.raises(SpecError, match=r"Returning.session must be an async generator"):
        adapt(Returning)


def test_what_a_session_yields_must_be_an_event_audio_or_text() -> None:
    class Confused:
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[int]:
            yield 7

    model = cast(SessionModel, adapt(Confused)())
    with pytest.raises(SampleError, match="the session yielded int"):
        run_in_virtual_time(hold_call(model, Call(steps=())))


def trial(a: Any, b: Any, **others: Any) -> Predict:
    return Predict(inputs={"a": a, "b": b, **others})


def clip(*values: float) -> Audio:
    return Audio.of(np.array(values, dtype=np.float32), rate=100)


def test_a_function_that_embeds_one_recording_scores_two_by_their_cosine() -> None:
    embedded: list[Audio] = []

    def embed(audio: Audio) -> np.ndarray[Any, Any]:
        embedded.append(audio)
        return audio.decode()

    model: Any = adapt(embed)()
    assert "predict" in abilities(type(model))
    first, second = model.predict([trial(clip(1, 0), clip(1, 1)), trial(clip(0, 1), clip(1, 0))])
    assert first.values == {"score": pytest.approx(np.sqrt(0.5))}
    assert second == Prediction(values={"score": 0.0}, scale="continuous")
    assert len(embedded) == 3


def test_an_asynchronous_function_can_embed() -> None:
    async def embed(audio: Audio) -> list[float]:
        return [float(value) for value in audio.decode()]

    assert abilities(adapt(embed)) == ["predict"]
    assert answer(embed, trial(clip(1, 0), clip(1, 0))).values == {"score": 1.0}


def test_a_function_of_two_recordings_scores_them_itself() -> None:
    def score(a: Audio, b: Audio) -> float:
        return float(a.decode().sum() - b.decode().sum())

    assert answer(score, trial(clip(1, 0), clip(1, 1))) == Prediction(values={"score": -1.0}, scale="continuous")


def test_a_function_that_returns_a_number_for_one_recording_cannot_compare_two() -> None:
    def loudness(audio: Audio) -> float:
        return 0.5

    with pytest.raises(SampleError, match="returned float for a recording; expected a vector"):
        answer(loudness, trial(clip(1, 0), clip(1, 1)))


def test_a_function_that_imitates_a_voice_gets_its_recording_and_text_by_name() -> None:
    def speak(text: str, prompt_audio: Audio | None = None, prompt_text: str = "none") -> tuple[list[float], int]:
        return [0.1] * (len(text) + len(prompt_text)), 8000 if prompt_audio is None else 16_000

    cls = adapt(speak)
    assert abilities(cls) == ["generate"]
    model = cast(BatchModel, cls())
    voice = Turn("assistant", (Audio("voice.wav"), "Hello."))
    plain, cloned = model.generate(
        [Generate(turns=(Turn("user", ("Yes.",)),)), Generate(turns=(voice, Turn("user", ("Yes.",))))]
    )
    assert plain.audio is not None
    assert cloned.audio is not None
    assert (plain.audio.info().rate, plain.audio.info().frames) == (8000, 8)
    assert (cloned.audio.info().rate, cloned.audio.info().frames) == (16_000, 10)

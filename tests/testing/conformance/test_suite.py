"""`check_model` passes models of every kind, and names what is wrong with broken ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, BatchModel, Generate, Generation, Predict, Prediction, SampleError, SpecError, Turn
from auricle.core.errors import Unsupported
from auricle.core.types import LogLikelihood, Request
from auricle.tasks.demo.kinds import DEMO_MODELS
from auricle.testing import FakeServer, ModelCheckError, check_model
from tests.support import paths
from tests.support.extras import require_extra
from tests.testing.conformance.broken_models import BROKEN_MODELS, Guesses, Healthy, HealthyClient, Scorer, listen

ANSWERS_BY_NAME = {"damaged_sound": "it answers with the names of files and never reads them"}


@pytest.mark.parametrize("model", BROKEN_MODELS, ids=lambda model: str(model.__name__))
def test_a_broken_model_fails_the_check_that_names_its_mistake(model: type[Any]) -> None:
    with pytest.raises(ModelCheckError) as failure:
        check_model(model, long_seconds=40.0)
    assert failure.value.report.failed == [BROKEN_MODELS[model]]


@pytest.mark.parametrize("model", [Healthy, HealthyClient, Scorer, Healthy(), HealthyClient()])
def test_a_healthy_model_passes(model: Any) -> None:
    report = check_model(model, long_seconds=2.0)
    assert report.failed == []
    assert {name.rpartition(".")[2] for name in report.passed} >= {"order", "parity", "state", "damaged_sound", "close"}


def test_the_message_states_what_was_expected_and_what_came() -> None:
    class SwapsAnswers(Healthy):
        def generate(self, batch: Any) -> list[Generation]:
            return super().generate(batch)[::-1]

    with pytest.raises(AssertionError) as failure:
        check_model(SwapsAnswers, long_seconds=2.0)
    lines = str(failure.value).splitlines()
    assert lines[0] == "SwapsAnswers: 13 passed, 1 failed, 3 skipped"
    assert lines[1] == "failed   generate.order"
    assert lines[2].startswith("           expected output 1 of 4 to be '62720 samples, loudness ")
    assert lines[2].endswith(", as when Generate(speech.wav) is sent alone")
    assert lines[3].startswith("           got '32000 samples, loudness ")
    assert lines[3].endswith(", which belongs to request 4")
    assert lines[4].startswith("passed   generate.answers, generate.values, generate.determinism, generate.state, ")
    assert "skipped  generate.parity: the outputs are in the wrong order" in lines


def test_a_model_that_cannot_answer_fails_one_check_with_advice() -> None:
    def translate(audio: Audio) -> str:
        raise KeyError("source_language")

    with pytest.raises(ModelCheckError) as failure:
        check_model(translate)
    report = failure.value.report
    assert report.failed == ["generate.answers"]
    assert report.skipped["generate.order"] == "generate.answers failed"
    assert report.results[0].actual.startswith("KeyError: 'source_language' (test_suite.py:")
    assert report.results[0].actual.endswith("give requests=[…]; if it takes no audio, declare modalities")


def test_randomness_of_one_instance_may_be_state() -> None:
    with pytest.raises(ModelCheckError) as failure:
        check_model(Guesses(), long_seconds=2.0)
    assert failure.value.report.failed == ["generate.determinism"]
    assert failure.value.report.skipped["generate.parity"] == "outputs differ from call to call"


# --- limits and skips --------------------------------------------------------------


def test_sounds_beyond_a_declared_limit_are_skipped_with_the_limit() -> None:
    class Limited(Healthy):
        max_seconds = 2.0
        sample_rates = (8_000,)

    skipped = check_model(Limited).skipped
    assert skipped["generate.long_sound"] == (
        "the model declares a limit: 60.0 s of audio; the model accepts 2 s (max_seconds)"
    )
    assert skipped["generate.sample_rates"] == (
        "the model declares a limit: 44100 Hz; the model accepts 8000 Hz (sample_rates)"
    )


def test_limits_of_a_class_without_a_base_class_are_respected() -> None:
    class Brief:
        max_seconds = 2.0
        batch_size = 3

        def generate(self, batch: Any) -> list[Generation]:
            assert all(request.audio.seconds <= 2 for request in batch)
            return [Generation(text=listen(request.audio)) for request in batch]

    report = check_model(Brief)
    assert "generate.long_sound" in report.skipped
    assert "generate.parity" in report.passed


def test_a_model_of_text_gets_no_audio() -> None:
    class Shouts(BatchModel):
        modalities = ("text",)

        def generate(self, batch: Any) -> list[Generation]:
            assert not any(request.audios for request in batch)
            return [Generation(text=request.text.upper()) for request in batch]

    report = check_model(Shouts)
    assert "generate.order" in report.passed
    assert report.skipped["generate.silent_sound"] == "the requests contain no audio"


def test_a_model_of_audio_gets_no_text() -> None:
    class Listens(Healthy):
        modalities = ("audio",)

        def answer(self, request: Generate) -> str:
            assert not request.text
            return super().answer(request)

    assert check_model(Listens, long_seconds=2.0).skipped["generate.conversation"] == "the model takes no text"


@pytest.mark.parametrize("error", [SampleError, Unsupported])
def test_a_model_may_refuse_conversations(error: type[Exception]) -> None:
    class AnswersOnce(Healthy):
        def answer(self, request: Generate) -> str:
            if len(request.turns) > 1:
                raise error("one turn at a time")
            return super().answer(request)

    skipped = check_model(AnswersOnce, long_seconds=2.0).skipped
    assert skipped["generate.conversation"] == "the model refuses it: one turn at a time"


def test_batches_respect_the_seconds_that_a_model_takes() -> None:
    class Small(Healthy):
        batch_seconds = 8.0

        def generate(self, batch: Any) -> list[Generation]:
            assert len(batch) * max(request.audio.seconds for request in batch) <= 8.0 or len(batch) == 1
            return super().generate(batch)

    assert "generate.parity" in check_model(Small, long_seconds=2.0).passed


def test_a_check_is_skipped_with_the_reason_of_the_user() -> None:
    report = check_model(Guesses, skip={"determinism": "it samples"}, long_seconds=2.0)
    assert report.skipped["generate.determinism"] == "it samples"
    assert report.skipped["generate.state"] == "it needs determinism, which is skipped: it samples"


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(SpecError, match=r"skip: unknown check 'generate\.paritty'\. Expected one of: answers, values"):
        check_model(Healthy, skip={"generate.paritty": "typo"})


def test_numbers_may_differ_by_the_tolerance() -> None:
    class Padded(Scorer):
        def predict(self, batch: Any) -> list[Prediction]:
            outputs = super().predict(batch)
            return [Prediction(values={**o.values, "excited": 3.5 + len(batch) / 100}, scale=o.scale) for o in outputs]

    assert check_model(Padded, tolerance=0.1, long_seconds=2.0).failed == []
    with pytest.raises(ModelCheckError, match=r"predict\.parity"):
        check_model(Padded, long_seconds=2.0)


# --- models of every kind ------------------------------------------------------------


def test_functions_of_the_docs_pass() -> None:
    scope: dict[str, Any] = {}
    page = (paths.DOCS / "add-a-model.md").read_text(encoding="utf-8")
    exec(page.split("```python\n")[1].split("```")[0], scope)
    transcribe, greet, emotion = (check_model(scope[name]) for name in ("transcribe", "greet", "emotion"))
    assert "generate.answers" in transcribe.passed
    assert "generate.answers" in greet.passed
    assert "predict.values" in emotion.passed
    assert not any(name.startswith("generate") for name in emotion.passed)


def test_the_class_of_the_docs_passes(tmp_path: Path) -> None:
    page = (paths.DOCS / "add-a-model.md").read_text(encoding="utf-8")
    code = page.split("```python\n# loudness.py\n")[1].split("```")[0]
    (tmp_path / "loudness.py").write_text(code, encoding="utf-8")
    report = check_model(f"{tmp_path}/loudness.py:Loudness", arguments={"threshold": 0.05})
    assert {"generate.batch", "generate.order", "generate.parity"} <= {*report.passed}


def test_an_async_function_passes() -> None:
    async def transcribe(audio: Audio) -> str:
        return listen(audio)

    assert "generate.parity" in check_model(transcribe, long_seconds=2.0).passed


@pytest.mark.parametrize("name", ["echo", "fake-api", "fake-labels", "fake-reward"])
def test_models_without_weights_pass(name: str) -> None:
    report = check_model(name, skip=ANSWERS_BY_NAME, long_seconds=2.0)
    assert any(check.endswith(".order") for check in report.passed)


@pytest.mark.parametrize("name", ["openai", "transcription", "gemini", "vllm-chat"])
@pytest.mark.thorough
def test_api_clients_pass(name: str, fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server()
    url = server.url.replace("/v1", "/v1beta") if name == "gemini" else server.url
    report = check_model(name, arguments={"base_url": url, "model": "fake"}, long_seconds=2.0)
    assert {"generate.parity", "generate.stream"} <= {*report.passed}
    assert ("loglikelihood.parity" in report.passed) == (name == "vllm-chat")


def test_a_client_for_text_passes(fake_server: Callable[..., FakeServer]) -> None:
    texts = ["one two", "three four five", "six"]
    requests: list[Request] = [Generate(turns=(Turn("user", (text,)),)) for text in texts]
    requests += [LogLikelihood(turns=(Turn("user", ("Count:",)),), continuation=f" {text}") for text in texts]
    arguments = {"base_url": fake_server().url, "model": "fake"}
    report = check_model("completions", arguments=arguments, requests=requests)
    assert {"generate.parity", "loglikelihood.order", "loglikelihood.values"} <= {*report.passed}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["moonshine", "pocketsphinx"])
def test_recognisers_pass(name: str) -> None:
    require_extra("demo")
    report = check_model(name, arguments=DEMO_MODELS[name], long_seconds=5.0)
    assert {"generate.state", "generate.silent_sound", "generate.short_sound"} <= {*report.passed}


def test_a_reward_model_gets_the_inputs_that_it_takes(sample_sounds: dict[str, Audio]) -> None:
    class Alignment(BatchModel):
        def predict(self, batch: Any) -> list[Prediction]:
            return [Prediction(values={"alignment": self.score(request)}, scale="continuous") for request in batch]

        def score(self, request: Predict) -> float:
            if "lyrics" not in request.inputs:
                raise SampleError("no lyrics")
            assert request.audio is not None
            return len(request.audio.decode(8_000)) / 1000 + len(str(request.inputs["lyrics"]))

    with pytest.raises(ModelCheckError, match="no lyrics"):
        check_model(Alignment)
    requests = [Predict(inputs={"audio": sample_sounds["speech"], "lyrics": "la la"})]
    report = check_model(Alignment, requests=requests, long_seconds=2.0)
    assert {"predict.order", "predict.parity", "predict.damaged_sound"} <= {*report.passed}


def test_own_requests_are_sent_as_they_are(sample_sounds: dict[str, Audio]) -> None:
    texts: list[str] = []

    class Answers(BatchModel):
        def generate(self, batch: Any) -> list[Generation]:
            texts.extend(request.text for request in batch)
            return [Generation(text=request.text[::-1]) for request in batch]

    questions = ["Who?", "Where to?"]
    requests = [Generate(turns=(Turn("user", (sample_sounds["tone"], text)),)) for text in questions]
    report = check_model(Answers, requests=requests, long_seconds=2.0)
    assert "generate.order" in report.passed
    assert {text for text in texts if "\n" not in text} == {*questions}


def test_a_model_that_wants_the_context_gets_it() -> None:
    class InContext(Healthy):
        wants_context = True

        def answer(self, request: Generate) -> str:
            assert request.context["task"]
            return super().answer(request)

    assert check_model(InContext, long_seconds=2.0).failed == []


def test_the_model_is_closed_even_if_a_check_is_interrupted() -> None:
    closed = []

    class Interrupted(Healthy):
        def generate(self, batch: Any) -> list[Generation]:
            raise KeyboardInterrupt

        def close(self) -> None:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        check_model(Interrupted)
    assert closed == [True]

"""Plain functions and foreign classes as models."""

import asyncio
from typing import Any, cast

import pytest

from auricle import AsyncModel, Audio, BatchModel, Generate, Generation, Predict, Prediction, Turn
from auricle.core.errors import SampleError, SpecError
from auricle.models import abilities, adapt

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

import asyncio

import pytest

import auricle.testing
from auricle.core.errors import SampleError, Transient
from auricle.core.types import Generate, LogLikelihood, Predict, Turn
from auricle.media import Audio
from auricle.testing import Echo, FakeApi, FakeLabels, FakeReward
from auricle.testing.models import corrupt_words


def build_request(*parts: str | Audio) -> Generate:
    return Generate(turns=(Turn("user", parts),))


def test_echo_answers_with_the_words_of_the_file_name_or_the_text() -> None:
    recording, text = Echo().generate([build_request(Audio("good_morning.wav")), build_request("hello")])
    assert (recording.text, text.text) == ("good morning", "hello")
    assert Echo(reply="yes").generate([build_request("hello")])[0].text == "yes"


def test_echo_fails_on_a_reproducible_share_of_requests() -> None:
    def failures() -> list[str]:
        failed = []
        for number in range(200):
            try:
                Echo(fail=0.25).generate([build_request(f"number {number}")])
            except SampleError:
                failed.append(f"number {number}")
        return failed

    assert 30 < len(failures()) < 70
    assert failures() == failures()


def test_echo_scores_one_logprob_per_word() -> None:
    request = LogLikelihood(turns=(Turn("user", ("a",)),), continuation="two words")
    assert Echo().loglikelihood([request])[0].logprobs == (-0.5, -0.5)


def test_about_the_requested_share_of_words_is_wrong() -> None:
    text = " ".join(f"word{number}" for number in range(1000))
    wrong = [word for word in corrupt_words(text, 0.1).split() if word.startswith("not")]
    assert 70 < len(wrong) < 130
    assert corrupt_words(text, 0.0) == text


def test_every_nth_call_of_the_fake_api_fails_transiently() -> None:
    async def call_four_times() -> list[str]:
        model, results = FakeApi(delay=0, fail_every=2), []
        for _ in range(4):
            try:
                results.append((await model.generate(build_request("hi"))).text)
            except Transient as error:
                results.append(str(error))
        return results

    assert asyncio.run(call_four_times()) == ["hi", "429 Too Many Requests", "hi", "429 Too Many Requests"]


def test_fake_api_streams_words() -> None:
    async def collect() -> list[str]:
        return [word async for word in FakeApi(delay=0).stream(build_request("good morning"))]

    assert asyncio.run(collect()) == ["good ", "morning "]


def test_fake_labels_are_probabilities_that_depend_on_the_input() -> None:
    first, second = FakeLabels(labels="a,b,c").predict([Predict(inputs={"text": text}) for text in ("x", "y")])
    assert set(first.values) == {"a", "b", "c"}
    assert sum(first.values.values()) == pytest.approx(1)
    assert first.values != second.values


def test_fake_rewards_are_within_their_range() -> None:
    (prediction,) = FakeReward().predict([Predict(inputs={"text": "x"})])
    assert prediction.scale == "continuous"
    assert all(-5 <= value <= 5 for value in prediction.values.values())


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        getattr(auricle.testing, "Missing")  # noqa: B009

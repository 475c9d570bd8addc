"""The requests that checks send, and how they are answered alone and together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from auricle import Audio, Generate, Generation, Predict, load_model
from auricle.api import LoadedModel
from auricle.core.types import Request
from auricle.testing.conformance.report import CheckFailed, CheckSkipped
from auricle.testing.conformance.subject import CheckOptions, Subject, add_context, describe_request
from auricle.testing.samples import INSTRUCTIONS
from tests.testing.conformance.broken_models import Guesses, Healthy, RemembersHistory


@pytest.fixture
def healthy() -> Iterator[LoadedModel]:
    with load_model(Healthy) as loaded:
        yield loaded


def make_subject(loaded: LoadedModel, sounds: dict[str, Audio], *requests: Request, **options: Any) -> Subject:
    return Subject(loaded, Generate, sounds, CheckOptions(requests), **options)


def test_requests_differ_in_their_sounds(healthy: LoadedModel, sample_sounds: dict[str, Audio]) -> None:
    subject = make_subject(healthy, sample_sounds)
    assert [describe_request(request) for request in subject.requests] == [
        *("Generate(speech.wav)", "Generate(other_speech.wav)", "Generate(tone.wav)", "Generate(noise.wav)")
    ]
    assert len({request.text for request in subject.requests}) == 1


def test_requests_differ_in_their_texts_if_the_sound_does_not_matter(sample_sounds: dict[str, Audio]) -> None:
    class Reads(Healthy):
        def answer(self, request: Generate) -> str:
            return request.text

    with load_model(Reads) as loaded:
        assert [request.text for request in make_subject(loaded, sample_sounds).requests] == [*INSTRUCTIONS]


def test_a_batch_is_as_large_as_the_model_takes(sample_sounds: dict[str, Audio]) -> None:
    class Small(Healthy):
        batch_size = 3
        batch_seconds = 8.0

    with load_model(Small) as loaded:
        assert len(make_subject(loaded, sample_sounds).batch) == 2  # each is padded to 3.9 seconds


def test_a_sound_beyond_a_limit_is_skipped(sample_sounds: dict[str, Audio]) -> None:
    class Brief(Healthy):
        max_seconds = 5.0

    with load_model(Brief) as loaded:
        subject = make_subject(loaded, sample_sounds)
        with pytest.raises(CheckSkipped, match="accepts 5 s"):
            subject.with_sound("long")
        assert subject.with_sound("empty").audio == sample_sounds["empty"]


def test_a_request_that_fails_is_named(healthy: LoadedModel, sample_sounds: dict[str, Audio]) -> None:
    subject = make_subject(healthy, sample_sounds)
    with pytest.raises(CheckFailed, match=r"an output for Generate\(damaged\.flac\); got AudioError: .*damaged"):
        subject.send(subject.with_sound("damaged"))


def test_a_second_instance_distinguishes_chance_from_state(sample_sounds: dict[str, Audio]) -> None:
    for model, is_chance in ((Guesses, True), (RemembersHistory, False)):
        with load_model(model) as loaded:
            subject = make_subject(loaded, sample_sounds, load_again=lambda model=model: load_model(model))
            assert not subject.equal(subject.trial.first, subject.trial.repeated)
            assert subject.is_chance is is_chance


def test_a_model_gets_the_facts_that_it_asks_for(sample_sounds: dict[str, Audio]) -> None:
    class Greets(Healthy):
        wants_inputs = ("speaker",)

    request = Predict(inputs={"audio": sample_sounds["tone"]})
    with_speaker = add_context(request, Greets)
    assert isinstance(with_speaker, Predict)
    assert with_speaker.context == {"speaker": "the speaker of a sample"}
    assert add_context(request, Healthy) == request


def test_outputs_of_one_call_are_normalised(healthy: LoadedModel, sample_sounds: dict[str, Audio]) -> None:
    subject = make_subject(healthy, sample_sounds)
    assert subject.joint_outputs == subject.trial.singles
    assert all(type(output) is Generation for output in subject.joint_outputs)

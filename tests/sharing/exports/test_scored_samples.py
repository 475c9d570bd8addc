from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.calls import CallRecording, Event, EventKind
from auricle.core.types import Generation, Likelihood, Prediction, Record, Sample, Turn
from auricle.media import Audio
from auricle.sharing.exports.base import FinishedRun
from auricle.sharing.exports.scored_samples import (
    ScoredSample,
    is_higher_better,
    is_right,
    load_scored_samples,
    to_text,
)

DEFAULT_QUESTION = "Please transcribe the spoken content into written text."


def make_sample(*outputs: Generation | Prediction | Likelihood, target: object = None) -> ScoredSample:
    sample = Sample(id="1", inputs={"question": "a", "hint": "b"}, target=target)  # type: ignore[arg-type]
    return ScoredSample(Record(sample=sample, row=0, outputs=outputs), {})


def test_answered_samples_have_values_in_the_order_of_the_data(finished_run: FinishedRun) -> None:
    samples = load_scored_samples(finished_run, finished_run.metrics.overall)
    assert [sample.record.sample.id for sample in samples] == ["s0", "s1", "s2"]
    assert [sample.values["wer"] for sample in samples] == [1.0, 2.0, 8.0]  # one two three is the number 123
    assert [sample.texts for sample in samples] == [["one two"], ["three 4 five"], [DEFAULT_QUESTION]]
    assert samples[0].references == ["one two three"]
    assert samples[0].file_names == ["0.wav"]


def test_rewards_have_values(reward_run: Path) -> None:
    run = FinishedRun.load(reward_run)
    samples = load_scored_samples(run, run.metrics.overall)
    assert samples
    assert all(text.startswith("{") for sample in samples for text in sample.texts)


def test_a_target_with_several_answers_has_several_references() -> None:
    assert make_sample(target=["a", "b"]).references == ["a", "b"]
    assert make_sample(target={"a": 1}).references == ['{"a":1}']
    assert make_sample().references == []


def test_outputs_become_texts() -> None:
    sample = make_sample(
        Generation(text="x"), Prediction(values={"a": 0.5}, scale="logit"), Likelihood(logprobs=(-1.0,))
    )
    assert sample.texts == ["x", '{"a":0.5}', "[-1.0]"]
    assert sample.input_text == "a\nb"


def test_tokens_are_unknown_unless_all_are_stated() -> None:
    answer = Generation(text="x", tokens=2, input_tokens=10)
    assert make_sample(answer, answer).tokens == (20, 4)
    assert make_sample(answer, replace(answer, input_tokens=None)).tokens is None
    assert make_sample().tokens is None


def test_an_answer_is_right_if_its_value_is_the_best(finished_run: FinishedRun) -> None:
    number = finished_run.metrics["wer"]
    assert is_right(number, 0.0)
    assert not is_right(number, 1.0)
    assert is_right(replace(number, higher_is_better=True), 1.0)
    bias = replace(number, higher_is_better=True, optimum="zero")
    assert (is_right(bias, 0.0), is_right(bias, 1.0)) == (True, False)
    assert not any(is_right(replace(bias, optimum="none"), value) for value in (0.0, 1.0))


@pytest.mark.parametrize(("optimum", "expected"), [("", True), ("zero", None), ("none", None)])
def test_a_metric_without_a_direction_is_not_called_better_if_higher(
    finished_run: FinishedRun, optimum: str, expected: bool | None
) -> None:
    number = replace(finished_run.metrics["wer"], higher_is_better=True, optimum=optimum)
    assert is_higher_better(number) is expected


def test_texts_stay_unchanged() -> None:
    assert [to_text(value) for value in ("é", 1, [1, "a"])] == ["é", "1", '[1,"a"]']


def test_a_conversation_has_messages() -> None:
    turns = (Turn("system", ("Be brief.",)), Turn("user", ("Hello",)), Turn("user", ("Bye", Audio("x/bye.wav"))))
    sample = Sample(id="1", inputs={"turns": turns}, target=["Hi", "Bye"])
    record = Record(sample=sample, row=0, outputs=(Generation(text="Hi!"), Generation(text="See you.")))
    assert ScoredSample(record, {}).input_text == "Hello\nBye [audio bye.wav]"
    assert [(message["role"], message["content"]) for message in ScoredSample(record, {}).messages] == [
        ("system", "Be brief."),
        ("user", "Hello"),
        ("assistant", "Hi!"),
        ("user", "Bye [audio bye.wav]"),
        ("assistant", "See you."),
    ]


def test_a_live_call_has_messages_and_the_text_of_the_agent() -> None:
    event = Event(at=1.0, side="received", kind=EventKind.TRANSCRIPT, item="a", text="Booked.")
    call = CallRecording(events=(event,), caller=(), agent=(), seconds=2.0)
    sample = ScoredSample(Record(sample=Sample(id="1", inputs={}), row=0, outputs=(call,)), {})
    assert sample.texts == ["Booked."]
    assert sample.messages == [{"role": "assistant", "content": "Booked."}]


def test_a_single_question_has_no_messages() -> None:
    assert make_sample(Generation(text="x"), Generation(text="y")).messages == []

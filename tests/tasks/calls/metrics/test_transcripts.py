"""Word error rates of both sides."""

from typing import Any

import pytest

from auricle import Sample
from auricle.core.calls import EventKind
from auricle.tasks.calls.metrics.transcripts import agent_wer, caller_wer
from tests.tasks.calls.metrics.recordings import caller, happens, record

SAMPLE = Sample(id="1", inputs={})


def test_the_caller_is_compared_with_the_script() -> None:
    recording = record(
        caller(0, 1, step=0, text="Book a table"),
        caller(2, 3, "vocalise", step=1, text="ahem"),
        caller(4, 5, "interrupt", step=2, text="on Friday"),
        happens(1.5, EventKind.FINAL, item="a", text="book the table"),
        happens(5.5, EventKind.FINAL, item="b", text="on Friday."),
    )
    stat: Any = caller_wer.score(SAMPLE, recording)
    assert caller_wer.aggregate([stat]) == pytest.approx(1 / 5)


def test_a_model_that_does_not_report_what_it_understood_has_no_rate() -> None:
    assert caller_wer.score(SAMPLE, record(caller(0, 1, text="Book a table"))) is None


def test_the_agent_is_compared_with_the_expected_text_where_there_is_one() -> None:
    recording = record(happens(1, EventKind.TRANSCRIPT, item="a", text="We open at ten"))
    stat: Any = agent_wer.score(Sample(id="1", inputs={}, meta={"agent_text": "we open at nine"}), recording)
    assert agent_wer.aggregate([stat]) == 0.25
    assert agent_wer.score(SAMPLE, recording) is None

"""Underruns and truncations of calls that are made by hand."""

import pytest

from auricle import Sample
from auricle.core.calls import EventKind
from auricle.tasks.calls.metrics.playback import truncation_error, underruns
from tests.tasks.calls.metrics.recordings import agent, cut_speech, happens, record, speak

SAMPLE = Sample(id="1", inputs={})


def test_underruns_are_seconds_per_minute_of_speech() -> None:
    gaps = [happens(at, EventKind.UNDERRUN, seconds=0.6) for at in (1.0, 3.0)]
    stat = underruns.score(SAMPLE, record(*speak(0, 30, "a"), *gaps))
    assert stat is not None
    assert underruns.aggregate([stat]) == pytest.approx(2.4)


def test_underruns_of_models_that_report_no_ends_are_unknown() -> None:
    assert underruns.score(SAMPLE, record(agent(0, 3))) is None


def test_truncations_compare_what_the_model_believes_with_what_was_played() -> None:
    exact = happens(3.3, EventKind.TRUNCATED, item="a", seconds=1.2)
    wrong = happens(13.3, EventKind.TRUNCATED, item="b", seconds=6.0)
    recording = record(*cut_speech(2, 3.2, "a", planned=6), exact, *cut_speech(12, 13.2, "b", planned=6), wrong)
    stat = truncation_error.score(SAMPLE, recording)
    assert stat is not None
    assert truncation_error.aggregate([stat]) == pytest.approx(2.4)
    details = truncation_error.details([stat])
    assert (details["within_0.1s"], details["believed_more_seconds"]) == (1, 4.8)


def test_a_truncation_that_is_not_acknowledged_leaves_the_belief_unknown() -> None:
    recording = record(*cut_speech(2, 3.2, "a", planned=6), happens(3.2, EventKind.TRUNCATE, item="a", seconds=1.2))
    assert truncation_error.score(SAMPLE, recording) is None

"""The set of all metrics of conversations."""

import json

import pytest

from auricle import Metric, Sample
from auricle.metrics.calls.conversation import conversation
from tests.unit.metrics.calls.recordings import caller, cut_speech, record, speak

CALL = record(
    caller(0, 1, step=0, text="hello"),
    *cut_speech(2, 5.2, "a", planned=9),
    caller(5, 6, "interrupt", step=1),
    *speak(7, 12, "b"),
    caller(8, 8.3, "backchannel", step=2),
)


@pytest.mark.parametrize("metric", conversation, ids=lambda metric: metric.name)
def test_statistics_survive_being_stored_as_json(metric: Metric) -> None:
    stat = metric.score(Sample(id="1", inputs={}), CALL)
    if stat is not None:
        stored = json.loads(json.dumps(stat))
        assert metric.aggregate([stored]) == metric.aggregate([stat])
        assert metric.details([stored]) == metric.details([stat])
        json.dumps(metric.details([stat]))


@pytest.mark.parametrize("metric", conversation, ids=lambda metric: metric.name)
def test_a_call_in_which_nothing_happens_is_never_scored_as_perfect(metric: Metric) -> None:
    stat = metric.score(Sample(id="1", inputs={}), record(seconds=5))
    assert stat is None or metric.name == "silence_share"


def test_members_have_different_names_and_titles() -> None:
    assert len({metric.name for metric in conversation}) == len({metric.title for metric in conversation})
    assert len({metric.name for metric in conversation}) == len(conversation)

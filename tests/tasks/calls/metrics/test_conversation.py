"""The set of all metrics of conversations."""

import json

import pytest

from auricle import Metric, Sample
from auricle.tasks.calls.metrics.conversation import conversation
from tests.tasks.calls.metrics.recordings import caller, cut_speech, record, speak

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
    assert stat is None or metric.name in ("silence_share", "call_completion")


@pytest.mark.parametrize("name", ["call_completion", "task_success", "facts", "tool_calls", "response_rate"])
@pytest.mark.parametrize("has_begun", [True, False])
def test_a_dropped_call_is_in_every_rate_and_never_a_success(name: str, has_begun: bool) -> None:
    sample = Sample(id="1", inputs={}, target=[{"not_contains": ["zebra"]}, {"no_tool": {"name": "cancel"}}])
    begun = [caller(0, 1, step=0, text="hello"), *cut_speech(2, 3, "a", planned=9)]
    left = ("say",) if has_begun else ("say", "interrupt")
    dropped = record(*(begun if has_begun else []), seconds=3, finish="dropped", unreached=left)
    metric = next(metric for metric in conversation if metric.name == name)
    assert metric.aggregate([metric.score(sample, dropped)]) == 0.0


def test_drops_that_were_called_again_count_in_completion() -> None:
    completion = next(metric for metric in conversation if metric.name == "call_completion")
    stats = [completion.score(Sample(id="1", inputs={}), record(earlier_drops=drops)) for drops in (0, 2)]
    assert completion.aggregate(stats) == 0.5


def test_members_have_different_names_and_titles() -> None:
    assert len({metric.name for metric in conversation}) == len({metric.title for metric in conversation})
    assert len({metric.name for metric in conversation}) == len(conversation)

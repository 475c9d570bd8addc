"""Tool calls, facts and task success of calls with expectations."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from auricle import Metric, Sample
from auricle.core.calls import CallRecording, Event, EventKind
from auricle.core.errors import Unreadable
from auricle.core.types import Json
from auricle.metrics.intervals import compute_interval
from auricle.tasks.calls.metrics import success
from tests.tasks.calls.metrics.recordings import agent, cut_speech, happens, record


def call(name: str, **arguments: Json) -> Event:
    return happens(2.0, EventKind.TOOL_CALL, data={"name": name, "arguments": arguments})


def expect(*expectations: Json, **meta: Json) -> Sample:
    return Sample(id=f"{meta}", inputs={}, target=list(expectations), meta=meta)


def hold(text: str = "", *calls: Event) -> CallRecording:
    return record(agent(1, 5), happens(1, EventKind.TRANSCRIPT, item="a", text=text), *calls)


def tool(name: str, **arguments: Json) -> Json:
    return {"tool": {"name": name, "arguments": arguments}}


def compute(metric: Metric, sample: Sample, recording: CallRecording) -> float:
    stat: Any = metric.score(sample, recording)
    return metric.aggregate([stat])


# --- tool calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "met"),
    [
        ([call("book", day="Friday", people=4)], 1.0),
        ([call("book", day=" friday ", people=4.0, note="window")], 1.0),
        ([call("book", day="Saturday", people=4)], 0.0),
        ([call("book", people=4)], 0.0),
        ([call("cancel", day="Friday", people=4)], 0.0),
        ([], 0.0),
    ],
)
def test_a_call_needs_the_name_and_the_expected_arguments(calls: list[Event], met: float) -> None:
    assert compute(success.tool_calls, expect(tool("book", day="Friday", people=4)), hold("", *calls)) == met


def test_a_call_meets_one_expectation_only_and_the_most_specific_first() -> None:
    sample = expect(tool("book"), tool("book", day="Friday"))
    assert compute(success.tool_calls, sample, hold("", call("book", day="Friday"))) == 0.5
    both = hold("", call("book", day="Friday"), call("book", day="Monday"))
    assert compute(success.tool_calls, sample, both) == 1.0


def test_true_is_not_one() -> None:
    assert compute(success.tool_calls, expect(tool("set", on=True)), hold("", call("set", on=1))) == 0.0


def test_tools_that_must_not_be_called_count_too() -> None:
    sample = expect({"no_tool": {"name": "cancel"}})
    assert compute(success.tool_calls, sample, hold()) == 1.0
    assert compute(success.tool_calls, sample, hold("", call("cancel"))) == 0.0


def test_details_separate_wrong_arguments_from_missing_calls() -> None:
    sample = expect(tool("book", day="Friday"), tool("pay"))
    stat: Any = success.tool_calls.score(sample, hold("", call("book", day="Monday"), call("greet")))
    details = success.tool_calls.details([stat])
    assert (details["met"], details["expected"], details["called_with_other_arguments"]) == (0, 2, 1)
    assert (details["calls"], details["calls_not_expected"]) == (2, 2)


def test_conversations_without_expected_tools_are_not_scored() -> None:
    assert success.tool_calls.score(expect({"contains": ["nine"]}), hold("nine")) is None


# --- facts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expectation", "met"),
    [
        ({"contains": ["ten", "Nine"]}, 1.0),
        ({"contains": ["in"]}, 0.0),  # whole words
        ({"not_contains": ["ten"]}, 1.0),
        ({"not_contains": ["nine"]}, 0.0),
        ({"matches": ["(nine|9) +o.clock"]}, 1.0),
        ({"matches": ["^nine"]}, 0.0),
    ],
)
def test_facts_are_looked_for_in_the_transcript(expectation: Json, met: float) -> None:
    assert compute(success.facts, expect(expectation), hold("It opens at nine o'clock.")) == met


def test_words_that_were_never_played_state_no_facts() -> None:
    text = "flour, sugar, butter, eggs, milk, vanilla, almonds and cinnamon"
    written = happens(2, EventKind.TRANSCRIPT, item="a", text=text)
    stopped = record(written, *cut_speech(2, 3.03, "a", planned=11, sent_at_once=False))
    sample = expect({"contains": ["cinnamon"]})
    stats = [success.facts.score(sample, stopped)]
    assert success.facts.aggregate(stats) == 0.0
    assert success.facts.details(stats) == {"met": 0, "expected": 1, "met_by_what_was_spoken": 1}
    assert compute(success.task_success, sample, stopped) == 0.0


def test_facts_of_an_agent_without_transcript_are_unknown_rather_than_missing() -> None:
    with pytest.raises(Unreadable, match="no transcript"):
        success.facts.score(expect({"contains": ["nine"]}), record(agent(1, 2)))


def test_a_silent_agent_states_no_facts() -> None:
    assert compute(success.facts, expect({"contains": ["nine"]}), record()) == 0.0


# --- tasks ----------------------------------------------------------------------------------------


def test_a_task_succeeds_if_all_expectations_are_met() -> None:
    sample = expect(tool("book"), {"contains": ["nine"]})
    assert compute(success.task_success, sample, hold("at nine", call("book"))) == 1.0
    assert compute(success.task_success, sample, hold("at ten", call("book"))) == 0.0
    assert compute(success.task_success, sample, hold("at nine")) == 0.0


def test_a_task_without_rules_is_neither_success_nor_failure() -> None:
    assert success.task_success.score(Sample(id="1", inputs={}), hold("hello")) is None
    assert success.task_success.score(expect({"judge": ["It is polite."]}), hold("hello")) is None


def average_all_subsets(outcomes: Sequence[Sequence[int]], k: int) -> float:
    """Average over conversations how many subsets of k repetitions have only successes."""
    shares = [[all(subset) for subset in itertools.combinations(repeats, k)] for repeats in outcomes]
    return sum(sum(share) / len(share) for share in shares) / len(shares)


def to_stats(outcomes: Sequence[Sequence[int]]) -> list[tuple[str, str, float]]:
    return [
        (f"c{task}", f"c{task}.{number}", float(outcome))
        for task, repeats in enumerate(outcomes)
        for number, outcome in enumerate(repeats)
    ]


OUTCOMES = [(1, 1, 1, 1), (1, 1, 0, 1), (0, 0, 1, 0), (1, 0, 1, 0), (1, 1, 1, 1, 0)]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_pass_hat_k_is_the_share_of_all_subsets_of_repetitions(k: int) -> None:
    assert success.PassHatK(k)(to_stats(OUTCOMES)) == pytest.approx(average_all_subsets(OUTCOMES, k))


def test_conversations_with_too_few_repetitions_are_left_out() -> None:
    assert success.PassHatK(5)(to_stats(OUTCOMES)) == 0.0  # only the last has five
    assert math.isnan(success.PassHatK(6)(to_stats(OUTCOMES)))


def test_the_interval_of_pass_hat_k_is_over_conversations() -> None:
    stats = to_stats(OUTCOMES)
    clusters = np.array([int(conversation[1:]) for conversation, _, _ in stats])
    interval = compute_interval(stats, success.PassHatK(2), clusters=clusters)
    without = [success.PassHatK(2)(to_stats(OUTCOMES[:i] + OUTCOMES[i + 1 :])) for i in range(len(OUTCOMES))]
    weighted = success.PassHatK(2).prepare_weighted(stats)
    assert [weighted((clusters != unit).astype(float)) for unit in range(5)] == pytest.approx(without)
    assert interval.units == 5
    assert 0 < interval.low < success.PassHatK(2)(stats) < interval.high < 1


def test_repetitions_of_a_conversation_are_scored_together() -> None:
    metric = success.task_success_pass2
    sample = expect(tool("book"), conversation="lunch", repeat=1)
    assert metric.score(sample, hold("", call("book"))) == ("lunch", sample.id, 1.0)
    assert metric.score(expect(tool("book"), conversation="lunch"), hold("", call("book"))) is None
    details = metric.details(to_stats(OUTCOMES))
    assert (details["conversations"], details["fewest_repeats"]) == (5, 4)
    assert details["pass^1"] == pytest.approx(average_all_subsets(OUTCOMES, 1))

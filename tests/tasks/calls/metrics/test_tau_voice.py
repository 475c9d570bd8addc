"""τ-voice's metrics against a second implementation that follows its definitions tick by tick."""

import random
from collections import Counter

import pytest

from auricle import Sample
from auricle.tasks.calls.metrics.tau_voice import count_tau_events, tau_response_latency_mean, tau_voice
from auricle.tasks.calls.metrics.ticks import Effect, EffectKind, Tick
from tests.tasks.calls.metrics.recordings import agent, caller, record


def runs(track: str) -> list[tuple[int, int]]:
    """Return where a track is not `.`."""
    starts = [i for i, mark in enumerate(track) if mark != "." and (i == 0 or track[i - 1] == ".")]
    return [(start, next((i for i in range(start, len(track)) if track[i] == "."), len(track))) for start in starts]


NAMES = {"b": "backchannel", "t": "vocal_tic", "n": "non_directed_speech"}


def count_by_hand(user: str, agent_track: str, effects: str) -> Counter[str]:
    """Count events of three tracks: `u` for speech, `b` for backchannels, `a` for the agent, `t` and `n` for effects.

    It uses no segments or ticks of Auricle, only positions in strings.
    """
    if len(user) > 1 and user[-1] != "." and user[-2] == ".":
        user, agent_track, effects = user[:-1], agent_track[:-1], effects[:-1]
    counts = count_responses(user, agent_track) + count_reactions(user, agent_track, effects)
    counts += count_outside(user, agent_track, effects)
    counts["agent_interruption"] = sum(user[start] != "." for start, _ in runs(agent_track))
    return counts


def count_responses(user: str, agent_track: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    eligible = [(s, e) for s, e in runs(user) if user[s] != "b" and (agent_track + ".")[e] == "."]
    for _, end in eligible:
        agent_next = min((s for s, _ in runs(agent_track) if s >= end), default=10**6)
        user_next = min((s for s, _ in eligible if s >= end), default=10**6)
        if agent_next == user_next == 10**6:
            continue
        responds = agent_next <= user_next
        counts["response" if responds else "no_response"] += 1
        counts["response_ticks"] += agent_next - end if responds else 0
    return counts


def count_reactions(user: str, agent_track: str, effects: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for start, end in runs(user):
        inside = effects[start:end]
        effect = "t" if "t" in inside else "n" if "n" in inside else ""
        if agent_track[start] == "." and effect:
            counts[judge_silence(effect, start, end, agent_track)] += 1
        elif agent_track[start] == "a":
            kind = "b" if user[start] == "b" else effect
            window = agent_track[start : start + (5 if kind else 10)]
            names = (f"{NAMES[kind]}_error", f"{NAMES[kind]}_correct") if kind else ("yield", "no_yield")
            counts[names["." not in window]] += 1
            counts["yield_ticks"] += 0 if kind else max(0, window.find("."))
    return counts


def count_outside(user: str, agent_track: str, effects: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for mark in "tn":
        outside = "".join(mark if e == mark and u == "." else "." for e, u in zip(effects, user, strict=True))
        for start, end in runs(outside):
            if agent_track[start] == ".":
                counts[judge_silence(mark, start, end, agent_track)] += 1
            elif "." in (agent_track + ".")[start : start + 6]:
                counts[f"{NAMES[mark]}_error"] += 1
    return counts


def judge_silence(effect: str, start: int, end: int, agent_track: str) -> str:
    speaks = any(start <= s <= end + 10 for s, _ in runs(agent_track))
    return f"{NAMES[effect]}_{'error' if speaks else 'correct'}"


def make_track(rng: random.Random, marks: str, silence: int, speech: int, size: int) -> str:
    track = ""
    while len(track) < size:
        track += "." * rng.randint(1, silence) + rng.choice(marks) * rng.randint(1, speech)
    return track[:size]


EFFECT_KINDS: dict[str, EffectKind] = {"t": "vocal_tic", "n": "non_directed_speech"}


def to_ticks(user: str, agent_track: str, effects: str) -> list[Tick]:
    return [
        Tick(u != ".", a != ".", u == "b", frozenset({Effect(EFFECT_KINDS[e])} if e != "." else ()))
        for u, a, e in zip(user, agent_track, effects, strict=True)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_counts_equal_those_of_a_second_implementation(seed: int) -> None:
    rng = random.Random(seed)
    tracks = (
        make_track(rng, "uuub", 20, 15, 600),
        make_track(rng, "a", 15, 30, 600),
        make_track(rng, "tn", 40, 3, 600),
    )
    assert +count_tau_events(to_ticks(*tracks)) == +count_by_hand(*tracks)


def test_random_calls_have_events_of_all_kinds() -> None:
    rng = random.Random(0)
    tracks = (
        make_track(rng, "uuub", 20, 15, 5000),
        make_track(rng, "a", 15, 30, 5000),
        make_track(rng, "tn", 40, 3, 5000),
    )
    assert all(count > 0 for count in count_by_hand(*tracks).values())
    assert len(count_by_hand(*tracks)) == 13


def test_latencies_are_means_of_whole_ticks_pooled_over_calls() -> None:
    sample = Sample(id="1", inputs={})
    calls = (
        record(caller(0, 1, step=0), agent(1.5, 3), caller(4, 5, step=1), agent(5.9, 7), seconds=8),
        record(caller(0, 1), agent(3, 4), seconds=5),
    )
    stats = [tau_response_latency_mean.score(sample, call) for call in calls]
    # 1.5 is in the tick that begins at 1.4, and 5.9 in that at 5.8.
    assert tau_response_latency_mean.aggregate(stats) == pytest.approx((0.4 + 0.8 + 2.0) / 3)


def test_a_call_without_events_has_none_of_the_numbers() -> None:
    sample = Sample(id="1", inputs={})
    assert all(metric.score(sample, record(seconds=5)) is None for metric in tau_voice)


def test_names_are_those_of_tau_voice() -> None:
    assert [metric.name for metric in tau_voice] == [
        "tau_response_latency_mean",
        "tau_yield_latency_mean",
        "tau_response_rate",
        "tau_yield_rate",
        "tau_agent_interruption_rate",
        "tau_selectivity_backchannel",
        "tau_selectivity_vocal_tic",
        "tau_selectivity_non_directed",
    ]

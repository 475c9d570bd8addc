"""What the simulated player plays, and when."""

from __future__ import annotations

import numpy as np
import pytest

from auricle.core.calls import Event, EventKind, Truncate
from auricle.tasks.calls.live.player import Player
from tests.support.voice_agents import RATE, tone


def make_player(**options: float) -> Player:
    return Player(RATE, **options)  # type: ignore[arg-type]


def log(player: Player) -> list[tuple[str, str, float, float | None]]:
    events = sorted(player.list_events(), key=lambda event: event.at)
    return [(event.kind.value, event.item, round(event.at, 6), event.seconds) for event in events]


def underruns(player: Player) -> list[Event]:
    return [event for event in player.list_events() if event.kind is EventKind.UNDERRUN]


def test_audio_that_comes_early_is_played_in_turn() -> None:
    player = make_player()
    player.add("a", tone(1.0), at=2.0)
    player.add("b", tone(2.0), at=2.1)
    assert player.end == 5.0
    assert log(player) == [
        ("playback_started", "a", 2.0, None),
        ("playback_ended", "a", 3.0, None),
        ("playback_started", "b", 3.0, None),
        ("playback_ended", "b", 5.0, None),
    ]
    assert player.spans == [(2.0, 5.0)]


def test_silence_at_the_ends_of_audio_is_not_speech() -> None:
    player = make_player()
    player.add("a", tone(1.0, lead=0.3, tail=0.5), at=2.0)
    assert player.spans == [(2.3, 3.3)]
    assert player.end == 3.8


def test_short_silences_are_pauses_and_long_ones_separate_spans() -> None:
    player = make_player()
    for seconds in (0.02, 0.1, 0.29, 0.5):
        player.add("a", tone(1.0, tail=seconds), at=0.0)
    assert player.spans == [(0.0, 4.41)]
    assert [end - start for start, end in player.pauses] == [pytest.approx(0.1), pytest.approx(0.29)]
    player.add("a", tone(1.0), at=0.0)
    assert player.spans[1] == (4.91, 5.91)


def test_a_flush_drops_what_was_not_played() -> None:
    player = make_player()
    player.add("a", tone(1.0), at=0.0)
    player.add("b", tone(3.0), at=0.0)
    player.add("c", tone(3.0), at=0.0)
    assert player.flush(at=1.5) == [Truncate("b", 0.5), Truncate("c", 0.0)]
    assert player.spans == [(0.0, 1.5)]
    assert np.count_nonzero(player.make_track(4.0)) == 1.5 * RATE
    assert log(player) == [
        ("playback_started", "a", 0.0, None),
        ("playback_ended", "a", 1.0, None),
        ("playback_started", "b", 1.0, None),
        ("playback_flushed", "b", 1.5, 0.5),
        ("playback_flushed", "c", 1.5, 0.0),
    ]


def test_a_flush_when_all_was_played_is_none() -> None:
    player = make_player()
    player.add("a", tone(1.0), at=0.0)
    assert player.flush(at=1.0) == []
    assert ("playback_flushed", "a", 1.0, 1.0) not in log(player)


def test_an_item_that_goes_on_after_a_flush_starts_again() -> None:
    player = make_player()
    player.add("a", tone(2.0), at=0.0)
    player.flush(at=1.0)
    player.add("a", tone(1.0), at=2.0)
    assert player.count_played("a") == 2.0
    assert player.spans == [(0.0, 1.0), (2.0, 3.0)]
    assert [kind for kind, *_ in log(player)] == [
        "playback_started",
        "playback_flushed",
        "playback_started",
        "playback_ended",
    ]


def test_a_pause_inside_a_response_is_an_underrun() -> None:
    player = make_player()
    player.start_response()
    player.add("a", tone(1.0), at=0.0)
    player.add("a", tone(1.0), at=1.25)
    (underrun,) = underruns(player)
    assert (underrun.at, underrun.seconds, underrun.item) == (1.0, 0.25, "a")
    assert player.end == 2.25


def test_a_pause_between_responses_or_after_a_flush_is_no_underrun() -> None:
    player = make_player()
    player.start_response()
    player.add("a", tone(1.0), at=0.0)
    player.end_response()
    player.start_response()
    player.add("b", tone(1.0), at=2.0)
    player.flush(at=2.5)
    player.add("b", tone(1.0), at=4.0)
    assert not underruns(player)


def test_without_responses_underruns_are_not_known() -> None:
    player = make_player()
    player.add("", tone(1.0), at=0.0)
    player.add("", tone(1.0), at=5.0)
    assert not underruns(player)


def test_a_prebuffer_delays_the_start_of_each_response() -> None:
    player = make_player(prebuffer=0.5)
    for start in (1.0, 5.0):
        player.start_response()
        player.add("a", tone(1.0), at=start)
        player.add("a", tone(1.0), at=start + 1.2)
        player.end_response()
    assert player.spans == [(1.5, 3.5), (5.5, 7.5)]
    assert not underruns(player)


def test_underruns_are_those_of_load_tests() -> None:
    from auricle.perf.measures import compute_underruns
    from auricle.perf.request_records import RaggedArray

    random = np.random.default_rng(7)
    for _ in range(50):
        seconds = random.integers(1, 20, 12) / 20
        arrivals = np.cumsum(random.integers(0, 20, 12) / 20) + 1.0
        player = make_player()
        player.start_response()
        for at, length in zip(arrivals, seconds, strict=True):
            player.add("a", tone(length), at)
        starts = np.array([0, len(arrivals)])
        columns = type("Columns", (), {})()
        columns.audio_chunk_times = RaggedArray(arrivals, starts)
        columns.audio_chunk_seconds = RaggedArray(seconds, starts)
        longest, total = compute_underruns(columns)
        pauses = [event.seconds or 0.0 for event in underruns(player)]
        assert sum(pauses) == pytest.approx(total[0])
        assert max(pauses, default=0.0) == pytest.approx(longest[0])


def test_the_track_ends_with_the_call() -> None:
    player = make_player()
    player.add("a", tone(5.0), at=1.0)
    player.stop(at=3.0)
    assert len(player.make_track(3.0)) == 3 * RATE
    assert player.spans == [(1.0, 3.0)]
    assert [kind for kind, *_ in log(player)] == ["playback_started"]


@pytest.mark.parametrize(("at", "is_ended"), [(1.6, True), (1.2, False)])
def test_an_item_is_played_to_its_end_if_a_call_ends_in_the_silence_after_it(at: float, is_ended: bool) -> None:
    player = Player(rate=1000)
    player.add("a", np.concatenate([np.full(500, 900, np.int16), np.zeros(1000, np.int16)]), at=1.0)
    player.stop(at)
    assert [event.at for event in player.list_events() if event.kind is EventKind.PLAYBACK_ENDED] == [at] * is_ended

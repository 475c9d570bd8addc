"""Which words of an agent were heard."""

from typing import Any

import pytest

from auricle.core.calls import EventKind
from auricle.core.heard_speech import join_heard, list_spoken_items
from tests.tasks.calls.metrics.recordings import agent, cut_speech, happens, record, speak

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"


def writes(item: str, text: str, at: float) -> Any:
    return happens(at, EventKind.TRANSCRIPT, item=item, text=text)


def heard(*parts: Any, **fields: Any) -> str:
    return join_heard(record(*parts, **fields))


def test_text_that_runs_ahead_of_its_audio_is_heard_at_the_pace_of_people() -> None:
    stopped = cut_speech(2, 3.03, "a", planned=11, sent_at_once=False)
    assert heard(writes("a", LONG, 2.0), *stopped) == "one two three"


def test_text_is_heard_at_the_pace_of_what_the_agent_spoke_completely() -> None:
    slow = [writes("a", "one two three four", 0.0), *speak(0, 4, "a")]  # a word per second
    stopped = [writes("b", LONG, 10.0), *cut_speech(10, 13, "b", planned=17, sent_at_once=False)]
    assert heard(*slow, *stopped) == "one two three four one two three"


def test_text_that_came_with_its_audio_is_not_cut_twice() -> None:
    stopped = cut_speech(2, 5.6, "a", planned=8, sent_at_once=False)
    assert heard(writes("a", "one two", 2.0), *stopped) == "one two"


def test_nothing_is_cut_if_only_silence_was_dropped() -> None:
    everything = [
        agent(2, 4),
        happens(2, EventKind.AUDIO, item="a", seconds=3.0),
        happens(2, EventKind.PLAYBACK_STARTED, item="a"),
        happens(2.1, EventKind.RESPONSE_DONE, data={"status": "completed"}),
        happens(4.5, EventKind.PLAYBACK_FLUSHED, item="a", seconds=2.5, data={"audible_dropped": 0.0}),
    ]
    assert heard(writes("a", LONG, 2.0), *everything) == LONG


def test_words_that_were_spoken_are_kept_beside_those_that_were_heard() -> None:
    (item,) = list_spoken_items(record(writes("a", "one two three four", 2.0), *cut_speech(2, 3, "a", planned=2)))
    assert (item.start, item.heard, item.unheard) == (2, "one two", "three four")


@pytest.mark.parametrize(("seconds", "count"), [(3.0, 5), (2.45, 2)])
def test_scripts_without_blanks_are_cut_by_characters(seconds: float, count: int) -> None:
    text = "我们营业到九点半"
    stopped = cut_speech(2, seconds, "a", planned=9, sent_at_once=False)
    assert heard(writes("a", text, 2.0), *stopped) == text[:count]


def test_what_a_dropped_call_cuts_off_was_not_heard() -> None:
    audio = happens(2, EventKind.AUDIO, item="a", seconds=4.0)
    playback = happens(2, EventKind.PLAYBACK_STARTED, item="a")
    assert heard(writes("a", LONG, 2.0), agent(2, 3), audio, playback, seconds=3, finish="dropped") == "one two three"

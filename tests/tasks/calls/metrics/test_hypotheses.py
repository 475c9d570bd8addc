"""What a recogniser had understood at each time."""

import itertools

import pytest

from auricle import Sample
from auricle.core.calls import EventKind
from auricle.tasks.calls.metrics.hypotheses import (
    TimedWord,
    count_common_prefix,
    list_emissions,
    list_hypotheses,
    list_timed_words,
    match_prefix,
    match_words,
    shows_revisions,
    speech_interval,
)
from tests.tasks.calls.metrics.recordings import caller, happens, record


def test_texts_replace_those_of_their_segment_and_the_last_is_what_was_understood() -> None:
    recording = record(
        happens(1.0, EventKind.PARTIAL, item="a", text="he"),
        happens(1.5, EventKind.PARTIAL, item="b", text="world"),
        happens(2.0, EventKind.FINAL, item="a", text="hello"),
    )
    assert [(item.at, item.text) for item in list_hypotheses(recording)] == [
        (1.0, "he"),
        (1.5, "he world"),
        (2.0, "hello world"),
    ]
    assert list_hypotheses(recording)[-1].text == recording.understood


@pytest.mark.parametrize(
    ("kind", "observable"),
    [
        ("transcription.delta", False),
        ("conversation.item.input_audio_transcription.delta", False),
        ("inputTranscription", False),
        ("interimInputTranscription", True),
        ("partial", True),
    ],
)
def test_revisions_of_protocols_that_only_append_cannot_be_observed(kind: str, observable: bool) -> None:
    assert shows_revisions(record(happens(1, EventKind.PARTIAL, type=kind, text="a"))) is observable


def test_without_partials_no_revision_can_be_observed() -> None:
    assert not shows_revisions(record(happens(1, EventKind.FINAL, text="a")))


def test_speech_begins_and_ends_with_what_is_audible() -> None:
    assert speech_interval(record(caller(0.5, 2, step=0), caller(3, 4, step=0), caller(5, 6, "noise"))) == (0.5, 4)
    assert speech_interval(record()) is None


def test_word_times_are_moved_to_the_clock_of_the_call() -> None:
    sample = Sample(id="1", inputs={}, meta={"words": [["Don't", 0.4, 0.7], ["go", 0.8, 1.0]]})
    recording = record(happens(10.0, EventKind.STEP_STARTED, data={"step": 0, "lead": 0.4}))
    words = list_timed_words(sample, recording, lambda text: text.lower().split("'"))
    assert [word.word for word in words] == ["don", "t", "go"]
    assert [word.end for word in words] == pytest.approx([10.3, 10.3, 10.6])


def test_rows_without_words_have_no_word_times() -> None:
    started = record(happens(0, EventKind.STEP_STARTED, data={}))
    assert list_timed_words(Sample(id="1", inputs={}), started, str.split) == []
    assert list_timed_words(Sample(id="1", inputs={}, meta={"words": "a b"}), started, str.split) == []


def test_partial_texts_are_aligned_with_the_beginning_of_the_reference() -> None:
    reference = ["the", "dog", "saw", "the", "cat"]
    assert match_prefix(reference, ["the", "cat"]) == {0}
    assert match_prefix(reference, ["the", "dog", "was", "the"]) == {0, 1, 3}
    assert match_prefix(reference, ["dog", "saw"]) == {1, 2}
    assert match_prefix(reference, []) == set()
    assert 4 in match_words(reference, ["the", "cat"])


def test_alignment_is_with_the_best_of_all_beginnings() -> None:
    def distance(a: tuple[str, ...], b: tuple[str, ...]) -> int:
        if not a or not b:
            return len(a) + len(b)
        return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))

    reference = tuple("abab")
    for words in itertools.product("abc", repeat=3):
        costs = [distance(reference[:length], words) for length in range(5)]
        matched = match_prefix(reference, words)
        length = max(index for index, cost in enumerate(costs) if cost == min(costs))
        # Words that match are neither substituted nor deleted.
        assert length - len(matched) <= min(costs)
        assert all(index < length for index in matched)


def test_delays_are_to_the_first_text_with_a_word_and_to_the_first_of_those_that_keep_it() -> None:
    reference = [TimedWord("a", 1.0), TimedWord("b", 2.0), TimedWord("c", 3.0)]
    hypotheses = [(1.3, ["a"]), (2.1, ["a", "b"]), (2.5, ["a", "x"]), (3.5, ["a", "b"])]
    assert list_emissions(reference, hypotheses) == [pytest.approx((0.3, 0.3)), pytest.approx((0.1, 1.5))]
    assert list_emissions(reference, []) == []


def test_words_that_are_guessed_ahead_have_negative_delays() -> None:
    assert list_emissions([TimedWord("a", 1.0)], [(0.4, ["a"])]) == [pytest.approx((-0.6, -0.6))]


def test_common_prefixes_are_counted() -> None:
    assert [count_common_prefix("abc", other) for other in ("", "abd", "abc", "abcd")] == [0, 2, 3, 3]

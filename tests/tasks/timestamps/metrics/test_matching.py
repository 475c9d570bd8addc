"""Matching of words, against all alignments of short sequences."""

import random
from collections.abc import Iterator, Sequence

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Segment
from auricle.tasks.timestamps.metrics import matching
from auricle.tasks.timestamps.metrics.matching import TimedWord, WordPair, match_words, normalise_words


def list_alignments(
    reference: Sequence[TimedWord], hypothesis: Sequence[TimedWord]
) -> Iterator[tuple[int, tuple[WordPair, ...]]]:
    """Yield the edits and the equal pairs of every alignment."""
    if not reference or not hypothesis:
        yield len(reference) + len(hypothesis), ()
        return
    is_equal = reference[0].word == hypothesis[0].word
    pair = (WordPair(reference[0], hypothesis[0]),) if is_equal else ()
    for edits, pairs in list_alignments(reference[1:], hypothesis[1:]):
        yield edits + (not is_equal), pair + pairs
    for edits, pairs in list_alignments(reference[1:], hypothesis):
        yield edits + 1, pairs
    for edits, pairs in list_alignments(reference, hypothesis[1:]):
        yield edits + 1, pairs


def rate(edits: int, pairs: Sequence[WordPair]) -> tuple[int, int, int]:
    return edits, -len(pairs), sum(abs(pair.start_error) + abs(pair.end_error) for pair in pairs)


def draw_words(generator: random.Random, size: int) -> tuple[TimedWord, ...]:
    starts = sorted(generator.sample(range(100), size))
    return tuple(
        TimedWord(generator.choice("ab"), start * 1000, (start + generator.randrange(5)) * 1000) for start in starts
    )


def test_the_alignment_is_the_best_of_all() -> None:
    generator = random.Random(3)
    for _ in range(150):
        reference, hypothesis = (draw_words(generator, generator.randrange(6)) for _ in range(2))
        best = min(rate(edits, pairs) for edits, pairs in list_alignments(reference, hypothesis))
        pairs = match_words(reference, hypothesis)
        assert rate(best[0], pairs) == best
        assert all(pair.reference.word == pair.hypothesis.word for pair in pairs)
        assert (best[0], pairs) in list(list_alignments(reference, hypothesis))


def test_of_two_equal_words_the_nearer_one_is_matched() -> None:
    reference = (TimedWord("no", 0, 200), TimedWord("no", 500, 700))
    assert match_words(reference, (TimedWord("no", 30, 230),))[0].reference.start == 0
    assert match_words(reference, (TimedWord("no", 480, 690),))[0].reference.start == 500


def test_a_wrong_word_is_not_measured() -> None:
    reference = tuple(TimedWord(word, at * 1000, at * 1000 + 500) for at, word in enumerate(["the", "cat", "sat"]))
    hypothesis = tuple(TimedWord(word, at * 1000, at * 1000 + 500) for at, word in enumerate(["the", "bat", "sat"]))
    assert [pair.reference.word for pair in match_words(reference, hypothesis)] == ["the", "sat"]


def test_more_matches_are_preferred_among_equally_many_edits() -> None:
    reference = TimedWord("a", 0, 1), TimedWord("b", 10, 11)
    hypothesis = TimedWord("b", 900, 901), TimedWord("c", 910, 911)
    assert len(match_words(reference, hypothesis)) == 1


def test_no_words_have_no_pairs() -> None:
    assert match_words((), (TimedWord("a", 0, 1),)) == match_words((TimedWord("a", 0, 1),), ()) == ()


def test_words_are_normalised_and_bare_punctuation_is_left_out() -> None:
    segments = [Segment(0, 0.1, "Hello,"), Segment(0.1, 0.1, "–"), Segment(0.2, 0.3, " World ")]
    words = normalise_words(segments, lambda text: text.lower().strip(",– "))
    assert words == (TimedWord("hello", 0, 100_000), TimedWord("world", 200_000, 300_000))


def test_too_many_words_fail_only_their_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MAX_CELLS", 3)
    words = tuple(TimedWord(str(number), number, number) for number in range(2))
    with pytest.raises(SampleError, match="too many words to align: 2 and 2"):
        match_words(words, words[::-1])


@pytest.mark.parametrize("time", [1e300, -1e9])
def test_absurd_times_fail_only_their_sample(time: float) -> None:
    with pytest.raises(SampleError, match="is not in any recording"):
        normalise_words([Segment(0.0, time, "a")], str)

"""Error rates and text matches."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle import Generation, Metric, Sample
from auricle.core.types import Json
from auricle.metrics.capabilities import Bounded, Profiled, ReadsAnswer, Tokenized
from auricle.metrics.targets import reference_texts
from auricle.tasks.asr.error_rates import (
    cer,
    contains,
    count_errors,
    count_errors_with_joins,
    empty,
    exact_match,
    mer,
    wer,
)
from auricle.text import get_profile


def stats(metric: Metric, *pairs: tuple[Json, str]) -> list[Any]:
    return [metric.score(Sample(id="x", inputs={}, target=target), Generation(text=text)) for target, text in pairs]


def test_wer_is_pooled_and_the_utterance_mean_is_a_detail() -> None:
    scored = stats(wer, ("yes", "no"), ("a b c d e f g h i", "a b c d e f g h i"))
    assert wer.aggregate(scored) == pytest.approx(0.1)
    assert wer.details(scored)["utterance_mean"] == pytest.approx(0.5)


def test_the_bounds_of_an_error_rate_are_silence_and_the_reference() -> None:
    sample = Sample(id="x", inputs={}, target="Hello, you")
    assert isinstance(wer, Bounded)
    assert wer.bounds(sample) == ((0, 2, 0, 2, 1.0, 1.0), (0, 0, 0, 2, 0.0, 1.0))
    assert wer.badness((1, 2, 1, 8, 0.5, 1.0)) == 0.5
    assert wer.badness((0, 0, 3, 0, 0.0, 0.0)) == 3.0
    assert wer.bounds(replace(sample, target=7)) == ((0, 1, 0, 1, 1.0, 1.0), (0, 0, 0, 1, 0.0, 1.0))
    assert isinstance(wer, Tokenized)
    assert wer.tokenize("Hello, you") == ["hello", "you"]
    assert isinstance(wer, ReadsAnswer)
    assert wer.read_answer(sample, Generation(text="Hello!")) == "hello"


def test_words_without_a_reference_are_insertions() -> None:
    scored = stats(wer, ("", "hello you"), ("a b", "a b"))
    assert wer.aggregate(scored) == pytest.approx(1.0)
    assert wer.details(scored)["insertions"] == 2
    assert wer.details(scored)["utterance_mean"] == 0.0
    assert wer.details(stats(wer, ("", "hello you"), ("a b", "a c")))["utterance_mean"] == 0.5


def test_insertions_on_silence_are_counted_apart_and_part_of_the_pooled_rate() -> None:
    """Of 4 reference words none is wrong, but 3 words are inserted in two of three silent samples."""
    scored = stats(wer, ("a b c d", "a b c d"), ("", "thank you"), ("...", "bye"), ("", ""))
    assert wer.aggregate(scored) == pytest.approx(3 / 4)
    assert wer.details(scored)["silence"] == {"samples": 3, "with_insertions": 2, "insertions": 3}
    assert "silence" not in wer.details(stats(wer, ("a b", "a b c")))
    assert math.isnan(wer.aggregate(stats(wer, ("", "thank you"))))


def test_character_and_mixed_error_rates_count_their_own_units() -> None:
    assert cer.aggregate(stats(cer, ("abcd", "abce"))) == pytest.approx(1 / 4)
    assert mer.aggregate(stats(mer, ("我想听 Hello Kitty", "我想 hello kitty"))) == pytest.approx(1 / 5)


def test_characters_are_counted_without_the_spaces_that_a_normaliser_leaves_at_the_ends() -> None:
    assert get_profile("whisper-en")("ok%") == "ok "
    assert isinstance(cer, Profiled)
    english = cer.with_profile("whisper-en")
    assert stats(english, ("ok%", "ok")) == [(0, 0, 0, 2, 0.0, 1.0)]
    assert cer.with_profile("none").aggregate(stats(cer.with_profile("none"), ("a  b", "a b"))) == jiwer.cer(
        "a  b", "a b"
    )


def test_characters_of_spoken_numbers_are_those_of_words() -> None:
    assert isinstance(cer, Profiled)
    english = cer.with_profile("whisper-en")
    assert english.signature == "cer:2.pooled.whisper-en+spelled:2"
    assert (
        english.aggregate(stats(english, ("seven", "heaven"), ("nine", "9")))
        == jiwer.cer("seven nine", "heaven nine") * 10 / 9
    )
    assert cer.with_profile("whisper-en+spelled").signature == english.signature
    assert isinstance(wer, Profiled)
    assert wer.with_profile("whisper-en").signature == "wer:1.pooled.whisper-en:2"


def test_another_profile_changes_the_signature_and_the_rate() -> None:
    assert isinstance(wer, Profiled)
    unnormalised = wer.with_profile("none")
    assert unnormalised.signature == "wer:1.pooled.none:1"
    assert unnormalised.aggregate(stats(unnormalised, ("Hello.", "hello"))) == 1.0
    assert wer.aggregate(stats(wer, ("Hello.", "hello"))) == 0.0


@pytest.mark.parametrize(
    ("target", "answer", "equal", "contained"),
    [
        ("Paris", "paris!", 1.0, 1.0),
        (["Paris", "Rome"], "It is Rome.", 0.0, 1.0),
        ("no", "notice", 0.0, 0.0),
        ("北京", "是北京吗", 0.0, 1.0),
        ("", "anything", 0.0, 0.0),
    ],
)
def test_answers_match_any_reference(target: Json, answer: str, equal: float, contained: float) -> None:
    assert stats(exact_match, (target, answer)) == [equal]
    assert stats(contains, (target, answer)) == [contained]


def test_whitespace_is_an_empty_answer() -> None:
    assert stats(empty, ("a", " \n"), ("a", "b")) == [1.0, 0.0]


def test_a_target_is_one_reference_or_a_list() -> None:
    assert reference_texts(7) == ["7"]
    assert reference_texts(["a", 7]) == ["a", "7"]


WORDS = st.lists(st.sampled_from(["a", "b", "ab", "c", "abc"]), max_size=8)


def test_substitutions_deletions_and_insertions_are_counted() -> None:
    assert count_errors("abcd", "abxde") == (1, 0, 1)
    assert count_errors(["a"], []) == (0, 1, 0)
    assert count_errors([], ["a"]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "errors"),
    [
        ("the white paper is here", "the whitepaper was here", 1),
        ("the whitepaper is here", "the white paper is here", 0),
        ("a b c d", "abc x", 1),
        ("ab cd", "a bc d", 3),
        ("never the less", "nevertheless nevertheless", 1),
        ("one two", "", 2),
        ("b c a", "abc", 3),
        ("abc", "b c a", 3),
        ("a b", "a b ab", 1),
        ("a b", "a b c ab", 2),
        ("a b ab", "a b", 1),
        ("a b c ab", "a b", 2),
    ],
)
def test_joined_and_split_words_match_at_no_cost(reference: str, hypothesis: str, errors: int) -> None:
    assert sum(count_errors_with_joins(reference.split(), hypothesis.split())) == errors


def test_without_compounds_joins_change_nothing() -> None:
    reference, hypothesis = ["the", "cat", "sat", "on", "the", "mat"], ["a", "cat", "sits", "on", "mat", "now"]
    assert count_errors_with_joins(reference, hypothesis) == count_errors(reference, hypothesis)


@given(WORDS, WORDS)
def test_joins_never_add_errors(reference: list[str], hypothesis: list[str]) -> None:
    assert sum(count_errors_with_joins(reference, hypothesis)) <= sum(count_errors(reference, hypothesis))


def align_with_joins(reference: tuple[str, ...], hypothesis: tuple[str, ...]) -> tuple[int, int, int]:
    """Return total errors, deletions and insertions of the cheapest alignment, by trying every last step."""

    @cache
    def cheapest(row: int, column: int) -> tuple[int, int, int]:
        if not row and not column:
            return 0, 0, 0
        steps = []
        if row:
            total, deletions, insertions = cheapest(row - 1, column)
            steps.append((total + 1, deletions + 1, insertions))
        if column:
            total, deletions, insertions = cheapest(row, column - 1)
            steps.append((total + 1, deletions, insertions + 1))
        if row and column:
            total, deletions, insertions = cheapest(row - 1, column - 1)
            steps.append((total + (reference[row - 1] != hypothesis[column - 1]), deletions, insertions))
            starts = range(row - 1)
            steps += [cheapest(i, column - 1) for i in starts if "".join(reference[i:row]) == hypothesis[column - 1]]
            starts = range(column - 1)
            steps += [cheapest(row - 1, i) for i in starts if "".join(hypothesis[i:column]) == reference[row - 1]]
        return min(steps)

    return cheapest(len(reference), len(hypothesis))


@settings(deadline=None, max_examples=300)
@given(WORDS, WORDS)
def test_joins_give_the_cheapest_alignment(reference: list[str], hypothesis: list[str]) -> None:
    substitutions, deletions, insertions = count_errors_with_joins(reference, hypothesis)
    total = substitutions + deletions + insertions
    expected = align_with_joins(tuple(reference), tuple(hypothesis))
    assert total == expected[0]
    if total < sum(count_errors(reference, hypothesis)):
        assert (total, deletions, insertions) == expected


def test_long_texts_do_not_mix_up_the_counts() -> None:
    reference = ["white", "paper"] + [f"r{number}" for number in range(300)]
    assert count_errors_with_joins(reference, ["whitepaper"]) == (0, 300, 0)
    assert count_errors_with_joins(["whitepaper"], reference) == (0, 0, 300)


def test_a_match_with_another_profile_is_the_same_metric() -> None:
    assert isinstance(exact_match, Profiled)
    strict = exact_match.with_profile("none")
    assert (strict.name, strict.title, strict.profile) == ("exact_match", "Exact match", "none")
    assert [*stats(strict, ("Yes", "yes"), ("yes", "yes"))] == [0.0, 1.0]

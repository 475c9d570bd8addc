"""Error rates and text matches."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle import Generation, Metric, Sample
from auricle.core.types import Json
from auricle.metrics.error_rates import (
    cer,
    contains,
    count_errors,
    count_errors_with_joins,
    empty,
    exact_match,
    mer,
    reference_texts,
    wer,
)


def stats(metric: Metric, *pairs: tuple[Json, str]) -> list[Any]:
    return [metric.score(Sample(id="x", inputs={}, target=target), Generation(text=text)) for target, text in pairs]


def test_wer_is_pooled_and_the_utterance_mean_is_a_detail() -> None:
    scored = stats(wer, ("yes", "no"), ("a b c d e f g h i", "a b c d e f g h i"))
    assert wer.aggregate(scored) == pytest.approx(0.1)
    assert wer.details(scored)["utterance_mean"] == pytest.approx(0.5)


def test_words_without_a_reference_are_insertions() -> None:
    scored = stats(wer, ("", "hello you"), ("a b", "a b"))
    assert wer.aggregate(scored) == pytest.approx(1.0)
    assert wer.details(scored)["insertions"] == 2
    assert wer.details(scored)["utterance_mean"] == 0.0


def test_character_and_mixed_error_rates_count_their_own_units() -> None:
    assert cer.aggregate(stats(cer, ("abcd", "abce"))) == pytest.approx(1 / 4)
    assert mer.aggregate(stats(mer, ("我想听 Hello Kitty", "我想 hello kitty"))) == pytest.approx(1 / 5)


def test_another_profile_changes_the_signature_and_the_rate() -> None:
    assert wer.with_profile
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


def test_a_match_with_another_profile_is_the_same_metric() -> None:
    assert exact_match.with_profile
    strict = exact_match.with_profile("none")
    assert (strict.name, strict.title, strict.profile) == ("exact_match", "Exact match", "none")
    assert [*stats(strict, ("Yes", "yes"), ("yes", "yes"))] == [0.0, 1.0]

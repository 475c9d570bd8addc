"""The boundary between context and continuation, and windows of long inputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Likelihood, LogLikelihood, Turn
from auricle.models.token_boundary import (
    ContextWindow,
    ScoringInput,
    append_continuation,
    check_scorable,
    join_likelihoods,
    move_trailing_space,
    score_all_tokens,
    split_chat_request,
    split_trailing_space,
)


def test_merged_token_at_the_boundary_is_scored() -> None:
    assert append_continuation([1, 2, 3], [1, 2, 3], [1, 2, 9, 4]) == ScoringInput((1, 2, 9, 4), 2)


def test_audio_tokens_of_the_context_are_kept() -> None:
    assert append_continuation([1, 7, 7, 7, 2], [1, 7, 2], [1, 7, 2, 5]) == ScoringInput((1, 7, 7, 7, 2, 5), 5)


def test_continuation_without_context_is_refused() -> None:
    with pytest.raises(SampleError, match="the continuation has no context"):
        append_continuation([], [], [5])
    with pytest.raises(SampleError, match="only one token"):
        score_all_tokens([5])


def test_trailing_space_moves_to_the_continuation() -> None:
    assert split_trailing_space("It is \n") == ("It is", " \n")
    turns = (Turn("user", ("Where?",)), Turn("assistant", ("In ",)))
    moved, continuation = move_trailing_space(turns, "Paris")
    assert moved[-1].parts == ("In",)
    assert continuation == " Paris"
    assert move_trailing_space(turns[:1], "Paris") == (turns[:1], "Paris")


def test_white_space_before_a_continuation_is_dropped_where_it_begins_a_message() -> None:
    question, prefix = Turn("user", ("Where?",)), Turn("assistant", ("In",))
    assert split_chat_request(LogLikelihood(turns=(question,), continuation=" A")) == ((question,), "A")
    assert split_chat_request(LogLikelihood(turns=(question, prefix), continuation=" A"))[1] == " A"
    assert split_chat_request(LogLikelihood(turns=(), continuation=" A")) == ((), " A")
    assert split_chat_request(LogLikelihood(turns=(question,), continuation=" "))[1] == " "
    whole = LogLikelihood(turns=(question,), continuation=" A", include_context=True)
    assert split_chat_request(whole) == ((question,), " A")


def test_requests_that_cannot_be_scored_are_refused() -> None:
    with pytest.raises(SampleError, match="the continuation is empty"):
        check_scorable(LogLikelihood(turns=(), continuation=""))
    turns = (Turn("user", (Audio("a.wav"),)),)
    with pytest.raises(SampleError, match="audio has no token log-probabilities"):
        check_scorable(LogLikelihood(turns=turns, continuation="x", include_context=True))


@given(length=st.integers(2, 60), size=st.integers(1, 20), stride=st.integers(1, 20))
def test_windows_score_every_token_once(length: int, size: int, stride: int) -> None:
    windows = ContextWindow(size, min(stride, size)).split(ScoringInput(range(length), 1))
    scored = [token for window in windows for token in window.tokens[window.score_from :]]
    assert scored == list(range(1, length))
    assert all(len(window.tokens) <= size + 1 for window in windows)


def test_window_options_are_checked() -> None:
    assert ContextWindow.from_options("m", 100, None, None) == ContextWindow(100, 50)
    with pytest.raises(SpecError, match="window=101 exceeds the model's limit of 100 tokens"):
        ContextWindow.from_options("m", 100, 101, None)


def test_joined_likelihood_is_greedy_only_if_all_parts_are() -> None:
    parts = [Likelihood(logprobs=(-1.0,), greedy=True), Likelihood(logprobs=(-2.0,), greedy=False)]
    assert join_likelihoods(parts) == Likelihood(logprobs=(-1.0, -2.0), greedy=False)

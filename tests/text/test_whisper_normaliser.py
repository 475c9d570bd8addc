"""The fast path of the Whisper normaliser equals the library."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.core.errors import SpecError, Unreadable
from auricle.text import split_words, whisper_normaliser
from auricle.text.whisper_normaliser import (
    _normalise_fast,
    create_normaliser,
    normalise_whisper,
    normalise_whisper_in_full,
)

pytestmark = pytest.mark.slow

LIBRARY = create_normaliser()

ORDINARY = split_words("the quick brown fox knows that we are all in this house together with you")
BRITISH = ["colour", "honour", "analyse", "theatre", "programme", "mr", "dr", "st", "prof"]
FILLED_PAUSES = ["uh", "um", "hmm", "mm", "mhm", "uh's", "um't", "uh've"]
CONTRACTIONS = split_words(
    "don't can't won't it's he's he'd they're i'm i've y'all ma'am o'clock rock'n'roll let's ain't "
    "i'ma imma gonna gotta wanna cause one's she'd'a been gone done got 'tis dogs' 's 't cause's"
)
NUMBERS = split_words(
    "one two ten twenty hundred thousand first second third half point double triple and per "
    "percent cent cents dollar dollars pound minus plus negative zero oh o ones sixes twenties a"
)
DIGITS = ["5", "3.5", "$2", "20%", "1,000", "3rd", "10s", "1", "7th", "€5", "0.5", "¢20", "b2b"]
MARKS = ["...", "..", ".", ",", "-", "--", "_", "&", "?", "!", '"', ":", ";", "é", "naïve", "’", "²"]
BRACKETED = ["[noise]", "(laughs)", "<unk>", "(", ")", "[", "<"]
LIBRARY_WORDS = sorted(
    {pattern.replace(r"\b", "") for pattern in LIBRARY.replacers} | LIBRARY.standardize_numbers.words
)


def sentences(*word_lists: list[str]) -> st.SearchStrategy[str]:
    """Generate sentences of these words with all kinds of separators."""
    pieces = st.tuples(
        st.sampled_from([word for words in word_lists for word in words]),
        st.sampled_from([" ", " ", " ", " ", ", ", ". ", "-", "", "\n", "  "]),
        st.sampled_from(["lower", "upper", "title"]),
    )
    return st.lists(pieces, max_size=10).map(
        lambda chosen: "".join(change_case(word, case) + separator for word, separator, case in chosen)
    )


def change_case(word: str, case: str) -> str:
    return {"upper": word.upper(), "title": word.title()}.get(case, word)


def normalise_or_none(normalise: Callable[[str], str], text: str) -> str | None:
    """Return the normalised text, or None if the normaliser fails."""
    try:
        return normalise(text)
    except (AssertionError, TypeError, ValueError, Unreadable):
        return None


@settings(max_examples=200, deadline=None)
@given(sentences(ORDINARY, BRITISH, FILLED_PAUSES, CONTRACTIONS, NUMBERS, DIGITS, MARKS, BRACKETED, LIBRARY_WORDS))
def test_it_equals_the_library_on_mixed_words(text: str) -> None:
    assert normalise_or_none(normalise_whisper, text) == normalise_or_none(LIBRARY, text)


@settings(max_examples=200, deadline=None)
@given(sentences(ORDINARY, ORDINARY, BRITISH, FILLED_PAUSES, CONTRACTIONS, ["and", "percent"]))
def test_it_equals_the_library_on_the_fast_path(text: str) -> None:
    assert normalise_whisper(text) == LIBRARY(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_it_equals_the_library_on_arbitrary_text(text: str) -> None:
    assert normalise_or_none(normalise_whisper, text) == normalise_or_none(LIBRARY, text)


@pytest.mark.parametrize("frame", ["{0}", "we {0} and {0} dogs", "he's {0}"])
def test_it_equals_the_library_on_each_word_of_its_tables(frame: str) -> None:
    for word in [*LIBRARY_WORDS, *LIBRARY.standardize_spellings.mapping]:
        text = frame.format(word)
        assert normalise_or_none(normalise_whisper, text) == normalise_or_none(LIBRARY, text)


@pytest.mark.parametrize(
    "text",
    [
        "AND SO MY FELLOW AMERICANS ASK NOT WHAT YOUR COUNTRY CAN DO FOR YOU",
        "Mr. Quilter isn't the apostle of the middle classes, and we're glad.",
        "um, well: the colour of dollars and cents",
    ],
)
def test_ordinary_sentences_use_the_fast_path(text: str) -> None:
    assert _normalise_fast(text.lower()) == LIBRARY(text)


@pytest.mark.parametrize("text", ["twenty one", "room 5", "[noise] hello", "he's been", "he's gotta", "wait..", "café"])
def test_sentences_with_dependent_words_do_not_use_the_fast_path(text: str) -> None:
    assert _normalise_fast(text.lower()) is None


def test_a_library_rule_across_words_disables_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    library = create_normaliser()
    library.replacers[r"\bof course\b"] = "certainly"
    monkeypatch.setattr(whisper_normaliser, "_load_library", lambda: library)
    whisper_normaliser._build_expander.cache_clear()
    whisper_normaliser._completer_pattern.cache_clear()
    try:
        assert normalise_whisper("of course we are") == "certainly we are"
    finally:
        whisper_normaliser._build_expander.cache_clear()
        whisper_normaliser._completer_pattern.cache_clear()


def test_a_text_on_which_the_library_fails_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="Whisper normaliser"):
        normalise_whisper_in_full("9" * 5000)


@pytest.mark.parametrize("text", ["the cause of it", "kinda late", "sorta", "i dunno"])
def test_contractions_that_openai_does_not_expand_stay(text: str) -> None:
    assert normalise_whisper(text) == normalise_whisper_in_full(text) == text


def test_a_release_with_other_tables_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = create_normaliser()
    changed.standardize_spellings.mapping["colour"] = "colur"
    monkeypatch.setattr(whisper_normaliser, "create_normaliser", lambda: changed)
    with pytest.raises(SpecError, match="pip install whisper-normalizer==0"):
        whisper_normaliser._load_library.__wrapped__()

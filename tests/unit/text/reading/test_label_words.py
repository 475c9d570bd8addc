"""Words for common labels in ten languages."""

import pytest

from auricle.text.reading.label_words import LANGUAGES, label_words, word_forms
from auricle.text.reading.languages import TABLES
from tests.support import reading_cases

EMOTIONS = ("angry", "happy", "sad", "neutral")
SOUNDS = ("speech", "music", "noise")
ANIMALS = ("dog", "cat", "bird")
COUNTS = ("two", "three", "four")
TRANSLATED = {
    EMOTIONS: {
        "听起来很伤心。": "sad",
        "話者は怒っている。": "angry",
        "화난 목소리입니다.": "angry",
        "Die Stimme klingt traurig.": "sad",
        "Elle est en colère.": "angry",
        "La voz suena enojada.": "angry",
        "Ele parece feliz.": "happy",
        "È una voce triste.": "sad",
        "Голос звучит радостно.": "happy",
        "Il n'est pas en colère, il est triste.": "sad",
        "Emotion: Freude": "happy",
        "Elle n'est pas triste.": None,
        "Sie klingt wütend oder traurig.": None,
    },
    ("Freude", "Wut", "Trauer"): {"He sounds angry.": "Wut", "Der Sprecher ist wütend.": "Wut", "生气": "Wut"},
    SOUNDS: {
        "Das ist Musik.": "music",
        "これは音楽です。": "music",
        "Это шум.": "noise",
        "Si sente il parlato.": "speech",
    },
    ANIMALS: {
        "Chien.": "dog",
        "Se oyen dos perros.": "dog",
        "Мы слышим собаку.": "dog",
        "Si sentono dei cani.": "dog",
        "这是狗叫声。": "dog",
        "The two friends chat for a while.": None,
        "Pero no lo sé.": None,
    },
    ("male", "female"): {"男性": "male", "여자입니다.": "female", "Es ist ein Mann.": "male"},
    ("English", "German"): {"Man hört Englisch.": "English", "Говорят по-немецки.": "German", "英语": "English"},
    ("yes", "no"): {"Sim.": "yes", "不是。": "no", "Nein.": "no"},
}
COUNTED = {
    COUNTS: {
        "3": "three",
        "Es sind drei Sprecher.": "three",
        "There are 3 speakers.": "three",
        "Drei Personen.": "three",
        "At 3 seconds a dog barks.": None,
        "Speaker 3 is the loudest.": None,
        "There are at least 3.": None,
        "It is not 3.": None,
        "Two men and a woman.": "two",
    },
    ("once", "twice", "three times"): {"Total: three.": "three times", "Der Hund bellt zweimal.": "twice"},
    ("10分钟", "20分钟"): {"约二十分钟。": "20分钟", "十分钟": "10分钟"},
    ("10 minutes", "20 minutes"): {"10min": "10 minutes", "It takes twenty minutes.": "20 minutes"},
    ("4 p.m.", "5 p.m."): {"The train leaves at 5pm.": "5 p.m."},
    ("20%", "30%"): {"It is 30%.": "30%", "About 30 percent.": "30%"},
    ("violão", "piano"): {"É um violao.": "violão"},
}


def test_every_language_with_phrasings_has_words_for_labels() -> None:
    assert set(LANGUAGES) == set(TABLES)


def test_a_word_stands_for_one_label_in_its_language() -> None:
    words = [(language, word) for label in label_words() for language in LANGUAGES for word in label[language]]
    assert len(words) == len(set(words)) > 1_000


def test_words_have_plurals_and_other_endings() -> None:
    assert list(word_forms("cane", "it")) == ["cane", "cani"]
    assert "traurige" in word_forms("traurig", "de")
    assert list(word_forms("犬", "ja")) == ["犬"]


@pytest.mark.parametrize(("labels", "reply", "expected"), reading_cases.parameters(TRANSLATED))
def test_common_labels_are_read_in_other_languages(labels: tuple[str, ...], reply: str, expected: str | None) -> None:
    assert reading_cases.label(labels, reply) == expected


@pytest.mark.parametrize(("labels", "reply", "expected"), reading_cases.parameters(COUNTED))
def test_numbers_and_units_may_be_written_otherwise(labels: tuple[str, ...], reply: str, expected: str | None) -> None:
    assert reading_cases.label(labels, reply) == expected


def test_a_number_stands_for_the_option_with_this_value_not_for_its_position() -> None:
    assert reading_cases.option(COUNTS, "3") == "B"
    assert reading_cases.option(("a dog", "a cat", "a bird"), "3") == "C"

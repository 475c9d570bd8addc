"""Statements, refusals, and yes or no."""

from collections.abc import Sequence

import pytest

from auricle.text import Strength, read_label, read_option, read_yes_no

SOUNDS = ("a dog", "a cat", "rain")
EMOTIONS = ("happy", "sad", "angry")


@pytest.mark.parametrize(
    "reply",
    [
        "A cat is meowing.",
        "I hear a cat, not a dog.",
        "It might be large at first, but it is a cat.",
        "The sound is a cat, whatever the words 'not an animal' mean.",
    ],
)
def test_a_clause_that_names_one_option_states_it(reply: str) -> None:
    reading = read_option(reply, SOUNDS)
    assert (reading.value, reading.strength) == (1, Strength.STATEMENT)


@pytest.mark.parametrize(
    "reply",
    [
        "It is not a cat.",
        "It might be a cat.",
        "Is it a cat?",
        "If it had fur, it would be a cat.",
        "The dog is louder than the cat.",
        "It is a dog and a cat.",
        "It is a cat. Perhaps it is a dog.",
        "It is a cat, or",
        'She says "I saw a cat yesterday".',
        "It is anything but a cat.",
        "Everything but a cat is heard.",
        "It is a cat, perhaps.",
        "A cat is asleep but the dog is",
    ],
)
def test_denied_doubted_compared_and_quoted_options_are_not_stated(reply: str) -> None:
    assert read_option(reply, SOUNDS).value is None


@pytest.mark.parametrize(
    ("labels", "reply"),
    [
        (EMOTIONS, "De spreker is niet happy."),
        (EMOTIONS, "Talaren är inte happy."),
        (("glad", "trist"), "Taleren er ikke glad."),
        (("щасливий", "сумний"), "Він не щасливий."),
        (("خوشحال", "غمگین"), "گوینده خوشحال نیست."),
        (("มีความสุข", "เศร้า"), "ผู้พูดไม่มีความสุข"),
    ],
)
def test_statements_in_languages_without_a_table_are_not_read(labels: Sequence[str], reply: str) -> None:
    assert read_label(reply, labels).value is None


@pytest.mark.parametrize(
    ("labels", "reply", "label"),
    [
        (("mutlu", "üzgün"), "Konuşmacının sesi üzgün geliyor.", "üzgün"),
        (("mutlu", "üzgün"), "Konuşmacı mutlu görünmüyor.", None),
        (("senang", "sedih"), "Emosi pembicara adalah sedih.", "sedih"),
        (("senang", "sedih"), "Pembicara kurang senang.", None),
        (("vui", "buồn"), "Người nói đang buồn.", "buồn"),
        (("vui", "buồn"), "Người nói đâu có vui.", None),
        (("खुश", "दुखी"), "वक्ता दुखी है।", "दुखी"),
        (("سعيد", "حزين"), "المتحدث حزين.", "حزين"),
    ],
)
def test_sentences_in_languages_with_a_small_table_have_only_its_words(
    labels: Sequence[str], reply: str, label: str | None
) -> None:
    assert read_label(reply, labels).value == label


@pytest.mark.parametrize(
    ("labels", "reply", "label"),
    [
        (("高兴", "愤怒"), "说话人的情绪是愤怒。", "愤怒"),
        (("高兴", "愤怒"), "他说他很高兴。", None),
        (("落ち着き", "興奮"), "話者は興奮しています。", "興奮"),
        (("사과", "배"), "사과는 아닙니다.", None),
        (("glücklich", "wütend"), "Der Sprecher ist keineswegs wütend.", None),
    ],
)
def test_words_of_subjects_and_options_neither_deny_nor_doubt(
    labels: Sequence[str], reply: str, label: str | None
) -> None:
    assert read_label(reply, labels).value == label


@pytest.mark.parametrize("reply", ["Svar: glad", "glad", '{"svar": "glad"}'])
def test_structure_and_whole_replies_are_read_in_any_language(reply: str) -> None:
    assert read_label(reply, ("glad", "trist")).value == "glad"


def test_numbers_of_a_calculation_are_not_stated() -> None:
    assert read_option("So there are 8 groups with 6 games: 8 × 6 = 48 games.", ("28", "48")).value is None
    assert read_option("There are 48 games.", ("28", "48")).value == 1


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but there is no audio. I would be happy to help.",
        "Insufficient information.",
        "It is difficult to determine the emotion.",
        "抱歉，我没有收到音频。",
        "申し訳ありませんが、音声がありません。",
    ],
)
def test_a_refusal_is_no_answer(reply: str) -> None:
    reading = read_label(reply, EMOTIONS)
    assert (reading.value, reading.refused) == (None, True)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Yes, a dog is barking.", True),
        ("No, there is only rain, but it is loud.", False),
        ("Oui, on entend un chien.", True),
        ("没有，里面只有雨声。", False),
        ("The answer is yes.", True),
    ],
)
def test_yes_or_no_is_read_at_the_beginning_or_after_a_marker(reply: str, value: bool) -> None:
    assert read_yes_no(reply).value is value


@pytest.mark.parametrize(
    "reply",
    [
        "I have no idea whether there is a dog.",
        "It is not clear.",
        "There is no way of telling.",
        "Not enough information.",
        "No doubt it is a dog.",
        "Yes, but there is no dog.",
        "Yes and no.",
        '"No, stop it", she says.',
        "Yes? No!",
    ],
)
def test_words_for_yes_and_no_that_answer_nothing_are_not_read(reply: str) -> None:
    assert read_yes_no(reply).value is None

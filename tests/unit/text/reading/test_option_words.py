"""Options whose words a reply uses in other forms or in another order."""

import pytest

from auricle.text import read_option
from auricle.text.reading.option_words import find_word_mentions
from auricle.text.reading.result import Strength
from auricle.text.reading.rules import rules_for_languages

PLANS = ["go to the cinema", "cook dinner", "visit a friend", "stay home"]


@pytest.mark.parametrize(
    ("reply", "choices", "expected"),
    [
        ("They decide on visiting a friend.", PLANS, 2),
        ("They are not visiting a friend.", PLANS, None),
        ("Più di due volte.", ["una volta", "due volte", "tre volte"], None),
        ("They talk of cooking, but they visit some friends.", PLANS, None),
        ("Weil sie den Bus verpasst hat.", ["Sie hat den Bus verpasst", "Sie hat verschlafen"], 0),
        ("Ils restent à la maison.", ["aller au cinéma", "rester à la maison"], 1),
        ("Aveva perso l'autobus.", ["ha perso l'autobus", "si è svegliata tardi"], 0),
    ],
)
def test_an_option_is_read_if_a_clause_has_all_its_words_and_none_of_the_others(
    reply: str, choices: list[str], expected: int | None
) -> None:
    assert read_option(reply, choices).value == expected


def test_such_a_reading_is_weak() -> None:
    assert read_option("They decide on visiting a friend.", PLANS).strength is Strength.WEAK


def test_a_reply_without_spaces_between_words_has_no_such_mention() -> None:
    assert list(find_word_mentions("他们去看电影", (("去看电影",), ("做饭",)), rules_for_languages(("zh",)), [])) == []

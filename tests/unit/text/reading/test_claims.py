"""The option that is the answer where a reply claims several."""

from collections.abc import Sequence

import pytest

from auricle.text import read_label, read_option

SOUNDS = ("speech", "music", "noise", "silence")
ANIMALS = ("una vaca", "un gallo", "un burro", "una cabra")


@pytest.mark.parametrize(
    ("labels", "reply", "expected"),
    [
        (SOUNDS, "There is some noise in the distance, but it is mostly speech.", "speech"),
        (SOUNDS, "Someone mentions music. The clip itself, however, is speech.", "speech"),
        (("敲门", "鼓声"), "听着像敲门，其实是鼓声。", "鼓声"),
        (("regen", "wind"), "Man hört etwas wind, doch es ist der regen.", "regen"),
        (SOUNDS, "It is speech, but with a touch of music.", None),
        (SOUNDS, "It could be speech, but music is just as likely.", None),
        (SOUNDS, "Speech can be heard, but also music.", None),
        (SOUNDS, "It is speech, but maybe music.", None),
    ],
)
def test_the_option_after_but_is_the_answer_unless_it_is_added_or_doubted(
    labels: Sequence[str], reply: str, expected: str | None
) -> None:
    assert read_label(reply, labels).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Respuesta: B. Perdón, me equivoqué, es D.", 3),
        ("Diría el burro... ah no, perdón, es una vaca.", 0),
        ("Respuesta: B. La D es otra cosa.", 1),
    ],
)
def test_a_correction_replaces_a_stated_option(reply: str, expected: int) -> None:
    assert read_option(reply, ANIMALS).value == expected


def test_an_option_alone_in_a_sentence_after_a_list_of_the_others_is_the_answer() -> None:
    assert (
        read_label("Speech, music and noise are there from the start. Then silence sets in.", SOUNDS).value == "silence"
    )
    assert read_label("Speech, music, noise and silence alternate. Then silence sets in.", SOUNDS).value is None


def test_an_option_that_is_negated_later_in_its_clause_is_not_claimed() -> None:
    topics = ("über den Preis", "über das Personal")
    assert read_option("Über den Preis verliert er kein Wort. Er redet über das Personal.", topics).value == 1


@pytest.mark.parametrize(
    "reply",
    [
        "There is speech, although the main sound is music.",
        "It consists of speech in the first half and music in the second half.",
    ],
)
def test_an_option_is_withdrawn_if_a_dropped_clause_asserts_another(reply: str) -> None:
    assert read_label(reply, SOUNDS).value is None

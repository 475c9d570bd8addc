"""Numbers from free-form replies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.text import read_number
from tests.support import reading_cases
from tests.support.reading_cases import REFUSED


def show_reply(value: object) -> str | None:
    """Name a test case after its reply."""
    return ascii(value) if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("[[4]]", 4),
        ("Score: 4/5", 4),
        ("4 out of 5", 4),
        ("**Rating:** 4.5", 4.5),
        ('{"score": 4}', 4),
        ("\\boxed{42}", 42),
        ("I give 3, no, 4.", 4),
        ("The score is 2. Wait, the score is 3.", 3),
        ("Score: 4. There are 3 issues.", 4),
        ("On a scale of 1 to 10, I rate it 7.", 7),
        ("评分：8分（满分10分）", 8),
        ("满分10分，我给8分", 8),
        ("-3.5", -3.5),
        ("−3", -3),
        ("1,234", 1234),
        ("50%", 50),
        (".5", 0.5),
        ("1e3", 1000),
        ("3-5", None),
        ("<think>5</think>4", 4),
        ("1e999", None),
        ("3rd place", None),
        ("MP3", None),
        ("none", None),
        ("", None),
    ],
    ids=show_reply,
)
def test_a_number_is_extracted_from_a_reply(reply: str, expected: float | None) -> None:
    assert read_number(reply).value == expected


@settings(deadline=None)
@given(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))
def test_any_number_is_extracted_unchanged(value: float) -> None:
    assert read_number(f"Score: {value}").value == value
    assert read_number(f"I would give {value}.").value == value


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I hear 2 dropouts and 3 clicks.", None),
        ("There are 2 cuts. A one.", None),
        ("Es gibt 3 Aussetzer.", None),
        ("Il y a 2 coupures.", None),
        ("Hay 3 cortes y ruido.", None),
        ("Há 3 falhas.", None),
        ("Ci sono 3 interruzioni.", None),
        ("Слышно 3 щелчка.", None),
        ("有3处杂音。", None),
        ("3回途切れます。", None),
        ("3번 끊깁니다.", None),
        ("I'd say 3, or possibly 4.", None),
        ("Ich würde 3 sagen, oder auch 4.", None),
        ("Diría 3, o tal vez 4.", None),
        ("Direi 3, o forse 4.", None),
        ("Diria 3, ou talvez 4.", None),
        ("Скажу 3, или даже 4.", None),
        ("3分，或是4分。", None),
        ("3点、あるいは4点。", None),
        ("3점 혹은 4점.", None),
        ("3... wait, there is more noise later.", None),
        ("It depends: 4 for clarity, 2 for noise.", None),
        ("If you ignore the noise, 4; otherwise, 2.", None),
        ("4 seems fair.", 4.0),
        ("4 is right.", 4.0),
        ("2 artefacts are audible; I'd give it a 4.", 4.0),
        ("I would not go above 3.", None),
        ("Anything but 5.", None),
        ("Clarity 4, noise 2.", None),
        ("I'd rather not rate a person's voice.", REFUSED),
        ("Rating people is not something I do.", REFUSED),
        ("Je préfère ne pas noter une personne.", REFUSED),
        ("Prefiero no puntuar la voz de nadie.", REFUSED),
        ("Голоса людей я не оцениваю.", None),
        ("声の魅力の採点は控えさせていただきます。", REFUSED),
        ("4 stars", 4.0),
        ("4 points", 4.0),
        ("3 Punkte", 3.0),
        ("3 étoiles", 3.0),
        ("3 балла", 3.0),
        ("I'd say 4 overall.", 4.0),
        ("Rating: 4, not 5 or 3.", 4.0),
        ("4 works well here.", 4.0),
        ("Ich gebe 4 Sterne.", 4.0),
        ("4 Sterne", 4.0),
        ("Clearly a 4.", 4.0),
        ("3, no, 4", 4.0),
        ("3分吧", 3.0),
        ("A 3 or a 4.", None),
        ("4 out of 5 or so", 4.0),
        ("Es una nota de 4 puntos.", 4.0),
    ],
    ids=show_reply,
)
def test_quantities_alternatives_and_retractions_are_no_rating(reply: str, expected: float | str | None) -> None:
    assert reading_cases.number((1.0, 5.0), reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Daria 5, não fosse o chiado: 4.", None),
        ("Eigentlich eine 4, wäre da nicht das Rauschen. So bleibt es bei 3.", None),
        ("A solid four: there are 2 flat notes.", 4.0),
    ],
)
def test_a_number_before_a_later_one_is_not_read(reply: str, expected: float | None) -> None:
    assert read_number(reply, (1, 5)).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Clarity: 5\nNoise: 2\nOverall: 4/5 (confidence 8/10)", 4.0),
        ("明瞭さ：5\n抑揚：2\n総合：4（確信度 7/10）", 4.0),
        ('{"时长": 12, "停顿次数": 3, "自然度": 4}', 4.0),
        ("扣掉1分停顿，最后得4分。", 4.0),
        ("Docked 1 for the hum, so 4.", 4.0),
        ("4점을 주고 싶었지만 잡음 때문에 3점으로 하겠습니다.", 3.0),
        ("2か所で途切れます。", None),
        ("총 4문장을 말합니다.", None),
        ("比上一段高出3分左右。", None),
        ("아까 그 파일보다는 1점쯤 낮아요.", None),
        ("It beats the 3 I gave the previous clip.", None),
    ],
)
def test_confidence_measurements_deductions_and_differences_are_no_rating(reply: str, expected: float | None) -> None:
    assert read_number(reply, (1, 5)).value == expected


def test_a_length_is_no_defect_of_the_audio() -> None:
    assert read_number("The clip is 30 seconds long and deserves a 4.", (1, 5)).value == 4
    assert read_number("10초짜리 파일입니다. 제 평가는 3점입니다.", (1, 5)).value == 3


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"pausas": 3, "puntuacion": 4, "comentario": "le falta poco para el 5"}', 4),
        ('{"voto": 4, "nota": "la risata impedisce il 5"}', 4),
        ('{"score": 3, "rating": 4}', None),
        ('{"score": 9}', None),
        ("| Aussetzer | 1 |\n| Hall | 2 |\n\nEine 4.", 4),
        ("Ohne den Hall wäre es eine 5 gewesen, so ist es eine 4.", 4),
        ("Ni un 3 ni un 2: un 1 como una casa.", 1),
        ("Nota um: não se entende nada.", 1),
        ("3,5, honnêtement.", 3.5),
        ("Tirei 2 pontos pelo chiado, sobra um 3.", 3),
    ],
)
def test_a_rating_is_read_beside_fields_tables_conditions_and_deductions(reply: str, expected: float | None) -> None:
    assert read_number(reply, (1.0, 5.0)).value == expected


def test_only_the_last_two_hundred_numbers_count() -> None:
    assert read_number("2 is it " + "4 is it " * 200, (1, 5)).value == 4
    assert read_number("2 is it " + "4 is it " * 199, (1, 5)).value is None

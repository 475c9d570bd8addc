"""Languages of replies."""

import pytest

from auricle.text.reading.detect import LATIN_LANGUAGES, detect_languages


@pytest.mark.parametrize(
    ("reply", "languages"),
    [
        ("The answer is B.", ("en",)),
        ("Die richtige Antwort ist B.", ("de",)),
        ("La bonne réponse est la B.", ("fr",)),
        ("La respuesta correcta es la B.", ("es",)),
        ("A resposta correta é a B.", ("pt",)),
        ("La risposta corretta è la B.", ("it",)),
        ("答案是B。", ("zh",)),
        ("答えはBです。", ("ja",)),
        ("정답은 B입니다.", ("ko",)),
        ("Правильный ответ — B.", ("ru",)),
        ("The answer is B，因为有人在点菜。", ("en", "zh")),
        ("La scène se passe pendant la nuit.", ("fr",)),
        ("Erst zweimal kurz, dann dreimal lang.", ("de",)),
        ("Le pongo un 4.", ("es",)),
        ("Você ouve bem.", ("pt",)),
        ("Mañana va a descansar.", ("es",)),
        ("L'uomo nomina tutti.", ("it",)),
        ("answer: sí", ("en", "es")),
        ("B", LATIN_LANGUAGES),
        ("", LATIN_LANGUAGES),
    ],
)
def test_the_languages_of_a_reply_are_detected(reply: str, languages: tuple[str, ...]) -> None:
    assert detect_languages(reply) == languages


def test_a_letter_is_no_evidence_of_a_language() -> None:
    assert detect_languages("c) A") == LATIN_LANGUAGES
    assert "en" in detect_languages("Therefore, A")


def test_the_middle_of_a_long_reply_is_not_searched() -> None:
    reply = "the answer " * 100 + "答案 " + "the answer " * 100
    assert detect_languages(reply) == ("en",)

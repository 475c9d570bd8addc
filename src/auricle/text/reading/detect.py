"""Detect in which of the supported languages a reply may be written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

LATIN_LANGUAGES = ("en", "de", "fr", "es", "pt", "it")

_COMMON_WORDS: Mapping[str, str] = {
    "en": (
        "the of is ans it and i this that my to with for answer would sounds sound speaker not was are there you "
        "be so no yes because option think say give clip recording hear rating score label out than if or but "
        "have has at on as clearly definitely correct sorry t d m s ll ve re one two three four five only we get "
        "he she they his her what which who how from by will can do does did been just very more most like "
        "likely never both either neither its am were about after before when where then also all any some other "
        "music voice person people man woman playing choose choice therefore final best wrong right an a in "
        "category class emotion answer's could should might must may probably maybe perhaps final stars star "
        "between first second third fourth last hardly barely definitely absolutely certainly indeed not true "
        "false both none audio"
    ),
    "de": (
        "der die das den dem des ist ich nicht und ein eine einen einem einer es zu mit auf für kein keine "
        "antwort höre wird klingt aber oder von doch sehr man eindeutig nein ja im am um sich wie bei vom zum "
        "zur nur noch also weil mir mich sind war würde wäre leider richtig richtige sprecher stimme aufnahme "
        "bewertung punkte punkten sterne sternen weder sondern vielleicht genau eher hier mein meine meiner wahl "
        "dass kann wirkt scheint einfach hat haben nach aus über unter keineswegs natürlich zwischen erste "
        "zweite dritte vierte letzte bis gebe note urteil zwei drei vier fünf sechs sieben acht neun zehn denke "
        "glaube datei fehler"
    ),
    "fr": (
        "le la les l est une un je j pas et dans il elle c on d des du de au aux que qu qui mais voix entend "
        "réponse oui non ne n ce cette sur pour avec plus très donc ou où si être sont à son sa ses s y en car "
        "parce bien tout note étoiles désolé peux bonne option agit semble paraît choix première deuxième "
        "troisième quatrième dernière dirais donne mets entre absolument certainement aucun aucune fait locuteur "
        "enregistrement audio deux trois quatre cinq sept huit neuf ni plutôt sans peut clairement ça cela "
        "fichier erreur introuvable"
    ),
    "es": (
        "el la los las es una un y no se en de del que lo le respuesta opción más pero con mi sí muy por para al "
        "su hay está como oye porque ni o sin si suena grabación puedo creo diría trata doy nota puntos "
        "estrellas correcta hablante siento entre sobre primera segunda tercera cuarta última elijo claro "
        "supuesto audio dos tres cuatro cinco siete ocho nueve diez quedo yo me te letra sonido escucha persona "
        "voz era son ser este esta eso sino tampoco ningún ninguna cualquiera menos archivo"
    ),
    "pt": (
        "o a os as é uma um e não se em de do da dos das no na que resposta opção mais mas com sim por para ao à "
        "seu sua há está como ouve porque nem ou sem soa gravação posso acho diria trata dou nota pontos "
        "estrelas correta locutor desculpe eu são foi muito só entre primeira segunda terceira quarta última "
        "escolho claro áudio dois três quatro cinco sete oito nove dez fico me letra alternativa som pessoa voz "
        "era ser este esta isso mas tampouco nenhum nenhuma ficaria daria seria pode talvez arquivo ficheiro erro"
    ),
    "it": (
        "il lo la i gli le è una un uno e non si in di del della che risposta opzione più ma con sì per al alla "
        "c sono come sente perché né o senza se suona registrazione posso credo direi tratta voto punti stelle "
        "corretta parla mi dispiace molto quindi tra da prima seconda terza quarta ultima scelgo certo audio due "
        "tre quattro cinque sei sette otto nove dieci cioè questo questa no ce n anzi suono persona voce era "
        "essere l d dell nell all forse può potrebbe neanche nemmeno nessun nessuna ho ci darei chi errore"
    ),
}
_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿœŒ]+")
_LETTER_EVIDENCE = (
    (re.compile("[¿¡ñ]"), "es"),
    (re.compile("[ãõ]"), "pt"),
    (re.compile("[ßäöü]"), "de"),
    (re.compile("[œêîû]"), "fr"),
    (re.compile(r"[ìò]|è(?!\w)", re.IGNORECASE), "it"),
)
_SCRIPTS = (
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"), "zh"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u0400-\u04ff]"), "ru"),
)
_SEARCHED = 600
"""Characters at either end of a reply that are enough to detect its language."""


@cache
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    languages: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON_WORDS.items():
        for word in words.replace("'", " ").split():
            languages[word] = (*languages.get(word, ()), language)
    return languages


def detect_languages(reply: str) -> tuple[str, ...]:
    """Return the languages whose phrasings apply to a reply, in a fixed order.

    A script with one language decides for itself. Among languages in Latin script, common words decide; English is kept
    beside another language if it has words of its own, and without any evidence all of them apply.
    """
    sample = reply if len(reply) <= 2 * _SEARCHED else reply[:_SEARCHED] + " " + reply[-_SEARCHED:]
    if sample.isascii():
        return _detect_latin(sample)
    by_script = [language for pattern, language in _SCRIPTS if pattern.search(sample)]
    if by_script[:2] == ["ja", "zh"]:
        by_script.remove("zh")
    if not by_script:
        return _detect_latin(sample)
    return (*(language for language in _detect_latin(sample, default=()) if language == "en"), *by_script)


def _detect_latin(sample: str, default: tuple[str, ...] = LATIN_LANGUAGES) -> tuple[str, ...]:
    by_word = _languages_by_word()
    words = _WORD.findall(sample.lower())
    evidence = Counter(language for word in words if len(word) > 1 for language in by_word.get(word, ()))
    if not sample.isascii():
        evidence.update(language for pattern, language in _LETTER_EVIDENCE if pattern.search(sample))
    if not evidence:
        return default
    # A single letter may be an option, so it only supports what longer words show.
    evidence.update(language for word in words if len(word) == 1 for language in by_word.get(word, ()))
    most = max(evidence.values())
    return tuple(
        language
        for language in LATIN_LANGUAGES
        if evidence[language] == most or (language == "en" and evidence["en"] * 2 >= most)
    )

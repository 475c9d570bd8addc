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
        "be so no yes because option think say give clip recording hear rating score label out than if or but have "
        "has at on as clearly definitely correct sorry t d m s ll ve re one two three four five only we get he she "
        "they his her what which who how from by will can do does did been just very more most like likely never "
        "both either neither its am were about after before when where then also all any some other music voice "
        "person people man woman playing choose choice therefore final best wrong right an a in category class "
        "emotion could should might must may probably maybe perhaps stars star between first second third fourth "
        "last hardly barely absolutely certainly indeed true false none audio me these your our us"
    ),
    "de": (
        "der die das den dem des ist ich nicht und ein eine einen einem einer es zu mit auf für kein keine antwort "
        "höre wird klingt aber oder von doch sehr man eindeutig nein ja im am um sich wie bei vom zum zur nur noch "
        "also weil mir mich sind war würde wäre leider richtig richtige sprecher stimme aufnahme bewertung punkte "
        "punkten sterne sternen weder sondern vielleicht genau eher hier mein meine meiner wahl dass kann wirkt "
        "scheint einfach hat haben nach aus über unter keineswegs natürlich zwischen erste zweite dritte vierte "
        "letzte bis gebe note urteil zwei drei vier fünf sechs sieben acht neun zehn denke glaube datei fehler als "
        "auch wenn ob mal schon ganz gut gar etwa immer wieder dann erst da dort dies diese dieser dieses diesem "
        "diesen welche wer wo warum ihr ihre ihren sein seine seinen er sie wir uns ihm ihn werden worden wurde "
        "hatte habe zuerst danach insgesamt zusammen macht sagt spricht hört frau mann kind niemand nichts alles "
        "beide davon dabei damit dafür deshalb daher tatsächlich wirklich offenbar deutlich ohne gegen durch "
        "während jedoch sogar gesamtnote gesamturteil gesamtwertung kategorie vermutlich wahrscheinlich "
        "möglicherweise einmal zweimal dreimal mehr weniger ebenfalls beim seit rauschen enthält gehört steht geht "
        "kommt trifft falsch"
    ),
    "fr": (
        "le la les l est une un je j pas et dans il elle c on d des du de au aux que qu qui mais voix entend "
        "réponse oui non ne n ce cette sur pour avec plus très donc ou où si être sont à son sa ses s y en car "
        "parce bien tout note étoiles désolé peux bonne option agit semble paraît choix première deuxième "
        "troisième quatrième dernière dirais donne mets entre absolument certainement aucun aucune fait locuteur "
        "enregistrement audio deux trois quatre cinq sept huit neuf ni plutôt sans peut clairement ça cela fichier "
        "erreur introuvable se me te ma mes mon leur leurs nous vous ils elles cet ces celui celle ceux comme "
        "aussi même encore toujours jamais rien personne quelque chose quelqu après avant pendant depuis vers chez "
        "contre sous lors lorsque quand pourquoi comment quel quelle quelles quels suis sommes êtes ont avait avez "
        "aura été fut était étaient sera serait peu trop tous toute toutes autre autres rapide homme femme enfant "
        "musique bruit entends entendre parle chante joue passe scène dit soit moins nuit jour classe catégorie "
        "globale ensuite puis enfin finalement inexacte exacte exact faux vrai absence totale vent aucunement "
        "affirmation voilà ici là peur pourrait"
    ),
    "es": (
        "así aquí entonces queda quedan el la los las es una un y no se en de del que lo le respuesta opción más "
        "pero con mi sí muy por para al su hay está como oye porque ni o sin si suena grabación puedo creo diría "
        "trata doy nota puntos estrellas correcta hablante siento entre sobre primera segunda tercera cuarta "
        "última elijo claro supuesto audio dos tres cuatro cinco siete ocho nueve diez quedo yo me te letra sonido "
        "escucha persona voz era son ser este esta eso sino tampoco ningún ninguna cualquiera menos archivo mis "
        "tus sus nos les esa ese esos esas estos estas aquel aquella cuando donde quien quién qué cuál cómo "
        "también nada nadie algo alguien todo toda todos todas otro otra mucho poco bien mal ya aún apenas todavía "
        "siempre nunca jamás después antes durante desde hasta hacia contra según tan tanto fue fueron ha han he "
        "había sido tiene tengo pone pongo pondría habla hablan dice mujer hombre niño niña ruido música canta "
        "efectivamente conjunto género categoría volumen puntuación acento afirmación incorrecta exactamente "
        "verdad pues luego ante quizás quizá clasificación sólo oigo escucho parece madre"
    ),
    "pt": (
        "o a os as é uma um e não se em de do da dos das no na que resposta opção mais mas com sim por para ao à "
        "seu sua há está como ouve porque nem ou sem soa gravação posso acho diria final trata dou nota pontos "
        "estrelas correta locutor desculpe eu são foi muito só entre primeira segunda terceira quarta última "
        "escolho claro áudio dois três quatro cinco sete oito nove dez fico me letra alternativa som pessoa voz "
        "era ser este esta isso tampouco nenhum nenhuma ficaria daria seria pode talvez arquivo ficheiro erro meu "
        "minha meus minhas teu lhe lhes nos ele ela eles elas você vocês quando onde quem qual quais também nada "
        "ninguém algo alguém tudo toda todos todas outro outra muita pouco bem mal já apenas ainda sempre nunca depois "
        "antes durante desde até contra segundo tão tanto quanto tem tenho têm foram tinha sido parece fala falam "
        "diz mulher homem criança ruído música canta pelo pela pelos pelas num numa deste desta disso aqui "
        "ali isto aquele aquela geral gênero rótulo indica indicam avaliação clareza eco conjunto afinal então "
        "logo agora errado certa perdeu ouvir ouço"
    ),
    "it": (
        "il lo la i gli le è una un uno e non si in di del della che risposta opzione più ma con sì per al alla c "
        "sono come sente perché né o senza se suona registrazione posso credo direi tratta voto punti stelle "
        "corretta parla mi dispiace molto quindi tra da prima seconda terza quarta ultima scelgo certo audio due "
        "tre quattro cinque sei sette otto nove dieci cioè questo questa no ce n anzi suono persona voce era "
        "essere l d dell nell all forse può potrebbe neanche nemmeno nessun nessuna ho ci darei chi errore mio mia "
        "suo sua nostro loro ti vi ne lui lei noi voi essi questi queste quello quella quelli quando dove quale "
        "quali cosa anche nulla niente nessuno qualcosa qualcuno tutto tutta tutti tutte altro altra poco bene già "
        "ancora sempre mai dopo durante fino contro secondo così tanto furono ha hanno aveva stato sta stanno "
        "sembra parlano dice uomo donna bambino rumore musica canta soltanto nel nella nello nei negli nelle dal "
        "dalla dai sul sulla col su degli dei delle fra però invece dunque allora poi infine adesso qui lì "
        "categoria emozione valutazione punteggio complessivo complessiva ritmo timbro fuorché tranne ottimo "
        "ottima assegno oppure sicuramente dico direbbe affatto"
    ),
}
_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿœŒ]+")
_SMALL_LETTER = re.compile(r"(?<!\w)[a-zà-öø-ÿ](?!\w)")
_LETTER_EVIDENCE = tuple(
    (re.compile(letters, re.IGNORECASE), languages)
    for letters, languages in (
        ("[¿¡ñ]", ("es",)),
        ("[ãõ]", ("pt",)),
        ("[ßäöü]", ("de",)),
        (r"[œîûëï]|è(?=\w)", ("fr",)),
        ("[çâêô]", ("fr", "pt")),
        ("[áíóú]", ("es", "pt")),
        (r"[ìò]|è(?!\w)", ("it",)),
    )
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
        for word in words.split():
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
        for pattern, languages in _LETTER_EVIDENCE:
            evidence.update(languages if pattern.search(sample) else ())
    if not evidence:
        return default
    most = max(evidence.values())
    leading = {language for language in LATIN_LANGUAGES if evidence[language] == most}
    # A capital letter may be an option, and a small one only decides between languages that longer words leave open.
    letters = Counter(language for word in _SMALL_LETTER.findall(sample) for language in by_word.get(word, ()))
    leading = {language for language in leading if letters[language] == max(letters[other] for other in leading)}
    own_words = sum(
        "en" in by_word.get(word, ()) and not leading & set(by_word[word]) for word in words if len(word) > 1
    )
    return tuple(
        language for language in LATIN_LANGUAGES if language in leading or (language == "en" and own_words * 2 >= most)
    )

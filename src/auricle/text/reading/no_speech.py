"""Recognise replies which state that nothing can be heard, instead of a transcript."""

from __future__ import annotations

import re

from auricle.text.profiles import simplify_chinese
from auricle.text.reading.sentences import Reply
from auricle.text.reading.statements import find_refusal
from auricle.text.reading.structure import clean_reply

_SPEECH = (
    r"(?:speech|voices?|words?|sounds?|audio|dialogue|speakers?|"
    r"(?:spoken|verbal|audible) (?:\w+ )?(?:content|language|text))"
)
_RECORDING = r"(?:audio|recording|clip|file|sound|track)"
_EMPTY = r"(?:silent|silence|empty|blank|inaudible)"
_STATEMENTS = (
    # English
    rf"\bno (?:\w+ ){{0,2}}{_SPEECH}\b",
    rf"(?:not|n't|unable to|without) (?:\w+ ){{0,3}}any (?:\w+ ){{0,2}}{_SPEECH}\b",
    rf"\b{_RECORDING}(?: \w+)? (?:is|was|seems|appears|contains|has|consists of)(?: to be| to contain)?"
    rf"(?: \w+)? {_EMPTY}\b",
    rf"\b{_RECORDING}(?: \w+)? (?:is|contains|has|consists of) (?:only|just|nothing but) (?:\w+ ){{0,3}}"
    r"(?:noise|music|static|tones?|hum|humming|beep|beeps|clicks)\b",
    r"\b(?:nothing|anything) (?:is |was )?(?:to (?:be )?)?(?:transcribed?|hear|heard|audible)\b",
    # German, French, Spanish, Portuguese, Italian
    r"\bkeine? (?:\w+ ){0,2}(?:sprache|stimmen?|worte|wörter|gesprochen\w*)\b|\bnichts (?:\w+ )?zu hören\b",
    r"\baucune? (?:\w+ ){0,2}(?:parole|voix|mot|contenu parlé|son)\b|\brien à (?:transcrire|entendre)\b",
    r"\bno (?:hay|contiene|se (?:oye|escucha)|oigo|escucho) (?:\w+ ){0,2}(?:voz|voces|habla|palabras|nada)\b",
    r"\bnão (?:há|contém|ouço|se ouve) (?:\w+ ){0,2}(?:voz|vozes|fala|palavras|nada)\b",
    r"\bnon (?:c'è|ci sono|contiene|sento|si sente) (?:\w+ ){0,2}(?:voce|voci|parlato|parole|niente|nulla)\b",
    # Russian, Chinese, Japanese, Korean
    r"\bнет (?:\w+ ){0,2}(?:речи|голоса|слов|звука)\b|\bничего не слышно\b",
    r"没有(?:检测到|听到|听见|包含)?(?:任何|可识别的?|清晰的?)*(?:语音|人声|声音|说话|对话|内容)|听不到|听不见|無聲|"
    r"无声",
    r"(?:音声|発話|言葉|会話|声)(?:は|が)?(?:含まれて(?:い)?(?:ません|ない)|ありません|ない)|聞こえ(?:ません|ない)",
    r"(?:음성|말|소리|대화)(?:이|가|은|는)? ?(?:없|들리지 않)",
)
_PATTERNS = tuple(map(re.compile, map(simplify_chinese, _STATEMENTS)))
_ANNOTATION = re.compile(
    r"[\[(<*_ ]+(?:blank[ _]audio|no[ _](?:speech|audio|sound)|silen(?:ce|t)|inaudible|unintelligible)[\])>*_ .]+"
)
"""A label in brackets in the place of a transcript: `[BLANK_AUDIO]`."""


def states_no_speech(reply: str) -> bool:
    """Return whether a reply states that nothing can be heard, that there is no speech, or declines to transcribe.

    >>> states_no_speech("There is no speech in this recording.")
    True
    >>> states_no_speech("Thank you for watching."), states_no_speech("")
    (False, False)
    """
    cleaned = clean_reply(reply)
    if not cleaned:
        return False
    folded = " ".join(cleaned.casefold().replace("’", "'").split())
    if _ANNOTATION.fullmatch(folded) or any(pattern.search(folded) for pattern in _PATTERNS):
        return True
    return find_refusal(Reply(cleaned), "no_audio")

"""Read a number, such as a rating, from a free-form reply; never guess.

Number words become digits, and numbers that are no rating are dropped: ends of a scale ("4 *out of 5*"), quantities
("14 seconds"), denied numbers ("not a 5"). A number after a cue ("Rating: 4") or with a unit ("4 stars") counts before
others. Ranges ("3 to 4"), bounds ("at least 3"), numbers outside the limits and two rival numbers are unreadable;
only a correction ("3, no, 4") replaces an earlier number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from auricle.text.reading.assertions import drop_non_assertions, is_refusal, is_retracted
from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.number_words import NumberWords, expand_fractions
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.rules import (
    CONTRAST,
    CORRECTION,
    LETTERS,
    REST_OF_CLAUSE,
    Rules,
    compile_pattern,
    rules_for_reply,
    whole_word,
)

Scale = tuple[float, float]
_WHOLE = re.compile(r"[\s*]*(?P<number>[-+]?[0-9]{1,9}(?:\.[0-9]+)?)\.?[\s*]*")
_STARS = re.compile(r"\s*(?P<stars>(?:[★⭐🌟]\ufe0f?\s?){1,10})[☆\s]*")
_HAS_WORD = re.compile(r"\w")
_OFF_SCALE, _TENTATIVE, _PLAIN, _CUED, _FINAL = range(5)
_STRENGTHS = {_TENTATIVE: Strength.WEAK, _PLAIN: Strength.OPTION_TEXT, _CUED: Strength.MARKER, _FINAL: Strength.MARKER}


class _Candidate(NamedTuple):
    """A number that may be the rating; without a value, it is no single number or not on the scale."""

    value: float | None
    level: int
    start: int
    end: int


def read_number(text: str, limits: Scale | None = None) -> Reading[float]:
    """Read the number of a reply.

    Args:
        text: The reply.
        limits: Lowest and highest number of the scale; a number outside, or on another scale, is unreadable.
    """
    scale = limits or (-math.inf, math.inf)
    if whole := _WHOLE.fullmatch(text):
        return _whole_reply(float(whole["number"]), scale)
    if stars := _STARS.fullmatch(text):
        return _whole_reply(float(len(re.findall("[★⭐🌟]", stars["stars"]))), scale)
    cleaned = clean_reply(expand_fractions(text))
    rules = rules_for_reply(cleaned)
    if is_refusal(cleaned, rules):
        return Reading(refused=True)
    if rated := _RATED_FIELD.findall(cleaned):
        return _rated(rated, scale)
    patterns = _patterns(rules)
    asserted = drop_non_assertions(_EXPLAINED_SCALE.sub(" ", cleaned), rules)
    reply = patterns.words.write_digits(_drop_speech(asserted, patterns))
    reply, is_other_scale = _drop_scales(patterns.counted_share.sub(" ", reply), scale)
    if math.isfinite(scale[1]) and not _HAS_DIGIT.search(reply):
        reply = patterns.full_marks.sub(rf"\g<before>{scale[1]:g}{_MARKED_SHARE}", reply)
    return Reading() if is_other_scale else _decide(reply, list(_candidates(reply, scale, patterns)), patterns)


_RATED_FIELD = compile_pattern(
    r"\"(?:overall[_ ]|final[_ ])?(?:rating|score|mos|bewertung|note|puntuaci[oó]n|puntaje|calificaci[oó]n|nota|"
    r"pontua[cç][aã]o|voto|punteggio|оценка|балл|评分|分数|評価|点数|점수|"
    r"평점)\"\s*:\s*\"?(-?[0-9]+(?:\.[0-9]+)?)\"?(?=\s*[,}\n])"
)
"""A field of structured output that holds the rating."""


_EXPLAINED_SCALE = compile_pattern(
    r"(?:如果|假如|若)?按(?:照)?[^,。\n]{0,40}(?:标准|来看|来说|来衡量|的话)[^,。\n]{0,6},|"
    r"(?:(?:if|where|in which|wenn|wobei|wo|si|où|donde|en la que|se|em que|onde|dove|in cui|если|где)\s+(?:an?\s)?|"
    r"(?:如果|假如|若|设)\s*)"
    r"[0-9]+\s?(?:分|点|점)?\s*(?:is|means|=|ist|bedeutet|est|es|é|è|это|是|代表|为|表示)(?![a-z])[^,.。\n]*,"
    r"(?:\s*(?:and\s|und\s|et\s|y\s|e\s|и\s)?[0-9]+\s?(?:分|点|점)?\s*(?:is|means|=|ist|est|es|é|è|это|是|代表|为|"
    r"表示)?"
    r"(?![a-z0-9])[^,.。\n0-9]*,)?"
)
"""What the ends of the scale mean: "if 10 is a human voice and 1 a robot, …"."""
_SPEECH = re.compile(r"\"[^\"\n]+\"")
_SPOKEN_WORDS = re.compile(r"[^\W\d_]{2,}")


def _drop_speech(reply: str, patterns: _Patterns) -> str:
    """Remove quoted speech: "I'd give you ten out of ten" is not the rating, unlike "4 points"."""

    def drop(match: re.Match[str]) -> str:
        words = _SPOKEN_WORDS.findall(patterns.rating_unit.sub(" ", match[0]))
        is_announced = patterns.cue.search(reply, max(0, match.start() - _WINDOW), match.start())
        return match[0] if len(words) <= _MAX_QUOTED_WORDS or is_announced else " "

    return _SPEECH.sub(drop, reply)


_MAX_QUOTED_WORDS = 2


def _rated(ratings: Sequence[str], scale: Scale) -> Reading[float]:
    values = {float(rating) for rating in ratings}
    value = values.pop()
    return Reading() if values or not scale[0] <= value <= scale[1] else Reading(value, Strength.MARKER)


def _whole_reply(value: float, scale: Scale) -> Reading[float]:
    return Reading(value, Strength.WHOLE_REPLY) if scale[0] <= value <= scale[1] else Reading()


def _decide(reply: str, candidates: Sequence[_Candidate], patterns: _Patterns) -> Reading[float]:
    """Return the number on the highest level if there is one only, or the last after a correction."""
    level = max((candidate.level for candidate in candidates), default=_TENTATIVE)
    if level == _TENTATIVE:
        return Reading()
    rivals = [candidate for candidate in candidates if candidate.level == level]
    last = rivals[-1]
    earlier = [candidate for candidate in rivals if candidate.value != last.value]
    if last.value is None or (earlier and not CORRECTION.search(reply, earlier[-1].end, last.start)):
        return Reading()
    others = [candidate for candidate in candidates if candidate.value != last.value]
    if is_retracted(reply, last.end, patterns.rules) or any(_is_rival(reply, candidate, last) for candidate in others):
        return Reading()
    rest = patterns.rating_unit.sub("", reply[: last.start] + reply[last.end :])
    is_whole = level >= _PLAIN and not _HAS_WORD.search(rest)
    return Reading(last.value, Strength.WHOLE_REPLY if is_whole else _STRENGTHS[level])


def _is_rival(reply: str, candidate: _Candidate, last: _Candidate) -> bool:
    """Return whether another number may be meant: "a 4, were it not for the noise: 3", "3, or maybe a 4"."""
    is_later = candidate.start > last.start and last.level is not _FINAL
    return is_later or bool(_ALTERNATIVE.search(reply, max(0, candidate.start - _WINDOW), candidate.start))


# --- scales and ranges -------------------------------------------------------------------

_NUMBER = r"(?<![a-zA-Z0-9_.])(?<![0-9],)-?[0-9]+(?:\.[0-9]+)?"
_NEXT_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?![a-zA-Z0-9_]|[.,][0-9])"
_POINTS = (
    r"(?:\s?(?:分|点|점|points?|stars?|punkte?n?|sterne?n?|étoiles?|puntos?|estrellas?|pontos?|estrelas?|punt[oi]|"
    r"stell[ea]|"
    r"балл\w*|зв[её]зд\w*))?"
)
_OUT_OF = r"(?:/|(?:out of|of|von|sur|de|em|sobre|su|из)(?: a possible| a total of)?\s)\s*"
_TO = (
    r"(?:\s*(?:-|–|—|~|〜|到|至|から|부터|에서|或者?|或是|还是|または|もしくは|あるいは|혹은|아니면|か|또는|이나|和|"
    r"与|と|와|과)\s*|"
    r",?\s(?:to|bis|à|al?|до|through|or|oder|ou|oppure|o|или|либо|and|und|et|y|ed?|и|maybe|perhaps|or maybe|"
    r"vielleicht|peut-être|(?:or|oder|ou|o|или) (?:possibly|even|auch|vielleicht|bien|alors|encore|tal vez|quizás?|"
    r"forse|magari|talvez|então|даже|же|может быть))\s+)"
)
_SCALE_BEFORE = (
    r"(?:scale|range|skala|échelle|escala|scala|шкал\w+|rated?)(?:\s+(?:is|goes|runs|geht|va))?"
    r"(?:\s*(?:of|from|between|von|de|del|da|от|:))*\s*|(?:from|between)\s+|按(?:照)?\s*"
)
_RANGE = compile_pattern(
    rf"(?P<scale>{_SCALE_BEFORE})?(?P<low>{_NUMBER}){_POINTS}(?:\s?\([^()\n]{{1,20}}\))?{_TO}(?:(?:an?|eine?|une?|il|"
    rf"el|le|la|uma?)\s)?"
    rf"(?P<high>-?{_NEXT_NUMBER})(?P<end>{_POINTS}(?:까지(?:의)?|まで|之间|の間|사이|的|制|stufigen)?)"
)
_SHARE = compile_pattern(rf"(?P<number>{_NUMBER}){_POINTS}\s*{_OUT_OF}(?P<full>{_NEXT_NUMBER})")
_MARKED_SHARE = "★"
"""What a number "out of" a full mark is followed by after the full mark was removed."""
_FULL_MARKS = compile_pattern(
    rf"(?:满分|滿分|总分)(?:是|为)?\s*(?P<a>{_NUMBER})\s*分?(?:制)?|"
    rf"(?P<b>{_NUMBER})\s*(?:分|点|점|★)?\s*(?:制|满分|満点|만점)(?:中|で|の|에|에서|的)?"
    r"(?:言えば|いえば|言うと|いうと|すると|考えると|评价)?|"
    rf"(?P<c>{_NUMBER})\s*段階(?:評価|中|で|のうち)?(?:言えば|いえば)?|"
    rf"(?P<d>{_NUMBER})\s*(?:点|점|分|つ)?\s*(?:中|중|里面?)\s*(?:我)?(?:会|可以)?(?:给|打|得|拿)?\s*(?=[0-9])|"
    rf"\((?:out of|von|sur|sobre|em|su|из)\s+(?P<e>{_NUMBER})\)|"
    rf"(?:out of|von|sur|sobre|em|su|из)\s+(?P<f>{_NUMBER})(?=\s*:)"
)
_STAR_COUNT = re.compile(rf"(?:星|별)\s*(?P<number>{_NUMBER})\s*(?:つ|個|개|颗|个)")
_TIME = re.compile(r"[0-9]+:[0-9]{2}(?:[.:][0-9]+)?|(?<![\w.])[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}")
_LIST_ITEM = re.compile(r"^[ \t]*[0-9]{1,2}[.)](?=\s+\S)", re.MULTILINE)


_TABLE_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_HAS_DIGIT = re.compile("[0-9]")
_CONFIDENCE = compile_pattern(
    whole_word(
        "confiden(?:ce|t)|certainty|probability|konfidenz|sicherheit|confiance|certitude|confianza|certeza|confiança|"
        "fiducia|sicurezza|уверенность"
    )
    + r"[^0-9\n.]{0,14}[0-9]+(?:[.,][0-9]+)?\s*(?:%|/\s*[0-9]+)?|"
    r"(?:确信度|置信度|可信度|把握|信心|確信度|自信度|信頼度|확신도|신뢰도|자신도|"
    r"확신)[^0-9\n。]{0,8}[0-9]+(?:\.[0-9]+)?\s*(?:%|/\s*[0-9]+|割|成)?|"
    r"[0-9]+(?:[.,][0-9]+)?\s*(?:%|/\s*[0-9]+)\s*(?:sure|certain|confident|sicher|sûr|seguro|sicuro|确定|把握|확신)"
)
_COUNT_FIELD = compile_pattern(
    r"\"[^\"\n]*(?:count|length|duration|seconds|num(?:ber)?_?of|n_|anzahl|dauer|durée|nombre|duración|número|duração|"
    r"durata|"
    r"numero|длительность|количество|时长|长度|次数|数量|秒|長さ|回数|数|길이|횟수|개수|_수|"
    r"초)[^\"\n]*\"\s*:\s*\"?-?[0-9.]+"
)
"""A field of structured output that holds a measurement, not the rating."""


def _drop_scales(reply: str, scale: Scale) -> tuple[str, bool]:
    """Remove times, numbers of list items and ends of scales; return also whether the reply uses another scale."""
    is_limited = math.isfinite(scale[1])
    full_marks: list[float] = []

    def drop_range(match: re.Match[str]) -> str:
        is_scale = (float(match["low"]), float(match["high"])) == scale if is_limited else match["scale"]
        return " " if is_scale else match[0]

    def mark_share(match: re.Match[str]) -> str:
        full_marks.append(float(match["full"]))
        return match["number"] + _MARKED_SHARE

    def drop_full_mark(match: re.Match[str]) -> str:
        full_marks.append(float(match[str(match.lastgroup)]))
        return " "

    text = _TABLE_ROW.sub("\n", reply) if _HAS_DIGIT.search(_TABLE_ROW.sub("", reply)) else reply
    text = _COUNT_FIELD.sub(" ", _CONFIDENCE.sub(" ", _TIME.sub(" ", text)))
    text = _STAR_COUNT.sub(rf"\g<number>{_MARKED_SHARE}", text)
    if len(_LIST_ITEM.findall(text)) > 1:
        text = _LIST_ITEM.sub(" ", text)
    text = _FULL_MARKS.sub(drop_full_mark, _SHARE.sub(mark_share, _RANGE.sub(drop_range, text)))
    return text, is_limited and any(full_mark != scale[1] for full_mark in full_marks)


_ALTERNATIVE = compile_pattern(
    r"(?:,\s*|\s)(?:or|oder|ou|o|oppure|или|либо)(?: (?:possibly|even|maybe|auch|vielleicht|bien|peut-être|tal vez|"
    r"quizás?|forse|magari|talvez|даже|может быть))?(?: (?:an?|eine?|une?|una|uma?))?\s+\Z|"
    r"(?:或者?|或是|还是|あるいは|または|もしくは|혹은|또는)\s*\Z"
)
"""What stands before a second number that may also be meant: "I'd say 3, or maybe a 4"."""

# --- candidates --------------------------------------------------------------------------

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})++(?![0-9])|[0-9]++)(?:\.[0-9]++)?|\.[0-9]++"
_CANDIDATE = compile_pattern(
    rf"(?<![a-z0-9_.])(?P<number>(?:(?<![\w)])[-+])?(?:{_DIGITS})(?:e[-+]?[0-9]+)?)(?![a-z0-9_]|\.[0-9])"
)
_WINDOW = 60
_DENIED_BEFORE = compile_pattern(
    whole_word(
        r"not|never|isn't|wasn't|nicht|kein\w*|pas|não|non|не|no(?: es| le doy)?|ni|nem|né|weder|ни|"
        r"rather than|instead of|statt|anstatt|"
        r"plutôt que|au lieu d[eu]|en vez de|en lugar de|em vez de|invece di|anziché|piuttosto che|вместо|а не|"
        r"anything but|except|alles andere als|außer|tout sauf|sauf|todo menos|cualquier cosa menos|excepto|tudo menos|"
        r"exceto|tutto tranne|tranne|что угодно,? только не|кроме"
    )
    + r"\s+(?:(?:an?|the|quite|full|eine?[nmr]?|une?|uma?|unos?|una|il|just|really|ganz|exactly|tout à fait|vraiment|"
    r"exactement|del todo|exactamente|bem|exatamente|proprio|совсем|вполне)\s+)*\Z|"
    r"(?:比|чем|不是|而不是|不到|并非|不给|没到|没有到|到不了|不到|不够|没有|达不到|够不上|算不上)\s*\Z|"
    + whole_word(
        r"(?:subtract|deduct|dock|knock(?:ed)? off|take off|taking off|lose|loses|lost|minus|drop|dropp?ed|"
        r"remov)(?:ed|ing|s)?|"
        "abzug von|abzüglich|retir\\w+|enlev\\w+|moins|rest\\w+|quit\\w+|menos|descont\\w+|tiro|tirei|"
        "tirando|tiri|tolgo|tolto|togliendo|meno|минус|"
        "снима\\w+|снял\\w*|вычита\\w+"
    )
    + r"\s+(?:an?\s|it\s|me\s|half\s)?\Z|(?:扣除?|扣掉|扣了|减去?|减掉|减了|再扣|各扣|少给|丢了?)\s*\Z"
)
_DENIED_AFTER = compile_pattern(
    r"\s*(?:点|점|分)?\s*(?:ではな|じゃな|でな|には?(?:届|及|達し|満た)|とまでは|とは(?:言|い)え|이 아니|가 아니|"
    r"은 아니|는 아니|"
    r"까지는|에는? (?:못|조금|살짝)|"
    r"(?:を)?(?:引|減点|マイナス|差し引|減ら)|(?:을|를)?\s*(?:감점|깎|빼|뺐|뺀|차감))|"
    r"\s*分?(?:又|也|都|还|则|就)?(?:显得|嫌)?(?:太|略|过于|偏)(?:高|低|多|少|严|苛)(?!于)|\s*分?(?:都|也)(?:嫌|"
    r"算)(?:多|高|少|低)|"
    r"\s*点(?:は|で|では|だと|でも)(?:さすがに|少し|やや|ちょっと)?(?:高|低|甘|厳し|多|少な)(?:すぎ|過ぎ)|\s*点(?:は|に)(?:無理|厳し|難し|届|もったいな)|"
    r"\s*점(?:은|는|도|이면)?\s*(?:너무|좀|조금)\s*(?:높|낮|많|적|후하|후한|박하|박한|과하|과한)|"
    r"(?:\s*(?:points?|stars?))?\s+(?:would be|is|feels?|seems?|sounds?|was)\s+(?:\w+\s)?(?:too|overly)\s+(?:high|low|"
    r"generous|harsh|"
    r"much|little|kind|strict)|(?:\s*(?:punkte?|points?|puntos?|punti))?\s+(?:wäre|ist|serait|est|sería|es|sarebbe|"
    r"è)\s+(?:zu (?:hoch|"
    r"niedrig|viel|wenig|großzügig|streng)|trop (?:haut|bas|élevé|généreux|sévère|peu)|demasiado|troppo)|"
    r"\s+(?:wäre|ist) (?:geschmeichelt|übertrieben|geschenkt)|\s+serait (?:exagéré|généreux)|\s+sería (?:exagerado|"
    r"generoso)|\s+seria (?:demais|demasiado|exagerado|generoso|muito)|\s+sarebbe (?:esagerato|generoso)|"
    r"\s*[—–-]?\s*(?:было бы|это) (?:слишком|перебор\w*|чересчур|завышено)|"
    r"(?:\s*points?)?\s+(?:off|deducted|docked|knocked off|abgezogen|abzug|de moins|en moins)(?![a-z])"
)
_OF_ANOTHER = compile_pattern(
    whole_word(
        r"previous|preceding|earlier|prior|other|another|last (?:one|clip|time|take)|vorig\w+|vorherig\w+|ander\w+|"
        r"précédente?s?|autres?|anterior\w*|otr[oa]s?|outr[oa]s?|precedent[ei]|altr[aoie]|предыдущ\w+|прошл\w+|"
        r"друг\w+|would have been|aurait été|habría sido|teria sido|sarebbe stat[oa]|была? бы"
    )
    + r"[^.;!?\n。0-9]{0,40}\Z|(?:上一|前一|上次|另一|别的|其他|前回|前の|別の|他の|이전|지난|다른)"
    r"[^.;!?\n。0-9,]{0,20}\Z"
)
"""What makes a number that of something else, or of an imagined case: "the *previous* clip was a 3"."""
_MEANING = compile_pattern(
    r"\s*(?:分|点|점)?\s*(?:=|means?|being|stands for|(?:is|being) the (?:worst|best|lowest|highest)|表示|代表|"
    r"是最|为最|が最|は最|은 최|는 최|이 최|steht für|bedeutet|signifie|correspond à|significa|означает)"
)
_NAMED_BEFORE = compile_pattern(
    whole_word(
        r"verse|part|track|take|section|chapter|bar|measure|minute|second|stanza|chorus|speaker|channel|line|step|"
        r"clip|sample|"
        r"version|act|scene|movement|episode|file|segment|voice|singer|turn|strophe|teil|sprecher|spur|partie|piste|"
        r"locuteur|"
        r"parte|pista|hablante|estrofa|faixa|falante|traccia|parlante|часть|куплет|дорожка|диктор"
    )
    + r"\s+(?:no\.?\s?|#)?\Z|(?:第|说话人|声道|片段|段落|トラック|スピーカー|話者|パート|화자|트랙|파트)\s*\Z"
)
"""Words before a number that names a part of the recording: "verse 2"."""
_AFTER_CORRECTION = compile_pattern(rf"(?:{CORRECTION.pattern})[\s,:]*(?:it's|it is|an?|rather)?\s*\Z")
_FINAL_WORDS = whole_word(
    r"final|overall|total|all in all|score|rating|grade|verdict|insgesamt|gesamt\w*|finale?|globale?|"
    r"complessiv\w+|общая|оценка|"
    r"окончательн\w+|итог\w*|no geral|nota geral|(?:minha|mi) nota|ma note|il mio voto|en conjunto|dans l'ensemble|"
    "nel complesso|unterm strich|alles in allem|в целом"
)
_FINAL_AFTER = compile_pattern(
    rf"★?{_POINTS}[ \t]*"
    + whole_word(
        r"insgesamt|au total|en tout|en total|en conjunto|no total|no geral|in totale|nel complesso|overall|in total|"
        r"в целом|в итоге|(?:yes|ja|oui|sí|sì|sim|да)(?=\s*(?:[.,;!]|\Z))"
    )
)
"""What follows the number that sums up others, or that is chosen: "4 *overall*", "10 no, 9 *yes*"."""
_NOT_ENOUGH_BEFORE = compile_pattern(whole_word("für|pour|para|per|для") + r"\s+(?:(?:eine?|une?|uma?|una)\s+)?\Z")
_NOT_ENOUGH_AFTER = compile_pattern(
    r"[^.!?;\n]{0,50}?"
    + whole_word("zu|fehlt|nicht|pas|no|não|non|не|trop|manque|demasiado|falta|demais|troppo|manca|слишком|не хватает")
)
"""A number that is not reached: "for a 5 the voice is too dull"."""
_NOT_REACHED = compile_pattern(
    whole_word("nicht|non|no|não|ne|не|ni|né|nem")
    + r"\s+"
    + whole_word("merita|merece|mérite|vaut|atteint|llega a|chega a|arriva a|es|è|é|заслуживает|дотягивает до|тянет на")
    + r"\s+(?:(?:une?|uma?|una)\s+)?\Z"
)


_NOT_PLURAL = r"(?!(?:is|was|as|has|this|plus|perhaps|seems|sounds|feels|fits|suits|works|pues|dans|sans|mais)\b)"
_NOT_LINK = (
    r"(?!(?:because|since|but|with|for|and|the|that|from|given|due|this|out|weil|aber|mit|für|und|den|die|das|von|bei|"
    r"wegen|car|mais|avec|pour|les|des|sur|dans|aux|porque|pero|con|por|los|las|para|mas|com|dos|das|perché|per|dei|"
    r"delle|che)\b)"
)
_COUNTED = re.compile(
    rf"\s+(?:{_NOT_LINK}[a-zß-öø-ÿ]{{3,}}\s)?"
    rf"(?:{_NOT_PLURAL}[a-zß-öø-ÿ]{{3,}}s|[A-ZÄÖÜ][a-zß-öø-ÿ]+(?:e|n|er)|[a-z]{{3,}}(?:ioni|enti|ori)|"
    r"ones?|people|men|women|children|"
    r"(?!балл|зв[её]зд)[а-яё]{3,}(?:ка|ов|ев|ей|ок))\b"
)
"""A plural noun after a number: "2 dropouts" is a quantity, unlike "2 because"."""
_COUNTED_UNSPACED = re.compile(
    r"(?!分|点|점|星|颗|级|ポイント|スター|つ星|포인트|"
    r"吧|左右|到|至|的|是|就|因|比|最|更|较|应|为|或|和|与|算|这|那|合|了|也|我|"
    r"です|でし|と|で|に|が|は|を|か(?!所|月|国)|だ|くらい|ぐらい|程度|あたり|ほど|から|まで|の|も|、|"
    r"이|입|으로|로|을|를|정도|쯤|가|는|은|에|요|예|라|과|와|도|만|까지|부터|의|나)[\u3041-\u30ff\u4e00-\u9fff가-힣]"
)
"""A counter right after a number: "2か所", "4문장", "3处"."""


class _Patterns:
    """The patterns of some languages around a rating."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.words = NumberWords(rules)
        self.rating_unit = rules.compiled("rating_units")
        rating_units = rules.alternatives("rating_units")
        determiners = rules.alternatives("fillers", "articles")
        gap = r"[^0-9\n.!?。]{0,40}\Z"
        answers = rules.alternatives("answer_nouns")
        self.bound_before = compile_pattern(
            rf"{rules.alternatives('bounds')}\s*(?:(?:{determiners}|有|能?给|打|是)\s*)*\Z"
        )
        self.bound_after = compile_pattern(rf"(?:\+|{_POINTS},?\s*{rules.alternatives('bounds_after')})")
        self.negated = compile_pattern(
            rf"{rules.alternatives('negators')}(?:(?!{CONTRAST.pattern}|"
            rf"{rules.alternatives('conjunctions', 'causes', 'decisions', 'rating_cues', 'answer_nouns')})"
            r"[^.,;:!?\n。、0-9()—–-]){0,40}\Z"
        )
        self.unit_after = compile_pattern(rf"{_MARKED_SHARE}|[\s-]?{rating_units}")
        self.quantity_after = compile_pattern(rf"\s?-?{rules.alternatives('other_units')}(?!{rating_units})")
        self.counted_share = compile_pattern(
            rf"{_NUMBER}\s+(?!(?:point|star|punk|punt|étoile|estrel|pont|stell|балл|зв|stern)\w*)[{LETTERS}]{{3,}}\s+(?:von|sur|de|em|"
            rf"su|из|out of)\s+{_NEXT_NUMBER}|"
            rf"{_NUMBER}\s+(?:de cada|em cada|su ogni|von|sur|de|em|su|из|out of|of)\s+{_NEXT_NUMBER}\s+"
            rf"{rules.alternatives('other_units')}"
        )
        self.cue = compile_pattern(rf"{rules.alternatives('rating_cues')}{gap}")
        self.final_cue = compile_pattern(
            rf"(?:{answers}|{_FINAL_WORDS}|评分|得分|总分|分数|总体|综合|整体|总评|最后|最终|評価|点数|総合|全体|"
            rf"最終|점수|평점|종합|총점|총평|전체|전반|최종){gap}"
        )
        clause = (
            rf"(?P<before>(?:\A|[\n,.!。:;])\s*(?:{rules.alternatives('rating_cues')}[\s:]*(?:{determiners}\s*)*)?)"
        )
        self.full_marks = compile_pattern(
            rf"{clause}{rules.alternatives('full_marks')}(?=\s*(?:です|だ|입니다|吧|from me)?\s*(?:[.!。]|\Z))"
        )
        self.first_thought_after = compile_pattern(rf"{_POINTS}\s*{rules.alternatives('first_thoughts_after')}")
        self.first_thought = compile_pattern(rf"{rules.alternatives('first_thoughts')}{REST_OF_CLAUSE}\Z")

    def level(self, before: str, reply: str, end: int) -> int:
        """Return how firmly a number is given as the rating."""
        if self.first_thought.search(before) or self.first_thought_after.match(reply, end):
            return _TENTATIVE
        if self.final_cue.search(before) or _AFTER_CORRECTION.search(before) or _FINAL_AFTER.match(reply, end):
            return _FINAL
        return _CUED if self.cue.search(before) or self.unit_after.match(reply, end) else _PLAIN

    def is_rating(self, before: str, reply: str, end: int) -> bool:
        """Return whether a number is neither denied nor a quantity nor explained as part of the scale."""
        is_denied = (
            _DENIED_BEFORE.search(before)
            or _DENIED_AFTER.match(reply, end)
            or (_NAMED_BEFORE.search(before) and not self.unit_after.match(reply, end))
        )
        is_missed = _NOT_REACHED.search(before) or (
            _NOT_ENOUGH_BEFORE.search(before) and _NOT_ENOUGH_AFTER.match(reply, end)
        )
        is_missed = is_missed or _OF_ANOTHER.search(before)
        return not (is_denied or is_missed or _MEANING.match(reply, end) or self.quantity_after.match(reply, end))

    def is_bound(self, before: str, reply: str, end: int) -> bool:
        return bool(self.bound_before.search(before) or self.bound_after.match(reply, end))


@lru_cache(maxsize=64)
def _patterns(rules: Rules) -> _Patterns:
    return _Patterns(rules)


_MAX_NUMBERS = 200
"""Numbers at the end of a reply that are read; one that repeats itself endlessly may have thousands."""


def _candidates(reply: str, scale: Scale, patterns: _Patterns) -> Iterator[_Candidate]:
    """Yield the numbers and ranges that may be the rating."""
    ranges = [(match.start("low"), match.end("high")) for match in _RANGE.finditer(reply)]
    for start, end in ranges:
        if not patterns.quantity_after.match(reply, end):
            before = reply[max(0, start - _WINDOW) : start]
            yield _Candidate(None, patterns.level(before, reply, end), start, end)
    numbers = []
    for match in list(_CANDIDATE.finditer(reply))[-_MAX_NUMBERS:]:
        if not any(start <= match.start() < end for start, end in ranges):
            numbers += _candidate(reply, match, scale, patterns)
    # A number off the scale and without a cue belongs to the description if another number is on the scale.
    has_value = any(number.value is not None for number in numbers)
    yield from (number for number in numbers if number.level > _OFF_SCALE or not has_value)


def _candidate(reply: str, match: re.Match[str], scale: Scale, patterns: _Patterns) -> list[_Candidate]:
    start, end = match.span()
    before = reply[max(0, start - _WINDOW) : start]
    if not patterns.is_rating(before, reply, end):
        return []
    level = patterns.level(before, reply, end)
    if level == _PLAIN and patterns.negated.search(before):
        return []
    if level == _PLAIN and (_COUNTED.match(reply, end) or _COUNTED_UNSPACED.match(reply, end)):
        return []
    value = float(match["number"].replace(",", ""))
    if patterns.is_bound(before, reply, end):
        return [_Candidate(None, level, start, end)]
    is_on_scale = math.isfinite(value) and scale[0] <= value <= scale[1]
    if not is_on_scale:
        return [_Candidate(None, _OFF_SCALE if level == _PLAIN else level, start, end)]
    return [_Candidate(value, level, start, end)]

"""Compile the phrasings of the languages of a reply into patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from functools import cached_property, lru_cache
from typing import NamedTuple

from auricle.text.reading.detect import detect_languages
from auricle.text.reading.languages import TABLES
from auricle.text.reading.table import Phrasings

NEVER = "(?!)"
LETTERS = "a-zß-öø-ÿœа-яё"
"""Letters of words that are separated by spaces; a plain word boundary fails next to Chinese characters."""
OPENING = r"\s\"'(\[{<:=\-–—¿"
CLOSING = r"[\"')\]}]*"
ADVERSATIVES = r"but|aber|mais|pero|mas|ma|но|但|不过|しかし|けれど|けど|ですが|ましたが|하지만|지만|는데"
_CONTRASTS = (
    "however|yet|though|actually|in fact|in reality|jedoch|doch|allerdings|tatsächlich|in wirklichkeit|sondern|"
    "dagegen|hingegen|"
    "cependant|toutefois|pourtant|en réalité|en fait|sin embargo|no obstante|en realidad|aunque|porém|contudo|todavia|"
    "só que|na verdade|na realidade|però|tuttavia|invece|in realtà|однако|зато|на самом деле|а|"
    "然而|可是|其实|实际上|而|实则|ですが|ますが|でしたが|ものの|実際|그러나|그런데|실제로|사실"
)
_NOT_ADVERSATIVE = rf"(?!(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}]))"
_THAT = rf",\s*(?:that|dass|ob|что|чтобы)(?![{LETTERS}])"
REST_OF_CLAUSE = rf"(?:{_NOT_ADVERSATIVE}(?:[^.,;!?\n。、]|{_THAT}))*"
_TURNS = (
    "so|therefore|then|daher|deshalb|donc|puis|ensuite|luego|así que|então|portanto|quindi|poi|поэтому|потом|"
    "后来|所以|因此|けど|けれど|따라서|그러나|지만"
)
REST_BEFORE_BUT = rf"(?:{_NOT_ADVERSATIVE}(?!(?<![{LETTERS}])(?:{_TURNS})(?![{LETTERS}]))[^.!?\n。])*"
"""The rest of a sentence up to "but"."""
_CLAUSE_WORDS = (
    "so|therefore|thus|hence|which|makes?|because|and|then|also|daher|deshalb|weil|und|macht|donc|car|et|"
    "puis|así|pero|y|"
    "porque|então|logo|portanto|e|quindi|perché|ed|и|поэтому|значит|потому|sondern|sino|bensì|а|however"
)
_FEW_WORDS = (
    rf"(?:(?:,(?=\s*(?:that|dass|ob|что)\s))?\s+(?!(?:{ADVERSATIVES}|{_CLAUSE_WORDS})(?![{LETTERS}]))"
    rf"[{LETTERS}'-]+){{0,5}}\s*[\"'(\[]*"
)
"""A few words of the same clause."""
_NO = rf"(?:[.,;:!?\n—–-]|(?<![{LETTERS}])(?:{ADVERSATIVES}))\s*(?:no|non|não|nein|нет)"
_VERDICT_END = r"(?=[\s\"')]*(?:[.,;!\n|]|\Z))"
_YES_VERDICT = rf"(?:yes|ja|oui|sí|sì|sim|да){_VERDICT_END}"
_NO_VERDICT = rf"(?:no|nein|non(?: plus)?|não|нет){_VERDICT_END}"
VERDICT = f"(?:{_YES_VERDICT}|{_NO_VERDICT})"
"""Yes or no after an option: "anger: no, fear: yes"."""
_BETWEEN = "between|zwischen|entre|fra|tra|между"
_ALSO = "also|auch|aussi|también|também|anche|тоже|также|too|as well|还有|也"
_BUT_NOT_ALSO = rf"[^.!?\n。]*?(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}])(?![^.!?\n。]*(?:{_ALSO}))"
_TOO_MUCH = (
    r"(?:would be|is|wäre|ist|serait|est|sería|es|seria|é|sarebbe|è) (?:\w+ )?(?:exaggerat\w+|an exaggeration|too much|"
    r"too strong|übertrieben|zu viel|gelogen|zu stark|exagéré\w*|excessif|exagerad\w+|demasiad\w*|demais|esagerat\w+|"
    r"troppo|eccessiv\w+)"
)
"""What rejects an option as too strong: "angry *would be an exaggeration*"."""
_UNSPACED_WORD = r"[\u3041-\u9fff가-힣 ]{0,4}"
_TICKS, _CROSSES = "✅✓✔☑", "❌✗✘✖❎🚫"
_ARROWS = r"(?:→|⇒|=>|->|∴|⟹)"


class ClaimLevel(Enum):
    """How firmly a reply claims an option."""

    IGNORED = auto()
    NEGATED = auto()
    GIVEN_UP = auto()
    TENTATIVE = auto()
    PLAIN = auto()
    PREDICATED = auto()
    LEAD = auto()
    STATED = auto()


class PhrasingRule(NamedTuple):
    """A phrasing, and how firmly it claims the option mentioned in it."""

    level: ClaimLevel
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None

    def matches(self, before: str, after: str) -> bool:
        """Return whether a mention between these two texts has this phrasing."""
        return (self.before is None or self.before.search(before) is not None) and (
            self.after is None or self.after.match(after) is not None
        )


def whole_word(alternatives: str) -> str:
    """Return a pattern for whole words of Latin and Cyrillic script; an elided word ends with its apostrophe."""
    return rf"(?<![{LETTERS}])(?:{alternatives})(?:(?<=')|(?![{LETTERS}]))"


def compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CORRECTION = compile_pattern(
    whole_word(
        r"(?:no|non|não)(?=\s*[,.;:!—–-])|no wait|wait|actually|correction|rather|sorry|make (?:that|it)|"
        r"scratch that|on second thought|i mean|hmm|finally|(?:whoops|oops|ops|ups|oups)|my (?:mistake|bad)|"
        r"(?:ich habe mich|habe mich) (?:geirrt|vertan)|je me (?:suis )?tromp\w+|me equivo\w+|me he equivocado|"
        r"me enganei|errei|mi sono sbagliat\w|mi sbagliavo|я ошиб\w+|ой|"
        r"in the end|revis\w+|korrigier\w+|retific\w+|rettific\w+|mi correggo|исправ\w+|nein|moment|"
        r"besser gesagt|korrektur|doch|vielmehr|pardon|plutôt|enfin|en fait|corrig\w+|"
        r"perdón|mejor(?: dicho)?|digo|rectifico|aliás|ou melhor|quero dizer|desculpe|anzi|scusa|meglio|"
        "нет|точнее|вернее|поправка"
    )
    + "|不对|不,|更正|说错|搞错|弄错|改为|改成|应该是|いや|やっぱり|やはり|訂正|間違え|失礼|아니|정정|잘못|실수"
)
"""Words with which a reply replaces what it wrote before."""
CONTRAST = compile_pattern(rf"(?<![{LETTERS}])(?:{ADVERSATIVES}|{_CONTRASTS})(?![{LETTERS}])")
"""What turns from an option that is only mentioned to the one that is meant."""
TURN = compile_pattern(rf"[.!?。;\n—–]|{CONTRAST.pattern}|{CORRECTION.pattern}")
"""What separates a thought that is given up from the answer."""

EQUAL = compile_pattern(
    rf"(?<![{LETTERS}])(?:{_ALSO}|equally|every bit as|just as|as much|either|genauso|ebenso|ebenfalls|gleichermaßen|"
    "tout aussi|autant|également|igual\\w*|tanto|tampoco|quanto|altrettanto|pure|ugualmente|равно|так же|столь же|"
    f"не меньше)(?![{LETTERS}])|同样|一样|并存|兼有|也有|同じくらい|同様|どちらも|も(?:考え|あり|捨て)|똑같|"
    "마찬가지|만큼|역시"
)
"""Words that put an option on a level with another: "but B is *just as* likely"."""
WITH = rf"(?:with|mit|avec|con|com|с|带着?|夹杂|还带|も混|도 섞)(?![{LETTERS}])"
A_LITTLE = (
    "a bit of|a little|some|a touch of|a hint of|hints of|traces? of|touches of|elements of|undertones? of|etwas|"
    "ein wenig|ein bisschen|einem hauch(?: von)?|un peu de?|une touche de?|une pointe de?|un poco de|algo de|"
    "un toque de|un matiz de|um pouco de|um toque de|algum\\w*|un po' di|un tocco di|una punta di|qualche|немного|"
    "с ноткой|нотк\\w+|оттен\\w+|一点|有点|略带|一丝|几分|少し|やや|若干|약간|조금"
)
END_OF_SENTENCE = re.compile(r"[.!?。;\n]")


class Rules:
    """The phrasings of some languages as patterns, each compiled on first use."""

    def __init__(self, tables: Mapping[str, Phrasings]) -> None:
        self.tables = tables

    def alternatives(self, *names: str) -> str:
        """Return one pattern for fields of all languages."""
        parts = []
        for table in self.tables.values():
            values = "|".join(filter(None, (getattr(table, name) for name in names)))
            if values:
                parts.append(whole_word(values) if table.is_spaced else f"(?:{values})")
        return f"(?:{'|'.join(parts)})" if parts else NEVER

    def compiled(self, *names: str) -> re.Pattern[str]:
        return compile_pattern(self.alternatives(*names))

    # --- around an option ---------------------------------------------------------------

    @cached_property
    def fillers(self) -> str:
        return rf"(?:[{OPENING}]|{self.alternatives('fillers')})*"

    @cached_property
    def _link_word(self) -> str:
        return rf"(?:(?!\n)[{OPENING}]|{self.alternatives('fillers', 'verbs', 'articles')})"

    @cached_property
    def _link(self) -> str:
        return rf"{self._link_word}*"

    @cached_property
    def _stated_before(self) -> str:
        copula = rf"(?:{self.alternatives('copulas')}|[:=]|->)"
        answers = rf"{self.alternatives('answer_nouns')}[\"'\])]*(?:[^.!?\n,;:。]{{0,60}}?{copula})?{self.fillers}$"
        not_a_letter = r"(?!\s+[\"'(]?[a-z0-9](?![a-z0-9]))"
        results = (
            rf"{self.alternatives('result_nouns')}{not_a_letter}[\"']?[^.!?\n,;:。]{{0,60}}?{copula}{self.fillers}$"
        )
        decisions = rf"{self.alternatives('decisions')}[\s,:]*{self.fillers}$"
        corrections = rf"(?:{CORRECTION.pattern})[\s,:]*{self.fillers}$"
        return rf"{answers}|{results}|{decisions}|{corrections}|{_ARROWS}\s*[\"'(\[]*$"

    @cached_property
    def answer_rules(self) -> tuple[PhrasingRule, ...]:
        """The phrasings before an answer."""
        return (
            PhrasingRule(ClaimLevel.STATED, compile_pattern(self._stated_before), None),
            PhrasingRule(
                ClaimLevel.PREDICATED, compile_pattern(rf"{self.alternatives('predicates')}{self._link}$"), None
            ),
        )

    @cached_property
    def text_rules(self) -> tuple[PhrasingRule, ...]:
        """The phrasings around an option named by its text; the first that matches decides."""
        after = rf"{CLOSING}[ \t]*[,:(\-–—]?\s*"
        negated = (
            rf"{self.alternatives('negations')}[\s:—–]*(?:(?![:—–]){self._link_word})*\Z|"
            rf"{self.alternatives('denied_clauses')}{REST_OF_CLAUSE}\Z"
        )
        negated += rf"|{self.alternatives('distant_negations')}{_FEW_WORDS}\Z"
        given_up = rf"{self.alternatives('first_thoughts')}{REST_OF_CLAUSE}\Z"
        pair = rf"{whole_word(_BETWEEN)}{REST_OF_CLAUSE}{self.alternatives('conjunctions')}\s+\S+\s+"
        chosen = rf"{pair}{self.alternatives('decisions')}[\s,:]*{self.fillers}$"
        rows: tuple[tuple[ClaimLevel, str | None, str | None], ...] = (
            (ClaimLevel.STATED, chosen, None),
            (ClaimLevel.NEGATED, None, rf"{CLOSING}\s*(?:[:—–|]|-\s|\.\.\.)\s*{_NO_VERDICT}"),
            (ClaimLevel.STATED, None, rf"{CLOSING}\s*(?:[:—–|]|-\s)\s*{_YES_VERDICT}"),
            (ClaimLevel.STATED, rf"{_NO}\s*[,;:!—–-]\s*{self.fillers}$", None),
            (ClaimLevel.NEGATED, negated, None),
            (ClaimLevel.NEGATED, None, rf"{CLOSING}[ \t]*[:(\-–—]?\s*{self.alternatives('denials')}"),
            (ClaimLevel.NEGATED, rf"[{_CROSSES}][ \t]*(?:[-:][ \t]*)?[\"'(\[]*\Z", None),
            (ClaimLevel.NEGATED, None, rf"{CLOSING}[ \t]?[-:(]?[ \t]?[{_CROSSES}]"),
            (ClaimLevel.STATED, rf"[{_TICKS}][ \t]*(?:[-:][ \t]*)?[\"'(\[]*\Z", None),
            (ClaimLevel.STATED, None, rf"{CLOSING}[ \t]?[-:(]?[ \t]?[{_TICKS}]"),
            (ClaimLevel.NEGATED, None, rf"{CLOSING}\s+{_TOO_MUCH}"),
            (ClaimLevel.GIVEN_UP, given_up, None),
            (ClaimLevel.GIVEN_UP, None, rf"{after}{self.alternatives('first_thoughts_after')}"),
            (ClaimLevel.GIVEN_UP, rf"{self.alternatives('appearances')}{self._link}\Z", _BUT_NOT_ALSO),
            (ClaimLevel.TENTATIVE, rf"{self.alternatives('doubts')}{self._link}\Z", None),
            (ClaimLevel.TENTATIVE, None, rf"{after}{self.alternatives('doubts_after')}"),
            (ClaimLevel.STATED, self._stated_before, None),
            (ClaimLevel.STATED, None, rf"{after}{self.alternatives('confirmations')}"),
            (ClaimLevel.LEAD, self._sentence_start, rf"{CLOSING}\s*(?:\Z|[\n.!?。])"),
            (
                ClaimLevel.LEAD,
                self._sentence_start,
                rf"{CLOSING},\s+{whole_word('the|there|it|this|that|he|she|they|i|you|we|not')}",
            ),
            (ClaimLevel.PREDICATED, rf"{self.alternatives('predicates')}{self._link}$", None),
            (ClaimLevel.PREDICATED, None, rf"{CLOSING}\s*{self.alternatives('predicates_after')}"),
        )
        return _compile_rows(rows)

    @cached_property
    def negated_later(self) -> re.Pattern[str]:
        """The rest of a clause up to its negation: "of the waiting time he speaks *not* a word"."""
        joints = self.alternatives("conjunctions", "causes")
        without = whole_word("without|ohne|sans|sin|sem|senza|без")
        negators = self.alternatives("negators")
        return compile_pattern(
            rf"(?=\s?\w)(?!\s*{negators})(?:(?!{joints})[^.,;:!?\n。、\"()]){{1,40}}?(?!{without}){negators}"
        )

    @cached_property
    def label_rules(self) -> tuple[PhrasingRule, ...]:
        """The phrasings around a letter; outside of them a letter is usually ignored."""
        rows: tuple[tuple[ClaimLevel, str | None, str | None], ...] = (
            (ClaimLevel.LEAD, self._sentence_start, rf"{CLOSING}[ \t]*(?:[):、\]]|-\s|\Z|[\n.!?。])"),
            (ClaimLevel.PLAIN, rf"(?:\A|[\n.,;!?。、:]){self._openers}", rf"{CLOSING}\s*(?:\Z|[\n.,;!?。、])"),
            (ClaimLevel.PLAIN, rf"{self.alternatives('option_nouns')}\s*[\"'(\[]*$", None),
            (ClaimLevel.PLAIN, None, r"[\"'\]]*\)"),
            (ClaimLevel.PLAIN, _VERB_BEFORE_LETTER, rf"{CLOSING}\s*(?:\Z|[\n.!?。;,]|{_NOT_NAMED}[{LETTERS}])"),
            (ClaimLevel.PLAIN, _UNSPACED_BEFORE_LETTER, rf"{CLOSING}\s*(?:\Z|{_NOT_NAMED_UNSPACED})"),
        )
        return (*self.text_rules, *_compile_rows(rows))

    @cached_property
    def _openers(self) -> str:
        return rf"(?:[\s\"'(\[{{]|{self.alternatives('fillers')})*$"

    @cached_property
    def _sentence_start(self) -> str:
        return rf"(?:\A|[\n.!?。:]){self._openers}"

    @cached_property
    def conjunction(self) -> re.Pattern[str]:
        """What joins two options into alternatives."""
        joints = self.alternatives("conjunctions", "doubts")
        return compile_pattern(rf"{CLOSING}\s*,?\s*(?:{joints}|/|&|、){self.fillers}")

    @cached_property
    def cut_off(self) -> re.Pattern[str]:
        """The end of a reply that breaks off before another option: "A or"."""
        return compile_pattern(rf"{CLOSING}(?:\s*[,、]?\s*{self.alternatives('conjunctions')})+[\s.…]*\Z")

    @cached_property
    def explanation(self) -> re.Pattern[str]:
        """The text between a stated option and another one that belongs to the explanation, not to the answer."""
        turns = rf"(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}])|{self.alternatives('conjunctions', 'doubts')}"
        ends = rf"[.!?。;\n]|\",|{self.alternatives('causes')}"
        return compile_pattern(rf"(?:(?!{turns})[^.!?。;\n])*?(?:{ends})|(?:(?!{turns})[^.!?。;\n])*?,")

    @cached_property
    def comma(self) -> re.Pattern[str]:
        return compile_pattern(rf"{CLOSING}\s*,{self.fillers}")

    @cached_property
    def option_word_before(self) -> re.Pattern[str]:
        return compile_pattern(rf"{self.alternatives('option_nouns')}\s*[\"'(\[#]*$")

    @cached_property
    def phrase_end(self) -> re.Pattern[str]:
        return compile_pattern(
            rf"\s*(?:[.,;:!?)\]\"'。、\n]|\Z|{self.alternatives('causes', 'conjunctions', 'confirmations', 'denials')})"
        )

    @cached_property
    def word_after_letter(self) -> re.Pattern[str]:
        names = ("verbs_after_letter", "conjunctions", "copulas", "denials", "confirmations", "first_thoughts_after")
        return compile_pattern(rf"[ \t]+{self.alternatives(*names)}")

    @cached_property
    def ordinals(self) -> re.Pattern[str]:
        """An ordinal with a noun, or alone at the end of a clause; the groups give its position."""
        count = max(len(table.ordinals) for table in self.tables.values())
        groups = [
            rf"(?P<n{index}>{self._any_ordinal(index)})" for index in range(count) if self._any_ordinal(index) != NEVER
        ]
        groups.append(rf"(?P<last>{self.alternatives('last_ordinal')})")
        numbered = [
            rf"(?P<m{index}>{self._number_word(index + 1)})" for index in range(count) if self._number_word(index + 1)
        ]
        numbered_option = rf"{self.alternatives('option_nouns')}\s+(?:{'|'.join(numbered) or NEVER})"
        noun = rf"\s*(?:の|的)?\s*(?:{self.alternatives('option_nouns')}|{whole_word('one|choice|item')})"
        end = rf"(?=\s*(?:\Z|[.,;!\n。]|です|だ(?=\W|\Z)|입니다|吧|{self._unspaced('confirmations')}))"
        lists = self.alternatives("lists")
        listed = rf"(?:{noun})?\s+{lists}" if lists != NEVER else NEVER
        things = rf"\s*の?\s*(?:{self._unspaced('option_nouns', 'result_nouns')})?"
        return compile_pattern(
            rf"(?P<numbered>{numbered_option})|(?P<listed>{lists}[\s,、]*)?(?:{'|'.join(groups)})"
            rf"(?:(?P<list>{listed})|(?P<noun>{noun})|{end}|(?(listed){things}|(?!)))"
        )

    def _unspaced(self, *names: str) -> str:
        """Return a pattern for fields of the languages without spaces between words."""
        tables = {language: table for language, table in self.tables.items() if not table.is_spaced}
        return Rules(tables).alternatives(*names)

    @cached_property
    def bound_rules(self) -> tuple[PhrasingRule, ...]:
        """What makes a number a bound: "*at least* three"."""
        return _compile_rows(
            (
                (ClaimLevel.NEGATED, rf"{self.alternatives('bounds')}(?:{self._link}|{_UNSPACED_WORD})\Z", None),
                (ClaimLevel.NEGATED, None, rf"\s*{self.alternatives('bounds_after')}"),
            )
        )

    @cached_property
    def count(self) -> re.Pattern[str]:
        """A number of something, not a time such as 8:15."""
        words = [word for table in self.tables.values() for word in table.number_words]
        number = whole_word("|".join(["once", "twice", *words]))
        return compile_pattern(rf"(?<![0-9:])[0-9]+(?![0-9:])|[一二两兩三四五六七八九十]|{number}(?!\w)")

    def _number_word(self, value: int) -> str:
        tables = [table for table in self.tables.values() if table.is_spaced]
        words = [word for table in tables for word, number in table.number_words.items() if number == value]
        return whole_word("|".join(words)) if words else ""

    @cached_property
    def determiner(self) -> re.Pattern[str]:
        return self.compiled("fillers", "articles")

    word = compile_pattern(rf"[{LETTERS}]")

    def _any_ordinal(self, index: int) -> str:
        parts = [
            whole_word(table.ordinals[index]) if table.is_spaced else f"(?:{table.ordinals[index]})"
            for table in self.tables.values()
            if index < len(table.ordinals)
        ]
        return "|".join(parts) or NEVER


_NAMES_WITH_LETTER = (
    "vitamin|hepatitis|plan|type|group|note|key|grade|channel|speaker|person|voice|track|side|part|"
    "section|chord|string|"
    "in|team|studio|gate|platform|class|level|minor|major|point|step|vitamine|vitamina|gruppe|groupe|"
    "grupo|gruppo|группа|block|line|terminal|room|mr|ms|mrs|dr|caller|guest|player|singer|to|von|bis|nota|ton|tonart|"
    "sprecher|person|plano|piano|locuteur|personne|hablante|persona|falante|pessoa|parlante|диктор|голос|нота|план|"
    "говорящий|персонаж"
)
_UNSPACED_NAMES = (
    "说话人|说话者|人物|嘉宾|选手|歌手|乐队|方案|计划|维生素|小组|版本|频道|男|女|话者|話者|話し手|スピーカー|プラン|"
    "ビタミン|チーム|グループ|パート|"
    "歌手|화자|플랜|팀|비타민|그룹|사람|참가자|인물|버전|가수|발화자"
)
_NOT_NAMED = (
    r"(?!(?:minor|major|flat|sharp|natural|string|chord|section|side|note|part|team|dur|moll|mineur|majeur|menor|mayor|"
    r"maior|minore|maggiore|мажор|минор)(?![a-zа-яё]))"
)
_NOT_NAMED_UNSPACED = (
    "(?![大小]?调|面|组|座|级|班|型|君|さん|氏|メロ|[長短]?調|社|コード|和弦|群|地|국|팀|조(?!용)|장조|단조|씨|면|형|"
    "사(?!운)|"
    "그룹|코드|단계)[^a-zA-Z0-9]"
)
"""What does not follow a letter that is part of a name: "A minor", "B面"."""
# In "the longest turn belongs to C." a letter ends the sentence; in "a song by group C." it is part of a name.
_VERB_BEFORE_LETTER = rf"(?<![{LETTERS}])(?!(?:{_NAMES_WITH_LETTER})\s)[{LETTERS}]{{2,}}\s+[\"'(\[]*$"
# In scripts without Latin letters a single one is an option wherever it stands, unless it is part of a name.
_UNSPACED_BEFORE_LETTER = rf"(?<!{')(?<!'.join(_UNSPACED_NAMES.split('|'))})(?<=[\u3041-\u9fff가-힣,、])\s?[\"'(\[]*$"


def _compile_rows(rows: tuple[tuple[ClaimLevel, str | None, str | None], ...]) -> tuple[PhrasingRule, ...]:
    return tuple(
        PhrasingRule(level, compile_pattern(before) if before else None, compile_pattern(after) if after else None)
        for level, before, after in rows
    )


@lru_cache(maxsize=64)
def rules_for_languages(languages: tuple[str, ...]) -> Rules:
    """Return the rules of these languages."""
    return Rules({language: TABLES[language] for language in languages})


def rules_for_reply(reply: str) -> Rules:
    """Return the rules of the languages in which a cleaned reply may be written."""
    return rules_for_languages(detect_languages(reply))

"""Phrasings with which a reply affirms, denies or doubts an option, as one table tried in order.

Each row gives the text right before a mention, right after it, or both. Rows are regular expressions over a cleaned
reply; fillers between the phrase and the mention ("the answer is *most likely option* B") are always allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import cache
from typing import NamedTuple


class ClaimLevel(Enum):
    """How firm a claim is."""

    IGNORED = auto()
    NEGATED = auto()
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
    """Return a pattern for whole Latin words; a plain word boundary fails next to Chinese characters."""
    return rf"(?<![a-z])(?:{alternatives})(?![a-z])"


_ADVERBS = (
    "most|very|more|likely|probably|definitely|clearly|certainly|indeed|simply|actually|obviously|"
    "really|just|quite|highly|rather|extremely|slightly|somewhat|so|too|mostly|mainly|primarily|"
    "also|both|all|therefore|thus"
)
_NOUNS = "an?|the|option|choice|letter|answer|number|label|category|class|correct"
_KINDS = "kind|type|sort|form|sound|of|playing|feeling|either"
_VERBS = (
    "be|been|being|is|are|was|were|it|it's|its|to|like|that|this|as|sounds?|seems?|appears?|choose|"
    "chosen|pick|select|hear|have|contain|match|mean|express|feel|show|convey|indicate|in|with|from|"
    "possible|possibly|necessarily|consistent"
)
_OPENING = r"\s\"'(\[{<:=\-"
_CHINESE_FILLERS = "选项|選項|答案|一个|一种|一段|一位|一把|那个|这个"
_FILLERS = rf"[{_OPENING}]|{whole_word(f'{_NOUNS}|{_ADVERBS}|{_KINDS}')}|{_CHINESE_FILLERS}"
OPTIONAL_FILLERS = rf"(?:{_FILLERS})*"
_LINK = rf"(?:{_FILLERS}|{whole_word(_VERBS)})*"
_COPULA = rf"(?:{whole_word('is|are|was|were|be|as|being')}|'s|[:=]|->)"
_CLOSING = r"[\"')\]}]*"
_REST_OF_CLAUSE = rf"(?:(?!{whole_word('but')})[^.,;!?\n。])*"
_REST_OF_CHINESE_CLAUSE = r"[^,.;!?\n。]*"
_NOT = rf"(?:{whole_word('not|never|neither|nor|cannot|cant|isnt|dont')}|n't(?![a-z]))(?!\s+only)"
_BE = whole_word("is|are|was|were|seems?|looks?|sounds?|would be|being")
_AUXILIARY = whole_word("is|are|was|were|does|do|did|can|could|would|should|will|must")
_CONTRACTED_NOT = r"(?:is|are|was|were|does|do|did|ca|could|would|should|wo)n't(?![a-z])"
_DECISION = (
    "say|choose|pick|select|go with|going with|think|believe|guess|vote for|opt for|conclude|"
    "answer|lean towards?|chose|picked|selected|settle on|stick with"
)
_EXCLUSIONS = (
    r"rather than|instead of|unlike|as opposed to|other than|except(?: for)?|without|no|lacks?|"
    r"rul(?:e|es|ed|ing) out|exclud\w+|eliminat\w+|discard\w*|reject\w*|versus|vs\.?|free of|"
    r"compared (?:to|with)|different from|differs from|absence of"
)
_FAULTS = (
    "incorrect|wrong|false|inconsistent|unlikely|implausible|impossible|ruled out|eliminated|"
    "excluded|invalid|improbable|absent|out|less likely|irrelevant|not"
)
_MERITS = "correct|right|best|answer|true|accurate|likely|plausible|appropriate|suitable|sense"
_RESULTS = "choice|option|selection|pick|guess|label|category|class|classification|emotion|output|result|response"
_TRANSITIONS = (
    "so|thus|therefore|hence|finally|actually|correction|wait|no|in fact|namely|on second thought|"
    "leaves?(?: us with)?|leaving(?: us with)?"
)

NEGATED_BEFORE = (
    rf"{_NOT}{_LINK}$",
    rf"{_NOT}\s+{whole_word('think|believe|say|feel|suggest|suppose|find')}{_REST_OF_CLAUSE}$",
    rf"{whole_word(_EXCLUSIONS)}{OPTIONAL_FILLERS}$",
    rf"{whole_word('whether')}{_REST_OF_CLAUSE}$",
    rf"{whole_word('tell|determine|know|sure|identify|unclear|say')}\s+if\s{_REST_OF_CLAUSE}$",
    r"(?:不|没|没有|无|無|并非|绝非|排除|除了|非)\s*(?:太|大|是|会|能|可能|应|该|选|選|择|属于|怎么|够|再"
    rf"|听起来|显得)*{OPTIONAL_FILLERS}$",
    rf"(?:是否|是不是|能否|无法确定|无法判断){_REST_OF_CHINESE_CLAUSE}$",
)
NEGATED_AFTER = (
    rf"{_CLOSING}[ \t]*{_AUXILIARY}\s+(?:{whole_word(_ADVERBS)}\s+)*not(?![a-z])(?!\s+only)",
    rf"{_CLOSING}[ \t]*(?:{_CONTRACTED_NOT}|{whole_word('cannot')})",
    rf"{_CLOSING}[ \t]*(?:[:(\-]\s*)?{_BE}\s+(?:{whole_word(_ADVERBS)}\s+)*{whole_word(_FAULTS)}",
    rf"{_CLOSING}[ \t]*[:(\-]?\s*{whole_word('incorrect|wrong|false|ruled out|eliminated|excluded')}",
    rf"{_CLOSING}\s*(?:选项)?\s*(?:是|显然|明显|都|也|均|可以|可|被|肯定)*\s*"
    r"(?:不对|不正确|错误|错的|错|不符|不合|不可能|不是|排除|有误|不行|不成立)",
)
TENTATIVE_BEFORE = (
    rf"{whole_word('thought|guessed|suspected|considered|assumed|expected|mistook|confused')}"
    rf"{_REST_OF_CLAUSE}$",
    rf"{whole_word('might|may|could')}\s+{_LINK}$",
    rf"{whole_word('maybe|perhaps|possibly|similar to|resembles?|reminiscent of')}{OPTIONAL_FILLERS}$",
    rf"(?:以为|最初|起初|一开始|原本|也许|或许|(?<![最很大有])可能){_REST_OF_CHINESE_CLAUSE}$",
)
TENTATIVE_AFTER = (rf"{_CLOSING}\s*,?\s*{whole_word('if|unless')}\s", rf"{_CLOSING}\s*\?")
STATED_BEFORE = (
    rf"{whole_word('answer|ans|prediction|conclusion|verdict|final')}[\"']?"
    rf"(?:[^.!?\n,;:]{{0,60}}?{_COPULA})?{OPTIONAL_FILLERS}$",
    rf"{whole_word(_RESULTS)}(?!\s+[\"'(]?[a-z0-9](?![a-z0-9]))[\"']?[^.!?\n,;:]{{0,60}}?{_COPULA}{OPTIONAL_FILLERS}$",
    rf"(?<![a-z])i(?:'d| would|'ll| will| should| must|'m| am)?\s+(?:\w+\s+)?{whole_word(_DECISION)}"
    rf"(?:\s*{whole_word('that|it|this')})*(?:\s*(?:is|'s|would be|must be|should be)(?![a-z]))?{OPTIONAL_FILLERS}$",
    rf"{whole_word('choose|choosing|pick|picking|select|selecting|go with|settle on|must be|has to be')}"
    rf"{OPTIONAL_FILLERS}$",
    rf"{whole_word(_TRANSITIONS)}(?:[\s,:]|{whole_word('i mean|it|that|this|must|should|has|to')}|{_COPULA})*"
    rf"{OPTIONAL_FILLERS}$",
    rf"{whole_word('not')}[^.!?\n]*{whole_word('but')}\s*(?:{whole_word('rather|instead|it|is')}\s*)*{OPTIONAL_FILLERS}$",
    r"(?:→|⇒|=>|->|∴|⟹)\s*[\"'(\[]*$",
    r"(?:答案|正确的?选项|正确的?选择|结论|结果|标签|类别|情绪|情感|最终|更正)\s*"
    rf"(?:应该|应当|应|就|显然|最可能|很可能|只能|可以)*\s*(?:是|为|選|选|:)?{OPTIONAL_FILLERS}$",
    rf"(?:选择|選擇|[选選](?![项項])|(?:应该|应当|应|其实|实际上|认为|觉得|所以|因此|而|就|只能)是"
    rf"|应为|判断为|所以|因此|故){OPTIONAL_FILLERS}$",
)
STATED_AFTER = (
    rf"{_CLOSING}\s*,?\s*(?:{whole_word('because|since|given that|due to|as it|as the')}|因为|由于)",
    rf"{_CLOSING}\s+(?:{whole_word('fits?|matches|makes')}|{_BE}(?:\s+to be)?)\s+"
    rf"(?:{whole_word(f'the|only|one|{_ADVERBS}')}\s+)*{whole_word(_MERITS)}",
    rf"{_CLOSING}\s*(?:选项)?\s*(?:是|才是|为|最|更|显然|就是)*\s*(?:正确|对的|最佳|合适|符合|答案|合理)",
)
PREDICATED_BEFORE = (
    rf"(?:{whole_word('is|are|was|were|be|being|as|sounds?|seems?|appears?|feels?|expresses|conveys')}"
    rf"|{whole_word('called|hear|heard')}|'s|'re){_LINK}$",
    rf"(?:是|为|像|属于|听起来|表现出|带有|感到|显得|很|非常|比较|十分|有点){OPTIONAL_FILLERS}$",
)

_OPENERS = rf"(?:[\s\"'(\[{{]|{whole_word(_ADVERBS)})*$"
_SENTENCE_START = rf"(?:\A|[\n.!?。:]){_OPENERS}"
_SENTENCE_END = rf"{_CLOSING}\s*(?:\Z|[\n.!?。])"
_LABEL_END = rf"{_CLOSING}[ \t]*(?:[):、\]]|-\s|\Z|[\n.!?。])"
_NEW_CLAUSE = rf"{_CLOSING},\s+{whole_word('the|there|it|this|that|he|she|they|i|you|we|not')}"
_CLAUSE_START = rf"(?:\A|[\n.,;!?。、:]){_OPENERS}"
_CLAUSE_END = rf"{_CLOSING}\s*(?:\Z|[\n.,;!?。、])"
_LABEL_NAME = rf"(?:{whole_word('option|choice|letter')}|选项|選項)\s*[\"'(\[]*$"


def _rules(level: ClaimLevel, *rows: tuple[str | None, str | None]) -> tuple[PhrasingRule, ...]:
    compiled = ([re.compile(side, re.IGNORECASE) if side else None for side in row] for row in rows)
    return tuple(PhrasingRule(level, before, after) for before, after in compiled)


def _sided(level: ClaimLevel, before: Sequence[str], after: Sequence[str] = ()) -> tuple[PhrasingRule, ...]:
    return _rules(level, *((pattern, None) for pattern in before), *((None, pattern) for pattern in after))


@cache
def answer_rules() -> tuple[PhrasingRule, ...]:
    """Return the phrasings before an answer; compiled on first use, like all rules."""
    return (*_sided(ClaimLevel.STATED, STATED_BEFORE), *_sided(ClaimLevel.PREDICATED, PREDICATED_BEFORE))


@cache
def text_rules() -> tuple[PhrasingRule, ...]:
    """Return the phrasings around an option named by its text."""
    return (
        *_sided(ClaimLevel.NEGATED, NEGATED_BEFORE, NEGATED_AFTER),
        *_sided(ClaimLevel.TENTATIVE, TENTATIVE_BEFORE, TENTATIVE_AFTER),
        *_sided(ClaimLevel.STATED, STATED_BEFORE, STATED_AFTER),
        *_rules(ClaimLevel.LEAD, (_SENTENCE_START, _SENTENCE_END), (_SENTENCE_START, _NEW_CLAUSE)),
        *_sided(ClaimLevel.PREDICATED, PREDICATED_BEFORE),
    )


@cache
def label_rules() -> tuple[PhrasingRule, ...]:
    """Return the phrasings around a label; outside of them a label is usually ignored."""
    return (
        *text_rules(),
        *_rules(ClaimLevel.LEAD, (_SENTENCE_START, _LABEL_END)),
        *_rules(ClaimLevel.PLAIN, (_CLAUSE_START, _CLAUSE_END)),
        *_rules(ClaimLevel.PLAIN, (_LABEL_NAME, None), (None, r"[\"'\]]*\)")),
    )

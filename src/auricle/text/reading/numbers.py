"""Read a number from a free-form reply."""

from __future__ import annotations

import math
import re

from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.phrasings import whole_word
from auricle.text.reading.result import Reading, Strength

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})++(?![0-9])|[0-9]++)(?:\.[0-9]++)?|\.[0-9]++"
_SIGNED = rf"(?:(?<![\w)])[-+])?(?:{_DIGITS})(?:e[-+]?[0-9]+)?"
_NUMBER = re.compile(rf"(?<![a-z0-9_.])({_SIGNED})(?![a-z0-9_]|\.[0-9])", re.IGNORECASE)
_CUE = (
    rf"(?:{whole_word('score|rating|rate|answer|grade|value|result|number|total|mark')}|评分|得分|打分|分数"
    r"|答案|结果|总分)"
)
_CUED = re.compile(rf"{_CUE}[^0-9\n]{{0,40}}?({_SIGNED})(?![a-z0-9_]|\.[0-9])", re.IGNORECASE)
# The end of a scale ("4 out of 5") is not the number of the reply.
_SCALES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<=[0-9])\s*/\s*(?:{_DIGITS})",
        rf"(?<=[0-9])\s+out\s+of\s+(?:a\s+(?:possible\s+)?)?(?:{_DIGITS})",
        rf"{whole_word('scale|range|rated?|from|between')}(?:\s+(?:of|from|between))?\s+"
        rf"(?:{_DIGITS})\s*(?:-|–|~|to|and)\s*(?:{_DIGITS})",
        rf"(?:满分|总分)(?:是|为)?\s*(?:{_DIGITS})\s*分?(?:制)?",
        rf"(?<![0-9.])(?:{_DIGITS})\s*分\s*(?:制|满分)",
        rf"(?<![0-9.])(?:{_DIGITS})\s*(?:-|~|到|至)\s*(?:{_DIGITS})\s*分?(?:的|之间)",
    )
)


def read_number(text: str, limits: tuple[float, float] | None = None) -> Reading[float]:
    """Read the number of a reply: the last one after a cue such as "score:", else the last.

    Args:
        text: The reply.
        limits: Lowest and highest number of the scale; a number outside is unreadable.
    """
    reply = clean_reply(text)
    for scale in _SCALES:
        reply = scale.sub(" ", reply)
    for pattern, strength in ((_CUED, Strength.MARKER), (_NUMBER, Strength.OPTION_TEXT)):
        values = [float(match[1].replace(",", "")) for match in pattern.finditer(reply)]
        finite = [value for value in values if math.isfinite(value)]
        if finite:
            is_on_scale = limits is None or limits[0] <= finite[-1] <= limits[1]
            return Reading(finite[-1], strength) if is_on_scale else Reading()
    return Reading()

r"""The language of filters, such as `status:failed wer>20 whisper`, for runs and for samples.

    word, "two words"     text that contains this
    field:text            a field that contains this text, ignoring case
    field=text            a field that is exactly this; several of one field: any of them
    field>number          also >=, <, <= and !=
    -term                 what does not match

All terms must match. Quotes are part of a text if a backslash precedes them, and a field with spaces is quoted, too:
`"room size"="very \"large\""`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from auricle.core.errors import SpecError

CONTAINS, EQUALS = ":", "="
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
"""Comparisons of numbers, or of columns with a number."""
UNIT_SECONDS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
QUOTED = r'"(?:[^"\\]|\\.)*"'
TERM = re.compile(
    rf"(?P<negated>-)?(?:(?P<field>{QUOTED}|[\w@.-]+?)(?P<operator>>=|<=|!=|[:><=]))?(?P<value>{QUOTED}|\S+)"
)
PLAIN_FIELD = re.compile(r"[\w@.][\w@.-]*")
PLAIN_VALUE = re.compile(r'[^\s"-][^\s"]*')
PLAIN_WORD = re.compile(r'[^\s":<>=!-][^\s":<>=!]*')
NUMBER = re.compile(r"(?P<digits>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>%|s|min|m|h|d)?")


class Term(NamedTuple):
    """One condition of a filter."""

    field: str
    """Empty for text that may be in any of the searched fields."""
    operator: str
    value: str
    is_negated: bool = False

    def __str__(self) -> str:
        r"""Write the term so that `parse_terms` reads the same again.

        >>> str(Term("room size", "=", 'very "large"'))
        '"room size"="very \\"large\\""'
        """
        plain = PLAIN_VALUE if self.field else PLAIN_WORD
        value = self.value if plain.fullmatch(self.value) else _quote(self.value)
        field = self.field if not self.field or PLAIN_FIELD.fullmatch(self.field) else _quote(self.field)
        return f"{'-' if self.is_negated else ''}{field}{self.operator if field else ''}{value}"

    def parse_number(self) -> float:
        """Return the number that a field is compared with; times are converted to seconds.

        Raises:
            SpecError: if it is not a number.
        """
        number = NUMBER.fullmatch(self.value)
        if not number:
            raise SpecError(
                f"Not a number in the filter: {self.field} is compared with {self.value!r}. Write, for example, "
                f"{self.field}>20."
            )
        return float(number["digits"]) * UNIT_SECONDS.get(number["unit"] or "", 1.0)


def parse_terms(text: str) -> list[Term]:
    """Split a filter into its terms.

    >>> parse_terms('wer>20 -model:tiny')
    [Term(field='wer', operator='>', value='20', is_negated=False), \
Term(field='model', operator=':', value='tiny', is_negated=True)]
    """
    terms = []
    for match in TERM.finditer(text):
        field, sign, value = match["field"] or "", match["operator"] or CONTAINS, match["value"]
        terms.append(Term(_unquote(field), sign, _unquote(value), bool(match["negated"])))
    return terms


def group_alternatives(terms: list[Term]) -> list[list[Term]]:
    """Group the terms of which any must match: those that require one field to be exactly some text."""
    groups: dict[Any, list[Term]] = {}
    for index, term in enumerate(terms):
        is_alternative = term.field and term.operator == EQUALS and not term.is_negated
        groups.setdefault(term.field if is_alternative else index, []).append(term)
    return list(groups.values())


def format_filter(*terms: Term) -> str:
    return " ".join(map(str, terms))


def _quote(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return text

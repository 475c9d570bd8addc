"""Find options whose words a reply uses in other forms or in another order: "cook dinner", "they cooked a dinner"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from auricle.text.reading.mentions import CACHE_SIZE, Mention, core_tokens
from auricle.text.reading.restatements import stem_words
from auricle.text.reading.rules import Rules

_CLAUSE = re.compile(r"[^.,;:!?\n。、()\"]+")
_MIN_LETTERS = 4
_MAX_CLAUSE = 300


@lru_cache(maxsize=CACHE_SIZE)
def _stems_of_options(aliases: tuple[tuple[str, ...], ...], languages: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Return the stems of the words with content of every option; none if it has no word of its own."""
    stems = [_stems(names[0], languages) if names else frozenset() for names in aliases]
    owners = Counter(stem for own in stems for stem in own)
    return tuple(own if any(owners[stem] == 1 for stem in own) else frozenset() for own in stems)


def _stems(name: str, languages: tuple[str, ...]) -> frozenset[str]:
    words = stem_words(" ".join(core_tokens(name.replace("_", " "))), languages)
    if any(word.is_negation for word in words):
        return frozenset()
    stems = frozenset(word.stem for word in words if word.has_content)
    return stems if sum(map(len, stems)) >= _MIN_LETTERS else frozenset()


def find_word_mentions(
    text: str, aliases: tuple[tuple[str, ...], ...], rules: Rules, exact: Sequence[Mention]
) -> Iterator[Mention]:
    """Yield where a clause has all words of an option that is not named exactly, whatever their forms and order."""
    languages = tuple(language for language, table in rules.tables.items() if table.is_spaced)
    named = {mention.index for mention in exact}
    if not languages:
        return
    options = [
        (index, stems)
        for index, stems in enumerate(_stems_of_options(aliases, languages))
        if stems and index not in named
    ]
    mentions = [mention for clause in _CLAUSE.finditer(text) for mention in _in_clause(clause, options, languages)]
    chosen = {mention.index for mention in mentions}
    if len(chosen) == 1 and not _has_words_of_others(text, chosen.pop(), options, languages):
        yield from mentions


def _in_clause(
    clause: re.Match[str], options: Sequence[tuple[int, frozenset[str]]], languages: tuple[str, ...]
) -> Iterator[Mention]:
    words = stem_words(clause[0][:_MAX_CLAUSE], languages)
    stems_of_clause = {word.stem for word in words}
    for index, stems in options:
        used = [word for word in words if word.stem in stems]
        if stems <= stems_of_clause and not any(word.is_negation for word in words):
            yield Mention(clause.start() + used[0].start, clause.start() + used[-1].end, index, is_label=False)


def _has_words_of_others(
    text: str, chosen: int, options: Sequence[tuple[int, frozenset[str]]], languages: tuple[str, ...]
) -> bool:
    """Return whether a reply has a word of another option, which it may mean instead."""
    own = dict(options)[chosen]
    others = {stem for index, stems in options if index != chosen for stem in stems - own}
    return any(word.stem in others for word in stem_words(text, languages))

"""Statements: clauses that name exactly one option, and refusals.

A clause with a negation only denies; one with a hedge, a condition, a question, a quotation or a comparison states
nothing. All clauses that state an option have to name the same one, and no doubtful one another.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

from auricle.text.reading.languages import all_languages, known_words, phrasebook
from auricle.text.reading.markers import is_corrected
from auricle.text.reading.options import Options
from auricle.text.reading.sentences import VETOES, Reply
from auricle.text.reading.words import Phrasebook, is_word

_GAP, _MAX_GAP = "…", 6
"""Words that may stand in the gap of a phrase of refusal."""


# --- refusals ---------------------------------------------------------------------------


_Rest = tuple[Phrasebook[None], ...]


@lru_cache(maxsize=256)
def _refusals(languages: tuple[str, ...], *fields: str) -> Phrasebook[list[_Rest]]:
    """Return the beginnings of phrases of refusal, each with what may follow after a gap, in some languages or all."""
    rests: dict[str, list[_Rest]] = {}
    for code, table in all_languages().items():
        for phrase in (phrase for field in fields for phrase in table.phrases(field)):
            if not languages or code in languages:
                first, *rest = phrase.split(_GAP)
                rests.setdefault(first.strip(), []).append(tuple(Phrasebook([(part, None)]) for part in rest))
    return Phrasebook(rests.items())


def find_refusal(reply: Reply, *fields: str) -> bool:
    """Return whether a reply declines to answer, or states that the audio cannot be heard.

    Args:
        reply: The reply.
        fields: Fields of the tables with the phrases that say so; by default, all that do.
    """
    phrases = _refusals(reply.languages, *(fields or ("refusals", "no_audio")))
    matches = (phrases.match(reply.words, at) for at in range(len(reply.words)) if not reply.is_quoted[at])
    return any(_is_complete(reply, hit.end, rest) for hit in matches if hit for rest in hit.payload)


def _is_complete(reply: Reply, start: int, rest: _Rest) -> bool:
    """Return whether the further parts of a phrase follow in its sentence."""
    at = start
    for part in rest:
        following = next(part.find(reply.words, at, min(reply.end(at), at + _MAX_GAP)), None)
        if following is None:
            return False
        at = following.end
    return True


# --- statements -------------------------------------------------------------------------


class _Kind(Enum):
    """How a clause speaks of the options that it names."""

    STATED = auto()
    DENIED = auto()
    DOUBTED = auto()


def read_statements(reply: Reply, options: Options) -> int | None:
    """Return the option that the clauses of a reply state."""
    if not reply.languages:
        return None
    if options.is_yes_no:
        return _read_yes_no(reply, options)
    named: dict[_Kind, set[int]] = {kind: set() for kind in _Kind}
    for kind, indices in _find_clauses(reply, options):
        named[kind] |= indices
    stated, denied, doubted = (named[kind] for kind in _Kind)
    is_list = len(options.marked_letters(reply)) > 1
    if len(stated) != 1 or is_list or denied & stated or doubted - stated:
        return None
    return None if options.are_numbers and _calculates(reply, options) else stated.pop()


def _calculates(reply: Reply, options: Options) -> bool:
    """Return whether a reply has numbers besides those of options, such as intermediate results."""
    return any(
        word.raw == "=" or (word.raw[0].isdigit() and word.text not in options.vocabulary) for word in reply.words
    )


def _find_clauses(reply: Reply, options: Options) -> Iterator[tuple[_Kind, set[int]]]:
    """Yield the clauses that name options: how they speak of them, and the options."""
    vetoes = phrasebook(reply.languages, *VETOES)
    doubts = phrasebook(reply.languages, "doubts")
    # "The audience is happy but the speaker is" was cut off; in some languages a verb follows its subject.
    cut = phrasebook(reply.languages, "links", "joints").match(reply.words, len(reply.words) - 1)
    for start, end in reply.sentences():
        # An option such as "other" is a word of its own more often than an answer.
        mentions = [hit for hit in options.find(reply, start, end) if not vetoes.match(reply.words, hit.start)]
        if not mentions:
            continue
        named = {at for mention in mentions for at in range(mention.start, mention.end)}
        hit = [veto for veto in reply.vetoes(start, end) if veto.start not in named]
        hit = [veto for veto in hit if not reply.is_quoted[veto.start]]
        bounds = _split(reply, start, end, named.union(*(range(veto.start, veto.end) for veto in hit)))
        is_doubted = False
        for (left, resets), (right, _) in pairwise([*bounds, (end, True)]):
            inside = [mention for mention in mentions if left <= mention.start < right]
            kinds = {veto.payload for veto in hit if left <= veto.start < right}
            is_doubted = (is_doubted and not resets) or bool(kinds - {"negations"})
            indices = {mention.payload for mention in inside}
            after = right + 1 if right < end and reply.words[right].raw in ",、" else right
            is_unclear = len(indices) > 1 or reply.is_question(start) or any(map(reply.is_spoken, inside))
            is_unclear |= _has_unknown_words(reply, start, end, named)
            is_unclear |= bool(cut and end == cut.end and inside and inside[-1].end < cut.start)
            if is_doubted or is_unclear or (after < end and doubts.match(reply.words, after)):
                yield _Kind.DOUBTED, indices
            else:
                yield _Kind.DENIED if kinds else _Kind.STATED, indices


def _has_unknown_words(reply: Reply, start: int, end: int, named: Container[int]) -> bool:
    """Return whether a sentence in a language with a small table has words besides those of the table and options."""
    known = [words for code in reply.languages if (words := known_words(code)) is not None]
    return bool(known) and any(
        is_word(reply.words[at]) and at not in named and not any(reply.words[at].text in words for words in known)
        for at in range(start, end)
    )


def _split(reply: Reply, start: int, end: int, taken: set[int]) -> list[tuple[int, bool]]:
    """Return where the clauses of a sentence begin, and whether they leave a doubt before them behind."""
    joints = phrasebook(reply.languages, "contrasts", "joints")
    bounds = [(start, True)]
    for at in range(start, end):
        if at in taken:
            continue
        if joint := joints.match(reply.words, at):
            bounds.append((at, joint.payload == "contrasts"))
        elif reply.words[at].raw in ",:、—–":
            bounds.append((at, False))
    return bounds


def _read_yes_no(reply: Reply, options: Options) -> int | None:
    """Return yes or no if a reply begins with it, and nothing speaks against it: "Yes, a dog is barking".

    A yes is also doubted by a negation or a contrast further on ("Yes, the voice is deep, but it is no man's"); a no
    often has both ("No, there is no dog, but a cat").
    """
    words = reply.words
    at = next((at for at, word in enumerate(words) if is_word(word)), 0)
    hit = options.match(words, at)
    if not hit or reply.is_quoted[at] or reply.is_question(at):
        return None
    is_followed = hit.end < len(words) and is_word(words[hit.end])
    if is_followed and not phrasebook(reply.languages, "subjects").match(words, hit.end):
        return None
    others = (other for other in options.find(reply, hit.end, len(words)) if other.payload != hit.payload)
    is_doubted = any(other.end == len(words) or not is_word(words[other.end]) for other in others)
    is_doubted |= bool(reply.find("doubts", start=hit.end, end=reply.end(at))) or is_corrected(reply, hit.end)
    if hit.payload == options.yes:
        is_doubted |= bool(reply.find("negations", "contrasts", start=hit.end))
    return None if is_doubted else hit.payload

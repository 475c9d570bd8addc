"""Answers that a phrase announces: "The answer is B", "Answer: happy", "I choose the guitar", "B is correct"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from auricle.text.reading.languages import phrasebook
from auricle.text.reading.sentences import Reply
from auricle.text.reading.words import Hit, is_word

_MAX_GAP = 24
"""Words between what announces an answer and its verb: "the answer *to the question about the dog* is B"."""
_MAX_PHRASES = 40
"""Announcing phrases that are looked at, the last ones; a model that repeats itself may write thousands."""
_MARKS = frozenset(":=\"'([{$<>)]}-–—→>,\n")
_CLAUSE_MARKS = frozenset(",;:、(-–—")
_MAX_DENIAL = 3
"""Words after an answer among which a negation denies it: "B *가 아닙니다*"."""
_CLOSING = frozenset(")]}\"'")


class Names(Protocol):
    """What may be an answer: options, or numbers on a scale."""

    turns: tuple[str, ...]
    """Fields of phrases after which a sentence compares or explains its answer."""

    def lead(self, reply: Reply, start: int) -> Hit[float] | None:
        """Return the answer with which words begin."""

    def find(self, reply: Reply, start: int, end: int) -> Iterator[Hit[float]]:
        """Yield the answers that words name."""


class Announced(NamedTuple):
    """What was announced; without a value, something that is no answer, or several."""

    value: float | None
    start: int
    end: int


def find_announced(reply: Reply, names: Names, *nouns: str) -> list[Announced]:
    """Return the answers that phrases announce, in their order.

    Args:
        reply: The reply.
        names: What may be an answer.
        nouns: Further fields of the tables with phrases that announce one.
    """
    phrases = list(phrasebook(None, "answers", "choices", "conclusions", *nouns).find(reply.words))[-_MAX_PHRASES:]
    announced = [read for phrase in phrases if (read := _read_after(reply, phrase, names)) is not None]
    return sorted([*announced, *_find_confirmed(reply, names)], key=lambda each: each.start)


def is_unsure(reply: Reply, position: int) -> bool:
    """Return whether a sentence is a question, or its clause has a negation or a doubt before a position."""
    start = reply.start(position)
    start = max([start, *(turn.start for turn in reply.find("contrasts", start=start, end=position + 1))])
    hit = reply.find("negations", "doubts", start=start, end=position)
    # "No, the answer is B" takes back what was before.
    return reply.is_question(position) or any(reply.words[veto.end].raw != "," for veto in hit)


def is_corrected(reply: Reply, position: int) -> bool:
    """Return whether a reply takes back what it states up to a position."""
    return bool(reply.find("corrections", start=position))


def _read_after(reply: Reply, phrase: Hit[str], names: Names) -> Announced | None:
    """Return what a phrase announces: what follows its verb or colon, or a choice or conclusion itself."""
    if is_unsure(reply, phrase.start):
        return None
    starts = (phrase.end, _find_link(reply, phrase.end))
    for start in starts[1:] if phrase.payload == "answers" else starts[:1] if phrase.payload == "choices" else starts:
        if start is None:
            continue
        if hit := _read_from(reply, start, names):
            if _is_denied(reply, phrase, hit):
                return None
            is_more = any(map(is_word, reply.words[hit.end : reply.end(hit.end)]))
            return None if phrase.payload == "conclusions" and is_more else _check_rest(reply, hit, names)
        if reply.words[start - 1].raw in ":]" and _names_nothing(reply, start, names):
            return Announced(None, start, start)
    return None


def _is_denied(reply: Reply, phrase: Hit[str], hit: Hit[float]) -> bool:
    """Return whether a negation or a doubt is between a phrase and its answer, or a negation right after the answer.

    Languages differ in where they put it: "the answer can not be B", "答案绝不是B", "B ではありません", "B değil".
    """
    between = reply.find("negations", "doubts", "links", "fillers", start=phrase.end, end=hit.start)
    if any(each.payload in ("negations", "doubts") and not reply.is_quoted[each.start] for each in between):
        return True
    end = min(reply.end(hit.end - 1), hit.end + _MAX_DENIAL)
    end = next((at for at in range(hit.end, end) if reply.words[at].raw in _CLAUSE_MARKS), end)
    after = reply.find("negations", "contrasts", start=hit.end, end=end)
    return bool(after) and after[0].payload == "negations"


def _find_link(reply: Reply, start: int) -> int | None:
    """Return the position after the verb, colon or bracket that follows an announcing noun: "Answer: ", "[答案]"."""
    words = reply.words
    at = start
    while at < len(words) and words[at].raw in _CLOSING:
        at += 1
    if at < len(words) and (words[at].raw in "([" or (at > start and words[at - 1].raw == "]")):
        return at
    links = phrasebook(None, "links")
    for position in range(at, min(reply.end(start) + 1, start + _MAX_GAP, len(words))):
        if reply.is_quoted[position]:
            continue
        if words[position].raw in ":=→":
            return position + 1
        if link := links.match(words, position):
            return link.end
    return None


def _read_from(reply: Reply, start: int, names: Names) -> Hit[float] | None:
    """Return the answer at a position, after marks and words without effect."""
    at = start
    skipped = phrasebook(None, "fillers", "links")
    while at < len(reply.words):
        if hit := names.lead(reply, at):
            return hit
        filler = skipped.match(reply.words, at)
        if not filler and reply.words[at].raw not in _MARKS:
            return None
        at = filler.end if filler else at + 1
    return None


def _names_nothing(reply: Reply, start: int, names: Names) -> bool:
    """Return whether the text after a colon is something else than an answer; an empty line is nothing at all."""
    end = reply.end(start)
    return any(map(is_word, reply.words[start:end])) and not any(True for _ in names.find(reply, start, end))


def _check_rest(reply: Reply, hit: Hit[float], names: Names) -> Announced:
    """Return an announced answer, without a value if another is listed beside it: "A, B and C"."""
    end = reply.end(hit.end - 1)
    joints = phrasebook(None, "joints", "doubts")
    at = hit.end
    while at < end and (reply.words[at].raw in ")]\"',、/&" or joints.match(reply.words, at)):
        at += 1
    listed = names.lead(reply, at) if at < end else None
    turns = phrasebook(None, *names.turns).find(reply.words, hit.end, end)
    cut = next((turn.start for turn in turns), end)
    others = {other.payload for other in names.find(reply, hit.end, cut)} | ({listed.payload} if listed else set())
    value = hit.payload if others <= {hit.payload} else None
    return Announced(value, hit.start, hit.end)


def _find_confirmed(reply: Reply, names: Names) -> Iterator[Announced]:
    """Yield the answers that a phrase confirms after them: "(B) is correct"."""
    nouns = phrasebook(None, "nouns")
    for phrase in list(phrasebook(None, "confirmations").find(reply.words))[-_MAX_PHRASES:]:
        if reply.find("negations", start=phrase.end, end=reply.end(phrase.start)):
            continue
        end = phrase.start
        while end and reply.words[end - 1].raw in _CLOSING:
            end -= 1
        for start in range(max(reply.start(phrase.start), end - _MAX_GAP), end):
            hit = names.lead(reply, start)
            noun = nouns.match(reply.words, hit.end) if hit else None  # "B 选项正确"
            if hit and (noun or hit).end in (end, phrase.start) and not is_unsure(reply, start):
                yield _check_rest(reply, Hit(hit.start, phrase.end, hit.payload), names)
                break

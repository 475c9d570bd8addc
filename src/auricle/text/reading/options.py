"""What the options of a question are called in a reply: by their text, letter or number."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from auricle.text.reading.languages import phrases_of
from auricle.text.reading.sentences import Reply
from auricle.text.reading.words import Hit, Phrasebook, Word, fold, is_word, split_words
from auricle.text.scripts import HANGUL, UNSPACED_SCRIPTS

CACHE_SIZE = 4_096
_OWN_LABEL = re.compile(r"\s*\(?(?P<letter>[A-Z])(?:\)|[.:、])\s*(?=\S)")
_PARTS = re.compile(r"[/|()]")
_LETTER = re.compile("[A-Za-z]")
_CYRILLIC_LETTERS = {"А": "A", "Б": "B", "С": "C", "Г": "D", "Д": "E"}
"""Cyrillic letters that can stand for one option only: В is the third letter, but looks like the second."""
_WORD_LETTERS = frozenset("AIOEYАИОУЯВСК")
"""Letters that are also words of some language, such as articles and pronouns."""
_OPENING, _CLOSING = frozenset("([{\"'$<"), frozenset(")]}\"'$>")
_LETTER_MARKS, _AFTER_OPENING = frozenset(")].:"), frozenset(".(:\n–—-")
_AFTER_LETTER = frozenset(')]}.,:;-–—!、。"$>\n/|')
_LEADING_WORDS = """a an the in at on by to it is ' s he she they are re i m of his her their some der die das ein eine
le la les l un une el los las una o os as um uma il lo gli"""
"""What an option may begin with and a reply may leave out: "*He's a* college student", "*in the* kitchen"."""
_LEADING = frozenset(_LEADING_WORDS.split())
_SKIPPABLE, _MAX_SKIPPED = frozenset(("the", "a", "an", ",")), 3
_HANGUL = re.compile(f"[{HANGUL}]")
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}{HANGUL}]")


def strip_labels(choices: Sequence[str]) -> list[str]:
    """Remove the letters from options such as "(B) guitar", if all options have one."""
    texts = [_strip_own_label(choice, index) for index, choice in enumerate(choices)]
    are_labelled = all(text != choice for text, choice in zip(texts, choices, strict=True))
    return texts if are_labelled else list(choices)


def _strip_own_label(choice: str, index: int) -> str:
    label = _OWN_LABEL.match(choice)
    is_own = label is not None and label["letter"] == string.ascii_uppercase[index : index + 1]
    return choice[label.end() :] if label and is_own else choice


@lru_cache(maxsize=CACHE_SIZE)
def options_of(choices: tuple[str, ...], *, has_letters: bool) -> Options:
    """Return the names of options."""
    return Options(choices, has_letters=has_letters)


class Options:
    """The names of options, and where a reply mentions one.

    Args:
        choices: The options; without any, letters A to Z.
        has_letters: Whether a letter stands for an option.
    """

    def __init__(self, choices: Sequence[str], *, has_letters: bool) -> None:
        texts = strip_labels(choices) if has_letters else list(choices)
        sides = _sides(texts)
        self.is_yes_no = bool(sides)
        self.yes = sides.index("yes") if sides else -1
        self.turns: tuple[str, ...] = ("confirmations", "contrasts", *(() if sides else ("negations", "asides")))
        self._names = _name_options(texts, sides)
        self._book = Phrasebook(self._names.items())
        self._long: dict[str, list[tuple[list[str], int]]] = {}
        for name, index in self._names.items():
            if len(words := _split(name)) > 2:
                self._long.setdefault(words[0], []).append((words, index))
        self.vocabulary = frozenset(word for name in self._names for word in _split(name))
        self.are_numbers = bool(texts) and all(any(word[0].isdigit() for word in _split(text)) for text in texts)
        self._letters = _name_letters(texts, has_letters=has_letters)
        self._nouns = _option_nouns() | {noun for text in texts for noun in _nouns_before_letters(text)}

    # --- by text ------------------------------------------------------------------------

    def match(self, words: Sequence[Word], at: int) -> Hit[int] | None:
        """Return the option whose text begins at a word."""
        hit = self._book.match(words, at) or self._match_loosely(words, at)
        return None if not hit or _is_part(words, hit) else hit

    def _match_loosely(self, words: Sequence[Word], at: int) -> Hit[int] | None:
        """Return an option of several words, also with further articles and commas, or words of its own repeated."""
        for phrase, index in self._long.get(words[at].text, ()) if at < len(words) else ():
            position, skippable = at, _SKIPPABLE | set(phrase)
            for text in phrase:
                stop = min(len(words), position + _MAX_SKIPPED)
                while position < stop and words[position].text != text and words[position].text in skippable:
                    position += 1
                if position >= len(words) or words[position].text != text:
                    break
                position += 1
            else:
                return Hit(at, position, index)
        return None

    def find(self, reply: Reply, start: int, end: int) -> Iterator[Hit[int]]:
        """Yield the options that are named by text, by a letter in brackets, or by one after "option" or "is"."""
        at = start
        while at < end:
            hit = self.match(reply.words, at) or self._match_named_letter(reply.words, at)
            if hit and hit.end <= end:
                yield hit
                at = hit.end
            else:
                at += 1

    # --- by letter ----------------------------------------------------------------------

    def _match_named_letter(self, words: Sequence[Word], at: int) -> Hit[int] | None:
        index = self._letters.get(words[at].raw)
        if index is None or at == 0 or not words[at].raw.isalpha():
            return None
        before, after = words[at - 1], words[at + 1].raw if at + 1 < len(words) else "\n"
        is_ended = not after[0].isalpha() or bool(_UNSPACED.match(after)) or words[at].raw not in _WORD_LETTERS
        is_named = (before.raw in "([" and after in ")]") or (before.text in _option_nouns() and is_ended)
        is_named = is_named or (before.text in _links() and not after[0].isalnum())
        return Hit(at, at + 1, index) if is_named else None

    def find_labelled(self, reply: Reply) -> Iterator[Hit[int]]:
        """Yield the options that are named by both letter and text: "(B) guitar", "the guitar (B)"."""
        words = reply.words
        if not self.marked_letters(reply):
            return
        by_end = {hit.end: hit for hit in self.find(reply, 0, len(words))}
        for at, (letter, mark) in enumerate(pairwise(words)):
            index = self._letters.get(letter.raw)
            if index is None or mark.raw not in _LETTER_MARKS:
                continue
            after, before = self.match(words, at + 2), by_end.get(at - 1)
            if after and after.payload == index:
                yield Hit(at, after.end, index)
            elif before and before.payload == index and words[at - 1].raw in "([":
                yield Hit(before.start, at + 2, index)

    def marked_letters(self, reply: Reply) -> set[int]:
        """Return the options whose letters have a mark, as in a list of options: "A. …", "B) …"."""
        marked = (letter.raw for letter, mark in pairwise(reply.words) if mark.raw in _LETTER_MARKS)
        return {self._letters[letter] for letter in marked if letter.isalpha() and letter in self._letters}

    def opening(self, reply: Reply) -> set[int]:
        """Return the option with whose letter or text a reply begins, if it names no other: "(B) It sounds wooden"."""
        words = reply.words
        text = self.match(words, 0)
        if text and text.end < len(words) and words[text.end].raw in _AFTER_OPENING and not self.is_yes_no:
            others = (hit.payload != text.payload for hit in self.find(reply, text.end, len(words)))
            return set() if any(others) or reply.is_question(0) else {text.payload}
        at = int(words[0].raw in "([")
        is_marked = at + 1 < len(words) and words[at].raw.isalpha() and words[at + 1].raw in _LETTER_MARKS | {"("}
        index = self._letters.get(words[at].raw.upper()) if is_marked else None
        return set() if index is None or len(self.marked_letters(reply)) > 1 else {index}

    # --- at a position ------------------------------------------------------------------

    def lead(self, reply: Reply, start: int) -> Hit[int] | None:
        """Return the option with which words begin, by its letter, its text, or both: "(B) guitar"."""
        return self._lead(reply.words, start)

    def _lead(self, words: Sequence[Word], start: int) -> Hit[int] | None:
        at = start
        while at < len(words) and words[at].raw in _OPENING:
            at += 1
        if at == len(words):
            return None
        text = self.match(words, at)
        is_named = not text and at + 1 < len(words) and words[at].text in self._nouns
        at += is_named
        index = self._match_letter(words, at, is_open=at - is_named > start, is_named=is_named)
        if index is None:
            return text
        after = at + 1
        while after < len(words) and not is_word(words[after]) and words[after].raw != "\n":
            after += 1
        own = self.match(words, after)
        if own and own.payload == index:
            return Hit(start, own.end, index)
        return text if text and text.end > at + 1 else Hit(start, at + 1, index)

    def _match_letter(self, words: Sequence[Word], at: int, *, is_open: bool, is_named: bool) -> int | None:
        letter = words[at].raw
        after = words[at + 1].raw if at + 1 < len(words) else "\n"
        is_small = letter not in self._letters
        index = self._letters.get(letter.upper())
        if index is None:
            return None
        is_separate = after in ("\n.)" if is_small else _AFTER_LETTER) or bool(_UNSPACED.match(after))
        if is_small:
            is_article = letter.upper() in _WORD_LETTERS and at > 0 and is_word(words[at - 1])
            return index if (is_open and after in _CLOSING) or (is_separate and not is_article) else None
        own = self.match(words, at + 1)
        is_letter = letter.isalpha() and (is_named or letter not in _WORD_LETTERS or after in _links())
        return index if is_separate or is_letter or (own and own.payload == index) else None

    # --- a whole text -------------------------------------------------------------------

    def whole(self, words: Sequence[Word]) -> int | None:
        """Return the option that words are, perhaps repeated, without anything else but articles and punctuation."""
        start, end = 0, len(words)
        if words and words[-1].raw == "?":
            return None
        while end and not is_word(words[end - 1]) and words[end - 1].raw not in ")]}":
            end -= 1
        while start < end and words[start].raw in "-:=*#.,":
            start += 1
        hit = self._lead(words[:end], start)
        if not hit and start < end and words[start].text in _LEADING:
            hit = self.match(words[:end], start + 1)
        at = hit.end if hit else end
        while at < end:
            again = self.match(words[:end], at)
            if is_word(words[at]) and not (again and hit and again.payload == hit.payload):
                return None
            at = again.end if again else at + 1
        return hit.payload if hit else None

    def whole_text(self, text: str) -> int | None:
        """Return the option that a text is."""
        return self.whole(split_words(text))


# --- names ------------------------------------------------------------------------------


def _split(text: str) -> list[str]:
    return [word.text for word in split_words(text)]


def _name_options(texts: Sequence[str], sides: Sequence[str]) -> dict[str, int]:
    """Return the index of the option that each name stands for; names of several options are left out."""
    owners: dict[str, set[str]] = {}
    for at, text in enumerate(texts):
        further = phrases_of(sides[at]) if sides else _forms().get(text.strip().casefold(), [])
        for name in (*_spellings(text), *further):
            owners.setdefault(name.casefold(), set()).add(text)
    return {name: texts.index(next(iter(own))) for name, own in owners.items() if len(own) == 1}


def _spellings(text: str) -> Iterator[str]:
    """Yield a text, its parts such as "生气" of "生气/angry", and both without the words that a reply may leave out."""
    folded = fold(text).strip()
    for name in dict.fromkeys((folded, *map(str.strip, _PARTS.split(folded)))):
        words = split_words(name)
        while words and not is_word(words[-1]):
            words.pop()
        at = 0
        while at < len(words) - 1 and (words[at].text in _LEADING or not is_word(words[at])):
            at += 1
        for part in (words, words[at:]):
            spelling = " ".join(word.raw for word in part)
            if any(map(is_word, part)) and not _LETTER.fullmatch(spelling):
                yield spelling


def _name_letters(texts: Sequence[str], *, has_letters: bool) -> dict[str, int]:
    """Map letters and numbers to options; an option that is one letter, such as a note, stands for itself."""
    own = {text.strip().upper(): index for index, text in enumerate(texts) if _LETTER.fullmatch(text.strip())}
    if not has_letters:
        return own
    letters = dict(zip(string.ascii_uppercase, range(len(texts) or len(string.ascii_uppercase)), strict=False))
    letters |= {cyrillic: letters[latin] for cyrillic, latin in _CYRILLIC_LETTERS.items() if latin in letters}
    if texts and not any(map(str.isdigit, "".join(map(fold, texts)))):
        letters |= {str(index + 1): index for index in range(len(texts))}
    return letters | own


def _nouns_before_letters(text: str) -> Iterator[str]:
    """Yield the words before single letters of an option: "Assistant A is better" may be called "Assistant A"."""
    for noun, letter in pairwise(split_words(text)):
        if len(noun.raw) > 1 and noun.raw.isalpha() and letter.raw.isupper() and _LETTER.fullmatch(letter.raw):
            yield noun.text


@cache
def _option_nouns() -> frozenset[str]:
    """Return the last words of what stands before a letter."""
    return frozenset(_split(phrase)[-1] for phrase in phrases_of("nouns"))


@cache
def _links() -> frozenset[str]:
    """Return the words before an answer: "it *is* B."."""
    return frozenset(words[0] for phrase in phrases_of("links") if len(words := _split(phrase)) == 1)


def _sides(texts: Sequence[str]) -> list[str]:
    """Return which of two options is yes and which is no; nothing if they are others."""
    sides = [side for text in texts for side in ("yes", "no") if tuple(_split(text)) in _side_words(side)]
    return sides if len(texts) == 2 and sorted(sides) == ["no", "yes"] else []


@cache
def _side_words(side: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(_split(phrase)) for phrase in phrases_of(side))


@cache
def _forms() -> dict[str, list[str]]:
    """Return the forms of common labels by each of them, such as "angry" and "anger"."""
    return {form: phrase.split() for phrase in phrases_of("forms") for form in phrase.split()}


# --- parts of longer words and numbers --------------------------------------------------


def _is_part(words: Sequence[Word], hit: Hit[int]) -> bool:
    """Return whether a name is part of a longer word or number: 十 in 二十, "six" in "six fifty", "non-happy"."""
    first, before = words[hit.start], words[hit.start - 1] if hit.start else None
    if before and first.is_joined and _HANGUL.match(first.raw) and _HANGUL.match(before.raw):
        return True
    after = words[hit.end] if hit.end < len(words) else None
    if _is_hyphenated(words, hit.start - 1) or _is_hyphenated(words, hit.end):
        return True
    ends = ((before, first), (words[hit.end - 1], after))
    return any(left and right and _is_number(left) and _is_number(right) for left, right in ends)


def _is_hyphenated(words: Sequence[Word], at: int) -> bool:
    """Return whether a hyphen joins two words, such as "non-happy"."""
    if not 0 < at < len(words) - 1 or words[at].raw != "-":
        return False
    before, after = words[at - 1].raw, words[at + 1].raw
    return words[at].is_joined and words[at + 1].is_joined and len(before) > 1 and before.isalpha() and after.isalpha()


def _is_number(word: Word) -> bool:
    return word.text[0].isdigit() or word.text in _number_words()


@cache
def _number_words() -> frozenset[str]:
    tens = "fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred"
    return frozenset((*tens.split(), *(word for phrase in phrases_of("numbers") for word in phrase.split("/"))))

"""Lists of words and phrases whose recognition is measured: of a whole task, or of single rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from auricle.core.errors import SampleError, SpecError

MAX_FILE_SIZE = 64_000_000
_SEPARATORS = (";", ",")


class Occurrence(NamedTuple):
    """Words from `start` to `end` that an entry of a list consists of."""

    start: int
    end: int
    label: str = ""


@dataclass(frozen=True)
class WordList:
    """Words and phrases, each with an optional label."""

    entries: tuple[tuple[str, str], ...]
    """Text and label of each entry, as written."""
    source: str = ""
    """The file they were read from."""

    @property
    def digest(self) -> str:
        """Four hex digits that identify the entries, whatever their order."""
        content = "\n".join(sorted("\t".join(entry) for entry in set(self.entries)))
        return blake2b(content.encode(), digest_size=2).hexdigest()


class PhraseFinder:
    """Find the entries of a list in texts that are split into words.

    Args:
        entries: Words of each entry, with its label.

    >>> finder = PhraseFinder({("new", "york"): "place", ("new",): ""})
    >>> finder.find("a new york with new walls".split())
    [Occurrence(start=1, end=3, label='place'), Occurrence(start=4, end=5, label='')]
    """

    def __init__(self, entries: Mapping[tuple[str, ...], str]) -> None:
        self._entries = entries
        lengths: dict[str, set[int]] = {}
        for words in entries:
            lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}

    def find(self, words: Sequence[str]) -> list[Occurrence]:
        """Return where entries occur, from left to right; where several begin, the longest counts."""
        occurrences: list[Occurrence] = []
        position = 0
        while position < len(words):
            occurrence = self._find_at(words, position)
            if occurrence:
                occurrences.append(occurrence)
            position = occurrence.end if occurrence else position + 1
        return occurrences

    def _find_at(self, words: Sequence[str], start: int) -> Occurrence | None:
        for size in self._lengths.get(words[start], ()):
            label = self._entries.get(tuple(words[start : start + size]))
            if label is not None:
                return Occurrence(start, start + size, label)
        return None


def build_finder(entries: Iterable[tuple[str, str]], split: Callable[[str], list[str]]) -> PhraseFinder:
    """Make a finder of entries, which are normalised as the texts are; those without words are left out."""
    phrases: dict[tuple[str, ...], str] = {}
    for text, label in entries:
        if words := tuple(split(text)):
            phrases.setdefault(words, label)
    return PhraseFinder(phrases)


def read_word_list(path: Path, option: str = "words") -> WordList:
    """Read a text file with one word or phrase per line, and optionally its label after a tab.

    Empty lines and lines that begin with # are skipped.

    Raises:
        SpecError: if there is no such file, or it has no entries.
    """
    hint = "Expected a text file with one word or phrase per line"
    if not path.is_file():
        raise SpecError(f"There is no file {str(path)!r}. {hint}: -T {option}=list.txt.", location=(option,))
    if path.stat().st_size > MAX_FILE_SIZE:
        raise SpecError(f"{path} is larger than {MAX_FILE_SIZE:,} bytes. {hint}.", location=(option,))
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not UTF-8 text: {error}. {hint}.", location=(option,)) from error
    entries = tuple(dict.fromkeys(_parse_lines(lines)))
    if not entries:
        raise SpecError(f"{path} has no entries. {hint}.", location=(option,))
    return WordList(entries, path.name)


def _parse_lines(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        text, _, label = line.partition("\t")
        if text.strip() and not text.startswith("#"):
            yield text.strip(), label.strip()


def read_row_entries(meta: Mapping[str, Any], columns: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the entries in the first of these columns that a row has; None if it has none of them.

    A column has a list of texts, or of objects with `text` and optionally `label`; or a text with entries separated by
    semicolons or commas.

    >>> read_row_entries({"entities": ["Turin", {"text": "Mr Li", "label": "person"}]}, ["entities"])
    [('Turin', ''), ('Mr Li', 'person')]

    Raises:
        SampleError: if an entry is neither.
    """
    column = next((name for name in columns if meta.get(name) is not None), None)
    if column is None:
        return None
    values = meta[column]
    if isinstance(values, str):
        separator = next((mark for mark in _SEPARATORS if mark in values), _SEPARATORS[0])
        values = [text.strip() for text in values.split(separator) if text.strip()]
    if not isinstance(values, (list, tuple)):
        raise SampleError(f"expected a list of texts in the column {column!r}, not {values!r}")
    return [_read_entry(value, column) for value in values]


def _read_entry(value: Any, column: str) -> tuple[str, str]:
    fields = value if isinstance(value, Mapping) else {"text": value}
    text, label = fields.get("text"), fields.get("label", fields.get("type", ""))
    if not isinstance(text, str) or not isinstance(label, str):
        raise SampleError(
            f"invalid entry {value!r} in the column {column!r}: expected a text, or an object with text and label"
        )
    return text, label

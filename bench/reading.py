"""How well options are read from replies: compared with patterns of other harnesses, by rule, and how fast.

    python -m bench.reading --replies replies.jsonl

Each line of the file has a reply, its `choices`, what it `reads` (one of the choices, or null) and perhaps the
`question`. Without a file, the labelled replies of the tests are read. The first table compares the reader with two
patterns: a letter in brackets or after "answer", and the option whose text a reply contains. The second shows from what
answers were read, the third what each rule gains: answers that are read rightly, and wrong readings that it prevents or
causes.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tests.support import reply_corpus

from auricle.text import Reading, read_label, read_option, read_yes_no, reading
from auricle.text.reading.languages import all_languages
from auricle.text.reading.options import options_of

MODULES = [import_module(f"{reading.__name__}.{module.name}") for module in pkgutil.iter_modules(reading.__path__)]
REPLIES, SECONDS, PASSES = 100_000, 60.0, 3


@dataclass(frozen=True, slots=True)
class Row:
    """A reply with its options, and the index of the one that it states."""

    reply: str
    choices: tuple[str, ...]
    question: str
    answer: int | None
    reader: str = "mcq"


def load(path: Path | None) -> list[Row]:
    if path is None:
        return list(_load_corpus())
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        Row(
            row["reply"],
            tuple(row["choices"]),
            row.get("question") or "",
            None if row["reads"] is None else row["choices"].index(row["reads"]),
        )
        for row in rows
    ]


def _load_corpus() -> Iterator[Row]:
    for row in reply_corpus.load():
        if row.reader != "rating":
            answer = row.expected.get("answer")
            options = string.ascii_uppercase if row.reader == "mcq" else row.options
            yield Row(row.reply, row.options, row.question, answer and options.index(answer), row.reader)


# --- readers ----------------------------------------------------------------------------


def read(row: Row) -> Reading[int]:
    if row.reader == "mcq":
        return read_option(row.reply, row.choices, row.question)
    if row.reader == "yes_no":
        answer = read_yes_no(row.reply, row.question)
        return Reading(None if answer.value is None else int(not answer.value), answer.strength, answer.refused)
    label = read_label(row.reply, row.choices, row.question)
    return Reading(label.value and row.choices.index(label.value), label.strength, label.refused)


_LETTER = re.compile(r"\(([A-Z])\)|answer is:?\s*\(?([A-Z])\b|\A\W*([A-Z])\b")


def first_letter(row: Row) -> int | None:
    """Return the first letter in parentheses, after "answer is" or at the beginning."""
    hit = _LETTER.search(row.reply)
    index = string.ascii_uppercase.index(hit[1] or hit[2] or hit[3]) if hit else len(row.choices)
    return index if index < len(row.choices) else None


def contained_text(row: Row) -> int | None:
    """Return the only option whose text the reply contains."""
    texts = [choice.casefold().strip(" .") for choice in row.choices]
    hit = [index for index, text in enumerate(texts) if text in row.reply.casefold()]
    return hit[0] if len(hit) == 1 else None


READERS: dict[str, Callable[[Row], int | None]] = {
    "this reader": lambda row: read(row).value,
    "first letter in parentheses": first_letter,
    "option text contained": contained_text,
}


@dataclass(frozen=True, slots=True)
class Figures:
    """How many replies were read rightly, wrongly and not at all."""

    right: int
    wrong: int
    unread: int

    @classmethod
    def count(cls, rows: Sequence[Row], reader: Callable[[Row], int | None]) -> Figures:
        values = [(row.answer, reader(row)) for row in rows]
        right = sum(answer == value for answer, value in values if answer is not None)
        unread = sum(value is None for answer, value in values if answer is not None)
        return cls(right, sum(value is not None and value != answer for answer, value in values), unread)


# --- rules ------------------------------------------------------------------------------

FUNCTIONS: dict[str, tuple[str, object]] = {
    "thought": ("reader.drop_thought structure.drop_thought", lambda text: text),
    "markup for answers": ("reader.marked_answers", lambda _: []),
    "fields of JSON": ("reader.parse_object", lambda _: None),
    "lines of fields": ("reader.parse_lines", lambda _: None),
    "shares of options": ("reader._most_probable", lambda *_: set()),
    "options alone or after a colon in a line": ("reader._read_lines", lambda *_: (set(), set())),
    "announced answers": ("reader.find_announced", lambda *_: []),
    "confirmed answers": ("markers._find_confirmed", lambda *_: []),
    "letter with its text": ("options.Options.find_labelled", lambda *_: []),
    "letter at the beginning": ("options.Options.opening", lambda *_: set()),
    "articles and commas in options": ("options.Options._match_loosely", lambda *_: None),
    "named letters": ("options.Options._match_named_letter", lambda *_: None),
    "parts of words and numbers": ("options._is_part", lambda *_: False),
    "refusals": ("reader.find_refusal", lambda *_: False),
    "statements": ("reader.read_statements", lambda *_: None),
    "yes or no at the beginning": ("statements._read_yes_no", lambda *_: None),
    "lists are no statements": ("options.Options.marked_letters", lambda *_: set()),
    "calculations are no statements": ("statements._calculates", lambda *_: False),
    "quotations are no statements": ("sentences.Reply.is_spoken", lambda *_: False),
    "languages without a table": ("sentences.detect_languages", lambda *_: ("en",)),
}
FIELDS = (
    *("answers", "links", "choices", "conclusions", "fillers", "nouns", "negations", "doubts", "asides", "contrasts"),
    *("joints", "corrections", "subjects", "forms"),
)


def clear_caches() -> None:
    for module in MODULES:
        for value in vars(module).values():
            if hasattr(value, "cache_clear") and value is not all_languages:
                value.cache_clear()


@contextmanager
def without(rule: str) -> Iterator[None]:
    """Read without one rule, or without one field of all tables."""
    with ExitStack() as stack:
        if rule in FUNCTIONS:
            names, replacement = FUNCTIONS[rule]
            for name in names.split():
                stack.enter_context(patch(f"{reading.__name__}.{name}", replacement))
        else:
            empty: dict[str, Any] = {rule: ""}
            tables = {code: replace(table, **empty) for code, table in all_languages().items()}
            for module in filter(_has_tables, MODULES):
                stack.enter_context(patch.object(module, "all_languages", lambda: tables))
        clear_caches()
        yield
    clear_caches()


def _has_tables(module: ModuleType) -> bool:
    return hasattr(module, "all_languages")


# --- tables -----------------------------------------------------------------------------


def print_comparison(rows: Sequence[Row]) -> None:
    answerable = sum(row.answer is not None for row in rows)
    print(f"{len(rows)} replies, {answerable} with an answer\n")
    print("| reader | wrong | unread of those with an answer |\n|---|---|---|")
    for name, reader in READERS.items():
        figures = Figures.count(rows, reader)
        wrong, unread = figures.wrong / len(rows), figures.unread / answerable
        print(f"| {name} | {figures.wrong} ({wrong:.1%}) | {figures.unread} ({unread:.1%}) |")


def print_strengths(rows: Sequence[Row]) -> None:
    readings = [read(row) for row in rows]
    counts = Counter(each.strength or ("refused" if each.refused else "unread") for each in readings)
    print("\n| read from | replies |\n|---|---|")
    for name, count in counts.most_common():
        print(f"| {name} | {count} ({count / len(rows):.1%}) |")


def print_rules(rows: Sequence[Row]) -> None:
    figures = Figures.count(rows, READERS["this reader"])
    print("\n| rule | right gained | right lost | wrong prevented | wrong caused |\n|---|---|---|---|---|")
    for rule in (*FUNCTIONS, *FIELDS):
        with without(rule):
            other = Figures.count(rows, READERS["this reader"])
        right, wrong = figures.right - other.right, other.wrong - figures.wrong
        print(f"| {rule} | {max(right, 0)} | {max(-right, 0)} | {max(wrong, 0)} | {max(-wrong, 0)} |")


def print_speed(rows: Sequence[Row]) -> bool:
    """Print the time for many replies; return whether it is short enough."""
    for row in rows:  # loads the tables, once for any number of replies
        read(row)
    start = time.process_time()
    for _ in range(PASSES):
        options_of.cache_clear()
        for row in rows:
            read(row)
    seconds = (time.process_time() - start) / len(rows) / PASSES * REPLIES
    is_met = seconds <= SECONDS
    print(
        f"\n{REPLIES:,} replies: {seconds:.0f} s of one core (at most {SECONDS:.0f}: {'met' if is_met else 'missed'})"
    )
    return is_met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replies", type=Path, help="JSON lines with reply, choices, reads and question")
    parser.add_argument("--rules", action="store_true", help="also print what each rule gains")
    arguments = parser.parse_args()
    rows = load(arguments.replies)
    print_comparison(rows)
    print_strengths(rows)
    if arguments.rules:
        print_rules(rows)
    raise SystemExit(not print_speed(rows))


if __name__ == "__main__":
    main()

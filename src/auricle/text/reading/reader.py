"""Read an option, a label, or yes or no from a reply.

The steps go from the firmest to the least firm: structure, markers, the whole reply or a line of it, and statements. A
step that finds two different answers ends the reading: an unread reply costs a note, a wrong reading corrupts a
benchmark silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.text.reading.markers import find_announced, is_corrected, is_unsure
from auricle.text.reading.options import Options, options_of
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.sentences import Reply
from auricle.text.reading.statements import find_refusal, read_statements
from auricle.text.reading.structure import (
    answer_fields,
    clean_reply,
    drop_thought,
    marked_answers,
    parse_lines,
    parse_object,
)

_MAX_KEY = 8
"""Words before a colon that announce the rest of a line."""


def read_option(text: str, choices: Sequence[str], question: str = "", *, is_whole: bool = True) -> Reading[int]:
    """Read the index of the option that a reply chooses.

    Args:
        text: The reply.
        choices: The texts of the options, with or without their letters; without any, a letter A to Z is read.
        question: The question, if it is known; fields of JSON may be called like its words.
        is_whole: Whether the reply is whole; of a beginning, only what markup, JSON or a phrase announces counts.
    """
    return _read(text, options_of(tuple(choices), has_letters=True), question, is_whole)


def read_label(text: str, labels: Sequence[str], question: str = "", *, is_whole: bool = True) -> Reading[str]:
    """Read the label that a reply names; either part of a label such as "生气/angry" is enough.

    Args:
        text: The reply.
        labels: The labels.
        question: The question, if it is known.
        is_whole: As for `read_option`.
    """
    reading = _read(text, options_of(tuple(labels), has_letters=False), question, is_whole)
    return Reading(None if reading.value is None else labels[reading.value], reading.strength, reading.refused)


def read_yes_no(text: str, question: str = "") -> Reading[bool]:
    """Read yes or no.

    Args:
        text: The reply.
        question: The question, if it is known.
    """
    reading = _read(text, options_of(("yes", "no"), has_letters=False), question)
    return Reading(None if reading.value is None else reading.value == 0, reading.strength, reading.refused)


def _read(text: str, options: Options, question: str, is_whole: bool = True) -> Reading[int]:
    answer = drop_thought(text)
    structured = _read_structure(answer, options, question, is_whole)
    if structured is not None:
        return structured
    reply = Reply(clean_reply(answer), options.vocabulary)
    read_text = _read_text if is_whole else _read_announced
    read = read_text(reply, options) if reply.words else Reading()
    if read.value is None or not parse_object(answer):
        return read
    # Fields such as "second_choice" hold no answer, but the text beside them may.
    beside = Reply(clean_reply(f"{answer.partition('{')[0]}\n{answer.rpartition('}')[2]}"), options.vocabulary)
    return read_text(beside, options) if beside.words else Reading()


def _read_announced(reply: Reply, options: Options) -> Reading[int]:
    """Read what a phrase announces; an option in a line of its own may begin a list of all."""
    announced = find_announced(reply, options)
    if not announced or announced[-1].value is None or is_corrected(reply, announced[-1].end):
        return Reading()
    return Reading(int(announced[-1].value), Strength.MARKER)


def _read_text(reply: Reply, options: Options) -> Reading[int]:
    whole = options.whole(reply.words)
    if whole is not None:
        return Reading(whole, Strength.WHOLE_REPLY)
    introduced, alone = _read_lines(reply, options)
    announced = find_announced(reply, options)
    if announced and (announced[-1].value is None or is_corrected(reply, announced[-1].end)):
        return Reading()
    if announced or introduced:
        last = {int(each.value) for each in announced[-1:] if each.value is not None}
        is_list = len(introduced | alone) > 1 and not any(
            _is_line(reply, options, each.start) for each in announced[-1:]
        )
        return _only(last if is_list and last else last | introduced | alone, Strength.MARKER)
    if find_refusal(reply):
        return Reading(refused=True)
    labelled = {hit.payload for hit in options.find_labelled(reply) if not is_unsure(reply, hit.start)}
    if firm := alone | labelled | options.opening(reply):
        return _only(firm, Strength.MARKER if labelled else Strength.WHOLE_REPLY)
    stated = read_statements(reply, options)
    return Reading() if stated is None else Reading(stated, Strength.STATEMENT)


def _only(values: set[int], strength: Strength) -> Reading[int]:
    return Reading(next(iter(values)), strength) if len(values) == 1 else Reading()


def _is_line(reply: Reply, options: Options, position: int) -> bool:
    """Return whether the line with a word is nothing but an option."""
    lines = (reply.words[line.start : line.stop] for line in reply.lines() if line.start <= position < line.stop)
    return any(options.whole(line) is not None for line in lines)


def _read_lines(reply: Reply, options: Options) -> tuple[set[int], set[int]]:
    """Return the options that are the rest of a line after a colon, and those that are a line of their own.

    The line after one that ends with a colon belongs to it: "I would call the emotion:", "**Happy**".
    """
    introduced: set[int] = set()
    alone: set[int] = set()
    is_introduced = False
    for positions in reply.lines():
        line = reply.words[positions.start : positions.stop]
        colon = next((at for at, word in enumerate(line) if word.raw == ":"), len(line))
        if (value := options.whole(line)) is not None:
            (introduced if is_introduced else alone).add(value)
        rest = options.whole(line[colon + 1 :]) if value is None and colon < _MAX_KEY else None
        if rest is not None and not reply.vetoes(positions.start, positions.start + colon):
            introduced.add(rest)
        is_introduced = line[-1].raw == ":" and not reply.vetoes(positions.start, positions.stop)
    return introduced, alone


# --- structure --------------------------------------------------------------------------


def _read_structure(answer: str, options: Options, question: str, is_whole: bool) -> Reading[int] | None:
    """Read what markup or the firmest fields hold; None if there is neither."""
    marked = [options.whole_text(text) for text in marked_answers(answer)]
    if any(value is not None for value in marked):
        return (
            _only({value for value in marked if value is not None}, Strength.STRUCTURE)
            if None not in marked
            else Reading()
        )
    json_object = parse_object(answer)
    fields = json_object or (parse_lines(answer) if is_whole else None)
    if not fields:
        return None
    for candidates in answer_fields(fields, question):
        if values := {value for each in candidates if (value := _value_of(each, options)) is not None}:
            return _only(values, Strength.STRUCTURE)
        sentences = [each for each in candidates if isinstance(each, str) and each.strip()]
        if json_object and sentences:
            return _read_sentence(sentences, options)
    most = _most_probable(fields, options)
    return _only(most, Strength.STRUCTURE) if most else None


def _read_sentence(texts: Sequence[str], options: Options) -> Reading[int]:
    """Read the only field that may hold an answer, if that is a sentence: {"response": "The speaker is male."}."""
    reply = Reply(clean_reply(texts[0]), options.vocabulary)
    read = _read_text(reply, options) if len(texts) == 1 and reply.words else Reading()
    return read if read.value is None else Reading(read.value, Strength.STRUCTURE)


def _value_of(candidate: Any, options: Options) -> int | None:
    if isinstance(candidate, bool):
        return options.whole_text("yes" if candidate else "no") if options.is_yes_no else None
    return options.whole_text(str(candidate)) if isinstance(candidate, (str, int, float)) else None


def _most_probable(fields: Mapping[str, Any], options: Options) -> set[int]:
    """Return the option with the highest number if the keys are options: `{"neutral": 0.8, "happy": 0.1}`."""
    numbers = {
        index: number
        for key, value in fields.items()
        if (number := _number(value)) is not None and (index := options.whole_text(key)) is not None
    }
    return (
        {index for index, number in numbers.items() if number == max(numbers.values())} if len(numbers) > 1 else set()
    )


def _number(value: Any) -> float | None:
    """Return the number of a field, such as 0.8, "80 %" or true."""
    try:
        return float(value.strip(" %,") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None

"""A reply as words, with its sentences, quotations and languages."""

from itertools import pairwise

from auricle.text.reading.sentences import Reply
from auricle.text.reading.structure import clean_reply


def parse(text: str) -> Reply:
    return Reply(clean_reply(text))


def sentences(text: str) -> list[str]:
    reply = parse(text)
    return [" ".join(word.raw for word in reply.words[start:end]) for start, end in reply.sentences()]


def test_a_full_stop_in_a_name_or_after_a_letter_ends_no_sentence() -> None:
    assert sentences("Mr. Smith speaks. B. guitar") == ["Mr . Smith speaks", "B . guitar"]


def test_a_mark_in_a_quotation_ends_no_sentence() -> None:
    reply = parse('He says "Stop. Now!" and leaves. Good.')
    assert len(list(reply.sentences())) == 2
    quoted = [word.raw for word, is_quoted in zip(reply.words, reply.is_quoted, strict=True) if is_quoted]
    assert quoted == ["Stop", ".", "Now", "!"]


def test_a_question_ends_with_its_mark() -> None:
    reply = parse("Is it a cat? It is a dog.")
    (first, _), (second, _) = reply.sentences()
    assert reply.is_question(first)
    assert not reply.is_question(second)


def test_what_keeps_a_clause_from_stating_something_is_found() -> None:
    reply = parse("It is not a cat. I would say it is a dog.")
    found = [[hit.payload for hit in reply.vetoes(start, end)] for start, end in reply.sentences()]
    assert found == [["negations"], []]


def test_lines_have_the_positions_of_their_words() -> None:
    reply = parse("cat\n\ndog")
    first, second = reply.lines()
    assert [reply.words[line.start].raw for line in (first, second)] == ["cat", "dog"]
    assert all(left.stop <= right.start for left, right in pairwise(reply.lines()))


def test_languages_without_a_table_are_not_known() -> None:
    assert parse("It is a cat.").languages == ("en",)
    assert parse("To jest kot i pies.").languages == ()

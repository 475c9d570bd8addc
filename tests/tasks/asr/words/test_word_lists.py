"""Lists of words and phrases."""

from pathlib import Path

import pytest

from auricle.core.errors import SampleError, SpecError
from auricle.tasks.asr.words.word_lists import Occurrence, WordList, build_finder, read_row_entries, read_word_list


def test_a_file_has_one_entry_per_line_with_an_optional_label(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("\ufeffTurin\tplace\n\n# people\nMr Li \t person \nTurin\tplace\n", "utf-8")
    words = read_word_list(path)
    assert words == WordList((("Turin", "place"), ("Mr Li", "person")), "names.txt")


def test_the_digest_depends_on_the_entries_and_not_on_their_order() -> None:
    first, second = (("a", ""), ("b", "")), (("b", ""), ("a", ""))
    assert WordList(first).digest == WordList(second).digest != WordList(first[:1]).digest


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "There is no file"), (b"\n# none\n", "has no entries"), (b"\xff\xfe\x00", "is not UTF-8 text")],
)
def test_a_file_that_cannot_be_used_is_described(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "list.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpecError, match=message) as caught:
        read_word_list(path, "entities")
    assert caught.value.location == ("entities",)


def test_the_longest_of_several_entries_counts_and_entries_do_not_overlap() -> None:
    finder = build_finder([("new york", ""), ("New", "x"), ("york city", ""), ("!", "")], str.split)
    assert finder.find(["new", "york", "city", "new"]) == [Occurrence(0, 2)]
    finder = build_finder([("new", "x"), ("york city", "y")], str.split)
    assert finder.find(["new", "york", "city"]) == [Occurrence(0, 1, "x"), Occurrence(1, 3, "y")]
    assert build_finder([("", "")], str.split).find(["a"]) == []


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        (["a b", "c"], [("a b", ""), ("c", "")]),
        ([{"text": "a", "label": "x"}, {"text": "b", "type": "y"}], [("a", "x"), ("b", "y")]),
        ("a; b, c", [("a", ""), ("b, c", "")]),
        ("a, b", [("a", ""), ("b", "")]),
        ([], []),
        (None, None),
    ],
)
def test_a_row_has_its_entries_in_a_list_or_a_text(value: object, entries: object) -> None:
    assert read_row_entries({"words": value}, ("biasing_words", "words")) == entries


@pytest.mark.parametrize("value", [5, {"text": "a"}, [5], [{"label": "x"}], [{"text": "a", "label": 1}]])
def test_other_values_of_a_row_are_refused(value: object) -> None:
    with pytest.raises(SampleError, match="column 'words'"):
        read_row_entries({"words": value}, ("words",))

"""TextGrid files in both text formats."""

from pathlib import Path

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Segment
from auricle.tasks.timestamps.textgrid import parse_textgrid, read_textgrid

LONG = '''File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1.5
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "anna - words"
        xmin = 0
        xmax = 1.5
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.25
            text = ""
        intervals [2]:
            xmin = 0.25
            xmax = 0.9
            text = "say ""hello"""
        intervals [3]:
            xmin = 0.9
            xmax = 1.5
            text = "there"
    item [2]:
        class = "TextTier"
        name = "marks"
        xmin = 0
        xmax = 1.5
        points: size = 1
        points [1]:
            number = 0.5
            mark = "click"
    item [3]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 1.5
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "AH0"
'''
SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
1.5
<exists>
1
"IntervalTier"
"Mary"
0
1.5
2
0
0.4
"<eps>"
0.4
1.5
"hi"
"""


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "a.TextGrid"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_long_format_is_read(tmp_path: Path, encoding: str) -> None:
    words = read_textgrid(write(tmp_path, LONG, encoding))
    assert words == (Segment(0.25, 0.9, 'say "hello"'), Segment(0.9, 1.5, "there"))


def test_the_short_format_is_read_and_its_only_tier_used(tmp_path: Path) -> None:
    assert read_textgrid(write(tmp_path, SHORT)) == (Segment(0.4, 1.5, "hi"),)


def test_a_tier_is_chosen_by_name(tmp_path: Path) -> None:
    assert read_textgrid(write(tmp_path, LONG), tier="phones") == (Segment(0, 1.5, "AH0"),)
    with pytest.raises(SampleError, match=r"no tier 'marks'\. Interval tiers: 'anna - words', 'phones'"):
        read_textgrid(write(tmp_path, LONG), tier="marks")


def test_several_tiers_without_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match="no single tier of words"):
        read_textgrid(write(tmp_path, LONG.replace("anna - words", "anna")))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not begin"),
        (LONG[:300], "ends too early"),
        (SHORT.replace("IntervalTier", "Spiral"), "unknown tier"),
        (SHORT.replace('"hi"', "7"), "text in quotes, got 7"),
        (SHORT.replace("<exists>\n1\n", "<exists>\n1.5\n"), "number of items"),
    ],
)
def test_damaged_files_are_refused_with_the_reason(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SampleError, match=problem):
        read_textgrid(write(tmp_path, text))


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match="cannot read"):
        read_textgrid(tmp_path / "none.TextGrid")
    (tmp_path / "b.TextGrid").write_bytes(b"\x80\x81")
    with pytest.raises(SampleError, match="cannot read"):
        read_textgrid(tmp_path / "b.TextGrid")


def test_all_interval_tiers_are_parsed() -> None:
    assert list(parse_textgrid(LONG)) == ["anna - words", "phones"]

"""Numbers as spelled out by SpeechIO's rules."""

import pytest

from auricle.text.speechio_numbers import read_aloud


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天是2024年5月20日", "今天是二零二四年五月二十日"),
        ("我有200元", "我有两百元"),
        ("一共2000个", "一共两千个"),
        ("1/2的人", "二分之一的人"),
        ("增长了12.5%", "增长了百分之十二点五"),
        ("电话13800138000。", "电话一三八零零一三八零零零"),
        ("P2P平台", "P2P平台"),
        ("你好，世界！", "你好 世界"),
        ("句号．", "句号．"),
    ],
)
def test_numbers_are_spelled_out(text: str, expected: str) -> None:
    assert read_aloud(text).split() == expected.split()


def test_a_number_is_replaced_at_its_first_occurrence() -> None:
    """The count 2000 is read as a quantity, but in place of the code before it."""
    assert read_aloud("号码2000，有2000个").split() == ["号码两千", "有二零零零个"]

"""What is read from many replies stays as it was recorded.

It covers `auricle.text.reading` and `auricle.text.chinese_numbers`.
"""

import pytest

from tests.support import recorded_replies

RECORDED = recorded_replies.load()


@pytest.mark.parametrize("name", recorded_replies.FUNCTIONS)
def test_what_is_read_equals_the_recording(name: str) -> None:
    assert recorded_replies.call_all(name, RECORDED[name]) == RECORDED[name]

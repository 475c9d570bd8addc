"""What `auricle.text.chinese_numbers` and `strip_labels` return stays as it was recorded."""

import pytest

from tests.support import recorded_replies

RECORDED = recorded_replies.load()


@pytest.mark.parametrize("name", recorded_replies.FUNCTIONS)
def test_what_is_returned_equals_the_recording(name: str) -> None:
    assert recorded_replies.call_all(name, RECORDED[name]) == RECORDED[name]

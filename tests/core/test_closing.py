"""Objects that close themselves."""

import pytest

from auricle.core.closing import Closing


class Door(Closing):
    is_open = True

    def close(self) -> None:
        self.is_open = False


def test_object_is_closed_after_the_block_and_after_an_error() -> None:
    with Door() as door:
        assert door.is_open
    assert not door.is_open
    with pytest.raises(ValueError, match="inside"), Door() as other:
        raise ValueError("inside")
    assert not other.is_open

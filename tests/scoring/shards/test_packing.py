"""Files of arrays."""

import numpy as np
import pytest

from auricle.core.errors import DataError
from auricle.scoring.shards.packing import pack, unpack


def test_arrays_and_document_are_read_as_they_were_written() -> None:
    arrays = {
        "whole": np.array([[0.0, 1.0], [255.0, 3.0]]),
        "large": np.array([2.0**40, -1.0]),
        "fractions": np.array([0.5, np.nan]),
        "digests": np.array([2**64 - 1], dtype=np.uint64),
        "nothing": np.empty((0, 3)),
    }
    document, restored = unpack(pack({"name": "é", "n": 3}, arrays))
    assert document == {"name": "é", "n": 3}
    assert restored["whole"].dtype == np.uint8
    assert restored["digests"].dtype == np.uint64
    for name, array in arrays.items():
        np.testing.assert_array_equal(restored[name], array)


@pytest.mark.parametrize("content", [b"", b"rubbish", pack({}, {"a": np.arange(9.5)})[:-4], pack({}, {})[:-3]])
def test_damaged_content_is_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="damaged sums"):
        unpack(content)


def test_arrays_of_addresses_are_refused() -> None:
    content = pack({}, {"a": np.array([2**62], dtype=np.uint64)})
    with pytest.raises(DataError, match="damaged sums"):
        unpack(content.replace(b"<u8", b"|O8"))

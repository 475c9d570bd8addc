"""Files of arrays with a JSON document in front: read in a fraction of the time that archives of arrays take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from auricle.core.errors import DataError

MAGIC = b"auricle-arrays-1\n"
INTEGER_TYPES = (np.uint8, np.uint16, np.uint32, np.int64)
LARGEST_EXACT = 2.0**53
"""Beyond this, not every integer is a float."""


def pack(document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a document and arrays as bytes; floats that are all integers take as little space as they need.

    >>> document, arrays = unpack(pack({"n": 1}, {"sums": np.array([1.0, 300.0])}))
    >>> document, arrays["sums"].dtype.name, arrays["sums"].tolist()
    ({'n': 1}, 'uint16', [1, 300])
    """
    compact = {name: np.ascontiguousarray(_shrink(array)) for name, array in arrays.items()}
    layout = {name: [array.dtype.str, *array.shape] for name, array in compact.items()}
    header = orjson.dumps({"document": document, "arrays": layout})
    size = len(header).to_bytes(8, "little")
    return b"".join([MAGIC, size, header, *(array.tobytes() for array in compact.values())])


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the document and the arrays of `pack`, which cannot be written to.

    Raises:
        DataError: if the content is damaged.
    """
    try:
        if not content.startswith(MAGIC):
            raise ValueError("unknown format")  # noqa: TRY301
        start = len(MAGIC) + 8
        position = start + int.from_bytes(content[len(MAGIC) : start], "little")
        header = orjson.loads(content[start:position])
        arrays: dict[str, NDArray[Any]] = {}
        for name, (kind, *shape) in header["arrays"].items():
            count = shape[0] if len(shape) == 1 else math.prod(shape)
            array = np.frombuffer(content, dtype := _find_dtype(kind), count, position)
            arrays[name] = array if len(shape) == 1 else array.reshape(shape)
            position += count * dtype.itemsize
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"damaged sums: {error}") from error
    return header["document"], arrays


_find_dtype = cache(np.dtype)
"""Returns the type of a name; NumPy takes longer to read the name than to make the array."""


def _shrink(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "fiu" or not array.size or array.dtype == np.uint64:
        return array
    low, high = array.min(), array.max()
    if low < -LARGEST_EXACT or high > LARGEST_EXACT or not np.isfinite(high - low):
        return array
    if array.dtype.kind == "f" and (array % 1).any():
        return array
    for kind in INTEGER_TYPES:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array

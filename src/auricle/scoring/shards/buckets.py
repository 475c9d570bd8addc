"""Buckets: the independent units of numbers that are computed from sums.

A sample is in the bucket of its id, or of its cluster. A digest decides which, so that it depends neither on the
order of samples nor on who processed them.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BUCKET_BITS = 12
BUCKETS = 1 << BUCKET_BITS
GROUP_BITS = 8
GROUP_BUCKETS = 1 << GROUP_BITS
"""Buckets of the samples with one value of a metadata field."""
DIGEST_BYTES = 16
"""Eight bytes would be the same for two of 360 million ids with a probability of 0.35 %."""

Digests: TypeAlias = NDArray[np.uint64]
"""Two numbers per digest."""
HalfDigests: TypeAlias = NDArray[np.uint64]
"""The first number of each digest."""
Buckets: TypeAlias = NDArray[np.int64]


def digest_texts(texts: Iterable[str]) -> Digests:
    """Return the digests of ids or of names of clusters, one row each."""
    content = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest() for text in texts
    )
    return np.frombuffer(content, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def to_buckets(digests: Digests) -> Buckets:
    """Return the bucket of each digest: its first bits."""
    return (digests[:, 0] >> np.uint64(64 - BUCKET_BITS)).astype(np.int64)

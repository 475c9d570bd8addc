"""The numbers that the statistic of an error rate consists of."""

from __future__ import annotations

# The last two are for the mean over utterances; an utterance without reference words has no rate of its own and counts
# only in the pooled rate.
SUBSTITUTIONS, DELETIONS, INSERTIONS, LENGTH, RATE, RATE_COUNT = range(6)
EDIT_STATISTICS = ("substitutions", "deletions", "insertions", "reference_length")
"""Names of the first of them."""

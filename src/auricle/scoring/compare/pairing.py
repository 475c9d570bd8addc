"""Pair the samples of two runs: by content, whatever their ids and file names are, or else by id."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from auricle.core.serialization import NAME_KEY_PREFIX, media_key, name_key
from auricle.metrics.base import Codes
from auricle.scoring.compare.loading import ABSENT, ComparedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """How many samples are paired, and how many are left out for which reason."""

    count: int
    only_a: int
    only_b: int
    changed: int
    """Samples with the same id but different content."""
    corrected: int
    """Samples with the same content but a different reference."""
    failed_a: int
    failed_b: int
    coverage: float
    """The share of all samples that are paired."""

    @classmethod
    def none(cls, only_a: int, only_b: int, failed_a: int, failed_b: int) -> PairCounts:
        """Return the counts of two groups that have no pairs."""
        return cls(
            count=0,
            only_a=only_a,
            only_b=only_b,
            changed=0,
            corrected=0,
            failed_a=failed_a,
            failed_b=failed_b,
            coverage=math.nan,
        )

    @property
    def shared(self) -> int:
        """Number of samples in both runs, whether they can be compared or not."""
        return self.count + self.corrected + max(self.failed_a, self.failed_b)


@dataclass(frozen=True)
class Pairs:
    """The paired samples of two runs, answered by both."""

    matched_by: Literal["content", "id"]
    """What the samples of a pair have in common, besides the reference."""
    a: Codes
    """Codes of the paired samples in A, in data order."""
    b: Codes
    """Codes of the same samples in B."""
    failed: tuple[tuple[int, int], ...]
    """Codes of samples that are the same but failed in A, in B or in both."""
    counts: PairCounts

    @property
    def have_same_rows(self) -> bool:
        """Whether both runs have the same samples with the same references, whatever their files are called."""
        counts = self.counts
        return self.matched_by == "content" and not (
            counts.only_a or counts.only_b or counts.changed or counts.corrected
        )


def pair_samples(a: ComparedRun, b: ComparedRun) -> Pairs:
    """Pair samples with the same content and reference: those with the same id first, then others in data order.

    If the runs have no content in common, samples with the same id and reference are paired, such as a sentence that
    was first recorded and then synthesised.
    """
    matches = match_contents(a, b)
    matched_by: Literal["content", "id"] = "content"
    if not matches and (matches := match_ids(a, b)):
        matched_by = "id"
    paired, lost, left_out = [], [], Counter[str]()
    for here, there in matches.items():
        if a.target_digests[here] != b.target_digests[there]:
            left_out["corrected"] += 1
        elif here in a.failed or there in b.failed:
            lost.append((here, there))
        else:
            paired.append((a.rows[here], here, there))
    matched_b = set(matches.values())
    rest_a, rest_b = (
        {sample for sample, place in side.index_by_id.items() if place not in matched}
        for side, matched in ((a, matches.keys()), (b, matched_b))
    )
    left_out["changed"] = sum(map(_identifies_sample, rest_a & rest_b))
    left_out["only_a"], left_out["only_b"] = (len(rest) - left_out["changed"] for rest in (rest_a, rest_b))
    # A row may have no record that can be read in either run.
    total = max(len(paired) + len(lost) + left_out.total(), a.results.journal.total, b.results.journal.total)
    both = np.array(sorted(paired), dtype=np.int64).reshape(-1, 3)
    counts = PairCounts(
        count=len(paired),
        **{name: left_out[name] for name in ("only_a", "only_b", "changed", "corrected")},
        failed_a=sum(here in a.failed for here, _ in lost),
        failed_b=sum(there in b.failed for _, there in lost),
        coverage=len(paired) / total if total else math.nan,
    )
    return Pairs(matched_by, both[:, 1], both[:, 2], tuple(lost), counts)


def match_contents(a: ComparedRun, b: ComparedRun) -> dict[int, int]:
    """Return the place in B of each sample of A with the same content, by its place in A.

    Ids may be row numbers, which differ between files of the same data; then the content alone decides. Recordings to
    be labelled are matched though they were offered other labels. Media that could not be read when a run was imported
    are matched by their file names.
    """
    matches: dict[int, int] = {}
    for sample, here in a.index_by_id.items():
        there = b.index_by_id.get(sample, ABSENT)
        if there != ABSENT and a.content_keys[here] == b.content_keys[there]:
            matches[here] = there
    if len(matches) < min(len(a.rows), len(b.rows)):
        _match_rest(matches, a, b, a.content_keys, b.content_keys)
        _match_rest(matches, a, b, _unique_media_keys(a.content_keys), _unique_media_keys(b.content_keys))
        if any(key.startswith(NAME_KEY_PREFIX) for side in (a, b) for key in side.content_keys):
            names_a, names_b = _read_name_keys(a), _read_name_keys(b)
            _match_rest(matches, a, b, _keep_name_keys(a.content_keys), names_b)
            _match_rest(matches, a, b, names_a, _keep_name_keys(b.content_keys))
    return matches


def match_ids(a: ComparedRun, b: ComparedRun) -> dict[int, int]:
    """Return the place in B of each sample of A with the same id, by its place in A.

    There are no matches if the ids seem to mean different samples: if they are numbers, such as those of rows, and
    their references are not texts of their own, if less than half of the samples of the smaller run have one in common,
    or if any of those has another reference.
    """
    counts = Counter(a.target_digests)
    matches = {
        here: b.index_by_id[sample]
        for sample, here in a.index_by_id.items()
        if sample in b.index_by_id
        and (_identifies_sample(sample) or counts[a.target_digests[here]] == 1)
        and a.content_keys[here]  # rejected rows have no key
    }
    has_same_references = all(a.target_digests[here] == b.target_digests[there] for here, there in matches.items())
    return matches if has_same_references and 2 * len(matches) >= min(len(a.rows), len(b.rows)) else {}


def _identifies_sample(sample_id: str) -> bool:
    """Return whether an id means the same sample in other data, too; numbers may be those of rows."""
    return not sample_id.isdecimal()


def _match_rest(
    matches: dict[int, int], a: ComparedRun, b: ComparedRun, keys_a: Sequence[str], keys_b: Sequence[str]
) -> None:
    """Add matches of samples that have none yet but the same key and reference, in data order."""
    matched = set(matches.values())
    candidates: dict[tuple[str, int], deque[int]] = {}
    for there in sorted({*range(len(b.rows))} - matched, key=b.rows.__getitem__):
        candidates.setdefault((keys_b[there], b.target_digests[there]), deque()).append(there)
    for here in sorted({*range(len(a.rows))} - matches.keys(), key=a.rows.__getitem__):
        same = candidates.get((keys_a[here], a.target_digests[here]))
        if keys_a[here] and same:  # rejected rows have no key
            matches[here] = same.popleft()


def _unique_media_keys(keys: Sequence[str]) -> list[str]:
    """Return the key of each sample's media, or an empty key if other samples have the same media."""
    media_keys = [media_key(key) for key in keys]
    counts = Counter(media_keys)
    return [key if counts[key] == 1 else "" for key in media_keys]


def _keep_name_keys(keys: Sequence[str]) -> list[str]:
    """Return the keys of samples whose media could not be read, and an empty key for the others."""
    return [key if key.startswith(NAME_KEY_PREFIX) else "" for key in keys]


def _read_name_keys(side: ComparedRun) -> list[str]:
    keys = [""] * len(side.rows)
    for record in side.run.records():
        if record.key and record.sample.id in side.index_by_id:
            keys[side.index_by_id[record.sample.id]] = name_key(record.sample)
    return keys

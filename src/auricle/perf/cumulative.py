"""What flows through a server: requests, tokens and sound, each as an amount that grows with time.

    flows(columns) -> dict[str, Flow | None]      None where an amount is not known
    Flow(times) -> amounts                        what had come by each of some times

A rate is the difference of two amounts over the time between, so the edges of a window are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from auricle.perf.request_columns import Floats, Mask, RequestColumns

CumulativeAmount: TypeAlias = Callable[[Floats], Floats]


def compute_cumulative_amounts(columns: RequestColumns) -> dict[str, CumulativeAmount | None]:
    """By the names of `definitions.RUN_DEFINITIONS`; of requests that ended well, in any phase."""
    ok = columns.ok
    return {
        "req_s": accumulate_at(columns["done"][ok], np.ones(int(ok.sum()))),
        "tok_out_s": _accumulate_output_tokens(columns) if all_known(columns["output_tokens"][ok]) else None,
        "tok_in_s": _accumulate_evenly(columns, "input_tokens") if all_known(columns["input_tokens"][ok]) else None,
        "audio_in_x": _accumulate_evenly(columns, "audio_seconds"),
        "audio_out_x": _accumulate_audio_out(columns),
    }


def all_known(values: Floats) -> bool:
    """Whether every one is; a sum with unknown parts would be too small."""
    return len(values) > 0 and not bool(np.isnan(values).any())


def accumulate_at(times: Floats, amounts: Floats) -> CumulativeAmount:
    """An amount that comes all at once, at its time."""
    order = np.argsort(times)
    reached = np.concatenate([[0.0], np.cumsum(amounts[order])])
    ordered = times[order]
    return lambda at: reached[np.searchsorted(ordered, at, side="right")]


def _accumulate_evenly(columns: RequestColumns, name: str) -> CumulativeAmount | None:
    """An amount that comes evenly between sent and done."""
    rows = columns.ok & ~np.isnan(columns[name])
    if not rows.any():
        return None
    amount, sent = columns[name][rows], columns["sent"][rows]
    spans = np.maximum(columns["done"][rows] - sent, 1e-9)

    def by(at: Floats) -> Floats:
        return np.array([np.dot(amount, np.clip((each - sent) / spans, 0.0, 1.0)) for each in at])

    return by


def _accumulate_audio_out(columns: RequestColumns) -> CumulativeAmount | None:
    rows = np.repeat(columns.ok, columns.audio_chunk_times.counts)
    if not rows.any():
        return None
    return accumulate_at(columns.audio_chunk_times.flat[rows], columns.audio_chunk_seconds.flat[rows])


def _accumulate_output_tokens(columns: RequestColumns) -> CumulativeAmount:
    """Output tokens, each answer's spread evenly over its pieces; one not streamed comes whole."""
    rows = np.flatnonzero(columns.ok)
    done, tokens = columns["done"][rows], columns["output_tokens"][rows]
    pieces: Mask = columns.streamed[rows] & ~np.isnan(columns["first_token"][rows])
    first = np.where(pieces, columns["first_token"][rows], done)
    sums = columns.gaps.reduce_rows(np.add)[rows]
    last = np.where(pieces, first + np.nan_to_num(sums), done)
    whole = accumulate_at(last, tokens)

    def under_way(at: float) -> float:
        """Of answers begun and not yet ended, the share of their pieces that came."""
        some = np.flatnonzero((first <= at) & (at < last))
        shares = [_share_received(columns.gaps.get_row(rows[row]), at - first[row]) for row in some]
        return float(np.dot(tokens[some], shares)) if len(some) else 0.0

    def by(at: Floats) -> Floats:
        return np.asarray(whole(at) + np.array([under_way(each) for each in at]))

    return by


def _share_received(gaps: Floats, elapsed: float) -> float:
    """Of the pieces of an answer, those that came within so many seconds of the first."""
    return (1 + int(np.searchsorted(np.cumsum(gaps), elapsed, side="right"))) / (1 + len(gaps))

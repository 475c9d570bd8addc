"""Cumulative requests, tokens and audio seconds as functions of time, from which rates are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from auricle.perf.request_records import Floats, Mask, RequestColumns

CumulativeAmount: TypeAlias = Callable[[Floats], Floats]
"""Maps times to the amount reached by each. A rate is the difference of two amounts over the time between them."""


def compute_cumulative_amounts(columns: RequestColumns) -> dict[str, CumulativeAmount | None]:
    """Accumulate over successful requests of all phases, by the names of `RUN_DEFINITIONS`; None if unknown."""
    ok = columns.ok
    return {
        "req_s": accumulate_at(columns["done"][ok], np.ones(int(ok.sum()))),
        "tok_out_s": _accumulate_output_tokens(columns) if all_known(columns["output_tokens"][ok]) else None,
        "tok_in_s": _accumulate_evenly(columns, "input_tokens") if all_known(columns["input_tokens"][ok]) else None,
        "audio_in_x": _accumulate_evenly(columns, "audio_seconds"),
        "audio_out_x": _accumulate_audio_out(columns),
    }


def all_known(values: Floats) -> bool:
    """Return whether no value is missing; a sum with unknown parts would be too small."""
    return len(values) > 0 and not bool(np.isnan(values).any())


def accumulate_at(times: Floats, amounts: Floats) -> CumulativeAmount:
    """Accumulate amounts that arrive whole, each at its time."""
    order = np.argsort(times)
    totals = np.concatenate([[0.0], np.cumsum(amounts[order])])
    ordered = times[order]
    return lambda query_times: totals[np.searchsorted(ordered, query_times, side="right")]


def _accumulate_evenly(columns: RequestColumns, name: str) -> CumulativeAmount | None:
    """Accumulate amounts that arrive evenly between sent and done."""
    rows = columns.ok & ~np.isnan(columns[name])
    if not rows.any():
        return None
    amounts, sent = columns[name][rows], columns["sent"][rows]
    spans = np.maximum(columns["done"][rows] - sent, 1e-9)

    def amount_by(times: Floats) -> Floats:
        return np.array([np.dot(amounts, np.clip((time - sent) / spans, 0.0, 1.0)) for time in times])

    return amount_by


def _accumulate_audio_out(columns: RequestColumns) -> CumulativeAmount | None:
    rows = np.repeat(columns.ok, columns.audio_chunk_times.counts)
    if not rows.any():
        return None
    return accumulate_at(columns.audio_chunk_times.flat[rows], columns.audio_chunk_seconds.flat[rows])


def _accumulate_output_tokens(columns: RequestColumns) -> CumulativeAmount:
    """Accumulate output tokens, spread evenly over the chunks of a stream; other responses arrive whole."""
    rows = np.flatnonzero(columns.ok)
    done, tokens = columns["done"][rows], columns["output_tokens"][rows]
    streamed: Mask = columns.streamed[rows] & ~np.isnan(columns["first_token"][rows])
    first = np.where(streamed, columns["first_token"][rows], done)
    stream_seconds = columns.gaps.reduce_rows(np.add)[rows]
    last = np.where(streamed, first + np.nan_to_num(stream_seconds), done)
    finished = accumulate_at(last, tokens)

    def unfinished(time: float) -> float:
        """Return the tokens received by then of streams that are still open."""
        open_rows = np.flatnonzero((first <= time) & (time < last))
        shares = [_share_received(columns.gaps.get_row(rows[row]), time - first[row]) for row in open_rows]
        return float(np.dot(tokens[open_rows], shares)) if len(open_rows) else 0.0

    def amount_by(times: Floats) -> Floats:
        return np.asarray(finished(times) + np.array([unfinished(time) for time in times]))

    return amount_by


def _share_received(gaps: Floats, elapsed: float) -> float:
    """Return the share of chunks received within `elapsed` seconds of the first."""
    return (1 + int(np.searchsorted(np.cumsum(gaps), elapsed, side="right"))) / (1 + len(gaps))

"""The measures of each request, by the names and formulas of `definitions.py`.

    measures(columns) -> dict[str, Floats]   a value a request, NaN where undefined
    measured(exchange) -> dict[str, float | None]   of one
    DEFINITIONS                              name -> (unit, text, undefined_when)

Only a request that ended well has measures. Some have many values a request: see `pooled`.
"""

from __future__ import annotations

import numpy as np

from auricle.perf.definitions import POOLED_MEASURES, REQUEST_DEFINITIONS
from auricle.perf.request_columns import Floats, RaggedArray, RequestColumns
from auricle.perf.request_record import RequestRecord

__all__ = ["REQUEST_DEFINITIONS", "compute_measures", "compute_record_measures", "get_pooled_values"]


def compute_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Every measure of every request."""
    found = {**_time_measures(columns), **_ratio_measures(columns), **_playback_measures(columns)}
    failed = ~columns.ok
    for values in found.values():
        values[failed] = np.nan
    return {name: found[name] for name in REQUEST_DEFINITIONS if name not in POOLED_MEASURES}


def get_pooled_values(columns: RequestColumns, name: str) -> RaggedArray:
    """A measure with many values a request."""
    return {"chunk_gap_s": columns.gaps, "itl_s": columns.token_gaps}[name]


def compute_record_measures(record: RequestRecord) -> dict[str, float | None]:
    """The measures of one request."""
    found = compute_measures(RequestColumns.from_records([record]))
    return {name: None if np.isnan(value[0]) else float(value[0]) for name, value in found.items()}


def _time_measures(columns: RequestColumns) -> dict[str, Floats]:
    """What is a difference of two times."""
    sent, due = columns["sent"], columns["due"]
    end = np.where(columns.streamed, columns["last_content"], columns["done"])
    token = np.where(columns.streamed, columns["first_token"], np.nan)
    content = np.where(columns.streamed, columns["first_content"], np.nan)
    return {
        "queue_s": sent - due,
        "upload_s": columns["uploaded"] - sent,
        "ttfb_s": columns["first_byte"] - sent,
        "ttft_s": token - sent,
        "ttfc_s": content - sent,
        "ttfa_s": columns["first_audio"] - sent,
        "ttfa_audible_s": columns["first_audible"] - sent,
        "latency_s": end - sent,
        "response_s": columns["done"] - sent,
        "sched_latency_s": end - due,
        "sched_ttft_s": token - due,
        "sched_ttfa_s": columns["first_audio"] - due,
    }


def _ratio_measures(columns: RequestColumns) -> dict[str, Floats]:
    """What is a time over tokens, or seconds of sound sent."""
    times = _time_measures(columns)
    tokens = columns["output_tokens"]
    decoding = np.where(columns.streamed, columns["last_content"] - columns["first_token"], np.nan)
    return {
        "tpot_s": _divide(decoding, np.where(tokens >= 2, tokens - 1, np.nan)),
        "ntpot_s": _divide(times["latency_s"], tokens),
        "chunk_gap_max_s": columns.gaps.reduce_rows(np.maximum),
        "rtf": _divide(times["latency_s"], columns["audio_seconds"]),
        "rtfx_request": _divide(columns["audio_seconds"], times["latency_s"], positive_only=True),
        "prefill_tok_s": _divide(columns["input_tokens"], times["ttft_s"], positive_only=True),
    }


def _divide(numerator: Floats, denominator: Floats, *, positive_only: bool = False) -> Floats:
    """Undefined where the bottom, or with `least` either, is not above zero."""
    fine = (denominator > 0) & ((numerator > 0) | (not positive_only))
    found = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=found, where=fine)
    return found


def _playback_measures(columns: RequestColumns) -> dict[str, Floats]:
    """What a listener hears of the sound that came back."""
    last = columns.audio_chunk_times.reduce_rows(np.maximum)
    length = columns.audio_chunk_seconds.reduce_rows(np.add)
    longest, total = compute_underruns(columns)
    return {
        "gen_rtf": _divide(last - columns["sent"], length),
        "underrun_max_s": longest,
        "underrun_total_s": total,
        "min_prebuffer_s": total.copy(),
    }


def compute_underruns(columns: RequestColumns) -> tuple[Floats, Floats]:
    """The longest and all silences of a player that begins with the first sound of each request.

    A piece of sound is awaited if it comes after the sound before it was played out. Waiting
    moves all that follows, so the wait so far is the most that any piece up to here was behind.
    """
    at, owners = columns.audio_chunk_times, columns.audio_chunk_times.row_indices
    heard = np.concatenate([[0.0], np.cumsum(columns.audio_chunk_seconds.flat)])[:-1]
    first = at.starts[:-1][owners]
    behind = (at.flat - at.flat[first]) - (heard - heard[first])
    apart = float(behind.max(initial=0.0)) + 1.0  # keeps one request's waits out of the next's
    waited = np.maximum.accumulate(np.maximum(behind, 0.0) + owners * apart) - owners * apart
    waits = np.diff(waited, prepend=0.0)
    waits[at.starts[:-1][at.counts > 0]] = 0.0
    longest, total = (type(at)(each, at.starts).reduce_rows(np.maximum) for each in (waits, waited))
    for each in (longest, total):
        each[each < MIN_UNDERRUN_SECONDS] = 0.0
    return longest, total


MIN_UNDERRUN_SECONDS = 1e-6  # of a second: below what is recorded, so the noise of sums

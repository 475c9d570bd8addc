"""Compute the measures of each request, by the names and formulas of `measure_definitions.py`."""

from __future__ import annotations

import numpy as np

from auricle.perf.measure_definitions import POOLED_MEASURES, REQUEST_DEFINITIONS
from auricle.perf.request_records import Floats, RaggedArray, RequestColumns


def compute_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Compute every measure of every request, except pooled ones; NaN where undefined and for failed requests."""
    measures = {**_time_measures(columns), **_ratio_measures(columns), **_playback_measures(columns)}
    failed = ~columns.ok
    for values in measures.values():
        values[failed] = np.nan
    return {name: measures[name] for name in REQUEST_DEFINITIONS if name not in POOLED_MEASURES}


def get_pooled_values(columns: RequestColumns, name: str) -> RaggedArray:
    """Return the values of a measure that has several per request."""
    return {"chunk_gap_s": columns.gaps, "itl_s": columns.token_gaps}[name]


def _time_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Compute measures that are the difference of two times."""
    sent, due = columns["sent"], columns["due"]
    end = np.where(columns.streamed, columns["last_content"], columns["done"])
    first_token = np.where(columns.streamed, columns["first_token"], np.nan)
    first_content = np.where(columns.streamed, columns["first_content"], np.nan)
    return {
        "queue_s": sent - due,
        "upload_s": columns["uploaded"] - sent,
        "ttfb_s": columns["first_byte"] - sent,
        "ttft_s": first_token - sent,
        "ttfc_s": first_content - sent,
        "ttfa_s": columns["first_audio"] - sent,
        "ttfa_audible_s": columns["first_audible"] - sent,
        "latency_s": end - sent,
        "response_s": columns["done"] - sent,
        "sched_latency_s": end - due,
        "sched_ttft_s": first_token - due,
        "sched_ttfa_s": columns["first_audio"] - due,
    }


def _ratio_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Compute measures that relate a time to tokens or to seconds of audio sent."""
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
    """Divide; NaN where the denominator (with `positive_only`, also the numerator) is not positive."""
    defined = (denominator > 0) & ((numerator > 0) | (not positive_only))
    quotients = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotients, where=defined)
    return quotients


def _playback_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Compute measures of the playback of received audio."""
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
    """Return the longest and the total underrun of each request.

    The player starts with the first audio chunk and pauses when its buffer is empty. A pause delays all later
    playback, so the total pause up to a chunk is the largest lateness of any chunk so far.
    """
    times, rows = columns.audio_chunk_times, columns.audio_chunk_times.row_indices
    played = np.concatenate([[0.0], np.cumsum(columns.audio_chunk_seconds.flat)])[:-1]
    first = times.starts[:-1][rows]
    lateness = (times.flat - times.flat[first]) - (played - played[first])
    row_offset = float(lateness.max(initial=0.0)) + 1.0  # separates the rows in the running maximum
    paused = np.maximum.accumulate(np.maximum(lateness, 0.0) + rows * row_offset) - rows * row_offset
    pauses = np.diff(paused, prepend=0.0)
    pauses[times.starts[:-1][times.counts > 0]] = 0.0
    longest, total = (RaggedArray(values, times.starts).reduce_rows(np.maximum) for values in (pauses, paused))
    for seconds in (longest, total):
        seconds[seconds < MIN_UNDERRUN_SECONDS] = 0.0
    return longest, total


MIN_UNDERRUN_SECONDS = 1e-6  # below the resolution of recorded times

"""The measures of each request, by the names and formulas of `definitions.py`.

    measures(columns) -> dict[str, Floats]   a value a request, NaN where undefined
    measured(exchange) -> dict[str, float | None]   of one
    DEFINITIONS                              name -> (unit, text, undefined_when)

Only a request that ended well has measures. Some have many values a request: see `pooled`.
"""

from __future__ import annotations

import numpy as np

from auricle.perf.columns import Columns, Floats, Ragged
from auricle.perf.definitions import DEFINITIONS, POOLED
from auricle.perf.exchange import Exchange

__all__ = ["DEFINITIONS", "measured", "measures", "pooled"]


def measures(columns: Columns) -> dict[str, Floats]:
    """Every measure of every request."""
    found = {**_times(columns), **_streams(columns), **_sounds(columns)}
    failed = ~columns.ok
    for values in found.values():
        values[failed] = np.nan
    return {name: found[name] for name in DEFINITIONS if name not in POOLED}


def pooled(columns: Columns, name: str) -> Ragged:
    """A measure with many values a request."""
    return {"chunk_gap_s": columns.gaps, "itl_s": columns.token_gaps}[name]


def measured(exchange: Exchange) -> dict[str, float | None]:
    """The measures of one request."""
    found = measures(Columns.of([exchange]))
    return {name: None if np.isnan(value[0]) else float(value[0]) for name, value in found.items()}


def _times(columns: Columns) -> dict[str, Floats]:
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


def _streams(columns: Columns) -> dict[str, Floats]:
    """What is a time over tokens, or seconds of sound sent."""
    times = _times(columns)
    tokens = columns["output_tokens"]
    decoding = np.where(columns.streamed, columns["last_content"] - columns["first_token"], np.nan)
    return {
        "tpot_s": _ratio(decoding, np.where(tokens >= 2, tokens - 1, np.nan)),
        "ntpot_s": _ratio(times["latency_s"], tokens),
        "chunk_gap_max_s": columns.gaps.folded(np.maximum),
        "rtf": _ratio(times["latency_s"], columns["audio_seconds"]),
        "rtfx_request": _ratio(columns["audio_seconds"], times["latency_s"], least=True),
        "prefill_tok_s": _ratio(columns["input_tokens"], times["ttft_s"], least=True),
    }


def _ratio(top: Floats, bottom: Floats, *, least: bool = False) -> Floats:
    """Undefined where the bottom, or with `least` either, is not above zero."""
    fine = (bottom > 0) & ((top > 0) | (not least))
    found = np.full(len(top), np.nan)
    np.divide(top, bottom, out=found, where=fine)
    return found


def _sounds(columns: Columns) -> dict[str, Floats]:
    """What a listener hears of the sound that came back."""
    last = columns.spoken_at.folded(np.maximum)
    length = columns.spoken_seconds.folded(np.add)
    longest, total = underruns(columns)
    return {
        "gen_rtf": _ratio(last - columns["sent"], length),
        "underrun_max_s": longest,
        "underrun_total_s": total,
        "min_prebuffer_s": total.copy(),
    }


def underruns(columns: Columns) -> tuple[Floats, Floats]:
    """The longest and all silences of a player that begins with the first sound of each request.

    A piece of sound is awaited if it comes after the sound before it was played out. Waiting
    moves all that follows, so the wait so far is the most that any piece up to here was behind.
    """
    at, owners = columns.spoken_at, columns.spoken_at.owners
    heard = np.concatenate([[0.0], np.cumsum(columns.spoken_seconds.flat)])[:-1]
    first = at.starts[:-1][owners]
    behind = (at.flat - at.flat[first]) - (heard - heard[first])
    apart = float(behind.max(initial=0.0)) + 1.0  # keeps one request's waits out of the next's
    waited = np.maximum.accumulate(np.maximum(behind, 0.0) + owners * apart) - owners * apart
    waits = np.diff(waited, prepend=0.0)
    waits[at.starts[:-1][at.counts > 0]] = 0.0
    longest, total = (type(at)(each, at.starts).folded(np.maximum) for each in (waits, waited))
    for each in (longest, total):
        each[each < EPSILON] = 0.0
    return longest, total


EPSILON = 1e-6  # of a second: below what is recorded, so the noise of sums

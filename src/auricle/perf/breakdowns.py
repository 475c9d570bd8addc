"""The same measures by what was asked: how much sound, which turn, how long an answer.

breakdowns(columns, values, rows) -> dict[str, list]     one entry a bucket that has requests
failures, finishes, repeats                              what else is counted
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from auricle.perf.request_columns import Floats, Ints, Mask, RequestColumns
from auricle.perf.statistics import describe_values

AUDIO_SECONDS_BOUNDS = (5.0, 15.0, 30.0, 120.0)
OUTPUT_TOKENS_BOUNDS = (16.0, 64.0, 256.0, 1024.0)
"""Upper bounds, themselves included."""
BREAKDOWN_MEASURES = (
    "ttft_s", "ttfa_s", "latency_s", "sched_latency_s", "tpot_s", "rtf", "rtfx_request", "gen_rtf",
    "underrun_max_s",
)  # fmt: skip
BREAKDOWN_STATISTICS = ("n", "mean", "p50", "p95", "p99")
STATUSES = ("ok", "failed", "cancelled")
MAX_EXAMPLES = 3


def count_statuses(columns: RequestColumns, rows: Mask) -> dict[str, int]:
    """How many ended how."""
    status = columns.categorical["status"]
    return {each: int((rows & status.equals(each)).sum()) for each in STATUSES}


def compute_breakdowns(
    columns: RequestColumns, measures: Mapping[str, Floats], rows: Mask
) -> dict[str, list[dict[str, Any]]]:
    """By seconds of sound sent, turn and output tokens; of whom it is unknown are out."""
    return {
        "audio_seconds": _break_down(
            columns, measures, rows, _assign_buckets(columns["audio_seconds"], AUDIO_SECONDS_BOUNDS)
        ),
        "turn": _break_down(columns, measures, rows, (columns["turn"].astype(np.int64), None)),
        "output_tokens": _break_down(
            columns, measures, rows, _assign_buckets(columns["output_tokens"], OUTPUT_TOKENS_BOUNDS)
        ),
    }


Buckets = tuple[Ints, tuple[str, ...] | None]


def _assign_buckets(values: Floats, bounds: tuple[float, ...]) -> Buckets:
    codes = np.where(np.isnan(values), -1, np.searchsorted(bounds, values))
    lows = ("0", *(f"{bound:g}" for bound in bounds))
    labels = [f"{low}-{high:g}" for low, high in zip(lows, bounds, strict=False)]
    return codes, (*labels, f">{bounds[-1]:g}")


def _break_down(
    columns: RequestColumns, measures: Mapping[str, Floats], rows: Mask, buckets: Buckets
) -> list[dict[str, Any]]:
    codes, labels = buckets
    found = []
    for code in np.unique(codes[rows & (codes >= 0)]):
        inside = rows & (codes == code)
        label = str(code) if labels is None else labels[code]
        measured = {name: _describe_briefly(measures[name][inside & columns.ok]) for name in BREAKDOWN_MEASURES}
        some = {name: each for name, each in measured.items() if each["n"]}
        found.append({"bucket": label, **count_statuses(columns, inside), "measures": some})
    return found


def _describe_briefly(values: Floats) -> dict[str, Any]:
    whole = describe_values(values)
    return {name: whole[name] for name in BREAKDOWN_STATISTICS}


def count_finish_reasons(columns: RequestColumns, rows: Mask) -> dict[str, int]:
    """Why answers ended, the most frequent first."""
    return dict(_count_categories(columns, "finish", rows & columns.ok, "unknown"))


def count_repeats(columns: RequestColumns) -> dict[str, Any]:
    """How many requests of any phase were sent before; None where they left no digest."""
    sent = ~np.isnan(columns["sent"]) & ~columns.categorical["body"].equals("")
    requests = int(sent.sum())
    if not requests:
        return {"requests": 0, "distinct": None, "repeated": None}
    distinct = len(np.unique(columns.categorical["body"].codes[sent]))
    return {"requests": requests, "distinct": distinct, "repeated": requests - distinct}


def summarise_failures(columns: RequestColumns, rows: Mask) -> list[dict[str, Any]]:
    """By kind: how many, after how long, and in which words."""
    failed = rows & columns.categorical["status"].equals("failed")
    kinds: dict[str, list[tuple[str, int]]] = {}
    for words, count in _count_categories(columns, "error", failed, "unknown"):
        kinds.setdefault(words.partition(":")[0].strip(), []).append((words, count))
    found = [_summarise_failure(columns, failed, kind, told) for kind, told in kinds.items()]
    return sorted(found, key=lambda each: -each["count"])


def _summarise_failure(
    columns: RequestColumns, failed: Mask, kind: str, messages: list[tuple[str, int]]
) -> dict[str, Any]:
    said = columns.categorical["error"].categories
    codes = [said.index(words) for words, _ in messages if words in said]
    after = describe_values((columns["done"] - columns["sent"])[failed & _has_error_code(columns, codes)])
    return {
        "kind": kind,
        "count": sum(count for _, count in messages),
        "after_p50_s": after["p50"],
        "examples": [words for words, _ in messages[:MAX_EXAMPLES]],
    }


def _has_error_code(columns: RequestColumns, codes: list[int]) -> Mask:
    return np.isin(columns.categorical["error"].codes, codes)


def count_timeouts(columns: RequestColumns, rows: Mask) -> int:
    """Failed for lack of time, by the words of the failure."""
    said = columns.categorical["error"]
    late = [
        code for code, words in enumerate(said.categories) if "timeout" in words.lower() or "timed out" in words.lower()
    ]
    return int((rows & columns.categorical["status"].equals("failed") & _has_error_code(columns, late)).sum())


def _count_categories(columns: RequestColumns, name: str, rows: Mask, placeholder: str) -> list[tuple[str, int]]:
    column = columns.categorical[name]
    counts = np.bincount(column.codes[rows], minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")
    return [(column.categories[at] or placeholder, int(counts[at])) for at in order if counts[at]]

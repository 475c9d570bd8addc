"""The same measures by what was asked: how much sound, which turn, how long an answer.

breakdowns(columns, values, rows) -> dict[str, list]     one entry a bucket that has requests
failures, finishes, repeats                              what else is counted
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from auricle.perf.columns import Codes, Columns, Floats, Mask
from auricle.perf.statistics import described

AUDIO = (5.0, 15.0, 30.0, 120.0)
TOKENS = (16.0, 64.0, 256.0, 1024.0)
"""Upper bounds, themselves included."""
SHOWN = (
    "ttft_s", "ttfa_s", "latency_s", "sched_latency_s", "tpot_s", "rtf", "rtfx_request", "gen_rtf",
    "underrun_max_s",
)  # fmt: skip
KEPT = ("n", "mean", "p50", "p95", "p99")
STATUSES = ("ok", "failed", "cancelled")
EXAMPLES = 3


def statuses(columns: Columns, rows: Mask) -> dict[str, int]:
    """How many ended how."""
    status = columns.words["status"]
    return {each: int((rows & status.says(each)).sum()) for each in STATUSES}


def breakdowns(
    columns: Columns, values: Mapping[str, Floats], rows: Mask
) -> dict[str, list[dict[str, Any]]]:
    """By seconds of sound sent, turn and output tokens; of whom it is unknown are out."""
    return {
        "audio_seconds": _by(columns, values, rows, _bucketed(columns["audio_seconds"], AUDIO)),
        "turn": _by(columns, values, rows, (columns["turn"].astype(np.int64), None)),
        "output_tokens": _by(columns, values, rows, _bucketed(columns["output_tokens"], TOKENS)),
    }


Labelled = tuple[Codes, tuple[str, ...] | None]


def _bucketed(found: Floats, bounds: tuple[float, ...]) -> Labelled:
    codes = np.where(np.isnan(found), -1, np.searchsorted(bounds, found))
    lows = ("0", *(f"{bound:g}" for bound in bounds))
    labels = [f"{low}-{high:g}" for low, high in zip(lows, bounds, strict=False)]
    return codes, (*labels, f">{bounds[-1]:g}")


def _by(
    columns: Columns, values: Mapping[str, Floats], rows: Mask, labelled: Labelled
) -> list[dict[str, Any]]:
    codes, labels = labelled
    found = []
    for code in np.unique(codes[rows & (codes >= 0)]):
        inside = rows & (codes == code)
        label = str(code) if labels is None else labels[code]
        measured = {name: _brief(values[name][inside & columns.ok]) for name in SHOWN}
        some = {name: each for name, each in measured.items() if each["n"]}
        found.append({"bucket": label, **statuses(columns, inside), "measures": some})
    return found


def _brief(values: Floats) -> dict[str, Any]:
    whole = described(values)
    return {name: whole[name] for name in KEPT}


def finishes(columns: Columns, rows: Mask) -> dict[str, int]:
    """Why answers ended, the most frequent first."""
    return dict(_counted(columns, "finish", rows & columns.ok, "unknown"))


def repeats(columns: Columns) -> dict[str, Any]:
    """How many requests of any phase were sent before; None where they left no digest."""
    sent = ~np.isnan(columns["sent"]) & ~columns.words["body"].says("")
    requests = int(sent.sum())
    if not requests:
        return {"requests": 0, "distinct": None, "repeated": None}
    distinct = len(np.unique(columns.words["body"].codes[sent]))
    return {"requests": requests, "distinct": distinct, "repeated": requests - distinct}


def failures(columns: Columns, rows: Mask) -> list[dict[str, Any]]:
    """By kind: how many, after how long, and in which words."""
    failed = rows & columns.words["status"].says("failed")
    kinds: dict[str, list[tuple[str, int]]] = {}
    for words, count in _counted(columns, "error", failed, "unknown"):
        kinds.setdefault(words.partition(":")[0].strip(), []).append((words, count))
    found = [_failure(columns, failed, kind, told) for kind, told in kinds.items()]
    return sorted(found, key=lambda each: -each["count"])


def _failure(
    columns: Columns, failed: Mask, kind: str, told: list[tuple[str, int]]
) -> dict[str, Any]:
    said = columns.words["error"].words
    codes = [said.index(words) for words, _ in told if words in said]
    after = described((columns["done"] - columns["sent"])[failed & _among(columns, codes)])
    return {
        "kind": kind,
        "count": sum(count for _, count in told),
        "after_p50_s": after["p50"],
        "examples": [words for words, _ in told[:EXAMPLES]],
    }


def _among(columns: Columns, codes: list[int]) -> Mask:
    return np.isin(columns.words["error"].codes, codes)


def timeouts(columns: Columns, rows: Mask) -> int:
    """Failed for lack of time, by the words of the failure."""
    said = columns.words["error"]
    late = [
        code
        for code, words in enumerate(said.words)
        if "timeout" in words.lower() or "timed out" in words.lower()
    ]
    return int((rows & columns.words["status"].says("failed") & _among(columns, late)).sum())


def _counted(columns: Columns, name: str, rows: Mask, unsaid: str) -> list[tuple[str, int]]:
    column = columns.words[name]
    counts = np.bincount(column.codes[rows], minlength=len(column.words))
    order = np.argsort(-counts, kind="stable")
    return [(column.words[at] or unsaid, int(counts[at])) for at in order if counts[at]]

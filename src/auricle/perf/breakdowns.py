"""Break measures down by audio length, turn and output tokens; count statuses, failures and repeats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from auricle.perf.percentiles import describe_values
from auricle.perf.request_records import Floats, Ints, Mask, RequestColumns
from auricle.runs.perf_files import Bucket, BucketStatistics, RequestFailures, RequestRepeats, StatusCounts

AUDIO_SECONDS_BOUNDS = (5.0, 15.0, 30.0, 120.0)
OUTPUT_TOKENS_BOUNDS = (16.0, 64.0, 256.0, 1024.0)
"""Upper bounds of the buckets, inclusive."""
BREAKDOWN_MEASURES = (
    "ttft_s", "ttfa_s", "latency_s", "sched_latency_s", "tpot_s", "rtf", "rtfx_request", "gen_rtf",
    "underrun_max_s",
)  # fmt: skip
MAX_EXAMPLES = 3


def count_statuses(columns: RequestColumns, rows: Mask) -> StatusCounts:
    """Count requests by status."""
    column = columns.categorical["status"]
    return StatusCounts(*(int((rows & column.equals(field.name)).sum()) for field in fields(StatusCounts)))


def count_conversations(columns: RequestColumns, rows: Mask) -> StatusCounts | None:
    """Count the conversations whose first turn is in `rows`; one with a failed turn failed. None if there are none."""
    if not (columns["turn"] > 0).any():
        return None
    indices = columns["index"].astype(np.int64)
    started = np.unique(indices[rows & (columns["turn"] == 0)])
    status = columns.categorical["status"]
    failed, cancelled = (np.isin(started, indices[status.equals(name)]) for name in ("failed", "cancelled"))
    return StatusCounts(
        ok=int((~failed & ~cancelled).sum()), failed=int(failed.sum()), cancelled=int((cancelled & ~failed).sum())
    )


def compute_breakdowns(
    columns: RequestColumns, measures: Mapping[str, Floats], rows: Mask
) -> dict[str, tuple[Bucket, ...]]:
    """Compute measures by audio seconds, turn, output tokens and model; requests with an unknown value are left out."""
    models = columns.categorical["model"]
    buckets = {
        "audio_seconds": _assign_buckets(columns["audio_seconds"], AUDIO_SECONDS_BOUNDS),
        "turn": (columns["turn"].astype(np.int64), None),
        "output_tokens": _assign_buckets(columns["output_tokens"], OUTPUT_TOKENS_BOUNDS),
        "model": (np.where(models.equals(""), -1, models.codes), models.categories),
    }
    return {name: _break_down(columns, measures, rows, *assigned) for name, assigned in buckets.items()}


def _assign_buckets(values: Floats, bounds: tuple[float, ...]) -> tuple[Ints, tuple[str, ...]]:
    """Return the bucket of each value, -1 for an unknown one, and the labels of the buckets."""
    codes = np.where(np.isnan(values), -1, np.searchsorted(bounds, values))
    lows = ("0", *(f"{bound:g}" for bound in bounds))
    labels = [f"{low}-{high:g}" for low, high in zip(lows, bounds, strict=False)]
    return codes, (*labels, f">{bounds[-1]:g}")


def _break_down(
    columns: RequestColumns, measures: Mapping[str, Floats], rows: Mask, codes: Ints, labels: tuple[str, ...] | None
) -> tuple[Bucket, ...]:
    buckets = []
    for code in np.unique(codes[rows & (codes >= 0)]):
        in_bucket = rows & (codes == code)
        described = {name: describe_values(measures[name][in_bucket & columns.ok]) for name in BREAKDOWN_MEASURES}
        defined = {
            name: BucketStatistics(entry.n, entry.mean, entry.p50, entry.p95, entry.p99)
            for name, entry in described.items()
            if entry.n
        }
        counts = count_statuses(columns, in_bucket)
        label = str(code) if labels is None else labels[code]
        buckets.append(Bucket(label, counts.ok, counts.failed, counts.cancelled, defined))
    return tuple(buckets)


def count_finish_reasons(columns: RequestColumns, rows: Mask) -> dict[str, int]:
    """Count finish reasons, most frequent first."""
    return dict(_count_categories(columns, "finish", rows & columns.ok, "unknown"))


def count_repeats(columns: RequestColumns) -> RequestRepeats:
    """Count requests of all phases whose body was sent before; None if no digests were recorded."""
    sent = ~np.isnan(columns["sent"]) & ~columns.categorical["body"].equals("")
    requests = int(sent.sum())
    if not requests:
        return RequestRepeats()
    distinct = len(np.unique(columns.categorical["body"].codes[sent]))
    return RequestRepeats(requests, distinct, requests - distinct, requests / distinct)


def summarise_failures(columns: RequestColumns, rows: Mask) -> tuple[RequestFailures, ...]:
    """Summarise failures by error kind: count, median time until failure and example messages."""
    failed = rows & columns.categorical["status"].equals("failed")
    messages_by_kind: dict[str, list[tuple[str, int]]] = {}
    for message, count in _count_categories(columns, "error", failed, "unknown"):
        messages_by_kind.setdefault(message.partition(":")[0].strip(), []).append((message, count))
    failures = [_summarise_failure(columns, failed, kind, messages) for kind, messages in messages_by_kind.items()]
    return tuple(sorted(failures, key=lambda failure: -failure.count))


def _summarise_failure(
    columns: RequestColumns, failed: Mask, kind: str, messages: list[tuple[str, int]]
) -> RequestFailures:
    errors = columns.categorical["error"].categories
    codes = [errors.index(message) for message, _ in messages if message in errors]
    after = describe_values((columns["done"] - columns["sent"])[failed & _has_error_code(columns, codes)])
    examples = tuple(message for message, _ in messages[:MAX_EXAMPLES])
    return RequestFailures(kind, sum(count for _, count in messages), after.p50, examples)


def _has_error_code(columns: RequestColumns, codes: list[int]) -> Mask:
    return np.isin(columns.categorical["error"].codes, codes)


def count_timeouts(columns: RequestColumns, rows: Mask) -> int:
    """Count requests that failed with a timeout, judging by the error message."""
    messages = [message.lower() for message in columns.categorical["error"].categories]
    timeouts = [code for code, message in enumerate(messages) if "timeout" in message or "timed out" in message]
    return int((rows & columns.categorical["status"].equals("failed") & _has_error_code(columns, timeouts)).sum())


def _count_categories(columns: RequestColumns, name: str, rows: Mask, placeholder: str) -> list[tuple[str, int]]:
    column = columns.categorical[name]
    counts = np.bincount(column.codes[rows], minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")
    return [(column.categories[code] or placeholder, int(counts[code])) for code in order if counts[code]]

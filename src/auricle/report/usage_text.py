"""Describe what a run used: tokens, hours of audio, time and cost."""

from __future__ import annotations

from dataclasses import replace

from auricle.runs.metrics import Delay, JudgeFacts, Metrics, Throughput, Usage, format_money

FACT_DESCRIPTIONS = {
    "Wall time": "From the first request to the last response of each pass, decoding included, "
                 "model loading excluded.",
    "Throughput": "Audio seconds answered per second of wall time, with as many requests in flight as there were.",
    "Concurrency": "Requests in flight, on average over the wall time.",
    "Speed of one request": "Audio seconds per second from sending a request to its answer, or of its share of a "
                            "batch; decoding, queues, rate limits and retries are not counted. Known as RTFx.",
    "TTFT": "Median time from sending a request to the first token of its streamed answer.",
    "First audio": "Median time from sending a request to the first audio of its streamed answer.",
}  # fmt: skip


def usage_facts(metrics: Metrics) -> list[tuple[str, str]]:
    """List what was used; ≥ marks incomplete figures."""
    used = metrics.usage
    floor = "≥ " if used.samples_without_usage else ""
    facts = [
        ("Tokens in", _format_compact(used.input_tokens, floor)),
        ("Tokens out", _format_compact(used.output_tokens, floor)),
        ("Audio", _format_audio_fact(metrics)),
        *speed_facts(metrics),
        ("Cost", _format_cost(used, "≥ ")),
        ("Cost per minute of call", _format_call_cost(used, "≥ ")),
        ("Judge cost", _format_judge_cost(metrics, "≥ ")),
        ("Cached", f"{used.cached:,}" if used.cached else ""),
    ]
    return [(name, text) for name, text in facts if text]


def speed_facts(metrics: Metrics) -> list[tuple[str, str]]:
    """List wall time, throughput and speed of one request; for streams, delays."""
    speed = metrics.speed
    if not speed:
        return []
    delays = [(name, f"{_format_significant(delay.p50)} s") for name, delay in _list_delays(speed)]
    return [("Wall time", _format_duration(speed.wall_seconds)), *_list_rates(speed), *delays]


def _list_rates(speed: Throughput) -> list[tuple[str, str]]:
    """List throughput and speed of one request in multiples of real time; without audio, samples per second."""
    known = []
    if speed.throughput is not None:
        known.append(("Throughput", f"{_format_significant(speed.throughput)}×"))
        if (speed.concurrency or 0.0) > 1:
            known.append(("Concurrency", _format_significant(speed.concurrency or 0.0)))
    if speed.rtfx is not None:
        known.append(("Speed of one request", f"{_format_significant(speed.rtfx)}×"))
    if not known and speed.samples_per_second is not None:
        known.append(("Samples/s", _format_significant(speed.samples_per_second)))
    return known


def _list_delays(speed: Throughput) -> list[tuple[str, Delay]]:
    return [(name, delay) for name, delay in (("TTFT", speed.ttft_s), ("First audio", speed.ttfa_s)) if delay]


def describe_speed_facts(metrics: Metrics) -> list[tuple[str, str]]:
    """Define the terms of time and speed that a page uses."""
    if not metrics.speed:
        return []
    share = _timed_share(metrics.speed, metrics)
    measured = {name: f" Measured{share}." for name in ("Wall time", "Throughput", "Speed of one request") if share}
    names = [name for name, _ in speed_facts(metrics) if name in FACT_DESCRIPTIONS]
    return [(name, FACT_DESCRIPTIONS[name] + measured.get(name, "")) for name in names]


def format_usage_line(metrics: Metrics) -> str:
    """Describe usage in one line; return an empty string if nothing is known."""
    used = metrics.usage
    parts = [_format_tokens(used), _format_audio(used.audio_seconds, " of audio"), _format_cost(used, "at least ")]
    if call_cost := _format_call_cost(used, "at least "):
        parts.append(f"{call_cost} per minute of call")
    if metrics.speed:
        parts.append(_format_speed(metrics.speed, metrics))
    if used.cached:
        parts.append(f"{used.cached:,} answers from the cache")
    if used.samples_without_cost:
        parts.append(f"the cost of {_format_sample_count(used.samples_without_cost)} unknown")
    elif used.samples_without_usage and parts[0]:
        parts.append(f"the tokens of {_format_sample_count(used.samples_without_usage)} unknown")
    known = "; ".join(filter(None, [", ".join(filter(None, parts)), *map(_format_judge, metrics.judges)]))
    total = _format_total_cost(metrics)
    return f"Usage: {known}{f'; {total} in total' if total else ''}" if known else ""


def _format_judge(judge: JudgeFacts) -> str:
    """Describe what a judge used; return an empty string if nothing is known."""
    sides = ((judge.input_tokens, "in"), (judge.tokens, "out"))
    counts = " + ".join(f"{count:,} {side}" for count, side in sides if count)
    floor = "at least " if judge.verdicts_without_cost else ""
    cost = "" if judge.cost is None else f"{floor}{format_money(judge.cost, judge.currency or '')}"
    known = ", ".join(filter(None, [f"tokens {counts}" if counts else "", cost]))
    return f"judge {judge.name}: {known}" if known else ""


def _format_judge_cost(metrics: Metrics, lower_bound_prefix: str) -> str:
    priced = [judge for judge in metrics.judges if judge.cost is not None]
    if not priced or len({judge.currency for judge in priced}) > 1:
        return ""
    floor = lower_bound_prefix if any(judge.verdicts_without_cost for judge in priced) else ""
    return f"{floor}{format_money(sum(judge.cost or 0.0 for judge in priced), priced[0].currency or '')}"


def _format_total_cost(metrics: Metrics) -> str:
    """Format the cost of the model and its judges together; empty unless both are known, in one currency."""
    used, judges = metrics.usage, [judge for judge in metrics.judges if judge.cost is not None]
    if used.cost is None or not judges or {judge.currency for judge in judges} != {used.currency}:
        return ""
    is_bound = used.samples_without_cost or any(judge.verdicts_without_cost for judge in judges)
    total = used.cost + sum(judge.cost or 0.0 for judge in judges)
    return f"{'at least ' if is_bound else ''}{format_money(total, used.currency or '')}"


def _format_tokens(usage: Usage) -> str:
    sides = ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
    counts = " + ".join(f"{count:,} {side}" for count, side in sides if count is not None)
    return f"tokens {counts}" if counts else ""


def _format_audio(seconds: float | None, suffix: str = "") -> str:
    if not seconds:
        return ""
    duration = f"{seconds / 3600:,.2f} h" if seconds >= 360 else f"{seconds:,.1f} s"
    return f"{duration}{suffix}"


def _format_audio_fact(metrics: Metrics) -> str:
    """Format the audio of all answers and, if that is another amount, the audio that wall time and speed refer to."""
    audio, timed = _format_audio(metrics.usage.audio_seconds), _timed_audio(metrics)
    return f"{audio} ({timed} timed)" if audio and timed else audio


def _timed_audio(metrics: Metrics) -> str:
    """Format the audio that was answered in timed passes; empty if it is that of all answers."""
    timed, total = (_format_audio(part.audio_seconds) if part else "" for part in (metrics.speed, metrics.usage))
    return timed if total and timed != total else ""


def _format_speed(speed: Throughput, metrics: Metrics) -> str:
    parts = [f"{_format_duration(speed.wall_seconds)} of wall time{_timed_share(speed, metrics)}"]
    for name, rate in _list_rates(speed):
        parts.append(f"{rate} samples/s" if name == "Samples/s" else f"{name.lower()} {rate}")
    for name, delay in _list_delays(speed):
        high = "" if delay.p95 is None else f" (p95 {_format_significant(delay.p95)} s)"
        parts.append(f"{name} {_format_significant(delay.p50)} s{high}")
    return ", ".join(parts)


def _timed_share(speed: Throughput, metrics: Metrics) -> str:
    """State which answers were timed, if not exactly those that the numbers are about."""
    timed, answered, audio = speed.samples, metrics.outcomes.answered, _timed_audio(metrics)
    if timed == answered and not audio:
        return ""
    count = f"{timed:,} of {answered:,} answers" if timed < answered else f"{timed:,} answers"
    replaced = " (some were replaced)" if timed > answered else ""
    return f" for {count}{replaced}{f' with {audio} of audio' if audio else ''}"


def _format_duration(seconds: float) -> str:
    if seconds < 600:
        return f"{_format_significant(seconds)} s"
    return f"{_format_significant(seconds / 60)} min" if seconds < 7200 else f"{_format_significant(seconds / 3600)} h"


def format_speed(speed: float | None) -> str:
    """Format a speed for a table, in seconds of audio per second."""
    return _format_significant(speed) if speed else "–"


def _format_significant(value: float) -> str:
    """Format with three significant digits, and with all digits before the decimal point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _format_cost(usage: Usage, lower_bound_prefix: str) -> str:
    if usage.cost is None:
        return ""
    prefix = lower_bound_prefix if usage.samples_without_cost else ""
    return f"{prefix}{format_money(usage.cost, usage.currency or '')}"


def _format_call_cost(usage: Usage, lower_bound_prefix: str) -> str:
    """Format the cost of a minute of conversation; empty if there were no live calls or no prices."""
    cost = usage.cost_per_call_minute
    return "" if cost is None else _format_cost(replace(usage, cost=cost), lower_bound_prefix)


def _format_sample_count(count: int) -> str:
    return f"{count:,} sample{'' if count == 1 else 's'}"


def _format_compact(count: int | None, lower_bound_prefix: str) -> str:
    if count is None:
        return ""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{lower_bound_prefix}{count / size:.3g} {letter}"
    return f"{lower_bound_prefix}{count}"

"""Define every number of a load test, as `docs/perf.md` repeats it, and compute the measures of each request."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auricle.perf.request_records import Floats, RaggedArray, RequestColumns


class Definition(NamedTuple):
    """What a measure is called, its unit and meaning, and when it is undefined."""

    title: str
    unit: str
    text: str
    undefined_when: str = ""

    @property
    def heading(self) -> str:
        """The title with the unit, unless the title or a percent sign states it."""
        return self.title if self.unit in ("", "share", "tok", "chars", "h") else f"{self.title}, {self.unit}"


_NOT_STREAMED = "the response was not streamed, or was empty"
_CLOSED_LOOP = "closed loop: requests have no due time"
_NO_AUDIO_INPUT = "no audio was sent"
_NO_AUDIO_OUTPUT = "no audio was received"
_NO_CALL = "the request is not a live call"
_NO_PAGE = "no --metrics-url, or the server does not report it"
_NO_GPU = "no --gpu"

REQUEST_DEFINITIONS: dict[str, Definition] = {
    "queue_s": Definition("Wait before sending", "s", "sent - due", _CLOSED_LOOP),
    "upload_s": Definition(
        "Upload time",
        "s",
        "last part of the body (64 KiB) handed to the socket - sent; the part of TTFT spent on sending",
        "the body is sent in one part, or the model is not behind HTTP",
    ),
    "ttfb_s": Definition(
        "Time to first byte", "s", "first byte - sent", "no byte was observed before the complete response"
    ),
    "ttft_s": Definition(
        "Time to first token",
        "s",
        "first chunk with content (text, reasoning, tool call, audio) - sent;"
        " role-only, empty, keep-alive and usage events do not count",
        _NOT_STREAMED,
    ),
    "ttfc_s": Definition(
        "Time to first token of the answer", "s", "first chunk that is not reasoning - sent", _NOT_STREAMED
    ),
    "ttfa_s": Definition("Time to first audio", "s", "first audio chunk - sent", _NO_AUDIO_OUTPUT),
    "ttfa_audible_s": Definition(
        "Time to first audible sound",
        "s",
        "first audio chunk with a sample above -50 dB of full scale - sent",
        _NO_AUDIO_OUTPUT,
    ),
    "latency_s": Definition(
        "Latency", "s", "last chunk - sent; if not streamed, done - sent", "the response was empty"
    ),
    "response_s": Definition(
        "Time to the end of the response", "s", "done - sent, including usage events and the end of the stream"
    ),
    "sched_latency_s": Definition("Latency from due", "s", "latency_s + queue_s: from the due time", _CLOSED_LOOP),
    "sched_ttft_s": Definition(
        "Time to first token from due", "s", "ttft_s + queue_s: from the due time", f"{_CLOSED_LOOP}; {_NOT_STREAMED}"
    ),
    "sched_ttfa_s": Definition(
        "Time to first audio from due",
        "s",
        "ttfa_s + queue_s: from the due time",
        f"{_CLOSED_LOOP}; {_NO_AUDIO_OUTPUT}",
    ),
    "tpot_s": Definition(
        "Time per output token",
        "s",
        "(last chunk - first chunk) / (output tokens - 1)",
        f"{_NOT_STREAMED}; fewer than 2 output tokens, or unknown",
    ),
    "ntpot_s": Definition(
        "Latency per output token", "s", "latency_s / output tokens", "output tokens are 0 or unknown"
    ),
    "chunk_gap_s": Definition(
        "Gap between chunks",
        "s",
        "time between consecutive chunks of a response, pooled over requests",
        "fewer than 2 chunks",
    ),
    "chunk_gap_max_s": Definition(
        "Longest gap between chunks", "s", "longest chunk_gap_s of a request", "fewer than 2 chunks"
    ),
    "itl_s": Definition(
        "Inter-token latency",
        "s",
        "time between consecutive token counts / tokens between them, pooled over requests",
        "the server does not report token counts while streaming",
    ),
    "rtf": Definition("Real-time factor", "", "latency_s / seconds of audio sent", _NO_AUDIO_INPUT),
    "rtfx_request": Definition(
        "Speed of one request", "", "speed of one request (RTFx): seconds of audio sent / latency_s", _NO_AUDIO_INPUT
    ),
    "gen_rtf": Definition(
        "Real-time factor of spoken answers",
        "",
        "(last audio chunk - sent) / seconds of audio received",
        _NO_AUDIO_OUTPUT,
    ),
    "underrun_max_s": Definition(
        "Longest pause in playback",
        "s",
        "longest pause of a player that starts with the first audio chunk and pauses when its buffer is empty",
        _NO_AUDIO_OUTPUT,
    ),
    "underrun_total_s": Definition(
        "All pauses in playback", "s", "total length of that player's pauses", _NO_AUDIO_OUTPUT
    ),
    "min_prebuffer_s": Definition(
        "Prebuffer that prevents pauses",
        "s",
        "shortest delay after the first audio chunk with which that player never pauses; equal to underrun_total_s",
        _NO_AUDIO_OUTPUT,
    ),
    "prefill_tok_s": Definition(
        "Speed of prefill",
        "tok/s",
        "input tokens / ttft_s, including the server's queue",
        f"{_NOT_STREAMED}; input tokens unknown",
    ),
    "input_tokens": Definition(
        "Input tokens", "tok", "input tokens, as the server counts them", "the server reports none"
    ),
    "output_tokens": Definition(
        "Output tokens", "tok", "output tokens, as the server counts them", "the server reports none"
    ),
    "output_chars": Definition(
        "Output characters", "chars", "characters of the text of the answer", "the answer is not text"
    ),
    "chars_s": Definition("Output speed", "chars/s", "output_chars / latency_s", "the answer is not text, or is empty"),
    "audio_in_s": Definition("Audio sent", "s", "seconds of audio sent", _NO_AUDIO_INPUT),
    "audio_out_s": Definition("Audio received", "s", "seconds of audio received", _NO_AUDIO_OUTPUT),
    "v2v_s": Definition(
        "Voice-to-voice latency",
        "s",
        "voice-to-voice latency of a live call: first audible sample played - last audible sample of the caller's turn,"
        " pooled over answered turns; negative if the agent began first",
        f"{_NO_CALL}, or no turn was answered",
    ),
    "yield_s": Definition(
        "Time to yield",
        "s",
        "time until the agent fell silent after the caller interrupted it, pooled over interruptions",
        f"{_NO_CALL}, or the agent was not interrupted or did not stop",
    ),
    "answered_share": Definition(
        "Answered turns", "share", "answered turns / turns that ask for an answer, of a live call", _NO_CALL
    ),
    "pacing_p99_s": Definition(
        "Delay of sent audio, 99th percentile",
        "s",
        "99th percentile of the delay with which frames of the caller's audio were sent, of a live call",
        _NO_CALL,
    ),
    "pacing_max_s": Definition("Delay of sent audio, longest", "s", "longest of these delays", _NO_CALL),
}

POOLED_MEASURES = frozenset({"chunk_gap_s", "itl_s", "v2v_s", "yield_s"})
"""Measures with several values per request."""

COST_MEASURES = ("cost_hour", "cost_audio_hour", "cost_1k_requests")

RUN_DEFINITIONS: dict[str, Definition] = {
    "window_s": Definition(
        "Length of the window", "s", "length of the window in which the following numbers are measured"
    ),
    "req_s": Definition(
        "Throughput of requests", "1/s", "successful requests of any phase that finished in the window / window_s"
    ),
    "tok_out_s": Definition(
        "Throughput of output tokens",
        "tok/s",
        "output tokens received in the window / window_s; the tokens of a request are spread evenly over its chunks",
        "the output tokens of a response are unknown",
    ),
    "tok_in_s": Definition(
        "Throughput of input tokens",
        "tok/s",
        "input tokens, each request weighted by the share of its time in the window / window_s",
        "the input tokens of a request are unknown",
    ),
    "chars_out_s": Definition(
        "Throughput of characters",
        "chars/s",
        "characters received in the window / window_s; those of a request are spread evenly over its chunks",
        "an answer is not text",
    ),
    "audio_in_x": Definition(
        "Throughput of audio",
        "",
        "throughput of audio: seconds of audio sent, each request weighted by the share of its time in the window"
        " / window_s",
        _NO_AUDIO_INPUT,
    ),
    "audio_out_x": Definition(
        "Throughput of received audio", "", "seconds of audio received in the window / window_s", _NO_AUDIO_OUTPUT
    ),
    "in_flight_mean": Definition("Requests in flight, mean", "", "requests sent and not yet done, averaged over time"),
    "in_flight_max": Definition("Requests in flight, most", "", "largest number of requests in flight"),
    "offered_rate": Definition(
        "Offered rate", "1/s", "(requests due - 1) / (last due - first due)", f"{_CLOSED_LOOP}; or all are due at once"
    ),
    "achieved_rate": Definition(
        "Achieved rate", "1/s", "(requests sent - 1) / (last sent - first sent)", "fewer than 2 requests were sent"
    ),
    "late_p99_s": Definition(
        "Lateness of the sender, 99th percentile",
        "s",
        "99th percentile of the sender's delay after the due time, excluding waiting for the cap",
        _CLOSED_LOOP,
    ),
    "goodput_req_s": Definition(
        "Goodput",
        "1/s",
        "req_s of the requests that met every per-request SLO",
        "no per-request SLO, or no request could be judged",
    ),
    "slo_attainment": Definition(
        "Requests within the SLOs",
        "share",
        "requests that met every per-request SLO / requests that could be judged;"
        " failed requests missed it, cancelled requests cannot be judged",
        "no per-request SLO",
    ),
    "failed_share": Definition("Failed requests", "share", "failed / (ok + failed)", "no request finished"),
    "timeout_share": Definition("Timeouts", "share", "failed with a timeout / (ok + failed)", "no request finished"),
    "audio_hours": Definition("Hours of audio sent", "h", "audio sent with successful requests"),
    "cost_hour": Definition(
        "Cost per hour",
        "",
        "cost of one hour of this load: tokens, audio and requests at their prices, plus the machine hour",
        "no price is set, or a priced quantity is unknown",
    ),
    "cost_audio_hour": Definition(
        "Cost per hour of audio", "", "cost_hour / audio_in_x", f"cost_hour is undefined, or {_NO_AUDIO_INPUT}"
    ),
    "cost_1k_requests": Definition(
        "Cost per thousand requests",
        "",
        "cost_hour / thousands of successful requests per hour",
        "cost_hour is undefined",
    ),
    "server_running_mean": Definition(
        "Requests running in the server", "", "requests that the server was working on, as it reports them", _NO_PAGE
    ),
    "server_queue_mean": Definition(
        "Requests waiting in the server", "", "requests waiting in the server, as it reports them", _NO_PAGE
    ),
    "server_queue_max": Definition(
        "Requests waiting in the server, most", "", "largest number of requests waiting in the server", _NO_PAGE
    ),
    "server_kv_share": Definition("KV cache in use", "share", "use of the KV cache, averaged over time", _NO_PAGE),
    "server_hit_share": Definition(
        "Prompt tokens cached", "share", "tokens of prompts that were in the prefix cache", _NO_PAGE
    ),
    "server_accept_share": Definition(
        "Draft tokens accepted", "share", "draft tokens that were accepted (speculative decoding)", _NO_PAGE
    ),
    "gpu_power_w": Definition("GPU power", "W", "power of all GPUs of this machine, averaged over time", _NO_GPU),
    "gpu_memory_gb": Definition("GPU memory", "GB", "largest memory in use on all GPUs of this machine", _NO_GPU),
    "energy_audio_hour_wh": Definition(
        "Energy per hour of audio", "Wh", "gpu_power_w / audio_in_x", f"{_NO_GPU}; or {_NO_AUDIO_INPUT}"
    ),
    "energy_1k_tokens_wh": Definition(
        "Energy per thousand output tokens",
        "Wh",
        "gpu_power_w / thousands of output tokens per hour",
        f"{_NO_GPU}; or the output tokens are unknown",
    ),
}

DEFINITIONS = {name: definition._asdict() for name, definition in {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}.items()}
"""The definitions as written to `summary.json`."""

MIN_UNDERRUN_SECONDS = 1e-6  # below the resolution of recorded times


def compute_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Compute every measure of every request, except pooled ones; NaN where undefined and for failed requests."""
    measures = {
        **_time_measures(columns),
        **_ratio_measures(columns),
        **_playback_measures(columns),
        **_size_measures(columns),
        **_call_measures(columns),
    }
    failed = ~columns.ok
    for values in measures.values():
        values[failed] = np.nan
    return {name: measures[name] for name in REQUEST_DEFINITIONS if name not in POOLED_MEASURES}


def get_pooled_values(columns: RequestColumns, name: str) -> RaggedArray:
    """Return the values of a measure that has several per request."""
    return {
        "chunk_gap_s": columns.gaps,
        "itl_s": columns.token_gaps,
        "v2v_s": columns.voice_to_voice,
        "yield_s": columns.yields,
    }[name]


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
        "chars_s": _divide(columns["output_chars"], times["latency_s"], positive_only=True),
    }


def _size_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Return how much was sent and received: tokens, characters and seconds of audio."""
    counts = {name: columns[name].copy() for name in ("input_tokens", "output_tokens", "output_chars")}
    return {
        **counts,
        "audio_in_s": columns["audio_seconds"].copy(),
        "audio_out_s": columns.audio_chunk_seconds.reduce_rows(np.add),
    }


def _call_measures(columns: RequestColumns) -> dict[str, Floats]:
    """Compute measures of live calls that have one value per call."""
    return {
        "answered_share": _divide(columns["answered_turns"], columns["turns"]),
        "pacing_p99_s": columns["pacing_p99"].copy(),
        "pacing_max_s": columns["pacing_max"].copy(),
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

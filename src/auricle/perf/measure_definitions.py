"""Definitions of every number of a load test; `docs/perf.md` repeats them word for word."""

from __future__ import annotations

from typing import NamedTuple


class Definition(NamedTuple):
    """Unit and meaning of a measure, and when it is undefined."""

    unit: str
    text: str
    undefined_when: str = ""


_NOT_STREAMED = "the response was not streamed, or was empty"
_CLOSED_LOOP = "closed loop: requests have no due time"
_NO_AUDIO_INPUT = "no audio was sent"
_NO_AUDIO_OUTPUT = "no audio was received"

REQUEST_DEFINITIONS: dict[str, Definition] = {
    "queue_s": Definition("s", "sent - due", _CLOSED_LOOP),
    "upload_s": Definition(
        "s",
        "last part of the body (64 KiB) handed to the socket - sent; the part of TTFT spent on sending",
        "the body is sent in one part, or the model is not behind HTTP",
    ),
    "ttfb_s": Definition("s", "first byte - sent", "no byte was observed before the complete response"),
    "ttft_s": Definition(
        "s",
        "first chunk with content (text, reasoning, tool call, audio) - sent;"
        " role-only, empty, keep-alive and usage events do not count",
        _NOT_STREAMED,
    ),
    "ttfc_s": Definition("s", "first chunk that is not reasoning - sent", _NOT_STREAMED),
    "ttfa_s": Definition("s", "first audio chunk - sent", _NO_AUDIO_OUTPUT),
    "ttfa_audible_s": Definition(
        "s", "first audio chunk with a sample above -50 dB of full scale - sent", _NO_AUDIO_OUTPUT
    ),
    "latency_s": Definition("s", "last chunk - sent; if not streamed, done - sent", "the response was empty"),
    "response_s": Definition("s", "done - sent, including usage events and the end of the stream"),
    "sched_latency_s": Definition("s", "latency_s + queue_s: from the due time", _CLOSED_LOOP),
    "sched_ttft_s": Definition("s", "ttft_s + queue_s: from the due time", f"{_CLOSED_LOOP}; {_NOT_STREAMED}"),
    "sched_ttfa_s": Definition("s", "ttfa_s + queue_s: from the due time", f"{_CLOSED_LOOP}; {_NO_AUDIO_OUTPUT}"),
    "tpot_s": Definition(
        "s",
        "(last chunk - first chunk) / (output tokens - 1)",
        f"{_NOT_STREAMED}; fewer than 2 output tokens, or unknown",
    ),
    "ntpot_s": Definition("s", "latency_s / output tokens", "output tokens are 0 or unknown"),
    "chunk_gap_s": Definition(
        "s", "time between consecutive chunks of a response, pooled over requests", "fewer than 2 chunks"
    ),
    "chunk_gap_max_s": Definition("s", "longest chunk_gap_s of a request", "fewer than 2 chunks"),
    "itl_s": Definition(
        "s",
        "time between consecutive token counts / tokens between them, pooled over requests",
        "the server does not report token counts while streaming",
    ),
    "rtf": Definition("", "latency_s / seconds of audio sent", _NO_AUDIO_INPUT),
    "rtfx_request": Definition("", "seconds of audio sent / latency_s", _NO_AUDIO_INPUT),
    "gen_rtf": Definition("", "(last audio chunk - sent) / seconds of audio received", _NO_AUDIO_OUTPUT),
    "underrun_max_s": Definition(
        "s",
        "longest pause of a player that starts with the first audio chunk and pauses when its buffer is empty",
        _NO_AUDIO_OUTPUT,
    ),
    "underrun_total_s": Definition("s", "total length of that player's pauses", _NO_AUDIO_OUTPUT),
    "min_prebuffer_s": Definition(
        "s",
        "shortest delay after the first audio chunk with which that player never pauses; equal to underrun_total_s",
        _NO_AUDIO_OUTPUT,
    ),
    "prefill_tok_s": Definition(
        "tok/s", "input tokens / ttft_s, including the server's queue", f"{_NOT_STREAMED}; input tokens unknown"
    ),
}

POOLED_MEASURES = frozenset({"chunk_gap_s", "itl_s"})
"""Measures with several values per request."""

COST_MEASURES = ("cost_hour", "cost_audio_hour", "cost_1k_requests")

RUN_DEFINITIONS: dict[str, Definition] = {
    "window_s": Definition("s", "length of the window in which the following numbers are measured"),
    "req_s": Definition("1/s", "successful requests of any phase that finished in the window / window_s"),
    "tok_out_s": Definition(
        "tok/s",
        "output tokens received in the window / window_s; the tokens of a request are spread evenly over its chunks",
        "the output tokens of a response are unknown",
    ),
    "tok_in_s": Definition(
        "tok/s",
        "input tokens, each request weighted by the share of its time in the window / window_s",
        "the input tokens of a request are unknown",
    ),
    "audio_in_x": Definition(
        "",
        "throughput RTFx: seconds of audio sent, each request weighted by the share of its time in the window"
        " / window_s",
        _NO_AUDIO_INPUT,
    ),
    "audio_out_x": Definition("", "seconds of audio received in the window / window_s", _NO_AUDIO_OUTPUT),
    "in_flight_mean": Definition("", "requests sent and not yet done, averaged over time"),
    "in_flight_max": Definition("", "largest number of requests in flight"),
    "offered_rate": Definition(
        "1/s", "(requests due - 1) / (last due - first due)", f"{_CLOSED_LOOP}; or all are due at once"
    ),
    "achieved_rate": Definition(
        "1/s", "(requests sent - 1) / (last sent - first sent)", "fewer than 2 requests were sent"
    ),
    "late_p99_s": Definition(
        "s", "99th percentile of the sender's delay after the due time, excluding waiting for the cap", _CLOSED_LOOP
    ),
    "goodput_req_s": Definition("1/s", "req_s of the requests that met every per-request SLO", "no per-request SLO"),
    "slo_attainment": Definition(
        "share",
        "requests that met every per-request SLO / requests that could be judged;"
        " failed requests missed it, cancelled requests cannot be judged",
        "no per-request SLO",
    ),
    "failed_share": Definition("share", "failed / (ok + failed)", "no request finished"),
    "timeout_share": Definition("share", "failed with a timeout / (ok + failed)", "no request finished"),
    "audio_hours": Definition("h", "audio sent with successful requests"),
    "cost_hour": Definition(
        "",
        "cost of one hour of this load: tokens, audio and requests at their prices, plus the machine hour",
        "no price is set, or a priced quantity is unknown",
    ),
    "cost_audio_hour": Definition("", "cost_hour / audio_in_x", f"cost_hour is undefined, or {_NO_AUDIO_INPUT}"),
    "cost_1k_requests": Definition(
        "", "cost_hour / thousands of successful requests per hour", "cost_hour is undefined"
    ),
}

DEFINITIONS = {name: definition._asdict() for name, definition in {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}.items()}
"""The definitions as written to `summary.json`."""

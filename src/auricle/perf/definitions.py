"""What every number of a load test means, printed beside it; no other module says so.

DEFINITIONS: measures of one request.  RUN_DEFINITIONS: measures of a window of time.
"""

from __future__ import annotations

from typing import NamedTuple


class Definition(NamedTuple):
    """A measure's unit, meaning, and when there is none."""

    unit: str
    text: str
    undefined_when: str = ""


_NOT_STREAMED = "the answer was not streamed, or was empty"
_CLOSED_LOOP = "the load is a closed loop, in which nothing is due"
_NO_AUDIO_OUTPUT = "no sound came back"

REQUEST_DEFINITIONS: dict[str, Definition] = {
    "queue_s": Definition("s", "sent - due", _CLOSED_LOOP),
    "upload_s": Definition(
        "s",
        "last piece of the body (64 KiB) handed over - sent; what TTFT holds of sending",
        "the body is small enough to be sent in one go, or the model is not behind HTTP",
    ),
    "ttfb_s": Definition("s", "first byte - sent", "no byte was seen before the whole"),
    "ttft_s": Definition(
        "s",
        "first piece of the answer with anything in it (text, reasoning, tool call, sound) - sent;"
        " role-only, empty, keep-alive and usage events stop no clock",
        _NOT_STREAMED,
    ),
    "ttfc_s": Definition("s", "first piece that is not reasoning - sent", _NOT_STREAMED),
    "ttfa_s": Definition("s", "first sound - sent", _NO_AUDIO_OUTPUT),
    "ttfa_audible_s": Definition(
        "s", "first piece of sound with a sample above -50 dB of full scale - sent", _NO_AUDIO_OUTPUT
    ),
    "latency_s": Definition(
        "s", "last piece of the answer - sent; if not streamed, done - sent", "the answer was empty"
    ),
    "response_s": Definition("s", "done - sent, usage events and the stream's end included"),
    "sched_latency_s": Definition("s", "latency_s + queue_s: from when it was due", _CLOSED_LOOP),
    "sched_ttft_s": Definition("s", "ttft_s + queue_s: from when it was due", f"{_CLOSED_LOOP}; {_NOT_STREAMED}"),
    "sched_ttfa_s": Definition("s", "ttfa_s + queue_s: from when it was due", f"{_CLOSED_LOOP}; {_NO_AUDIO_OUTPUT}"),
    "tpot_s": Definition(
        "s",
        "(last piece - first piece) / (output tokens - 1)",
        f"{_NOT_STREAMED}; fewer than 2 output tokens, or unknown",
    ),
    "ntpot_s": Definition("s", "latency_s / output tokens", "output tokens are 0 or unknown"),
    "chunk_gap_s": Definition(
        "s", "between one piece of an answer and the next, all requests' pooled", "fewer than 2 pieces"
    ),
    "chunk_gap_max_s": Definition("s", "the longest chunk_gap_s of a request", "fewer than 2 pieces"),
    "itl_s": Definition(
        "s",
        "from one count of tokens to the next / the tokens between them, all requests' pooled",
        "the server does not count its tokens as they come",
    ),
    "rtf": Definition("", "latency_s / seconds of sound sent", "no sound was sent"),
    "rtfx_request": Definition("", "seconds of sound sent / latency_s", "no sound was sent"),
    "gen_rtf": Definition("", "(last sound - sent) / seconds of sound that came back", _NO_AUDIO_OUTPUT),
    "underrun_max_s": Definition(
        "s", "longest silence of a player that starts with the first sound and waits when it has none", _NO_AUDIO_OUTPUT
    ),
    "underrun_total_s": Definition("s", "all silences of that player together", _NO_AUDIO_OUTPUT),
    "min_prebuffer_s": Definition(
        "s",
        "the shortest wait after the first sound with which that player is never silent;"
        " it is as long as all the silences without it",
        _NO_AUDIO_OUTPUT,
    ),
    "prefill_tok_s": Definition(
        "tok/s", "input tokens / ttft_s, the server's queue included", f"{_NOT_STREAMED}; tokens unknown"
    ),
}

POOLED_MEASURES = frozenset({"chunk_gap_s", "itl_s"})
"""Measures with several values a request."""

HIGHER_IS_BETTER = frozenset({"rtfx_request", "prefill_tok_s"})

COST_MEASURES = ("cost_hour", "cost_audio_hour", "cost_1k_requests")

RUN_DEFINITIONS: dict[str, Definition] = {
    "window_s": Definition("s", "length of the window all that follows is measured in"),
    "req_s": Definition("1/s", "requests of any phase that ended well in the window / window_s"),
    "tok_out_s": Definition(
        "tok/s",
        "output tokens whose piece of the answer came in the window / window_s; a request's tokens"
        " are spread evenly over its pieces",
        "an answer's tokens are unknown",
    ),
    "tok_in_s": Definition(
        "tok/s",
        "input tokens, each request's by the share of its time in the window / window_s",
        "a request's input tokens are unknown",
    ),
    "audio_in_x": Definition(
        "",
        "throughput RTFx: seconds of sound sent, each request's by the share of its time in the window / window_s",
        "no sound was sent",
    ),
    "audio_out_x": Definition("", "seconds of sound that came back in the window / window_s", _NO_AUDIO_OUTPUT),
    "in_flight_mean": Definition("", "requests sent and not yet done, averaged over time"),
    "in_flight_max": Definition("", "the most there were at once"),
    "offered_rate": Definition(
        "1/s", "(requests due - 1) / (last due - first due)", f"{_CLOSED_LOOP}, or all are due at once"
    ),
    "achieved_rate": Definition("1/s", "(requests sent - 1) / (last sent - first sent)", "fewer than 2 were sent"),
    "late_p99_s": Definition(
        "s", "99th percentile of how late the sender was, waiting for the cap not counted", _CLOSED_LOOP
    ),
    "goodput_req_s": Definition("1/s", "req_s of those requests that kept every promise", "nothing was promised"),
    "slo_attainment": Definition(
        "share",
        "requests that kept every promise / requests that could be judged; a failed one broke it,"
        " a cancelled one cannot be judged",
        "nothing was promised",
    ),
    "failed_share": Definition("share", "failed / (ok + failed)", "none ended"),
    "timeout_share": Definition("share", "failed for lack of time / (ok + failed)", "none ended"),
    "audio_hours": Definition("h", "sound sent with requests that ended well"),
    "cost_hour": Definition(
        "",
        "what an hour of this load costs: tokens, sound and requests at their prices, and the machine's hour",
        "no price was told, or not all that is priced is known",
    ),
    "cost_audio_hour": Definition("", "cost_hour / audio_in_x", "cost_hour is, or no sound was sent"),
    "cost_1k_requests": Definition("", "cost_hour / thousands of requests that end well in an hour", "cost_hour is"),
}

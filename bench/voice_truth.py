"""Compare the latencies that are measured in live calls with the script of the server, on a busy machine.

The fake server runs in a separate process. Every call has a question, an answer that the caller interrupts, and a
second answer; the delays of all of them are known. The errors of single turns are printed at the median and the 95th
percentile. `speech_stopped` is due when the frame of 20 ms that completes the silence has been sent.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import yaml
from measure import Sheet, at_most
from perf_client import run_server

from auricle.core.calls import FRAME_SECONDS, CallRecording, EventKind, Step
from auricle.core.types import Call
from auricle.media import Audio
from auricle.models.base import SessionModel
from auricle.models.sessions.gemini_live import GeminiLive
from auricle.models.sessions.realtime import Realtime
from auricle.tasks.calls.live.driver import hold_call
from auricle.tasks.calls.metrics.turns import list_exchanges, list_overlaps
from auricle.testing.fake_server.realtime.voice import speak

STOP, ANSWER, LEAD, YIELD, INTERRUPT_AT = 0.5, 0.3, 0.1, 0.2, 0.8
TOLERANCE = 0.02
SCRIPT = {
    "stop_after": STOP,
    "answer_after": ANSWER,
    "lead_silence": LEAD,
    "yield_after": YIELD,
    "turns": [{"answer_seconds": 3.0}, {"answer_seconds": 0.5}],
}


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Run processes that compute all the time."""
    with ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(process.kill)
        yield


def make_call(number: int) -> Call:
    """Return a call whose turns are not on the grid of frames."""
    rate = 24_000
    clips = [Audio.of(speak(seconds + 0.007 * number, rate) / np.float32(32_768), rate=rate) for seconds in (0.5, 0.35)]
    question = Step(kind="say", audio=(clips[0],), delay=0.1 + 0.013 * number)
    interruption = Step(kind="interrupt", audio=(clips[1],), start="agent_start", delay=INTERRUPT_AT)
    return Call(steps=(question, interruption), keep_audio=False)


async def hold_wave(url: str, protocol: str, numbers: range) -> list[CallRecording]:
    model: SessionModel = Realtime(base_url=url, model="fake", api_key="none")
    if protocol == "gemini-live":
        model = GeminiLive(base_url=url.removesuffix("/v1"), model="fake", api_key="none")
    try:
        return await asyncio.gather(*(hold_call(model, make_call(number)) for number in numbers))
    finally:
        await model.close()


def next_frame(at: float) -> float:
    """Return when the frame is due that contains a moment; frames are sent when they are complete."""
    return math.ceil(at / FRAME_SECONDS - 1e-6) * FRAME_SECONDS


def list_errors(recording: CallRecording) -> Iterator[tuple[str, float]]:
    """Yield the name of each latency of a call, and by how many seconds it differs from the truth."""
    for exchange in list_exchanges(recording):
        assert exchange.voice_to_voice is not None
        yield "voice-to-voice", exchange.voice_to_voice - (STOP + ANSWER + LEAD)
        if exchange.first_audio_at is not None:
            yield "first byte", exchange.first_audio_at - exchange.turn.end - (STOP + ANSWER)
        if exchange.endpoint_at is not None:
            yield "endpoint", exchange.endpoint_at - next_frame(exchange.turn.end + STOP)
    for overlap in list_overlaps(recording):
        assert overlap.stop_seconds is not None
        assert overlap.signal_seconds is not None
        yield "yield", overlap.stop_seconds - YIELD
        yield "stop signal", overlap.signal_seconds - YIELD
    beliefs = {event.item: event.seconds for event in recording.select(EventKind.TRUNCATED)}
    for flush in recording.select(EventKind.PLAYBACK_FLUSHED):
        if (belief := beliefs.get(flush.item)) is not None and flush.seconds is not None:
            yield "truncation", belief - flush.seconds


def measure_protocol(url: str, protocol: str, calls: int, at_once: int, sheet: Sheet) -> None:
    errors: dict[str, list[float]] = defaultdict(list)
    lateness: list[float] = []
    for start in range(0, calls, at_once):
        numbers = range(start, min(calls, start + at_once))
        for recording in asyncio.run(hold_wave(url, protocol, numbers)):
            for name, error in list_errors(recording):
                errors[name].append(abs(error))
            if recording.pacing:
                lateness.append(recording.pacing.p99)
    for name, values in errors.items():
        p50, p95 = np.quantile(values, [0.5, 0.95]) * 1000
        sheet.line(f"{protocol}: {name}, error p50 of {len(values)}", p50, "ms")
        sheet.line(f"{protocol}: {name}, error p95", p95, "ms", at_most(1000 * TOLERANCE))
    sheet.line(f"{protocol}: frames late, worst p99 of a call", max(lateness) * 1000, "ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=24, help="calls with each protocol [default: 24]")
    parser.add_argument("--at-once", type=int, default=8, help="calls at a time [default: 8]")
    parser.add_argument("--busy", type=int, default=1, help="processes that keep the machine busy [default: 1]")
    options = parser.parse_args()
    sheet = Sheet(f"Live calls, {options.at_once} at a time, {options.busy} busy processes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.yaml"
        path.write_text(yaml.safe_dump(SCRIPT))
        with run_server("--realtime-script", str(path)) as server, busy_processes(options.busy):
            for protocol in ("realtime", "gemini-live"):
                measure_protocol(server.url, protocol, options.calls, options.at_once, sheet)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

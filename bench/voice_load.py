"""Hold 100 live calls at a time with the fake server: pacing, latency and processor time, beside one call at a time."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import soundfile
from measure import Sheet, at_most
from perf_client import ServerProcess, read_requests, run_perf, run_server

CALLS = 100
UTTERANCE_SECONDS, RATE = 1.0, 16_000
ENDPOINT_SECONDS, ANSWER_SECONDS = 0.5, 0.3
SERVER = ("--realtime", "--stop-after", str(ENDPOINT_SECONDS), "--answer-after", str(ANSWER_SECONDS))
UNITS = {
    "calls": "", "pacing p99": "ms", "pacing max": "ms", "latency error p50": "ms", "latency error p95": "ms",
    "sender cores": "", "valid": "",
}  # fmt: skip
TARGETS = {"pacing p99": at_most(10.0), "latency error p95": at_most(20.0)}
SCRIPT = """\
kind: conversation
conversations:
  - id: call
    script:
      - say: {audio: utterance.wav}
      - say: {audio: utterance.wav}
        after: agent_end + 0.5
      - interrupt: {audio: utterance.wav}
        after: agent_start + 1.0
"""


def write_script(folder: Path) -> Path:
    times = np.arange(round(UTTERANCE_SECONDS * RATE)) / RATE
    soundfile.write(folder / "utterance.wav", 0.2 * np.sin(2 * np.pi * 220 * times), RATE)
    path = folder / "calls.yaml"
    path.write_text(SCRIPT)
    return path


def hold_calls(server: ServerProcess, script: Path, out: Path, users: int, count: int) -> dict[str, float]:
    """Hold calls; return the pacing and the errors of latencies in milliseconds, and what the sender uses of a core."""
    load = f"closed:{users},ramp=3" if users > 1 else "serial"
    summary = run_perf(server, script, out, "--load", load, "--count", str(count), task=("-m", "realtime"))
    (point,) = summary["points"]
    calls = [call for call in read_requests(out, point) if call.get("status", "ok") == "ok"]
    latencies = np.array([latency for call in calls for latency in call["voice_to_voice"]])
    errors = 1000 * np.abs(latencies - ENDPOINT_SECONDS - ANSWER_SECONDS)
    return {
        "calls": float(len(calls)),
        "pacing p99": 1000 * float(np.percentile([call["pacing_p99"] for call in calls], 95)),
        "pacing max": 1000 * max(call["pacing_max"] for call in calls),
        "latency error p50": float(np.percentile(errors, 50)),
        "latency error p95": float(np.percentile(errors, 95)),
        "sender cores": sum(point["health"]["cpu_share"]),
        "valid": float(point["validity"]["valid"]),
    }


def main() -> int:
    sheet = Sheet(f"{CALLS} live calls at a time with the fake server")
    with tempfile.TemporaryDirectory() as name, run_server(*SERVER, has_priority=True) as server:
        folder = Path(name)
        script = write_script(folder)
        alone = hold_calls(server, script, folder / "alone", 1, 2)
        many = hold_calls(server, script, folder / "many", CALLS, 2 * CALLS)
    for key, baseline in alone.items():
        ratio = many[key] / baseline if baseline else None
        sheet.line(f"{key}, one call at a time", baseline, UNITS[key])
        sheet.line(f"{key}, {CALLS} calls", many[key], UNITS[key], TARGETS.get(key), ratio)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

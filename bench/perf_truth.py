"""What `auricle perf` measures beside what the server knows it did, request by request.

The fake server runs in a process of its own and notes when each request came and each part of
its reply left. A client's TTFT, TPOT, latency and first audio are to be these, within 2 ms + 2 %:
median and 95th percentile decide, and how many single requests are as near stands below. Three
seconds of warm-up open the connections: opening one is part of a request's time to whoever sends
it, and no part of what the server knows. Where others work on the same cores, `nice -n -10` keeps
their work out of the clock.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure import Sheet, at_least, at_most
from perf_server import Server, measured, questions, requests, served

LATENCY, PACE, TOKENS = 0.1, 50, 16
ABSOLUTE, RELATIVE = 0.002, 0.02
SPEECH = '{"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "pcm16"}}'
STREAM = ("--record-times", "--latency", str(LATENCY), "--pace", str(PACE), "--role-first")


def differences(server: Server, out: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """The server's and the client's seconds, by measure, of all requests.

    Requests are paired by when they were sent and came: both clocks are one.
    """
    times = [each for of_body in server.stats()["times"].values() for each in of_body]
    arrived = sorted(times, key=lambda each: each["arrival"])[1:]  # the first is not measured
    own = sorted(requests(out, document["points"][0]), key=lambda each: each["sent"])
    own = [each for each in own if each["status"] == "ok"]
    assert len(own) == len(arrived), (len(own), len(arrived))
    pairs = [pair for pair in zip(arrived, own, strict=True) if pair[1]["phase"] == "measure"]
    arrived, own = [each for each, _ in pairs], [each for _, each in pairs]
    truth, seen = _durations(arrived, "arrival"), _durations(own, "sent")
    found = {}
    for name, values in truth.items():
        if not np.isnan(values).all():
            found[name] = (values, seen[name])
    return found


def _durations(each: Sequence[Mapping[str, Any]], start: str) -> dict[str, np.ndarray]:
    def column(name: str) -> np.ndarray:
        return np.array([one.get(name) or np.nan for one in each], dtype=float)

    first, last, audio = (column(n) for n in ("first_token", "last_content", "first_audio"))
    begun = np.array([one[start] for one in each], dtype=float)
    return {
        "ttft": first - begun,
        "tpot": (last - first) / (TOKENS - 1),
        "latency": last - begun,
        "first audio": audio - begun,
    }


def truth(sheet: Sheet, folder: Path, rate: int, spoken: bool) -> None:
    data = questions(folder, 100, TOKENS)
    more = ("--audio-chunk-seconds", "0.1", "--audio-pace", "4") if spoken else ()
    extra = ("-M", f"extra={SPEECH}") if spoken else ()
    count = max(100, 8 * rate)
    out = folder / "truth"
    words = ("--load", f"poisson:{rate}", "--count", str(count), "--stream", *extra)
    words += ("--warmup", "3")
    with served(*STREAM, *more) as server:
        document = measured(server, data, out, *words)
        found = differences(server, out, document)
    wanted = ("first audio",) if spoken else ("ttft", "tpot", "latency")
    for name in wanted:
        true, seen = found[name]
        for share in (0.5, 0.95):
            value, shown = (float(np.quantile(each, share)) for each in (true, seen))
            title = f"{name} p{100 * share:.0f}, {rate}/s: {1000 * value:.1f} ms, off by"
            sheet.line(title, 1000 * abs(shown - value), "ms", at_most(1000 * allowed(value)))
        within = np.abs(seen - true) <= allowed(true)
        sheet.line(f"{name}, {rate}/s: requests within", 100 * float(within.mean()), "%")
    told(document)


def allowed(value: Any) -> Any:
    return ABSOLUTE + RELATIVE * value


def told(document: Mapping[str, Any]) -> None:
    """What the run says of itself."""
    for point in document["points"]:
        for reason in point["validity"]["reasons"]:
            print(f"    {point['load']} is not valid: {reason}")


def rates(sheet: Sheet, folder: Path) -> None:
    data = questions(folder, 200)
    for rate, seconds in ((10, 20), (100, 10), (500, 10)):
        for kind in ("constant", "poisson"):
            with served("--latency", "0.05") as server:
                words = ("--load", f"{kind}:{rate}", "--duration", str(seconds), "--no-stream")
                document = measured(server, data, folder / "rates", *words)
            run = document["points"][0]["run"]
            offered, achieved = run["offered_rate"]["value"], run["achieved_rate"]["value"]
            off = 100 * abs(achieved / offered - 1)
            sheet.line(f"{kind}:{rate}, sent beside due, off", off, "%", at_most(1.0))
            late = run["late_p99_s"]["value"]
            sheet.line(f"{kind}:{rate}, late, p99", 1000 * late, "ms")
            told(document)


def stall(sheet: Sheet, folder: Path) -> None:
    """Service of 190 ms, eight at once, a rest of 2 s: who measures from sent sees next to none."""
    data = questions(folder, 200)
    with served("--latency", "0.19", "--stall-at", "30", "--stall-seconds", "2") as server:
        words = ("--load", "poisson:35,cap=8", "--duration", "60", "--no-stream", "--window", "all")
        document = measured(server, data, folder / "stall", *words)
    measures = document["points"][0]["measures"]
    sent, due = (measures[name]["p99"] for name in ("latency_s", "sched_latency_s"))
    sheet.line("stall, p99 from sent (about 0.19)", sent, "s", at_most(0.25))
    sheet.line("stall, p99 from due (about 2.2)", due, "s", at_least(1.8))
    for name, measure in (("sent", measures["latency_s"]), ("due", measures["sched_latency_s"])):
        print(f"    from {name}: p50 {measure['p50']:.3f}, p90 {measure['p90']:.3f}")
    told(document)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["truth", "rates", "stall"])
    only = parser.parse_args().only
    sheet = Sheet("auricle perf beside the truth of the fake server")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if only in (None, "truth"):
            for rate in (10, 50, 100):
                truth(sheet, folder, rate, spoken=False)
                truth(sheet, folder, rate, spoken=True)
        if only in (None, "rates"):
            rates(sheet, folder)
        if only in (None, "stall"):
            stall(sheet, folder)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

"""Compare the times that `auricle perf` measures with those that the server recorded, request by request.

The fake server runs in a separate process and records when each request arrived and each part of its reply was sent.
The client's TTFT, TPOT, latency and first audio must agree within 2 ms + 2 % at the median and the 95th percentile;
the share of single requests that agree is printed too. A warm-up of three seconds opens the connections, because
opening one adds to the client's times only. In the rounds at 200 requests per second (`--only rounds`), server and
sender have a higher priority than other processes if the user may set it, and the use of the machine is printed: with
the two of them alone, about 0.7 cores are busy.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure import Sheet, at_least, at_most
from perf_client import ServerProcess, read_requests, run_perf, run_server, write_questions

from auricle.perf.machine_load import PROC_STAT, compare_cpu_times

LATENCY, PACE, TOKENS = 0.1, 50, 16
ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE = 0.002, 0.02
ROUNDS, ROUND_RATE, ROUND_TOLERANCE = 3, 200, 0.004
SPOKEN_ANSWERS = '{"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "pcm16"}}'
SERVER_OPTIONS = ("--record-times", "--latency", str(LATENCY), "--pace", str(PACE), "--role-first")


def pair_durations(
    server: ServerProcess, out: Path, document: Mapping[str, Any]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the server's and the client's seconds of all requests, by measure.

    Requests are paired in the order of sending and arrival; both processes share one clock.
    """
    times = [entry for entries in server.stats()["times"].values() for entry in entries]
    server_side = sorted(times, key=lambda entry: entry["arrival"])[1:]  # the first request is not measured
    requests = sorted(read_requests(out, document["points"][0]), key=lambda request: request["sent"])
    client_side = [request for request in requests if request["status"] == "ok"]
    assert len(client_side) == len(server_side), (len(client_side), len(server_side))
    pairs = [pair for pair in zip(server_side, client_side, strict=True) if pair[1]["phase"] == "measure"]
    true_durations = _compute_durations([entry for entry, _ in pairs], "arrival")
    measured_durations = _compute_durations([request for _, request in pairs], "sent")
    return {
        name: (values, measured_durations[name])
        for name, values in true_durations.items()
        if not np.isnan(values).all()
    }


def _compute_durations(rows: Sequence[Mapping[str, Any]], start_name: str) -> dict[str, np.ndarray]:
    def column(name: str) -> np.ndarray:
        return np.array([row.get(name) or np.nan for row in rows], dtype=float)

    first, last, audio = (column(name) for name in ("first_token", "last_content", "first_audio"))
    start = np.array([row[start_name] for row in rows], dtype=float)
    return {
        "ttft": first - start,
        "tpot": (last - first) / (TOKENS - 1),
        "latency": last - start,
        "first audio": audio - start,
    }


def compare_times(sheet: Sheet, folder: Path, rate: int, spoken: bool) -> None:
    data = write_questions(folder, 100, TOKENS)
    audio_options = ("--audio-chunk-seconds", "0.1", "--audio-pace", "4") if spoken else ()
    extra = ("-M", f"extra={SPOKEN_ANSWERS}") if spoken else ()
    count = max(100, 8 * rate)
    out = folder / "times"
    options = ("--load", f"poisson:{rate}", "--count", str(count), "--stream", *extra, "--warmup", "3")
    with run_server(*SERVER_OPTIONS, *audio_options) as server:
        document = run_perf(server, data, out, *options)
        durations = pair_durations(server, out, document)
    for name in ("first audio",) if spoken else ("ttft", "tpot", "latency"):
        true, measured = durations[name]
        for share in (0.5, 0.95):
            true_quantile, measured_quantile = (float(np.quantile(values, share)) for values in (true, measured))
            title = f"{name} p{100 * share:.0f}, {rate}/s: {1000 * true_quantile:.1f} ms, error"
            error = 1000 * abs(measured_quantile - true_quantile)
            sheet.line(title, error, "ms", at_most(1000 * tolerance(true_quantile)))
        within = np.abs(measured - true) <= tolerance(true)
        sheet.line(f"{name}, {rate}/s: requests within tolerance", 100 * float(within.mean()), "%")
    print_invalid_reasons(document)


def compare_rounds(sheet: Sheet, folder: Path) -> None:
    """Compare TTFT at 200 requests per second in three rounds, and print how busy the machine was."""
    data = write_questions(folder, 1000, TOKENS)
    for number in range(1, ROUNDS + 1):
        options = ("--load", f"poisson:{ROUND_RATE}", "--count", str(10 * ROUND_RATE), "--stream", "--warmup", "3")
        with run_server(*SERVER_OPTIONS, has_priority=True) as server:
            before = PROC_STAT.read_text()
            document = run_perf(server, data, folder / "rounds", *options)
            load = compare_cpu_times(before, PROC_STAT.read_text())
            true, measured = pair_durations(server, folder / "rounds", document)["ttft"]
        for share, target in ((0.5, None), (0.95, at_most(1000 * ROUND_TOLERANCE)), (0.99, None)):
            true_quantile, measured_quantile = (float(np.quantile(values, share)) for values in (true, measured))
            title = f"round {number}, ttft p{100 * share:.0f}, {ROUND_RATE}/s: {1000 * true_quantile:.1f} ms, error"
            error, ratio = abs(measured_quantile - true_quantile), measured_quantile / true_quantile
            sheet.line(title, 1000 * error, "ms", target, ratio)
        health = document["points"][0]["health"]
        print(f"    lateness p99 {1000 * health['late_p99_s']:.2f} ms, sender {health['cpu_share'][0]:.2f} cores")
        print(f"    machine: {load} busy, load average {os.getloadavg()[0]:.1f}")
        print_invalid_reasons(document)


def tolerance(value: Any) -> Any:
    return ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * value


def print_invalid_reasons(document: Mapping[str, Any]) -> None:
    for point in document["points"]:
        for reason in point["validity"]["reasons"]:
            print(f"    {point['load']} is not valid: {reason}")


def compare_rates(sheet: Sheet, folder: Path) -> None:
    data = write_questions(folder, 200)
    for rate, seconds in ((10, 20), (100, 10), (500, 10)):
        for kind in ("constant", "poisson"):
            with run_server("--latency", "0.05") as server:
                options = ("--load", f"{kind}:{rate}", "--duration", str(seconds), "--no-stream")
                document = run_perf(server, data, folder / "rates", *options)
            run = document["points"][0]["run"]
            offered, achieved = run["offered_rate"]["value"], run["achieved_rate"]["value"]
            error = 100 * abs(achieved / offered - 1)
            sheet.line(f"{kind}:{rate}, error of the achieved rate", error, "%", at_most(1.0))
            sheet.line(f"{kind}:{rate}, lateness, p99", 1000 * run["late_p99_s"]["value"], "ms")
            print_invalid_reasons(document)


def measure_stall(sheet: Sheet, folder: Path) -> None:
    """Measure a stall of 2 s (service time 190 ms, cap 8), which only times from the due time show."""
    data = write_questions(folder, 200)
    with run_server("--latency", "0.19", "--stall-at", "30", "--stall-seconds", "2") as server:
        options = ("--load", "poisson:35,cap=8", "--duration", "60", "--no-stream", "--window", "all")
        document = run_perf(server, data, folder / "stall", *options)
    measures = document["points"][0]["measures"]
    sent, due = (measures[name]["p99"] for name in ("latency_s", "sched_latency_s"))
    sheet.line("stall, p99 from sent (about 0.19)", sent, "s", at_most(0.25))
    sheet.line("stall, p99 from due (about 2.2)", due, "s", at_least(1.8))
    for name, measure in (("sent", measures["latency_s"]), ("due", measures["sched_latency_s"])):
        print(f"    from {name}: p50 {measure['p50']:.3f}, p90 {measure['p90']:.3f}")
    print_invalid_reasons(document)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["times", "rounds", "rates", "stall"])
    only = parser.parse_args().only
    sheet = Sheet("auricle perf compared with the times that the fake server recorded")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if only in (None, "times"):
            for rate in (10, 50, 100):
                compare_times(sheet, folder, rate, spoken=False)
                compare_times(sheet, folder, rate, spoken=True)
        if only in (None, "rounds"):
            compare_rounds(sheet, folder)
        if only in (None, "rates"):
            compare_rates(sheet, folder)
        if only in (None, "stall"):
            measure_stall(sheet, folder)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

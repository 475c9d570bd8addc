"""Measure the memory of `auricle perf` with few and many requests, and the size of its report.

Requests are streams of eight words without pauses. The questions are sent repeatedly, and every answer is scored.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measure import Sheet, at_most, measure_process
from perf_client import run_server, write_questions

FEW, USERS, WORDS, QUESTIONS = 5_000, 32, 8, 1_000
MAX_MEMORY_GROWTH = 1.5
MAX_REPORT_MEGABYTES = 5.0


def measure_peak_memory(url: str, data: Path, out: Path, count: int) -> tuple[float, float]:
    """Return the peak memory of the whole command in MB, and its wall seconds."""
    model = ["-m", "openai", "-M", f"base_url={url}", "-M", "model=fake"]
    load = ["--load", f"closed:{USERS}", "--count", str(count), "--stream", "--senders", "1"]
    argv = ["auricle", "perf", str(data), "--as", "qa", *model, *load, "-o", str(out)]
    process = measure_process(f"import sys; sys.argv = {argv!r}\nfrom auricle.cli import main\nmain()")
    return process.megabytes, process.cost.wall


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50_000)
    many = parser.parse_args().count
    sheet = Sheet(f"auricle perf, {USERS} users, streams of {WORDS} words")
    with tempfile.TemporaryDirectory() as name, run_server() as server:
        folder = Path(name)
        data = write_questions(folder, QUESTIONS, WORDS)
        small, _ = measure_peak_memory(server.url, data, folder / "few", FEW)
        sheet.line(f"memory, {FEW:,} requests", small, "MB")
        large, wall = measure_peak_memory(server.url, data, folder / "many", many)
        sheet.line(f"memory, {many:,} requests", large, "MB", at_most(MAX_MEMORY_GROWTH * small), large / small)
        sheet.line(f"whole command, {many:,} requests", wall, "s")
        report = (folder / "many" / "report.html").stat().st_size / 1e6
        sheet.line("report.html", report, "MB", at_most(MAX_REPORT_MEGABYTES))
        lines = next((folder / "many").glob("*/requests.jsonl")).stat().st_size / 1e6
        sheet.line("requests.jsonl", lines, "MB")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

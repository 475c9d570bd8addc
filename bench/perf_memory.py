"""What `auricle perf` keeps of its requests: memory at few and at many, and the size of its page.

Streams of eight words without a pause, so that every request has its pieces; the same questions
are sent over and over, and every answer is scored.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measure import Sheet, at_most, child
from perf_server import questions, served

FEW, USERS, WORDS, DIFFERENT = 5_000, 32, 8, 1_000
GROWN = 1.5
PAGE = 5.0


def peak(url: str, data: Path, out: Path, count: int) -> tuple[float, float]:
    """The most memory the whole command takes, in MB, and its seconds."""
    words = ["perf", str(data), "--as", "qa", "-m", "openai", "-M", f"base_url={url}"]
    more = ["-M", "model=fake", "--load", f"closed:{USERS}", "--count", str(count), "--stream"]
    argv = ["auricle", *words, *more, "-o", str(out), "--senders", "1"]
    code = f"import sys; sys.argv = {argv!r}\nfrom auricle.cli import main\nmain()"
    spent = child(code)
    return spent.megabytes, spent.cost.wall


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50_000)
    many = parser.parse_args().count
    sheet = Sheet(f"auricle perf, {USERS} users, streams of {WORDS} words")
    with tempfile.TemporaryDirectory() as name, served() as server:
        folder = Path(name)
        data = questions(folder, DIFFERENT, WORDS)
        small, _ = peak(server.url, data, folder / "few", FEW)
        sheet.line(f"memory, {FEW:,} requests", small, "MB")
        large, wall = peak(server.url, data, folder / "many", many)
        sheet.line(f"memory, {many:,} requests", large, "MB", at_most(GROWN * small), large / small)
        sheet.line(f"whole command, {many:,} requests", wall, "s")
        page = (folder / "many" / "report.html").stat().st_size / 1e6
        sheet.line("report.html", page, "MB", at_most(PAGE))
        lines = next((folder / "many").glob("*/requests.jsonl")).stat().st_size / 1e6
        sheet.line("requests.jsonl", lines, "MB")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

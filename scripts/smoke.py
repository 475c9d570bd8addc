"""Try an installed Auricle on any system: check it, run a fake model on the bundled speech, and compare two runs.

    python scripts/smoke.py                    the Auricle of this Python
    python scripts/smoke.py uvx auricle        another command
    python scripts/smoke.py --demo             the demo, too; it needs the extra `demo`

Nothing is left behind. The exit code is 1 if a command fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile

RUN = ("run", "data/manifest.jsonl", "--as", "asr", "-T", "language=en", "-m", "echo")
COMMANDS = (
    ("--version",),
    ("doctor",),
    ("demo", "--copy-data", "data"),
    (*RUN, "-o", "baseline"),
    (*RUN, "-M", "wrong=0.5", "-o", "candidate"),
    ("score", "baseline"),
    ("show", "candidate", "--by", "subset"),
    ("compare", "baseline", "candidate", "--html", "comparison.html"),
    ("verify", "baseline"),
)
DEMO = ("demo", "--limit", "1")


def main(words: list[str]) -> int:
    commands = [*COMMANDS, DEMO] if "--demo" in words else [*COMMANDS]
    program = [word for word in words if word != "--demo"] or [sys.executable, "-m", "auricle"]
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            print("$ auricle", *command, flush=True)
            if code := subprocess.run([*program, *command], cwd=folder, check=False).returncode:
                print(f"`auricle {' '.join(command)}` ended with {code}.", file=sys.stderr)
                return 1
    print("All commands ended with 0.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

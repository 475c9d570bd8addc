"""How much memory a million samples take: asked, scored, and taken up again."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import material
from measure import Sheet, at_most, child

SAMPLES = 1_000_000
TARGET = 400  # MB
RUN = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
import material
from auricle import evaluate
evaluate(material.spec(Path({data!r}), metrics="wer"), Path({out!r}))
"""


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} samples without sound, asked and scored")
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data.jsonl"), Path(folder, "run")
        material.write(data, material.rows(SAMPLES))
        code = RUN.format(here=str(Path(__file__).parent), data=str(data), out=str(out))
        bare = child("import numpy")
        sheet.line("python with numpy", bare.megabytes, "MB", spent=bare.cost)
        for name in ("infer and score", "resume when finished"):
            run = child(code)
            ratio = run.megabytes / bare.megabytes
            sheet.line(name, run.megabytes, "MB", at_most(TARGET), ratio, run.cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())

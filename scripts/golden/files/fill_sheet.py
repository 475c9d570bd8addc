"""Label the replies of an audit sheet: every third one was read wrongly."""

import csv
import sys
from pathlib import Path

path = Path(sys.argv[1])
with path.open(newline="", encoding="utf-8-sig") as file:
    rows = list(csv.DictReader(file))
with path.open("w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows({**row, "label": "right" if number % 3 else "wrong"} for number, row in enumerate(rows))

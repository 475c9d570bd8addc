"""Change an answer in the journal of a run, and cut its last line."""

import sys
from pathlib import Path

path = Path(sys.argv[1], "outputs.jsonl")
path.write_text(path.read_text(encoding="utf-8").replace("good", "bad", 1)[:-20], encoding="utf-8")

"""A dataset in a custom format needs seven lines of code; JSON lines need none (dataset.jsonl).

auricle run examples/dataset.py:capitals -m echo
auricle run examples/dataset.jsonl --as qa -m echo
"""

from auricle import Sample, Task
from auricle.engine.inferencers import Respond
from auricle.tasks.asr.error_rates import exact_match


def capitals() -> Task:
    """Read capitals from a custom format."""
    rows = ("France=Paris", "Japan=Tokyo")
    pairs = (row.split("=") for row in rows)
    samples = [Sample(id=a, inputs={"place": a}, target=b) for a, b in pairs]
    return Task(samples, Respond("The capital of {place}?"), [exact_match])

"""A metric can be one function that scores a sample. Here: is the answer of about the right length?

auricle run data.jsonl --as qa -m echo -T metrics=examples/metric.py:right_length
"""

from auricle import Generation, Sample, metric


@metric(limits=(0.0, 1.0))
def right_length(sample: Sample, output: Generation) -> float:
    """Return whether the answer is at most twice as long as the reference."""
    return float(len(output.text) <= 2 * len(str(sample.target)))

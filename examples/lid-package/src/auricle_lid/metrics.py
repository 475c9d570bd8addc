"""Metrics of language identification."""

from auricle import Generation, Prediction, Sample, Unreadable, metric

from auricle_lid.languages import are_related, read_names


def read_language(sample: Sample, output: Generation | Prediction) -> str:
    """Return the language of an answer; empty if it names none or several."""
    if isinstance(output, Prediction):
        return max(output.values, key=lambda name: output.values[name])
    choices = sample.inputs["choices"]
    names = read_names(output.text, choices) if isinstance(choices, list) else []
    return names[0] if len(names) == 1 else ""


@metric(title="Related language", limits=(0.0, 1.0), unreadable="wrong")
def related_language(sample: Sample, output: Generation | Prediction) -> float:
    """Return 1 if the answer is the right language or a related one."""
    answer = read_language(sample, output)
    if not answer:
        raise Unreadable("the answer names no language, or several")
    return float(are_related(str(sample.target), answer))

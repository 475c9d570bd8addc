"""A section of the report: the smallest interval that the model always recognised."""

from collections.abc import Sequence

from auricle.report.sample_view import SampleView
from auricle.runs.metrics import Metrics
from markupsafe import Markup


def smallest_interval(metrics: Metrics, worst_samples: Sequence[SampleView]) -> Markup | None:
    """Name the smallest interval from which on all answers are right."""
    shares = {int(number.group): number.value for number in metrics.numbers if number.field == "semitones"}
    if metrics.task.name != "pitch-order" or not shares:
        return None
    wrong = [semitones for semitones, share in shares.items() if share != 1.0]
    recognised = [semitones for semitones in shares if semitones > max(wrong, default=0)]
    if not recognised:
        return Markup("<p>Not even the largest interval was always recognised.</p>")
    plural = "" if min(recognised) == 1 else "s"
    return Markup("<p>Always recognised from {} semitone{} on.</p>").format(min(recognised), plural)

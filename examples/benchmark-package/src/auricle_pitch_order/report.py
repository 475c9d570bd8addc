"""A section of the report: the smallest interval that the model always recognised."""

from auricle.report.run_html import Page
from markupsafe import Markup


def smallest_interval(page: Page) -> Markup | None:
    """Name the smallest interval from which on all answers are right."""
    metrics = page.metrics
    shares = {int(number.group): number.value for number in metrics.numbers if number.field == "semitones"}
    if metrics.task.name != "pitch-order" or not shares:
        return None
    wrong = [semitones for semitones, share in shares.items() if share != 1.0]
    recognised = [semitones for semitones in shares if semitones > max(wrong, default=0)]
    if not recognised:
        return Markup("<p>Not even the largest interval was always recognised.</p>")
    plural = "" if min(recognised) == 1 else "s"
    return Markup("<p>Always recognised from {} semitone{} on.</p>").format(min(recognised), plural)
